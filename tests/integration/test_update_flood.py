"""A user who sends hundreds of updates costs little: beyond the limit of a minute nothing is handled, and others take turns."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from photomat.bot.updates import tell_of_flood
from photomat.db.pool import Pool, transaction
from photomat.inbox.lanes import claim_lanes, finish
from photomat.inbox.receive import UpdateLimit, queue_depth, receive
from photomat.kernel.ids import BotId, InstanceId
from support.conversation import conversation
from support.database import pool_of, shift_clock
from support.paying import tell_all
from support.updates import BOT_ID, GROUP, chat_of, checkout_update, sender, tap_update, text_update

BOT = BotId(BOT_ID)
LIMIT = UpdateLimit(a_minute=60, tell=tell_of_flood)


async def gets(pool: Pool, *updates: dict[str, Any]) -> list[int]:
    return await receive(pool, bot_id=BOT, updates=updates, limit=LIMIT)


async def handle_all(pool: Pool) -> list[str]:
    """The lanes in the order in which their updates are handled."""
    lanes: list[str] = []
    while True:
        claims = await claim_lanes(pool, bot_id=BOT, instance=InstanceId("one"), lease_s=30, pre_checkout=False)
        if not claims:
            return lanes
        async with transaction(pool) as tx:
            assert await finish(tx, claims)
        lanes += [claimed.lane for claimed in claims]


def payment_update(update_id: int, *, user_id: int = 7) -> dict[str, Any]:
    paid = {"currency": "XTR", "total_amount": 1, "invoice_payload": "x", "telegram_payment_charge_id": str(update_id)}
    message = {
        "message_id": update_id,
        "date": 1_800_000_000,
        "from": sender(user_id),
        "chat": chat_of(user_id, None),
        "successful_payment": paid,
    }
    return {"update_id": update_id, "message": message}


@pytest.mark.parametrize("at_once", [1, 100])
async def test_what_is_beyond_the_limit_is_stored_as_handled_and_told_of_once(database: str, at_once: int) -> None:
    """One by one from the webhook, or a hundred at once from a poll, and all of them again by a repeating Telegram."""
    async with pool_of(database) as pool:
        flood = [text_update(number) for number in range(1, 301)]
        for _ in range(2):
            for start in range(0, len(flood), at_once):
                await gets(pool, *flood[start : start + at_once])
        assert await queue_depth(pool) == 60
        assert await pool.fetchval("SELECT count(*) FROM inbox") == 300
        assert await pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NOT NULL") == 240
        assert await pool.fetchval("SELECT max(update_id) FROM inbox WHERE handled_at IS NULL") == 60
        notices = await pool.fetch("SELECT chat_id, text_key, facts FROM notices")
        assert [(row["chat_id"], row["text_key"], row["facts"]["limit"]) for row in notices] == [
            (7, "updates-too-many", 60)
        ]
        assert 0 < notices[0]["facts"]["seconds"] <= 60
        assert await handle_all(pool) == ["u7"] * 60


async def test_a_new_minute_begins_with_a_new_count_and_exactly_the_limit_is_no_flood(database: str) -> None:
    async with pool_of(database) as pool:
        for minute in range(3):
            await shift_clock(pool, minute * 61)
            await gets(pool, *(text_update(minute * 100 + number) for number in range(60)))
        assert await queue_depth(pool) == 180
        assert await pool.fetchval("SELECT count(*) FROM notices") == 0
        await gets(pool, text_update(1000))
        assert await queue_depth(pool) == 180
        assert await pool.fetchval("SELECT count(*) FROM notices") == 1


async def test_money_is_never_skipped(database: str) -> None:
    async with pool_of(database) as pool:
        await gets(pool, *(text_update(number) for number in range(1, 101)))
        joined = {"chat": chat_of(7, None), "from": sender(7), "date": 1_800_000_000}
        await gets(pool, payment_update(201), checkout_update(202), {"update_id": 203, "my_chat_member": joined})
        skipped = {
            row["update_id"] for row in await pool.fetch("SELECT update_id FROM inbox WHERE handled_at IS NOT NULL")
        }
        assert skipped == set(range(61, 101))
        assert await queue_depth(pool) == 63


async def test_ten_others_are_handled_between_the_first_updates_of_a_flood(database: str) -> None:
    async with pool_of(database) as pool:
        await gets(pool, *(text_update(number) for number in range(1, 501)))
        others = range(101, 111)
        await gets(pool, *(text_update(1000 + user, user_id=user) for user in others))
        order = await handle_all(pool)
        assert Counter(order) == {"u7": 60} | {f"u{user}": 1 for user in others}
        assert set(order[:12]) >= {f"u{user}" for user in others}, "each lane has its turn"


async def test_a_flood_in_a_group_bothers_nobody_with_a_message(database: str) -> None:
    async with pool_of(database) as pool:
        await gets(pool, *(text_update(number, chat_id=GROUP) for number in range(1, 101)))
        assert await queue_depth(pool) == 60
        assert await pool.fetchval("SELECT count(*) FROM notices") == 0


async def test_a_nonsense_update_beyond_the_limit_is_stored_all_the_same(database: str) -> None:
    async with pool_of(database) as pool:
        await gets(pool, *(text_update(number) for number in range(1, 61)))
        odd = tap_update(61, "x")
        odd["callback_query"]["message"] = "not a message"
        assert await gets(pool, odd) == [61]
        assert await queue_depth(pool) == 60


@pytest.mark.parametrize(("language", "words"), [("ru", "Слишком часто"), ("en", "Too fast")])
async def test_whoever_writes_too_fast_reads_why_and_until_when_and_is_answered_later(
    database: str, language: str, words: str
) -> None:
    async with conversation(database, language_code=language) as plain:
        chat = replace(plain, poller=replace(plain.poller, limit=lambda: replace(LIMIT, a_minute=5)))
        await chat.says("/start")
        for _ in range(20):
            chat.telegram.writes(chat.person, "/balance")
        await chat.handle_all()
        answers = chat.calls("sendMessage")
        await tell_all(chat)
        assert words in chat.newest
        assert chat.newest.split()[-2].isdecimal()
        assert chat.calls("sendMessage") == answers + 1
        await chat.says("/balance")
        assert chat.calls("sendMessage") == answers + 1, "skipped, and not told of again"
        await shift_clock(chat.pool, 61)
        assert words not in await chat.says("/balance")
