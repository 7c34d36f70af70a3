"""Fingers and updates that come twice, late or broken: each is answered, and buys at most once."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp

from support.endings import NOTHING_PAID, ends_well
from support.patience import until
from support.system import System, open_shop

PAST_THE_BACKOFF_S = 20.0


async def test_a_double_tap_buys_once_and_an_old_card_is_answered(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        await anna.fills_in()
        card, button = await anna.finds("✅ Создать")
        change = (await anna.finds("✏️ Изменить", message_id=card))[1]
        away = (await anna.finds("✖️ Отмена", message_id=card))[1]
        anna.presses(card, button)
        anna.presses(card, button)
        await anna.is_answered("Принято, картинка уже делается")
        await anna.is_answered("Этот заказ уже принят")
        await anna.gets_a_picture()
        for stale in (button, change, away):
            anna.presses(card, stale)
        await anna.is_answered("Этот заказ уже принят", times=2)
        await anna.is_answered("уже запущен", times=2)
        anna.presses(card, {"text": "старая кнопка", "callback_data": "of-an-older-program"})
        await anna.is_answered("Эта кнопка больше не работает")
        await ends_well(system, anna, cards=(card,))


async def test_every_update_delivered_twice_is_handled_once(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        system.telegram.faults.arm(world="telegram", method="webhook", action="duplicate", times=-1)
        anna = system.customer()
        card = await anna.buys()
        await ends_well(system, anna, cards=(card,))
        handled = [line.partition("update_id=")[2].split()[0] for line in system.instance.lines("UPDATE_HANDLED")]
        assert len(handled) == len(set(handled)) >= 6


async def test_two_customers_at_once_get_a_picture_each(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        anna, boris = system.customer("Анна"), system.customer("Борис")
        cards = await asyncio.gather(anna.buys("кот"), boris.buys("пёс", "16:9"))
        await ends_well(system, anna, boris, cards=cards)


async def test_without_enough_money_nothing_is_ordered_and_the_card_says_so(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, WELCOME_CREDIT="10") as system:
        anna = system.customer()
        card = await anna.buys()
        await anna.is_answered("Не хватает 0,54 ₽")
        assert "Не хватает 0,54 ₽" in anna.words(card)
        await system.comes_to_rest()
        await anna.has("0,10 ₽")
        assert not system.kie.world.tasks
        async with system.sql() as connection:
            assert await connection.fetchval("SELECT count(*) FROM generation_jobs") == 0


async def test_an_update_nobody_can_read_is_parked_and_the_lane_goes_on(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        anna.says("/start")
        await anna.sees("Здравствуйте")
        await _post_update(system, {"update_id": 1, "message": {"message_id": 1, "from": {"id": anna.person.user_id}}})
        await system.instance.says("UPDATE_PARKED")
        assert not system.instance.lines("UPDATE_RETRY"), "trying again would change nothing"
        await anna.has(NOTHING_PAID)


async def test_a_poison_update_is_parked_its_user_told_and_the_lane_goes_on(database: str, tmp_path: Path) -> None:
    """What was stored of the conversation makes no sense, so its next answer cannot be handled."""
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        anna.says("/start")
        await anna.taps("🖼 Создать картинку")
        await anna.taps("Z-Image")
        await anna.sees("Опишите")
        await until(lambda: len(system.instance.lines("UPDATE_HANDLED")) == 3)
        async with system.sql() as connection:
            await connection.execute("UPDATE conversations SET data = data || '{\"inputs\": 7}'")
        anna.says("кот")
        for times in (1, 2):
            await system.instance.says("UPDATE_RETRY", times=times)
            await system.passes(PAST_THE_BACKOFF_S)
        await anna.sees("Не получилось обработать ваше сообщение")
        card = await anna.buys()
        await ends_well(system, anna, cards=(card,))


async def test_an_update_with_a_wrong_secret_is_refused_and_not_stored(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        assert await _post_update(system, {"update_id": 1}, secret="guessed") == 401
        assert await _post_update(system, {"no": "update"}) == 400
        async with system.sql() as connection:
            assert await connection.fetchval("SELECT count(*) FROM inbox") == 0


async def _post_update(system: System, update: dict[str, Any], *, secret: str | None = None) -> int:
    """Bring an update to our door, as Telegram does; give the status of the answer."""
    known = system.telegram.world.webhook.secret_token
    headers = {"X-Telegram-Bot-Api-Secret-Token": secret or known or ""}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{system.instance.url}/telegram/webhook", json=update) as answer,
    ):
        return answer.status
