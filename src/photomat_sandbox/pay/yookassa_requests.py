"""What YooKassa accepts: the rules of its API reference for the bodies and queries of payments and refunds."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import hdrs, web

from photomat_sandbox.pay.routing import ProviderRefusal

KEY_HEADER: Final = "Idempotence-Key"
MAX_KEY_LENGTH: Final = 64
MAX_DESCRIPTION_LENGTH: Final = 128
MAX_ADDRESS_LENGTH: Final = 2048
MAX_METADATA: Final = 16
MAX_METADATA_NAME_LENGTH: Final = 32
MAX_METADATA_VALUE_LENGTH: Final = 512
MAX_PAGE: Final = 100
USUAL_PAGE: Final = 10
STATUSES: Final = frozenset({"pending", "waiting_for_capture", "succeeded", "canceled"})
FILTERS: Final = frozenset(
    f"{field}.{comparison}" for field in ("created_at", "captured_at") for comparison in ("gte", "gt", "lte", "lt")
)
REFUND_STATUSES: Final = STATUSES - {"waiting_for_capture"}
REFUND_FILTERS: Final = frozenset(name for name in FILTERS if name.startswith("created_at"))
COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {"gte": ge, "gt": gt, "lte": le, "lt": lt}


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRequest:
    """A validated body of `POST /payments`."""

    amount: Decimal
    currency: str
    capture: bool
    return_url: str
    description: str
    metadata: dict[str, str]
    receipt: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """A validated query of `GET /payments`, `/refunds` or `/receipts`; the last two name a payment, or a refund."""

    status: str | None
    bounds: Mapping[str, float]
    limit: int
    cursor: str | None
    payment_id: str | None = None
    refund_id: str | None = None


def invalid(sentence: str, parameter: str | None = None) -> ProviderRefusal:
    return ProviderRefusal(400, "invalid_request", sentence, parameter)


def key_of(request: web.Request) -> str:
    """Read the idempotence key that every POST must have."""
    key = request.headers.get(KEY_HEADER, "")
    if not 0 < len(key) <= MAX_KEY_LENGTH:
        raise invalid(f"Idempotence key is missing or longer than {MAX_KEY_LENGTH}", KEY_HEADER)
    return key


async def body_of(request: web.Request) -> dict[str, Any]:
    if request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip() != "application/json":
        raise ProviderRefusal(415, "unsupported_media_type", "Content-Type must be application/json")
    try:
        body = json.loads(await request.read())
    except ValueError as error:
        raise invalid("The body is not JSON") from error
    if not isinstance(body, dict):
        raise invalid("The body must be an object")
    return body


def amount_of(body: Mapping[str, Any], *, currency: str) -> Decimal:
    """Read `amount`: a string with two decimals, in the shop's currency."""
    amount = body.get("amount")
    if not isinstance(amount, dict):
        raise invalid("amount is missing", "amount")
    value = amount.get("value")
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{1,12}\.[0-9]{2}", value, re.ASCII) or not Decimal(value):
        raise invalid("value must be a positive amount such as 2.00", "amount.value")
    if amount.get("currency") != currency:
        raise invalid("currency does not fit the shop", "amount.currency")
    return Decimal(value)


def description_of(body: Mapping[str, Any]) -> str:
    description = body.get("description", "")
    if not isinstance(description, str) or len(description) > MAX_DESCRIPTION_LENGTH:
        raise invalid(f"description must be a text of at most {MAX_DESCRIPTION_LENGTH} signs", "description")
    return description


def payment_request(
    body: Mapping[str, Any],
    *,
    currency: str,
    check_receipt: Callable[[Mapping[str, Any], Decimal], dict[str, Any] | None],
) -> PaymentRequest:
    amount = amount_of(body, currency=currency)
    capture = body.get("capture", False)
    if not isinstance(capture, bool):
        raise invalid("capture must be true or false", "capture")
    return PaymentRequest(
        amount=amount,
        currency=currency,
        capture=capture,
        return_url=_return_url(body.get("confirmation")),
        description=description_of(body),
        metadata=_metadata(body.get("metadata", {})),
        receipt=check_receipt(body, amount),
    )


def payment_query(query: Mapping[str, str]) -> ListQuery:
    return _list_query(query, filters=FILTERS, others={"payment_method"}, statuses=STATUSES)


def refund_query(query: Mapping[str, str]) -> ListQuery:
    return _list_query(query, filters=REFUND_FILTERS, others={"payment_id"}, statuses=REFUND_STATUSES)


def receipt_query(query: Mapping[str, str]) -> ListQuery:
    if "payment_id" in query and "refund_id" in query:
        raise invalid("either a payment or a refund", "refund_id")
    return _list_query(query, filters=REFUND_FILTERS, others={"payment_id", "refund_id"}, statuses=REFUND_STATUSES)


def _list_query(
    query: Mapping[str, str], *, filters: frozenset[str], others: set[str], statuses: frozenset[str]
) -> ListQuery:
    unknown = set(query) - filters - others - {"status", "limit", "cursor"}
    if unknown:
        raise invalid("unknown parameter", min(unknown))
    limit, status = query.get("limit", str(USUAL_PAGE)), query.get("status")
    if not limit.isdigit() or not 1 <= int(limit) <= MAX_PAGE:
        raise invalid(f"limit must be from 1 to {MAX_PAGE}", "limit")
    if status is not None and status not in statuses:
        raise invalid("unknown status", "status")
    bounds = {name: _instant(query[name], name) for name in filters & set(query)}
    return ListQuery(
        status=status,
        bounds=bounds,
        limit=int(limit),
        cursor=query.get("cursor"),
        payment_id=query.get("payment_id"),
        refund_id=query.get("refund_id"),
    )


def _return_url(confirmation: object) -> str:
    if not isinstance(confirmation, dict) or confirmation.get("type") != "redirect":
        raise invalid("confirmation of type redirect is needed", "confirmation")
    url = confirmation.get("return_url")
    if not isinstance(url, str) or len(url) > MAX_ADDRESS_LENGTH or urlsplit(url).scheme not in {"http", "https"}:
        raise invalid("return_url must be an address", "confirmation.return_url")
    return url


def _metadata(found: object) -> dict[str, str]:
    if not isinstance(found, dict) or len(found) > MAX_METADATA:
        raise invalid(f"metadata must be an object with at most {MAX_METADATA} keys", "metadata")
    for name, value in found.items():
        fits = (
            isinstance(value, str) and len(value) <= MAX_METADATA_VALUE_LENGTH and len(name) <= MAX_METADATA_NAME_LENGTH
        )
        if not fits:
            raise invalid("metadata must hold short texts", "metadata")
    return found


def _instant(text: str, parameter: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise invalid("not an instant", parameter) from error
    if found.tzinfo is None:
        raise invalid("an instant without a time zone", parameter)
    return found.timestamp()
