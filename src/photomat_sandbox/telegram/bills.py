"""A bill in Stars: what a person is asked to pay, once by a message or a link, or every month by a link."""

import secrets
from dataclasses import asdict, dataclass

from photomat_sandbox.telegram.errors import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """One bill; `link` is empty when it is a message, `subscription_period` is 0 when it is paid once."""

    title: str
    description: str
    amount: int
    payload: str
    link: str = ""
    subscription_period: int = 0

    def as_seen(self) -> JsonObject:
        """Give what the payment dialog shows; the payload is the bot's own affair."""
        return {name: value for name, value in asdict(self).items() if name != "payload"}


def new_link() -> str:
    """Make the address of a bill that anybody may pay."""
    return f"https://t.me/${secrets.token_urlsafe(16)}"


def bill_of(invoice: JsonObject, *, payload: str, link: str = "", subscription_period: int = 0) -> Bill:
    """Take the Invoice object of the Bot API as a bill."""
    return Bill(
        title=invoice["title"],
        description=invoice["description"],
        amount=invoice["total_amount"],
        payload=payload,
        link=link,
        subscription_period=subscription_period,
    )
