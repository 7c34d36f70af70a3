"""Payments and subscriptions in Stars: charges, the service messages that prove them to the bot, renewals.

The bot learns of a payment by a message, of what the person or a lack of Stars did by a `subscription` update, and of
its own changes not at all.
"""

from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.messages import ChatMessage
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.stars import StarCharge, StarSubscription
from photomat_sandbox.telegram.updates import Query
from photomat_sandbox.telegram.world import TelegramWorld


def take_payment(world: TelegramWorld, query: Query) -> StarCharge:
    """Charge the person and send the bot a successful_payment message."""
    charge = world.stars.charge(
        user_id=query.user_id,
        amount=query.amount,
        payload=query.payload,
        title=query.title,
        subscription_period=query.subscription_period,
        now=world.now(),
    )
    add_payment_message(world, charge, _subscribe(world, query, charge) if query.subscription_period else None)
    show_outcome(world, query, "paid")
    return charge


def add_payment_message(world: TelegramWorld, charge: StarCharge, subscription: StarSubscription | None) -> ChatMessage:
    """Show the payment in the chat and queue its update for the bot."""
    person = world.people[charge.user_id]
    person.started = True
    payment = _fact(charge, subscription, number=len(world.stars.charges))
    message = world.add_message(
        person, from_bot=False, kind="service", purpose=charge.title, extra={"successful_payment": payment}
    )
    world.updates.push("message", world.api(message), lane=f"chat {charge.user_id}")
    return message


def repeat_payment(world: TelegramWorld, message: ChatMessage, *, count: int) -> list[int]:
    """Queue the update of the same payment again, each time with a new id; return the ids that were queued."""
    pushed = [world.updates.push("message", world.api(message), lane=f"chat {message.chat_id}") for _ in range(count)]
    return [update.update_id for update in pushed if update]


def show_outcome(world: TelegramWorld, query: Query, outcome: str, *, reason: str = "", code: str = "") -> None:
    """Show on the person's pages how a payment ended; a refusal is an alert like any other answer."""
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


def show_refund(world: TelegramWorld, charge: StarCharge) -> None:
    """Show a refund in the chat and queue its update for the bot."""
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


def _fact(charge: StarCharge, subscription: StarSubscription | None, *, number: int) -> JsonObject:
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


def _subscribe(world: TelegramWorld, query: Query, charge: StarCharge) -> StarSubscription:
    subscription = StarSubscription(
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


def renew(world: TelegramWorld, subscription: StarSubscription) -> StarCharge:
    """Charge the next month, without asking bot or person."""
    _must_go_on(subscription)
    now = world.now()
    charge = world.stars.charge(
        user_id=subscription.user_id,
        amount=subscription.amount,
        payload=subscription.payload,
        title=subscription.title,
        subscription_period=subscription.period_s,
        now=now,
    )
    subscription.charge_ids.append(charge.charge_id)
    subscription.until = max(subscription.until, now) + subscription.period_s
    subscription.failed = False
    add_payment_message(world, charge, subscription)
    return charge


def fail_renewal(world: TelegramWorld, subscription: StarSubscription) -> None:
    """Let the renewal fail for lack of Stars."""
    _must_go_on(subscription)
    subscription.failed = True
    _tell(world, subscription, "failed")


def cancel(world: TelegramWorld, subscription: StarSubscription) -> None:
    """Let the person cancel; the paid month stays theirs to its end."""
    if subscription.canceled:
        raise ImpossibleError("the subscription is canceled already")
    subscription.canceled = True
    _tell(world, subscription, "canceled")


def resume(world: TelegramWorld, subscription: StarSubscription) -> None:
    """Let the person undo their cancellation."""
    if not subscription.canceled:
        raise ImpossibleError("the subscription is not canceled")
    if subscription.bot_canceled:
        raise ImpossibleError("the bot canceled the subscription and has not allowed to resume it")
    if subscription.until <= world.now():
        raise ImpossibleError("the subscription has run out; its link can be paid again")
    subscription.canceled = False
    _tell(world, subscription, "active")


def edit_by_bot(world: TelegramWorld, charge_id: str, *, user_id: int, is_canceled: bool) -> None:
    """End it for the bot, or let the person resume what the bot had ended; both are idempotent."""
    if user_id not in world.people:
        raise bad_request("USER_ID_INVALID")
    subscription = world.stars.subscriptions.get(charge_id)
    if subscription is None or subscription.user_id != user_id:
        raise bad_request("CHARGE_ID_INVALID")
    subscription.bot_canceled = is_canceled
    subscription.canceled = subscription.canceled or is_canceled
    done = "canceled by the bot" if is_canceled else "may be resumed, says the bot"
    world.note("subscription", f"subscription «{subscription.title}» {done}")


def _must_go_on(subscription: StarSubscription) -> None:
    if subscription.canceled:
        raise ImpossibleError("the subscription is canceled; nothing more is charged")


def _tell(world: TelegramWorld, subscription: StarSubscription, state: str) -> None:
    person = world.people[subscription.user_id]
    world.note("subscription", f"subscription «{subscription.title}» of {person.first_name} is {state}")
    body = {"user": person.as_user(), "invoice_payload": subscription.payload, "state": state}
    world.updates.push("subscription", body, lane=f"subscriptions {person.user_id}")
