"""What a payment leaves behind: a charge, and a service message that is the bot's proof of it."""

from photomat_sandbox.telegram.queries import Query
from photomat_sandbox.telegram.stars import Charge
from photomat_sandbox.telegram.world import TelegramWorld


def take_payment(world: TelegramWorld, query: Query) -> Charge:
    """Charge the person and tell the bot by a successful_payment message."""
    charge = world.stars.charge(user_id=query.user_id, amount=query.amount, payload=query.payload, now=world.now())
    payment = {
        "currency": "XTR",
        "total_amount": charge.amount,
        "invoice_payload": charge.payload,
        "telegram_payment_charge_id": charge.charge_id,
        "provider_payment_charge_id": f"{charge.user_id}_{len(world.stars.charges)}",
    }
    message = world.add_message(
        world.people[query.user_id], from_bot=False, kind="service", extra={"successful_payment": payment}
    )
    world.updates.push("message", world.api(message), lane=f"chat {query.user_id}")
    show_outcome(world, query, "paid")
    return charge


def show_outcome(world: TelegramWorld, query: Query, outcome: str, *, reason: str = "") -> None:
    """Tell the person's pages how a payment ended; a refusal is an alert like any other answer."""
    answer = {
        "query_id": query.query_id,
        "message_id": query.message_id,
        "text": reason or None,
        "show_alert": bool(reason),
    }
    world.stream.publish(query.user_id, "answer", answer)
    status = {"payment": outcome, "text": reason or None, "message_id": query.message_id}
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
        world.people[charge.user_id], from_bot=False, kind="service", extra={"refunded_payment": refund}
    )
    world.updates.push("message", world.api(message), lane=f"chat {charge.user_id}")
