"""YooKassa's API v3 in our words: requests, payments and notices. Pure.

What arrived is `amount` of a payment that is `succeeded` (`income_amount` is the same less the provider's fee, which is the
shop's affair), what went back is `refunded_amount`. A payment that is refunded stays `succeeded`.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final, TypeAlias

from photomat.kernel.money import Money
from photomat.providers.amounts import instant_of, money_of, token_of, written
from photomat.providers.port import Asked, Report, State

LONGEST_DESCRIPTION: Final = 128
LONGEST_KEY: Final = 64
ANYWHERE: Final = "https://t.me/"
"""A redirect must lead back somewhere."""

PAYMENT_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
STATES: Final[Mapping[str, State]] = {
    "pending": "open",
    "waiting_for_capture": "open",
    "succeeded": "paid",
    "canceled": "canceled",
}
Network: TypeAlias = IPv4Network | IPv6Network


def payment_order(asked: Asked) -> dict[str, Any]:
    """The body that creates a payment."""
    return {
        "amount": {"value": written(asked.amount), "currency": asked.amount.currency},
        "capture": True,
        "confirmation": {"type": "redirect", "return_url": asked.return_url or ANYWHERE},
        "description": asked.description[:LONGEST_DESCRIPTION],
        "metadata": {"token": asked.token},
    }


def refund_order(payment_id: str, amount: Money) -> dict[str, Any]:
    """The body that creates a refund."""
    return {"payment_id": payment_id, "amount": {"value": written(amount), "currency": amount.currency}}


def short_key(key: str) -> str:
    """A key of ours as it fits their header: the same for the same, whatever its length."""
    fits = key.isascii() and key.isprintable() and len(key) <= LONGEST_KEY
    return key if fits else hashlib.sha256(key.encode()).hexdigest()


def is_payment_id(text: object) -> bool:
    """Whether this can be the name of a payment: what else it may hold would change the address we ask at."""
    return isinstance(text, str) and PAYMENT_ID.fullmatch(text) is not None


def payment_id_of(payment: Mapping[str, Any]) -> str:
    """The name of a payment; ValueError without one."""
    found = payment.get("id")
    if not is_payment_id(found):
        raise ValueError("a payment without an id")
    return str(found)


def pay_url_of(payment: Mapping[str, Any]) -> str | None:
    """Where it is paid, as long as it can be."""
    confirmation = payment.get("confirmation")
    url = confirmation.get("confirmation_url") if isinstance(confirmation, Mapping) else None
    return url if isinstance(url, str) and url.startswith(("https://", "http://")) else None


def report_of(payment: Mapping[str, Any]) -> Report:
    """What a payment says; ValueError when it cannot be read, and then nothing was paid as far as we know."""
    state = STATES.get(str(payment.get("status")))
    if state is None:
        raise ValueError("a payment of unknown status")
    amount = _amount(payment.get("amount"))
    refunded = payment.get("refunded_amount")
    metadata = payment.get("metadata")
    return Report(
        external_id=payment_id_of(payment),
        token=token_of(metadata.get("token")) if isinstance(metadata, Mapping) else None,
        state=state,
        paid=amount if state == "paid" else Money(0, amount.currency),
        refunded=Money(0, amount.currency) if refunded is None else _amount(refunded),
        at=instant_of(payment.get("captured_at") or payment.get("created_at")),
    )


def refunded_payments(refunds: Sequence[Any]) -> set[str]:
    """The payments that refunds of a list speak of; one that names none is passed over."""
    named = [refund.get("payment_id") for refund in refunds if isinstance(refund, Mapping)]
    return {str(name) for name in named if is_payment_id(name)}


def bill_of_notice(notice: Mapping[str, Any]) -> str:
    """The payment a notice speaks of: of a refund, the one that is refunded. ValueError when it names none."""
    event, thing = notice.get("event"), notice.get("object")
    if not isinstance(event, str) or not isinstance(thing, Mapping):
        raise ValueError("not a notice")  # noqa: TRY004  a body that cannot be read, whatever it holds
    if event.startswith("refund."):
        return payment_id_of({"id": thing.get("payment_id")})
    if event.startswith("payment."):
        return payment_id_of(thing)
    raise ValueError("a notice of neither a payment nor a refund")


def networks_of(setting: str) -> tuple[Network, ...]:
    """Read the networks notices come from; ValueError names the one that is none."""
    return tuple(ip_network(part.strip()) for part in setting.split(",") if part.strip())


def comes_from(source: str, networks: Sequence[Network]) -> bool:
    """Whether an address lies in one of the networks; one of IPv4 may be written as one of IPv6."""
    try:
        address = ip_address(source)
    except ValueError:
        return False
    inner = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any((inner or address) in network for network in networks)


def _amount(found: object) -> Money:
    if not isinstance(found, Mapping):
        raise ValueError("a payment without an amount")  # noqa: TRY004  a field that cannot be read, whatever it holds
    return money_of(found.get("value"), found.get("currency"))
