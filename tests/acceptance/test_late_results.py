"""Results that come late, empty or never: the hold, the offer and the gift."""

from pathlib import Path

from support.endings import NOTHING_PAID, PAID, buys_something_endless, ends_well, ends_without_a_picture
from support.patience import until
from support.system import open_shop

OVERDUE_S = 600.0
GIVE_UP_S = 7200.0
GRACE_S = 300.0
PAST_THE_PAUSE_S = 90.0
TIMES = {"JOB_OVERDUE_S": str(OVERDUE_S), "JOB_TIMEOUT_S": str(GIVE_UP_S), "EMPTY_RESULT_GRACE_S": str(GRACE_S)}


async def test_a_success_without_a_result_is_given_time_and_then_the_money_goes_back(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path, **TIMES) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        await system.kie_finishes(result_urls=[])
        job = await system.until_job(lambda job: job["empty_since"] is not None)
        assert job["status"] == "running", "an empty success is no verdict yet"
        await system.passes(GRACE_S + 1)
        await until(lambda: "не прислал результата" in anna.words(card), about=lambda: system.story)
        await ends_without_a_picture(system, anna)


async def test_canceled_when_overdue_a_late_result_is_offered_and_paid_once_if_taken(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path, **TIMES) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        await system.passes(OVERDUE_S)
        await anna.taps("✖️ Отменить", message_id=card)
        await until(lambda: "Отменено. 0,64 ₽ вернулись" in anna.words(card), about=lambda: system.story)
        await anna.has(NOTHING_PAID)
        await system.kie_finishes()
        offer, button = await anna.finds("🎁 Забрать", message_id=card)
        assert not anna.pictures(), "what was not paid is not shown"
        anna.presses(offer, button)
        anna.presses(offer, button)
        await anna.is_answered("Готово, сейчас покажу результат")
        await anna.is_answered("Этого предложения больше нет")
        await ends_well(system, anna, cards=(card,))


async def test_after_we_gave_up_a_late_result_is_a_gift(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, **TIMES) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        await system.passes(GIVE_UP_S)
        await until(lambda: "Результат так и не пришёл" in anna.words(card), about=lambda: system.story)
        await anna.has(NOTHING_PAID)
        await system.kie_finishes()
        await ends_well(system, anna, cards=(card,), left=NOTHING_PAID)
        assert "подарок" in anna.words(card)
        assert system.instance.lines("LATE_SUCCESS")


async def test_a_success_after_kie_said_fail_is_a_gift_too(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, **TIMES) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        await system.kie_finishes(state="fail", fail_code="500")
        await anna.sees("❌ Генерация не удалась")
        await system.kie_finishes()
        await ends_well(system, anna, cards=(card,), left=NOTHING_PAID)


async def test_cancelling_is_refused_while_the_task_runs_and_is_not_overdue(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, **TIMES) as system:
        system.kie.faults.arm(world="kie", method="createTask", action="too_many")
        system.kie.faults.arm(world="kie", method="createTask", action="delay", delay_s=4)
        anna = system.customer()
        card = await anna.buys()
        await system.instance.says("SUBMIT_RETRY")
        place, button = await anna.finds("✖️ Отменить", message_id=card)
        await system.passes(PAST_THE_PAUSE_S)
        await until(lambda: system.times_struck("createTask") == 2, about=lambda: system.story)
        anna.presses(place, button)
        await anna.is_answered("Уже делается, отменить нельзя")
        await ends_well(system, anna, cards=(card,), left=PAID)
