"""Fair between chats, whatever one of them has waiting, and at a price that does not grow with the backlog."""

from collections import Counter
from pathlib import Path

import pytest

from photomat.db.pool import Pool
from photomat.delivery import lock
from photomat.delivery.lock import MAX_OF_A_CHAT, MAX_READ
from photomat.delivery.render import LockedCard
from photomat.jobs.settle import Failure
from support.database import pool_of, shift_clock
from support.delivery import delivery_desk
from support.jobs import TWO, a_done_job, a_running_job, a_user, lock_cards, settle_now
from support.logs import logged
from support.telegram_media import picture

CROWD, QUIET = 5_000_001, 5_000_002
MANY = 500
MAX_PAGES = 2000
CHANGED = ("idempotency_key", "chat_id", "card_message_id", "price", "result_object")


async def copies(pool: Pool, job_id: int, count: int, *, chat_id: int, chats: int = 1) -> None:
    """So many more cards due like this job's, free ones, in this chat or in so many chats from this one on."""
    rows = await pool.fetch(
        "SELECT attname AS name FROM pg_attribute"
        " WHERE attrelid = 'generation_jobs'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> ALL($1::text[])",
        [*CHANGED, "job_id", "draft_id", "external_task_id", "quote", "credits_consumed", "cost"],
    )
    same = ", ".join(row["name"] for row in rows)
    await pool.execute(
        f"INSERT INTO generation_jobs ({', '.join(CHANGED)}, {same})"  # noqa: S608  the table's own columns
        f' SELECT gen_random_uuid()::text, $3 + n % $4, 1000000 + n, 0, \'{{"text": "кот"}}\', {same}'
        "   FROM generation_jobs, generate_series(1, $2) AS n WHERE job_id = $1",
        job_id,
        count,
        chat_id,
        chats,
    )


def chats_of(cards: list[LockedCard]) -> Counter[int]:
    return Counter(int(card.chat_id) for card in cards)


async def test_a_chat_with_hundreds_of_cards_does_not_starve_another(database: str) -> None:
    async with pool_of(database) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, MANY, chat_id=CROWD)
        quiet = await a_done_job(pool, await a_user(pool, user_id=QUIET))
        cards = await lock_cards(pool, limit=8)
        assert quiet in {card.job_id for card in cards}, "the newest of all, behind five hundred older ones"
        assert chats_of(cards) == {CROWD: MAX_OF_A_CHAT, QUIET: 1}


async def test_a_chat_has_few_cards_in_hand_whoever_holds_them(database: str) -> None:
    async with pool_of(database) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, 20, chat_id=CROWD)
        assert len(await lock_cards(pool, limit=8)) == MAX_OF_A_CHAT
        assert await lock_cards(pool, limit=8, instance=TWO) == []
        await shift_clock(pool, 301)
        assert len(await lock_cards(pool, limit=8, instance=TWO)) == MAX_OF_A_CHAT, "held no longer: taken over"


async def test_chats_take_turns(database: str) -> None:
    async with pool_of(database) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, 3, chat_id=CROWD)
        other = await a_done_job(pool, await a_user(pool, user_id=QUIET))
        await copies(pool, other, 3, chat_id=QUIET)
        order = [int((await lock_cards(pool, limit=1))[0].chat_id) for _ in range(4)]
        assert order == [CROWD, QUIET, CROWD, QUIET]


async def test_a_result_comes_before_hundreds_of_older_failures(database: str) -> None:
    async with pool_of(database) as pool:
        crowd = await a_user(pool, user_id=CROWD)
        failed = await a_running_job(pool, crowd)
        await settle_now(pool, failed, Failure(code="kie-500"))
        await copies(pool, failed, MANY, chat_id=CROWD, chats=MANY)
        done = await a_done_job(pool, await a_user(pool, user_id=QUIET - 10))
        assert [card.job_id for card in await lock_cards(pool, limit=1)] == [done]


async def test_everything_put_off_is_taken_in_the_end(database: str) -> None:
    async with pool_of(database) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, 3 * MAX_READ, chat_id=CROWD)
        seen: set[int] = set()
        for _ in range(200):
            cards = await lock_cards(pool, limit=8)
            seen |= {card.job_id for card in cards}
            await pool.execute(
                "UPDATE generation_jobs SET card_shown = card_wanted, delivering_at = NULL WHERE job_id = ANY($1)",
                [card.job_id for card in cards],
            )
            await shift_clock(pool, 1)
        assert len(seen) == 3 * MAX_READ + 1


async def test_a_claim_costs_the_same_with_fifty_thousand_cards_due(database: str) -> None:
    """Measured in pages touched, which no other load on the machine changes."""
    async with pool_of(database, size=1) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, 50_000, chat_id=CROWD + 1, chats=20_000)
        await pool.execute("ANALYZE generation_jobs")
        before = await _pages(pool)
        assert len(await lock_cards(pool, limit=8)) == 8
        touched = await _pages(pool) - before
        assert touched < MAX_PAGES, f"{touched} pages for eight cards"


async def _pages(pool: Pool) -> int:
    """How many pages of the table and its indexes were touched so far; the pool has one session, which reports."""
    await pool.execute("SELECT pg_stat_force_next_flush()")
    found = await pool.fetchval(
        "SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit FROM pg_statio_user_tables"
        " WHERE relname = 'generation_jobs'"
    )
    return int(found)


async def test_a_chat_at_its_limit_waits_as_a_whole_and_others_go_on(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await desk.card()
        await desk.spend_chat_budget(20)
        busy = await a_done_job(desk.pool, desk.user, urls=[desk.files.add("a.png", picture(), "image/png")])
        await copies(desk.pool, busy, 10, chat_id=int(desk.user))
        ada = desk.telegram.person("Ада")
        message = await desk.bot.send_message(ada.user_id, "черновик")
        other = await a_done_job(
            desk.pool,
            await a_user(desk.pool, user_id=ada.user_id),
            urls=[desk.files.add("b.png", picture("blue"), "image/png")],
            message_id=message.message_id,
        )
        await desk.deliver()
        assert await desk.delivered(other)
        waiting = await desk.pool.fetch(
            "SELECT delivery_attempts FROM generation_jobs WHERE chat_id = $1 AND deliver_at > photomat_now()",
            desk.user,
        )
        assert [row["delivery_attempts"] for row in waiting] == [0] * 11


async def test_instances_together_hold_more_cards_than_one_of_them_looks_at(database: str) -> None:
    async with pool_of(database) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, MAX_READ + 7, chat_id=CROWD + 1, chats=MAX_READ + 7)
        await pool.execute("UPDATE generation_jobs SET deliver_at = deliver_at - job_id * interval '1 second'")
        held = [card.job_id for _ in range(9) for card in await lock_cards(pool, limit=8)]
        assert len(held) == len(set(held)) == MAX_READ + 8


async def test_what_was_locked_before_a_failure_is_still_handed_out(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pool_of(database) as pool:
        first = await a_done_job(pool, await a_user(pool, user_id=CROWD))
        await copies(pool, first, 2 * MAX_READ, chat_id=CROWD)

        async def fails(*_args: object, **_kwargs: object) -> int:
            raise ConnectionResetError("cut off")

        monkeypatch.setattr(lock, "put_off_surplus", fails)
        with logged() as lines:
            assert len(await lock_cards(pool, limit=8)) == MAX_OF_A_CHAT
        assert [line["cards"] for line in lines if line["event"] == "DELIVERY_CLAIM_SHORT"] == [MAX_OF_A_CHAT]
        with pytest.raises(ConnectionResetError):
            await lock_cards(pool, limit=8)
