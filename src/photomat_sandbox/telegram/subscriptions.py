"""What becomes of a subscription: the next month is paid or is not, the person leaves and comes back, the bot ends it.

The bot hears of a payment by a message, of what the person or their empty purse did by a `subscription` update, and of
its own doing not at all.
"""

from photomat_sandbox.telegram.errors import bad_request
from photomat_sandbox.telegram.payments import tell_of_payment
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.stars import Charge, Subscription
from photomat_sandbox.telegram.world import TelegramWorld


def renew(world: TelegramWorld, subscription: Subscription) -> Charge:
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
    tell_of_payment(world, charge, subscription)
    return charge


def fail(world: TelegramWorld, subscription: Subscription) -> None:
    """Find too few Stars for the next month."""
    _must_go_on(subscription)
    subscription.failed = True
    _tell(world, subscription, "failed")


def cancel(world: TelegramWorld, subscription: Subscription) -> None:
    """Let the person end it; what is paid stays theirs to the end of the month."""
    if subscription.canceled:
        raise ImpossibleError("the subscription is canceled already")
    subscription.canceled = True
    _tell(world, subscription, "canceled")


def resume(world: TelegramWorld, subscription: Subscription) -> None:
    """Let the person take their cancelling back."""
    if not subscription.canceled:
        raise ImpossibleError("the subscription is not canceled")
    if subscription.bot_canceled:
        raise ImpossibleError("the bot canceled the subscription and has not allowed to resume it")
    if subscription.until <= world.now():
        raise ImpossibleError("the subscription has run out; its link can be paid again")
    subscription.canceled = False
    _tell(world, subscription, "active")


def edit_by_bot(world: TelegramWorld, charge_id: str, *, user_id: int, is_canceled: bool) -> None:
    """End it for the bot, or let the person resume what the bot had ended; both bear repeating."""
    if user_id not in world.people:
        raise bad_request("USER_ID_INVALID")
    subscription = world.stars.subscriptions.get(charge_id)
    if subscription is None or subscription.user_id != user_id:
        raise bad_request("CHARGE_ID_INVALID")
    subscription.bot_canceled = is_canceled
    subscription.canceled = subscription.canceled or is_canceled
    done = "canceled by the bot" if is_canceled else "may be resumed, says the bot"
    world.note("subscription", f"subscription «{subscription.title}» {done}")


def _must_go_on(subscription: Subscription) -> None:
    if subscription.canceled:
        raise ImpossibleError("the subscription is canceled; nothing more is charged")


def _tell(world: TelegramWorld, subscription: Subscription, state: str) -> None:
    person = world.people[subscription.user_id]
    world.note("subscription", f"subscription «{subscription.title}» of {person.first_name} is {state}")
    body = {"user": person.as_user(), "invoice_payload": subscription.payload, "state": state}
    world.updates.push("subscription", body, lane=f"subscriptions {person.user_id}")
