"""Telegram Stars: invoices, charges and subscriptions.

Every payment has a charge id of its own, a refund repeats that id, the list keeps both. A subscription is identified
by the charge id of its first payment; its later payments have ids of their own.
"""

import secrets
from dataclasses import asdict, dataclass, field

from photomat_sandbox.telegram.errors import JsonObject, bad_request


@dataclass(frozen=True, slots=True, kw_only=True)
class StarBill:
    """One invoice; `link` is empty when it is a message, `subscription_period` is 0 when it is paid once."""

    title: str
    description: str
    amount: int
    payload: str
    link: str = ""
    subscription_period: int = 0

    def as_seen(self) -> JsonObject:
        """Return what the payment dialog shows; the payload is for the bot alone."""
        return {name: value for name, value in asdict(self).items() if name != "payload"}


def new_link() -> str:
    return f"https://t.me/${secrets.token_urlsafe(16)}"


def bill_of(invoice: JsonObject, *, payload: str, link: str = "", subscription_period: int = 0) -> StarBill:
    return StarBill(
        title=invoice["title"],
        description=invoice["description"],
        amount=invoice["total_amount"],
        payload=payload,
        link=link,
        subscription_period=subscription_period,
    )


@dataclass(slots=True, kw_only=True)
class StarCharge:
    """One payment of a person to the bot; the numbers are the places of payment and refund in the list."""

    charge_id: str
    user_id: int
    amount: int
    payload: str
    paid_at: int
    refunded_at: int | None = None
    title: str = ""
    subscription_period: int = 0
    number: int = 0
    refund_number: int = 0


@dataclass(slots=True, kw_only=True)
class StarSubscription:
    """Monthly payments of a person; what the bot canceled, only the bot can allow to be resumed."""

    charge_id: str
    user_id: int
    amount: int
    payload: str
    title: str
    link: str
    period_s: int
    until: int
    canceled: bool = False
    bot_canceled: bool = False
    failed: bool = False
    charge_ids: list[str] = field(default_factory=list)

    def as_control(self, *, now: int) -> JsonObject:
        """Return the subscription as the sandbox's own routes show it."""
        return {
            "charge_id": self.charge_id,
            "charge_ids": self.charge_ids,
            "user_id": self.user_id,
            "amount": self.amount,
            "title": self.title,
            "until": self.until,
            "state": self.state(now=now),
            "can_resume": self.canceled and not self.bot_canceled and self.until > now,
        }

    def state(self, *, now: int) -> str:
        """Return its state: a canceled one runs to its end, a failed one waits for Stars."""
        if self.until <= now and self.canceled:
            return "over"
        if self.canceled:
            return "canceled"
        return "failed" if self.failed else "active"


@dataclass(slots=True, kw_only=True)
class Stars:
    """All charges, oldest first, and the subscriptions by their first charge."""

    charges: list[StarCharge] = field(default_factory=list)
    subscriptions: dict[str, StarSubscription] = field(default_factory=dict)

    def charge(
        self, *, user_id: int, amount: int, payload: str, now: int, title: str = "", subscription_period: int = 0
    ) -> StarCharge:
        charge = StarCharge(
            charge_id=f"stx{secrets.token_urlsafe(24)}",
            user_id=user_id,
            amount=amount,
            payload=payload,
            paid_at=now,
            title=title,
            subscription_period=subscription_period,
            number=self._next_number(),
        )
        self.charges.append(charge)
        return charge

    def refund(self, charge_id: str, *, user_id: int, now: int) -> StarCharge:
        """Refund one charge, once."""
        for charge in self.charges:
            if charge.charge_id == charge_id and charge.user_id == user_id:
                if charge.refunded_at is not None:
                    raise bad_request("CHARGE_ALREADY_REFUNDED")
                charge.refund_number = self._next_number()
                charge.refunded_at = now
                return charge
        raise bad_request("CHARGE_ID_INVALID" if charge_id else "CHARGE_ID_EMPTY")

    def balance(self) -> int:
        return sum(charge.amount for charge in self.charges if charge.refunded_at is None)

    def subscription_with(self, charge_id: str) -> StarSubscription | None:
        """Return the subscription that one of its payments belongs to."""
        found = (one for one in self.subscriptions.values() if charge_id in one.charge_ids)
        return next(found, None)

    def running(self, *, user_id: int, link: str, now: int) -> StarSubscription | None:
        """Return the subscription of this person through this link whose paid time is not over."""
        mine = (one for one in self.subscriptions.values() if one.user_id == user_id and one.link == link)
        return next((one for one in mine if one.until > now), None)

    def _next_number(self) -> int:
        """Rows are only added at the end, also within one second."""
        return 1 + len(self.charges) + sum(charge.refunded_at is not None for charge in self.charges)
