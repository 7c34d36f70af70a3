"""A customer's history over real processes: what they missed is there when they are back, and comes again when they ask."""

from pathlib import Path

from support.history import RESEND
from support.patience import until
from support.system import open_shop


async def test_who_blocked_the_bot_finds_the_result_when_back_and_gets_it_again_once(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path, 3.0) as shop:
        anna = shop.customer()
        card = await anna.buys()
        await shop.until_job(lambda job: job["status"] == "running")
        anna.telegram.deletes(anna.person, card, for_both=True)
        anna.telegram.blocks(anna.person)
        await shop.kie_finishes()
        await shop.until_job(lambda job: job["undeliverable_at"] is not None)
        assert anna.pictures() == []
        anna.telegram.blocks(anna.person, blocked=False)
        anna.says("/balance")
        await anna.sees("Доступно")
        await anna.gets_a_picture()
        await shop.until_job(lambda job: job["delivered_at"] is not None)
        await anna.taps("ℹ️")
        await anna.taps(RESEND)
        await anna.is_answered("Отправляю ещё раз, это бесплатно")
        await until(lambda: len(anna.pictures()) == 2, about=lambda: str(anna.pictures()))
        await anna.taps(RESEND)
        await anna.is_answered("Уже отправляю")
        await shop.comes_to_rest()
        assert len(anna.pictures()) == 2, "the result, and once more because it was asked for"
        assert len(anna.rings()) == 1
        await anna.has("99,36 ₽")


async def test_yesterdays_result_is_one_tap_from_the_start_and_goes_on_from_there(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path) as shop:
        anna = shop.customer()
        await anna.buys()
        await anna.gets_a_picture()
        await shop.until_job(lambda job: job["delivered_at"] is not None)
        await shop.passes(86400)
        anna.says("/start")
        await anna.taps("🗂 История")
        await until(lambda: len(anna.pictures()) == 2, about=lambda: str(anna.pictures()))
        await anna.taps("🎬 Оживить")
        await anna.sees("Оживи фото")
        await shop.comes_to_rest()
        assert (await shop.job())["status"] == "done", "nothing was bought"
