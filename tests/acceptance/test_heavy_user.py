"""One user floods the bot and orders as much as is allowed; ten others order at the same time and hardly notice.

Compared by what happened between a customer's tap and its answer, which does not depend on the machine; the time from tap to
picture is compared with a run without the flood, with room for a busy machine.
"""

import asyncio
from pathlib import Path
from time import monotonic
from typing import Any

import aiohttp

from photomat.bot.buttons import DraftAction, DraftButton
from photomat.kernel.ids import UserId
from support.customer import Customer
from support.database import pool_of
from support.jobs import a_draft
from support.patience import until, until_found
from support.system import System, running_system
from support.updates import text_update

FLOOD = 500
FIRST_UPDATE = 900_000_000
AT_ONCE = 20
OTHERS = 10
KIE_WINDOW_S = 10
A_WINDOW = 6
"""Kie allows fewer tasks in ten seconds than the heavy user orders at once, so that there is a queue in which to take turns."""
MOST_RUNNING = 10
A_MINUTE = 60
OVERTAKEN = """
    SELECT max((SELECT count(*) FROM inbox AS heavy
                 WHERE heavy.lane = $1 AND heavy.error IS NULL
                   AND heavy.handled_at > other.received_at AND heavy.handled_at < other.handled_at))
      FROM inbox AS other WHERE other.lane = ANY($2) AND other.received_at > $3
"""
"""How many updates of one user were handled while an update of another waited, at most."""
SUBMITTED_BEFORE = """
    SELECT count(*) FROM generation_jobs
     WHERE user_id = $1 AND intent_at > $3 AND intent_at < (SELECT max(intent_at) FROM generation_jobs WHERE user_id = ANY($2))
"""
KNOWN = "SELECT true FROM users WHERE user_id = $1"
Card = tuple[Customer, int, dict[str, Any]]


async def test_ten_others_hardly_notice_somebody_who_floods_and_orders_all_they_may(
    database: str, tmp_path: Path
) -> None:
    limits = {
        "UPDATES_PER_MINUTE": str(A_MINUTE),
        "MOST_RUNNING": str(MOST_RUNNING),
        "KIE_CREATES_PER_10S": str(A_WINDOW),
    }
    async with running_system(database, tmp_path, UPDATE_WORKERS="all", **limits) as system:
        await asyncio.gather(system.start(), system.start())
        heavy = system.customer("Шторм")
        alone = await _pictures(await _cards(system, _customers(system, "Тихий")))
        many = await _cards(system, [heavy] * MOST_RUNNING)
        others = await _cards(system, _customers(system, "Другой"))
        await system.passes(60)
        async with system.sql() as connection:
            began = await connection.fetchval("SELECT photomat_now()")
        for _, message_id, button in many:
            heavy.presses(message_id, button)
        await _are_received(system, heavy, began)
        _, beside = await asyncio.gather(_flood(system, heavy), _pictures(others))
        await _took_turns(system, heavy, [customer for customer, _, _ in others], began)
        assert max(beside) <= 3 * max(alone) + KIE_WINDOW_S + 5, (alone, beside)
        await _ends(system, heavy, began)


def _customers(system: System, name: str) -> list[Customer]:
    return [system.customer(f"{name} {number}") for number in range(OTHERS)]


async def _cards(system: System, customers: list[Customer]) -> list[Card]:
    """A filled-in order for each, with a message of the bot that becomes its card."""
    for customer in customers:
        customer.says("/balance")
    cards: list[Card] = []
    async with pool_of(system.database) as pool:
        for customer in customers:
            shown = len([one for one, _, _ in cards if one is customer])
            await until(lambda: len(_from_bot(customer)) > shown, about=lambda: system.story[-4000:])  # noqa: B023
            await until_found(lambda: pool.fetchval(KNOWN, customer.person.user_id))  # noqa: B023
            draft = await a_draft(pool, UserId(customer.person.user_id))
            data = DraftButton(action=DraftAction.CREATE, draft_id=draft.draft_id, revision=draft.revision).pack()
            cards.append((customer, _from_bot(customer)[shown], {"text": "✅ Создать", "callback_data": data}))
    return cards


def _from_bot(customer: Customer) -> list[int]:
    return [one["message_id"] for one in customer.screen() if one["from"] == "bot"]


async def _pictures(cards: list[Card]) -> list[float]:
    """Everybody taps at once; the seconds each waited for the picture."""

    async def buys(customer: Customer, message_id: int, button: dict[str, Any]) -> float:
        tapped = monotonic()
        customer.presses(message_id, button)
        await customer.gets_a_picture()
        return monotonic() - tapped

    return list(await asyncio.gather(*(buys(*card) for card in cards)))


async def _are_received(system: System, heavy: Customer, began: object) -> None:
    """The taps come before the flood: what a minute may have would else be used up by it."""
    async with system.sql() as connection:

        async def received() -> bool | None:
            taps = "SELECT count(*) FROM inbox WHERE lane = $1 AND received_at > $2"
            return await connection.fetchval(taps, f"u{heavy.person.user_id}", began) == MOST_RUNNING or None

        await until_found(received, about=lambda: system.story[-4000:])


async def _flood(system: System, heavy: Customer) -> None:
    """Hundreds of messages at once, as fast as the door takes them: a patient Telegram brings them one by one."""
    headers = {"X-Telegram-Bot-Api-Secret-Token": system.telegram.world.webhook.secret_token or ""}
    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    async with aiohttp.ClientSession(headers=headers, connector=connector) as session:

        async def post(number: int) -> None:
            update = text_update(FIRST_UPDATE + number, user_id=heavy.person.user_id, text=f"сообщение {number}")
            async with session.post(f"{system.door.url}/telegram/webhook", json=update) as answer:
                assert answer.status == 200, "stored first, whatever becomes of it"

        await asyncio.gather(*(post(number) for number in range(FLOOD)))


async def _took_turns(system: System, heavy: Customer, others: list[Customer], began: object) -> None:
    lanes = [f"u{customer.person.user_id}" for customer in others]
    users = [customer.person.user_id for customer in others]
    async with system.sql() as connection:
        overtaken = await connection.fetchval(OVERTAKEN, f"u{heavy.person.user_id}", lanes, began)
        before = await connection.fetchval(SUBMITTED_BEFORE, heavy.person.user_id, users, began)
    assert overtaken <= MOST_RUNNING, "a tap waits for its own turn, not for the flood"
    assert before < MOST_RUNNING, "submits take turns by user, not by time"


async def _ends(system: System, heavy: Customer, began: object) -> None:
    """The rest of the flood cost its rows alone; what the heavy user bought is made as well."""
    lane, user_id = f"u{heavy.person.user_id}", heavy.person.user_id
    async with system.sql() as connection:
        received = "SELECT count(*) FROM inbox WHERE lane = $1 AND received_at > $2"
        assert await connection.fetchval(received, lane, began) == FLOOD + MOST_RUNNING
        kept = await connection.fetchval(f"{received} AND coalesce(error, '') NOT LIKE 'skipped%'", lane, began)
        assert kept <= 2 * A_MINUTE, "a minute may end in between"
        notices = "SELECT count(*) FROM notices WHERE text_key = 'updates-too-many' AND chat_id = $1"
        assert 1 <= await connection.fetchval(notices, user_id) <= 2

        async def made() -> bool | None:
            done = "SELECT count(*) FROM generation_jobs WHERE user_id = $1 AND status = 'done'"
            return await connection.fetchval(done, user_id) == MOST_RUNNING or None

        await until_found(made, about=lambda: system.story[-4000:])
