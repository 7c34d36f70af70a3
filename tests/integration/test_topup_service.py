"""Top-ups without a chat: which methods are open, who may pay now, a top-up that is committed once."""

from photomat.db.pool import Pool
from photomat.kernel.ids import BotId
from photomat.payments.service import DailyLimitReached, TopupRequest, TopupService
from photomat.providers.port import Invoice
from support.database import pool_of
from support.money import rub
from support.paying import PLAN, shop_options
from support.payments import ANNA, BORIS, ScriptedProvider, pays, people, stars
from support.updates import BOT_ID


def service(pool: Pool, *providers: str, **options: object) -> TopupService:
    return TopupService(
        pool=pool, options=shop_options(**options), providers={name: ScriptedProvider(name) for name in providers}
    )


def request(origin: str) -> TopupRequest:
    return TopupRequest(origin=origin, bot_id=BotId(BOT_ID), user_id=ANNA, draft_id=None)


async def test_a_method_is_open_where_it_is_set(database: str) -> None:
    async with pool_of(database) as pool:
        assert service(pool).methods() == ("stars",)
        assert service(pool, "cryptopay", "yookassa", packages=()).methods() == ("yookassa", "cryptopay")
        assert service(pool, transfer_details="Карта 1").methods() == ("stars", "transfer")
        assert service(pool, transfer_details=" \n").methods() == ("stars",)


async def test_who_paid_as_often_as_a_day_allows_is_refused_by_every_method(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topups = service(pool, a_day=1)
        assert await topups.refusal(ANNA, "stars") is None
        await pays(pool)
        for method in ("stars", "yookassa", "transfer"):
            refusal = await topups.refusal(ANNA, method)
            assert isinstance(refusal, DailyLimitReached)
            assert refusal.limit == 1
        assert await topups.refusal(BORIS, "stars") is None


async def test_a_request_is_one_top_up_and_one_invoice_however_often_it_is_handled(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topups = service(pool, "yookassa")
        first = await topups.start(request("update:1"), "yookassa", rub(30_000))
        again = await topups.start(request("update:1"), "yookassa", rub(30_000))
        assert first.topup_id == again.topup_id
        invoice = await topups.create_invoice(first, description="?", return_url=None)
        assert isinstance(invoice, Invoice)
        assert await topups.create_invoice(again, description="?", return_url=None) == invoice


async def test_stars_are_credited_as_their_package_says(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topups = service(pool)
        package = topups.options.package(500)
        assert package is not None
        topup = await topups.start_in_stars(request("update:1"), package)
        assert (topup.method, topup.asked_amount, topup.credit) == ("stars", stars(500).minor, package.credit)
        month = await topups.start_in_stars(request("update:2"), PLAN)
        assert (month.method, month.asked_amount, month.credit) == ("subscription", PLAN.stars, PLAN.credit)
