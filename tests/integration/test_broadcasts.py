"""A broadcast: fixed recipients, each written to once, stopped at once, its outcomes counted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from aiogram import Bot

from photomat.broadcasts import broadcast as broadcasts
from photomat.broadcasts.broadcast import BroadcastCounts, BroadcastState
from photomat.broadcasts.content import BroadcastButton, BroadcastContent, BroadcastMedia
from photomat.broadcasts.recipients import Audiences
from photomat.broadcasts.segment import Segment, count_reach
from photomat.db.pool import Pool, transaction
from photomat.work.budget import NoRoom
from support.broadcasts import HELLO, INSTANCE, BroadcastDesk, a_started_broadcast, add_users, found
from support.database import pool_of, shift_clock
from support.jobs import a_job, a_user
from support.payments import ANNA, pays, people
from support.telegram_media import picture
from support.telegram_sim import quick_session, running_telegram


@asynccontextmanager
async def desk_of(database: str, **options: object) -> AsyncIterator[BroadcastDesk]:
    async with (
        pool_of(database) as pool,
        running_telegram() as telegram,
        Bot(telegram.world.token, session=quick_session(telegram.url)) as bot,
    ):
        await pool.execute(
            "INSERT INTO instances (instance_id, version, host, pid, active) VALUES ($1, '', '', 1, true)", INSTANCE
        )
        yield BroadcastDesk(pool=pool, telegram=telegram, bot=bot, **options)  # type: ignore[arg-type]  # its own fields


async def test_everyone_gets_it_once_in_their_language_and_the_counts_add_up(database: str) -> None:
    async with desk_of(database) as desk:
        russian, english = [desk.telegram.person() for _ in range(3)], [desk.telegram.person()]
        gone, known = desk.telegram.person(), desk.telegram.person()
        await add_users(desk.pool, [*russian, gone, known])
        await add_users(desk.pool, english, language="en")
        await desk.pool.execute("UPDATE users SET blocked_at = photomat_now() WHERE user_id = $1", known.user_id)
        desk.telegram.blocks(gone)
        made = await a_started_broadcast(desk.pool)
        assert await desk.send_some() == 0, "nothing leaves before the recipients are fixed"
        await desk.look_after(batch=2)
        assert await desk.send_some() == 5
        assert await desk.send_some() == 0
        await shift_clock(desk.pool, 3)
        await desk.look_after()
        done = await found(desk.pool, made)
        assert (done.state, done.reach, done.recipients, done.known_blocked) == (BroadcastState.DONE, 5, 5, 1)
        assert done.counts == BroadcastCounts(sent=4, blocked=1)
        assert [[m["text"] for m in desk.got(each)] for each in (*russian, *english, gone, known)] == [
            *([["Скидка сегодня"]] * 3),
            ["A discount today"],
            [],
            [],
        ]
        assert await desk.pool.fetchval("SELECT blocked_at IS NOT NULL FROM users WHERE user_id = $1", gone.user_id)


async def test_recipients_are_fixed_once_whoever_goes_on_after_a_crash(database: str) -> None:
    async with desk_of(database) as desk:
        await desk.pool.execute("INSERT INTO users (user_id) SELECT id FROM generate_series(1, 500) AS id")
        made = await a_started_broadcast(desk.pool)
        first, second = (Audiences(pool=desk.pool, batch=30) for _ in range(2))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await first.look_after(made)
        async with asyncio.TaskGroup() as group:
            for each in (first, second, second):
                group.create_task(each.look_after(made))
        one = await found(desk.pool, made)
        assert (one.recipients, (await desk.counts(made)).waiting) == (500, 500)
        await desk.pool.execute("INSERT INTO users (user_id) VALUES (501)")
        await first.look_after(made)
        assert (await desk.counts(made)).recipients == 500, "who came later is no recipient"


async def test_after_a_stop_nothing_is_claimed_and_the_rest_goes_on_from_there(database: str) -> None:
    async with desk_of(database) as desk:
        people_ = [desk.telegram.person() for _ in range(6)]
        await add_users(desk.pool, people_)
        made = await a_started_broadcast(desk.pool)
        await desk.look_after()
        claimed = await desk.sender.claim(2)
        async with transaction(desk.pool) as tx:
            assert await broadcasts.stop(tx, made)
        assert await desk.send_some() == 0
        for message in claimed:
            await desk.sender.deliver(message)
        await shift_clock(desk.pool, 3)
        await desk.look_after()
        assert (await found(desk.pool, made)).counts == BroadcastCounts(sent=2, waiting=4)
        async with transaction(desk.pool) as tx:
            assert await broadcasts.resume(tx, made)
            assert not await broadcasts.resume(tx, made)
        assert await desk.send_some() == 4
        await shift_clock(desk.pool, 3)
        await desk.look_after()
        assert (await found(desk.pool, made)).state is BroadcastState.DONE
        assert all(len(desk.got(each)) == 1 for each in people_)


async def test_a_stop_waits_for_a_claim_that_is_being_made_and_none_comes_after_it(database: str) -> None:
    """The claim holds its broadcast until it commits, so an operator who reads "stopped" is right."""
    async with desk_of(database) as desk:
        await add_users(desk.pool, [desk.telegram.person() for _ in range(2)])
        made = await a_started_broadcast(desk.pool)
        await desk.look_after()
        async with asyncio.TaskGroup() as group, desk.pool.acquire() as claiming:
            begun = claiming.transaction()
            await begun.start()
            assert len(await claiming.fetch(desk.sender.CLAIM, 1, desk.pool.bot_id, INSTANCE)) == 1
            stopping = group.create_task(stop(desk.pool, made))
            done, _ = await asyncio.wait([stopping], timeout=0.2)
            assert not done
            await begun.commit()
            assert await stopping
        assert await desk.pool.fetch(desk.sender.CLAIM, 1, desk.pool.bot_id, INSTANCE) == []


async def stop(pool: Pool, broadcast_id: int) -> bool:
    async with transaction(pool) as tx:
        return await broadcasts.stop(tx, broadcast_id)


async def test_what_a_dead_instance_had_sent_is_unknown_and_never_repeated(database: str) -> None:
    async with desk_of(database) as desk:
        person, other = desk.telegram.person(), desk.telegram.person()
        await add_users(desk.pool, [person, other])
        made = await a_started_broadcast(desk.pool)
        await desk.look_after()
        lost = await desk.sender.claim(1)
        await shift_clock(desk.pool, 3)
        await desk.look_after()
        assert (await desk.counts(made)).flying == 1, "its instance is alive"
        await shift_clock(desk.pool, 60)
        await desk.look_after()
        assert await desk.send_some() == 1
        await shift_clock(desk.pool, 60)
        await desk.look_after()
        assert (await found(desk.pool, made)).counts == BroadcastCounts(sent=1, unknown=1)
        (listed,) = await broadcasts.list_sends(desk.pool, made, outcome="unknown", limit=9)
        assert listed.user_id == lost[0].user_id
        await desk.sender.deliver(lost[0])
        await desk.look_after()
        assert (await found(desk.pool, made)).counts == BroadcastCounts(sent=2), "it was alive after all, and says so"
        assert [len(desk.got(each)) for each in (person, other)] == [1, 1]


@pytest.mark.parametrize(("action", "seen"), [("drop_after", 1), ("drop_before", 0)])
async def test_an_answer_that_was_lost_is_unknown(database: str, action: str, seen: int) -> None:
    async with desk_of(database) as desk:
        person = desk.telegram.person()
        await add_users(desk.pool, [person])
        made = await a_started_broadcast(desk.pool)
        await desk.look_after()
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action=action)  # type: ignore[arg-type]  # one of two literals
        await desk.send_some()
        await shift_clock(desk.pool, 3600)
        assert await desk.send_some() == 0
        await desk.look_after()
        assert ((await found(desk.pool, made)).counts, len(desk.got(person))) == (BroadcastCounts(unknown=1), seen)


async def test_when_telegram_asks_to_slow_down_the_whole_broadcast_waits(database: str) -> None:
    async with desk_of(database) as desk:
        people_ = [desk.telegram.person() for _ in range(3)]
        await add_users(desk.pool, people_)
        made = await a_started_broadcast(desk.pool)
        await desk.look_after()
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=20)
        assert await desk.send_some(1) == 1
        with pytest.raises(NoRoom) as refused:
            await desk.sender.claim(9)
        assert 18 < (refused.value.retry_after_s or 0) <= 20
        await shift_clock(desk.pool, 21)
        assert await desk.send_some() == 3
        assert (await desk.counts(made)).sent == 3
        assert all(len(desk.got(each)) == 1 for each in people_)


async def test_broadcasts_use_a_third_of_the_limit_and_wait_for_results(database: str) -> None:
    async with desk_of(database, calls_per_s=30, urgent=("SELECT 1 FROM users WHERE first_name = 'waits'",)) as desk:
        await add_users(desk.pool, [desk.telegram.person() for _ in range(30)])
        await a_started_broadcast(desk.pool)
        await desk.look_after()
        await desk.pool.execute(
            "UPDATE users SET first_name = 'waits' WHERE user_id = (SELECT min(user_id) FROM users)"
        )
        assert await desk.send_some() == 0
        await desk.pool.execute("UPDATE users SET first_name = ''")
        assert await desk.send_some() == 10
        assert await desk.send_some() == 0
        await shift_clock(desk.pool, 1.1)
        assert await desk.send_some() == 10


async def test_a_preview_shows_it_as_customers_will_see_it_and_makes_it_ready(database: str) -> None:
    media = BroadcastMedia(kind="photo", upload=picture())
    content = BroadcastContent(
        text_ru="Кот", text_en="Cat", media=media, button=BroadcastButton(title_ru="Пополнить", opens="topup")
    )
    async with desk_of(database) as desk:
        olga, customer = desk.telegram.person("Ольга"), desk.telegram.person()
        await add_users(desk.pool, [customer])
        async with transaction(desk.pool) as tx:
            made = await broadcasts.add_draft(tx, content, Segment(), operator="olga")
            assert not await broadcasts.start(tx, made, reach=1)
        await desk.ask_preview(made, olga.user_id)
        assert [(m["kind"], m["caption"]) for m in desk.got(olga)] == [("photo", "Кот"), ("photo", "Cat")]
        ready = await found(desk.pool, made)
        assert (ready.state, ready.has_upload, ready.content.media and ready.content.media.file_id is not None) == (
            BroadcastState.READY,
            False,
            True,
        )
        async with transaction(desk.pool) as tx:
            assert await broadcasts.change_draft(tx, made, ready.content, Segment(language="ru"))
        assert (await found(desk.pool, made)).state is BroadcastState.DRAFT
        desk.telegram.blocks(olga)
        await desk.ask_preview(made, olga.user_id)
        assert (await found(desk.pool, made)).state is BroadcastState.DRAFT
        desk.telegram.blocks(olga, blocked=False)
        await desk.ask_preview(made, olga.user_id)
        async with transaction(desk.pool) as tx:
            assert await broadcasts.start(tx, made, reach=1)
        await desk.look_after()
        await desk.send_some()
        (message,) = desk.got(customer)
        assert (message["kind"], message["caption"]) == ("photo", "Кот")
        assert message["inline_keyboard"][0][0]["callback_data"] == f"bc:{made}"


async def test_a_segment_is_everyone_for_whom_all_conditions_hold(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool, balance=0)
        await pays(pool)
        payer = ANNA
        buyer = await a_user(pool, user_id=5_000_001, balance=10_000)
        await a_job(pool, buyer)
        await pool.execute("UPDATE users SET language = 'en' WHERE user_id = $1", buyer)
        everyone = [row["user_id"] for row in await pool.fetch("SELECT user_id FROM users")]

        async def who(segment: Segment) -> set[int]:
            assert (await count_reach(pool, segment)).reach == len(await recipients(pool, segment))
            return await recipients(pool, segment)

        others = set(everyone) - {buyer}
        assert await who(Segment()) == set(everyone)
        assert await who(Segment(language="en")) == {buyer}
        await pool.execute(
            "UPDATE users SET banned_at = photomat_now(), ban_reason = 'x', banned_by = 'olga' WHERE user_id = $1",
            buyer,
        )
        assert await who(Segment()) == others
        await pool.execute("UPDATE users SET banned_at = NULL, ban_reason = NULL, banned_by = NULL")
        assert await who(Segment(paid=True)) == {payer}
        assert await who(Segment(paid=False)) == set(everyone) - {payer}
        assert await who(Segment(ordered_within_days=1)) == await who(Segment(kind="image")) == {buyer}
        assert await who(Segment(model="z-image")) == {buyer}
        assert await who(Segment(model="other")) == set()
        assert await who(Segment(never_ordered=True)) == others
        assert await who(Segment(never_ordered=True, paid=True)) == {payer}
        assert await who(Segment(balance_from=9_000)) >= {buyer}
        assert await who(Segment(balance_from=1_000_000_000)) == set()
        assert await who(Segment(user_ids=[buyer, 7])) == {buyer}
        assert await who(Segment(not_ordered_for_days=3)) == set()
        await shift_clock(pool, 4 * 86400)
        assert await who(Segment(not_ordered_for_days=3)) == {buyer}
        assert await who(Segment(ordered_within_days=3)) == set()


async def recipients(pool: Pool, segment: Segment) -> set[int]:
    made = await a_started_broadcast(pool, HELLO, segment)
    await Audiences(pool=pool, batch=2).look_after(made)
    rows = await pool.fetch("SELECT user_id FROM broadcast_sends WHERE broadcast_id = $1", made)
    return {row["user_id"] for row in rows}


async def test_recipients_of_old_broadcasts_are_forgotten_and_the_counts_stay(database: str) -> None:
    async with desk_of(database) as desk:
        await add_users(desk.pool, [desk.telegram.person() for _ in range(3)])
        made = await a_started_broadcast(desk.pool)
        await desk.look_after()
        await desk.send_some()
        await shift_clock(desk.pool, 3)
        await desk.look_after()
        await shift_clock(desk.pool, 90 * 86400)
        await a_started_broadcast(desk.pool)
        await desk.look_after()
        assert await broadcasts.count_old_sends(desk.pool, timedelta(days=89)) == 3
        assert (await broadcasts.delete_old_sends(desk.pool, timedelta(days=89), 2)).deleted == 2
        assert (await broadcasts.delete_old_sends(desk.pool, timedelta(days=89), 2)).deleted == 1
        assert (await desk.counts(made)).sent == 3
        assert await desk.pool.fetchval("SELECT count(*) FROM broadcast_sends") == 3


async def test_claims_made_at_once_never_share_a_recipient(database: str) -> None:
    async with desk_of(database) as desk:
        people_ = [desk.telegram.person() for _ in range(40)]
        await add_users(desk.pool, people_)
        await a_started_broadcast(desk.pool)
        await desk.look_after()
        async with asyncio.TaskGroup() as group:
            for _ in range(4):
                group.create_task(desk.send_some(15))
        while await desk.send_some():
            pass
        assert [len(desk.got(each)) for each in people_] == [1] * 40
