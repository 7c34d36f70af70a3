"""A notice of YooKassa bears no signature: it is believed by its source address, and names its payment or is refused."""

import json

import pytest

from photomat.providers.port import ForgedNotice
from photomat.providers.yookassa import YooKassa
from support.pay_sim import SECRET, SHOP

NOBODY = "http://127.0.0.1:9"


def yookassa(sources: str) -> YooKassa:
    return YooKassa(base_url=NOBODY, shop_id=SHOP, secret_key=SECRET, sources=sources)


def notice(event: str, **thing: object) -> bytes:
    return json.dumps({"type": "notification", "event": event, "object": thing}).encode()


@pytest.mark.parametrize("source", ["185.71.76.5", "::ffff:185.71.76.5", "2a02:5180::17", "77.75.156.11"])
async def test_a_notice_from_the_providers_networks_names_its_payment(source: str) -> None:
    provider = yookassa("185.71.76.0/27, 77.75.156.11, 2a02:5180::/32")
    for event in ("payment.succeeded", "payment.canceled", "payment.waiting_for_capture"):
        assert provider.noticed({}, notice(event, id="pay-1"), source=source) == "pay-1"
    assert provider.noticed({}, notice("refund.succeeded", id="r-1", payment_id="pay-1"), source=source) == "pay-1"


@pytest.mark.parametrize("source", ["185.71.76.32", "8.8.8.8", "", "localhost", "185.71.76.5, 8.8.8.8"])
async def test_a_notice_from_elsewhere_is_forged(source: str) -> None:
    with pytest.raises(ForgedNotice):
        yookassa("185.71.76.0/27").noticed({}, notice("payment.succeeded", id="pay-1"), source=source)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        b"[]",
        b"[" * 100_000,
        notice("payout.succeeded", id="p"),
        notice("payment.succeeded"),
        notice("payment.succeeded", id="../../etc"),
        notice("refund.succeeded", id="r-1"),
        b'{"event": "payment.succeeded", "object": 5}',
    ],
)
async def test_an_unreadable_notice_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  the port promises no words
        yookassa("127.0.0.1").noticed({}, body, source="127.0.0.1")
