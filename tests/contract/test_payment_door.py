"""The door for payment notices: what is checked, what is answered, and that nothing forged gets past it.

The notices are those of the made-up providers, over real HTTP.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from photomat.web.payments import MAX_NOTICE_BYTES, PaymentNotices, client_ip
from photomat_chaos.lab.load_balancer import serving
from support.kie_sim import until
from support.logs import logged
from support.pay_sim import RunningPay, asked, running_pay


@dataclass(slots=True, kw_only=True)
class Doorway:
    """The door, with what it passed on; `troubles` are raised instead, one a notice."""

    pay: RunningPay
    url: str = ""
    looked_at: list[tuple[str, str]] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)

    async def look_at(self, provider: str, external_id: str) -> None:
        if self.troubles:
            raise self.troubles.pop()
        self.looked_at.append((provider, external_id))

    async def knock(self, path: str, body: bytes, **headers: str) -> int:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.pay.client.post(self.url + path, data=body, headers=names) as answer:
            return answer.status

    async def answers(self, provider: str, count: int) -> list[str]:
        """Wait for so many tries of notices, and give what they were answered."""

        def summaries() -> list[str]:
            events = self.pay.transcript.since(0)
            return [event.summary for event in events if event.kind == "webhook" and event.world == provider]

        await until(lambda: len(summaries()) >= count)
        return [summary.rpartition(": ")[2] for summary in summaries()]


@asynccontextmanager
async def doorway() -> AsyncIterator[Doorway]:
    """A running door, and both providers sending their notices there."""
    async with running_pay() as pay:
        door = Doorway(pay=pay)
        notices = PaymentNotices(
            providers={"yookassa": pay.yookassa, "cryptopay": pay.crypto_pay}, look_at=door.look_at
        )
        app = web.Application(client_max_size=4 * MAX_NOTICE_BYTES)
        app.router.add_post("/pay/{provider}", notices.handle)
        async with serving(app) as url:
            door.url = url
            pay.notices_to(url)
            yield door


async def paid(door: Doorway) -> tuple[str, str]:
    """A paid bill at each provider."""
    one, other = await door.pay.yookassa.create(asked()), await door.pay.crypto_pay.create(asked())
    door.pay.shop.pay(one.external_id)
    door.pay.coins.pay(other.external_id)
    return one.external_id, other.external_id


async def test_a_notice_of_either_provider_wakes_whoever_looks() -> None:
    async with doorway() as door:
        payment, invoice = await paid(door)
        assert (await door.answers("yookassa", 1), await door.answers("cryptopay", 1)) == (["HTTP 200"], ["HTTP 200"])
        assert sorted(door.looked_at) == [("cryptopay", invoice), ("yookassa", payment)]


async def test_a_refund_in_the_cabinet_makes_us_look_at_the_payment() -> None:
    async with doorway() as door:
        payment, _ = await paid(door)
        await door.answers("yookassa", 1)
        door.pay.shop.refund(payment)
        await door.answers("yookassa", 2)
        assert door.looked_at.count(("yookassa", payment)) == 2


async def test_without_a_database_the_provider_is_asked_to_repeat_and_does() -> None:
    async with doorway() as door:
        door.troubles = [ConnectionError("the database is away")]
        invoice = (await door.pay.crypto_pay.create(asked())).external_id
        door.pay.coins.pay(invoice)
        assert await door.answers("cryptopay", 2) == ["HTTP 503", "HTTP 200"]
        assert door.looked_at == [("cryptopay", invoice)]


async def test_a_forged_notice_is_turned_away_and_leaves_nothing() -> None:
    async with doorway() as door:
        payment, invoice = await paid(door)
        await until(lambda: len(door.looked_at) == 2)
        for path in (f"/yookassa/sandbox/bills/{payment}", f"/cryptopay/sandbox/bills/{invoice}"):
            assert await door.pay.post(path + "/notice", {"forged": True}) == (200, {"sending": 1})
        assert (await door.answers("yookassa", 2))[1] == "HTTP 401"
        assert (await door.answers("cryptopay", 2))[1] == "HTTP 401"
        assert len(door.looked_at) == 2


async def test_a_notice_from_elsewhere_is_logged_with_the_address_it_came_from() -> None:
    async with doorway() as door:
        with logged() as lines:
            assert await door.knock("/pay/yookassa", b"{}", X_Forwarded_For="9.9.9.9") == 401
        (forged,) = [line for line in lines if line["event"] == "PAY_NOTICE_FORGED"]
        assert forged["source"] == "9.9.9.9"


async def test_who_cannot_be_understood_is_told_so() -> None:
    async with doorway() as door:
        assert await door.knock("/pay/yookassa", b"nonsense") == 400
        assert await door.knock("/pay/yookassa", b'{"event": "payment.succeeded"}') == 400
        assert await door.knock("/pay/cryptopay", b"{}") == 401
        assert await door.knock("/pay/paypal", b"{}") == 404
        assert await door.knock("/pay/yookassa", b" " * (MAX_NOTICE_BYTES + 1)) == 413
        assert door.looked_at == []


async def test_behind_a_proxy_the_nearest_hop_outside_is_the_sender() -> None:
    sent = b'{"event": "payment.succeeded", "object": {"id": "pay-1"}}'
    chains = {
        "185.71.76.5": 200,
        "185.71.76.5, 10.0.0.7": 200,
        "9.9.9.9, 185.71.76.5": 200,
        "185.71.76.5, 9.9.9.9": 401,
        "127.0.0.1, 9.9.9.9": 401,
        "10.0.0.7": 401,
        "nonsense": 401,
    }
    async with doorway() as door:
        answered = {
            chain: await door.knock("/pay/yookassa", sent, X_Forwarded_For=chain, Content_Type="application/json")
            for chain in chains
        }
        assert answered == chains


async def test_who_stands_before_the_door_himself_cannot_name_another() -> None:
    class Request:
        remote = "9.9.9.9"
        headers: dict[str, str] = {"X-Forwarded-For": "185.71.76.5"}  # noqa: RUF012  read only

    wanted: Callable[..., str] = client_ip
    assert wanted(Request()) == "9.9.9.9"
