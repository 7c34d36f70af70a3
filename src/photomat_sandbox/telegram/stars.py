"""Telegram Stars: every payment has a charge id of its own, a refund repeats that id, the list keeps both."""

import secrets
from dataclasses import dataclass, field

from photomat_sandbox.telegram.errors import bad_request


@dataclass(slots=True, kw_only=True)
class Charge:
    """One payment of a person to the bot."""

    charge_id: str
    user_id: int
    amount: int
    payload: str
    paid_at: int
    refunded_at: int | None = None


@dataclass(slots=True, kw_only=True)
class Stars:
    """All charges, oldest first."""

    charges: list[Charge] = field(default_factory=list)

    def charge(self, *, user_id: int, amount: int, payload: str, now: int) -> Charge:
        """Take the person's Stars."""
        charge = Charge(
            charge_id=f"stx{secrets.token_urlsafe(24)}",
            user_id=user_id,
            amount=amount,
            payload=payload,
            paid_at=now,
        )
        self.charges.append(charge)
        return charge

    def refund(self, charge_id: str, *, user_id: int, now: int) -> Charge:
        """Give the Stars of one charge back, once."""
        for charge in self.charges:
            if charge.charge_id == charge_id and charge.user_id == user_id:
                if charge.refunded_at is not None:
                    raise bad_request("CHARGE_ALREADY_REFUNDED")
                charge.refunded_at = now
                return charge
        raise bad_request("CHARGE_ID_INVALID" if charge_id else "CHARGE_ID_EMPTY")

    def balance(self) -> int:
        """Give what the bot holds."""
        return sum(charge.amount for charge in self.charges if charge.refunded_at is None)
