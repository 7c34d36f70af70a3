"""What a payment leaves behind: a charge, and a service message that is the bot's proof of it."""

from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.messages import Message
from photomat_sandbox.telegram.queries import Query
from photomat_sandbox.telegram.stars import Charge, Subscription
from photomat_sandbox.telegram.world import TelegramWorld


def take_payment(world: TelegramWorld, query: Query) -> Charge:
    """Charge the person and tell the bot by a successful_payment message."""
    charge = world.stars.charge(
        user_id=query.user_id,
        amount=query.amount,
        payload=query.payload,
        title=query.title,
        subscription_period=query.subscription_period,
        now=world.now(),
    )
    tell_of_payment(world, charge, _subscribe(world, query, charge) if query.subscription_period else None)
    show_outcome(world, query, "paid")
    return charge


def tell_of_payment(world: TelegramWorld, charge: Charge, subscription: Subscription | None) -> Message:
    """Show the payment in the chat and tell the bot of it."""
    person = world.people[charge.user_id]
    person.started = True
    payment = _fact(charge, subscription, number=len(world.stars.charges))
    message = world.add_message(
        person, from_bot=False, kind="service", purpose=charge.title, extra={"successful_payment": payment}
    )
    world.updates.push("message", world.api(message), lane=f"chat {charge.user_id}")
    return message


def repeat_payment(world: TelegramWorld, message: Message, *, count: int) -> list[int]:
    """Tell the bot of the same payment again, each time in a new update; give the numbers of those that went out."""
    pushed = [world.updates.push("message", world.api(message), lane=f"chat {message.chat_id}") for _ in range(count)]
    return [update.update_id for update in pushed if update]


def show_outcome(world: TelegramWorld, query: Query, outcome: str, *, reason: str = "", code: str = "") -> None:
    """Tell the person's pages how a payment ended; a refusal is an alert like any other answer."""
    answer = {
        "query_id": query.query_id,
        "message_id": query.message_id,
        "text": reason or None,
        "show_alert": bool(reason),
    }
    world.stream.publish(query.user_id, "answer", answer)
    status = {
        "payment": outcome,
        "text": reason or None,
        "code": code or None,
        "message_id": query.message_id,
        "query_id": query.query_id,
    }
    world.stream.publish(query.user_id, "status", status)


def show_refund(world: TelegramWorld, charge: Charge) -> None:
    """Tell the person, and the bot, that the Stars went back."""
    refund = {
        "currency": "XTR",
        "total_amount": charge.amount,
        "invoice_payload": charge.payload,
        "telegram_payment_charge_id": charge.charge_id,
    }
    message = world.add_message(
        world.people[charge.user_id],
        from_bot=False,
        kind="service",
        purpose=charge.title,
        extra={"refunded_payment": refund},
    )
    world.updates.push("message", world.api(message), lane=f"chat {charge.user_id}")


def _fact(charge: Charge, subscription: Subscription | None, *, number: int) -> JsonObject:
    fact: JsonObject = {
        "currency": "XTR",
        "total_amount": charge.amount,
        "invoice_payload": charge.payload,
        "telegram_payment_charge_id": charge.charge_id,
        "provider_payment_charge_id": f"{charge.user_id}_{number}",
    }
    if subscription:
        fact |= {"subscription_expiration_date": subscription.until, "is_recurring": True}
        if charge.charge_id == subscription.charge_id:
            fact["is_first_recurring"] = True
    return fact


def _subscribe(world: TelegramWorld, query: Query, charge: Charge) -> Subscription:
    subscription = Subscription(
        charge_id=charge.charge_id,
        user_id=charge.user_id,
        amount=charge.amount,
        payload=charge.payload,
        title=charge.title,
        link=query.link,
        period_s=query.subscription_period,
        until=charge.paid_at + query.subscription_period,
        charge_ids=[charge.charge_id],
    )
    world.stars.subscriptions[charge.charge_id] = subscription
    return subscription
