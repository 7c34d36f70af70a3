"""What the bot says by itself: each thing once, in the reader's language, never twice when nobody knows whether it left."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import ChatId
from photomat.messages.notices import (
    ENDED_NOTICES,
    MAX_TRIES,
    Notice,
    NoticeButton,
    NoticeFile,
    NoticeSender,
    notify,
    retry_blocked_notices,
)
from photomat.telegram.client import TelegramMessenger
from photomat.texts.load import load_texts
from support.database import pool_of, shift_clock
from support.delivery import Desk, delivery_desk
from support.money import rub
from support.telegram_media import picture

FACTS = {"credit": rub(123_450), "available": rub(5), "bonus": rub(0), "owed": rub(0)}


async def told(pool: Pool, chat_id: int, key: str = "payment:1", text_key: str = "payment-received") -> bool:
    async with transaction(pool) as tx:
        return await notify(tx, key=key, chat_id=ChatId(chat_id), text_key=text_key, facts=FACTS)


def sender(desk: Desk) -> NoticeSender:
    return NoticeSender(pool=desk.pool, messenger=TelegramMessenger(desk.bot), texts=load_texts())


async def claim(pool: Pool) -> list[Notice]:
    return await NoticeSender(pool=pool, messenger=cast("Any", None), texts=load_texts()).claim(9)


async def send_all(desk: Desk) -> int:
    one = sender(desk)
    claimed = await one.claim(9)
    for notice in claimed:
        await one.deliver(notice)
    return len(claimed)


def heard(desk: Desk) -> list[str]:
    return [str(message["text"]) for message in desk.seen()]


async def row(desk: Desk) -> tuple[str | None, bool, bool]:
    """How the one notice stands: its outcome, whether it is due, whether it has left."""
    found = await require_row(desk.pool, "SELECT outcome, due_at, left_at FROM notices")
    return found["outcome"], found["due_at"] is not None, found["left_at"] is not None


async def test_a_thing_is_told_once_by_its_key_also_at_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(told(desk.pool, desk.user)) for _ in range(10)]
        assert sum(task.result() for task in tasks) == 1
        assert await send_all(desk) == 1
        assert heard(desk) == [
            "💰 Зачислено 1\N{NO-BREAK SPACE}234,50\N{NO-BREAK SPACE}₽. Доступно: 0,05\N{NO-BREAK SPACE}₽."
        ]
        assert not await told(desk.pool, desk.user)
        assert await send_all(desk) == 0
        assert await row(desk) == ("sent", False, True)


async def test_what_did_not_happen_is_not_told(database: str) -> None:
    async with pool_of(database) as pool:
        async with pool.acquire() as connection:
            begun = connection.transaction()
            await begun.start()
            assert await notify(connection, key="k", chat_id=ChatId(1), text_key="payment-received", facts=FACTS)
            await begun.rollback()
        assert await claim(pool) == []


@pytest.mark.parametrize(("language", "sum_"), [("ru", "1\N{NO-BREAK SPACE}234,50"), ("en", "₽1,234.50")])
async def test_everybody_hears_it_in_their_own_language(
    database: str, tmp_path: Path, language: str, sum_: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        await desk.pool.execute("UPDATE users SET language = $1", language)
        await send_all(desk)
        assert sum_ in heard(desk)[0]


async def test_whoever_has_no_row_hears_the_language_of_the_shop(database: str) -> None:
    async with pool_of(database) as pool:
        await told(pool, 99)
        (notice,) = await claim(pool)
        assert (notice.language, notice.facts["credit"]) == ("ru", rub(123_450))


async def test_a_notice_carries_its_buttons(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        buttons = [
            [NoticeButton(text_key="payment-run-order", data="d:create:1:1", facts={"price": rub(1_200)})],
            [NoticeButton(text_key="menu-balance", data="m:balance")],
        ]
        async with transaction(desk.pool) as tx:
            await notify(
                tx, key="k", chat_id=ChatId(desk.user), text_key="payment-received", facts=FACTS, buttons=buttons
            )
        await send_all(desk)
        (message,) = desk.seen()
        assert [data for _, data in desk.buttons(message)] == ["d:create:1:1", "m:balance"]
        assert desk.buttons(message)[0][0] == "✅ Создать · 12\N{NO-BREAK SPACE}₽"


async def test_a_notice_shows_a_file_of_telegrams(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        file_id = await desk.pool.fetchval("SELECT file_id FROM job_outputs")
        async with transaction(desk.pool) as tx:
            file = NoticeFile(kind="photo", file_id=file_id)
            await notify(tx, key="k", chat_id=ChatId(desk.user), text_key="payment-received", facts=FACTS, file=file)
        await send_all(desk)
        card, notice = desk.seen()
        assert notice["kind"] == "photo"
        assert desk.shown_bytes(notice) == desk.shown_bytes(card)


async def test_a_notice_is_recorded_before_it_is_sent_and_nobody_sends_it_after_a_death(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        assert len(await sender(desk).claim(9)) == 1
        assert await row(desk) == (None, False, True)
        await shift_clock(desk.pool, 86_400)
        assert await send_all(desk) == 0
        assert heard(desk) == []


@pytest.mark.parametrize("action", ["drop_after", "drop_before"])
async def test_a_notice_whose_answer_was_lost_is_not_repeated(database: str, tmp_path: Path, action: str) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action=action)  # type: ignore[arg-type]  # one of two literals
        await send_all(desk)
        await shift_clock(desk.pool, 3600)
        assert await send_all(desk) == 0
        assert await row(desk) == ("unknown", False, True)
        assert len(heard(desk)) == (1 if action == "drop_after" else 0)


async def test_a_notice_that_surely_never_left_is_sent_later_and_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=20)
        await send_all(desk)
        assert await row(desk) == (None, True, False)
        assert await send_all(desk) == 0
        await shift_clock(desk.pool, 21)
        assert await send_all(desk) == 1
        assert len(heard(desk)) == 1


async def test_a_notice_put_back_late_is_not_sent_again_after_it_was(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        (old,) = await sender(desk).claim(9)
        await desk.pool.execute("UPDATE notices SET left_at = left_at + interval '1 s', outcome = 'sent'")
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=1)
        await sender(desk).deliver(old)
        assert await row(desk) == ("sent", False, True)


async def test_whoever_cannot_be_reached_is_not_asked_again_and_told_once_when_back(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        desk.telegram.blocks(desk.person)
        await send_all(desk)
        assert await desk.pool.fetchval("SELECT blocked_at IS NOT NULL FROM users WHERE user_id = $1", desk.user)
        desk.telegram.blocks(desk.person, blocked=False)
        await shift_clock(desk.pool, 3600)
        assert await send_all(desk) == 0
        assert await row(desk) == ("blocked", False, True)
        for _ in range(2):
            async with transaction(desk.pool) as tx:
                await retry_blocked_notices(tx, chat_id=ChatId(desk.user))
            await send_all(desk)
        assert len(heard(desk)) == 1
        assert await row(desk) == ("sent", False, True)


async def test_it_is_given_up_after_some_tries_that_never_left(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await told(desk.pool, desk.user)
        desk.refuse("sendMessage", "Unauthorized", code=401, times=MAX_TRIES + 5)
        for _ in range(MAX_TRIES):
            assert await send_all(desk) == 1
            await shift_clock(desk.pool, 600)
        assert await send_all(desk) == 0
        assert await row(desk) == ("refused", False, True)


async def test_what_was_told_long_ago_is_forgotten_and_what_waits_is_not(database: str) -> None:
    async with pool_of(database) as pool:
        await told(pool, 1, key="told")
        await claim(pool)
        await told(pool, 1, key="waits")
        await shift_clock(pool, 90 * 86400 + 1)
        await told(pool, 1, key="new")
        assert (await ENDED_NOTICES.delete(pool, timedelta(days=90), 1000)).deleted == 1
        assert [r["key"] for r in await pool.fetch("SELECT key FROM notices ORDER BY key")] == ["new", "waits"]


async def test_the_messages_about_one_receipt_are_found_by_an_index_under_any_collation_of_the_database(
    database: str,
) -> None:
    async with pool_of(database) as pool, transaction(pool) as tx:
        collation = await tx.fetchval(
            "SELECT collation_name FROM information_schema.columns WHERE table_name = 'notices' AND column_name = 'key'"
        )
        await tx.execute("SET LOCAL enable_seqscan = off")
        plan = await tx.fetch("EXPLAIN SELECT 1 FROM notices WHERE starts_with(key, 'receipt:1:to:')")
    assert collation == "C"
    assert "Index Cond: ((key >=" in "\n".join(row[0] for row in plan)
