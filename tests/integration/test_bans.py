"""A ban: what is queued comes back, what is at Kie goes on, no order slips past it, and the user reads why and until when."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from photomat.bot.context import Support
from photomat.jobs.settle import Success
from photomat.kernel.ids import UserId
from photomat.operators.actions import journal_of_user
from photomat.operators.users import ban_user, cancel_queued_jobs, limit_user, message_user, unban_user
from photomat.orders.limits import Limits
from photomat.orders.outcome import Created, LimitKind, LimitReached
from photomat.users.standing import OwnLimits
from photomat_sandbox.telegram import person_acts
from support.conversation import Chat, conversation
from support.database import pool_of, shift_clock
from support.jobs import URL, a_draft, a_job, a_running_job, a_user, money_of, row_of, settle_now, tap_create
from support.paying import available, declines, link_on_screen, payments_of, pays_the_bill, shop_options, tell_all
from support.sessions import as_pool, until_done_or_blocked

WEEK = timedelta(days=7)
BY: Mapping[str, Any] = {"operator": "test", "reason": "перепродаёт <b>картинки</b>"}


async def bans(chat: Chat, lasts: timedelta | None = None) -> None:
    assert (await ban_user(chat.pool, UserId(chat.person.user_id), lasts=lasts, **BY)).done


async def test_what_is_queued_comes_back_and_what_is_at_kie_goes_on(database: str) -> None:
    async with pool_of(database) as pool:
        user, other = await a_user(pool), await a_user(pool, user_id=2)
        running = await a_running_job(pool, user, price=100)
        queued = [await a_job(pool, user, price=50) for _ in range(3)]
        of_another = await a_job(pool, other, price=50)
        assert await money_of(pool, user) == (10_000 - 250, 250)
        result = await ban_user(pool, user, lasts=WEEK, **BY)
        assert result.done
        assert await money_of(pool, user) == (10_000 - 100, 100)
        assert [(await row_of(pool, job))["status"] for job in (*queued, running, of_another)] == [
            *["canceled"] * 3,
            "running",
            "pending",
        ]
        await settle_now(pool, running, Success(urls=(URL,)))
        assert await money_of(pool, user) == (10_000 - 100, 0), "what was made is paid"
        (entry,) = await journal_of_user(pool, user)
        assert (entry.action, entry.operator, entry.done, entry.reason) == ("ban", "test", True, BY["reason"])
        assert all(str(job) in entry.outcome for job in queued)
        notice = await pool.fetchrow("SELECT text_key, facts FROM notices WHERE chat_id = $1", user)
        assert notice is not None
        assert notice["text_key"] == "ban-canceled-jobs-until"
        assert (notice["facts"]["jobs"], notice["facts"]["reason"]) == (3, "перепродаёт &lt;b&gt;картинки&lt;/b&gt;")


async def test_a_ban_with_an_end_is_over_by_itself_and_one_without_when_it_is_taken_back(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        draft = await a_draft(pool, user)
        await ban_user(pool, user, lasts=WEEK, **BY)
        refused = await tap_create(pool, draft)
        assert isinstance(refused, LimitReached)
        assert refused.why is LimitKind.BANNED
        assert refused.wait is not None
        assert WEEK - timedelta(minutes=1) < refused.wait <= WEEK
        await shift_clock(pool, 7 * 86400 + 1)
        assert isinstance(await tap_create(pool, await a_draft(pool, user)), Created)
        await ban_user(pool, user, **BY)
        draft = await a_draft(pool, user)
        assert await tap_create(pool, draft) == LimitReached(why=LimitKind.BANNED, limit=0)
        assert (await unban_user(pool, user, operator="test", reason="a mistake")).done
        assert isinstance(await tap_create(pool, draft), Created)
        assert not (await unban_user(pool, user, operator="test", reason="again")).done
        assert [entry.done for entry in await journal_of_user(pool, user)] == [True, True, True, False]


@pytest.mark.parametrize("first", ["tap", "ban"])
async def test_a_tap_at_the_moment_of_the_ban_is_canceled_with_the_rest_or_refused(database: str, first: str) -> None:
    """Whichever has the user's row first, the other waits for it and then sees what it did."""
    async with pool_of(database) as pool, pool.acquire() as one, pool.acquire() as two:
        user = await a_user(pool)
        draft = await a_draft(pool, user, price=64)
        async with asyncio.TaskGroup() as tasks, one.transaction():
            if first == "tap":
                assert isinstance(await tap_create(as_pool(one), draft), Created)
                second = tasks.create_task(_outcome(ban_user(as_pool(two), user, **BY)))
            else:
                assert (await ban_user(as_pool(one), user, **BY)).done
                second = tasks.create_task(_outcome(tap_create(as_pool(two), draft)))
            await until_done_or_blocked(pool, second, two)
            assert not second.done(), "it waits for the user's row"
        jobs = [row["status"] for row in await pool.fetch("SELECT status FROM generation_jobs")]
        if first == "tap":
            assert jobs == ["canceled"]
        else:
            assert second.result() == LimitReached(why=LimitKind.BANNED, limit=0)
            assert jobs == []
        assert await money_of(pool, user) == (10_000, 0)


async def _outcome(work: Awaitable[object]) -> object:
    return await work


async def test_fifty_taps_against_a_ban_leave_nothing_queued(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        drafts = [await a_draft(pool, user) for _ in range(50)]
        await asyncio.gather(
            *(tap_create(pool, draft, allowed=Limits(running=0)) for draft in drafts[:25]),
            ban_user(pool, user, **BY),
            *(tap_create(pool, draft, allowed=Limits(running=0)) for draft in drafts[25:]),
        )
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs WHERE settled_at IS NULL") == 0
        assert await money_of(pool, user) == (10_000, 0)


async def test_a_banned_user_is_told_once_in_a_while_why_until_when_and_whom_to_ask(database: str) -> None:
    async with conversation(database, support=Support(contact="@boss")) as chat:
        await chat.orders_a_cat()
        await bans(chat, WEEK)
        before = chat.calls("sendMessage")
        for _ in range(10):
            await chat.says("/start")
            await chat.says("нарисуй кота")
        await tell_all(chat)
        assert chat.calls("sendMessage") == before + 1
        said = chat.newest
        assert "Причина: перепродаёт <b>картинки</b>" in said, "shown as it was written"
        assert "закрыл вам доступ до" in said
        assert "Осталось 7 дн 0 ч" in said
        assert "/support или @boss" in said
        assert "Доступ" not in await chat.says("/support"), "there is somebody to ask"
        await chat.says("Это ошибка, откройте меня")
        assert await chat.pool.fetchval("SELECT text FROM ticket_messages") == "Это ошибка, откройте меня"
        before = chat.calls("sendMessage") - 1
        await shift_clock(chat.pool, 601)
        await chat.says("/start")
        await tell_all(chat)
        assert chat.calls("sendMessage") == before + 2
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Доступ закрыт до")
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        await unban_user(chat.pool, UserId(chat.person.user_id), operator="test", reason="a mistake")
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Принято")


async def test_an_english_reader_is_told_in_english_and_operators_are_never_locked_out(database: str) -> None:
    async with conversation(database, language_code="en") as chat:
        await chat.says("/start")
        await bans(chat)
        await chat.says("hello")
        await tell_all(chat)
        assert "closed your access for good" in chat.newest
        assert "Reason:" in chat.newest
        boss = replace(chat.worker.config, operators=frozenset({UserId(chat.person.user_id)}))
        trusted = replace(chat, worker=replace(chat.worker, config=boss))
        assert "closed your access" not in await trusted.says("/start")


async def test_what_was_paid_is_booked_and_nothing_new_is_sold(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/topup")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 100")
        link = link_on_screen(chat)
        await bans(chat, WEEK)
        assert await pays_the_bill(chat, link=link) is None
        assert declines(chat.telegram)[-1].startswith("Оператор закрыл вам доступ, ничего не списано.")
        await unban_user(chat.pool, UserId(chat.person.user_id), operator="test", reason="once more")
        await paid_while_banned(chat, link)
        assert await payments_of(chat) == [(100, 10_400, "topup", "update")]
        assert await available(chat) == 10_400
        refusal = await chat.worker.config.topups.refusal(UserId(chat.person.user_id), "stars")
        assert refusal is not None
        assert "закрыл вам доступ" not in await chat.says("/paysupport"), "questions about payments are answered"


async def paid_while_banned(chat: Chat, link: str) -> None:
    """The bank takes the money, and before its news arrives the payer is banned."""
    person_acts.pay_bill(chat.telegram.world, chat.person, chat.telegram.world.bills[link])
    await chat.fetch()
    assert await chat.checkouts.run_once()
    await bans(chat, WEEK)
    await chat.handle_all()


async def test_limits_of_ones_own_replace_the_usual_ones_and_can_be_taken_back(database: str) -> None:
    async with pool_of(database) as pool:
        user, other = await a_user(pool), await a_user(pool, user_id=2)
        by = {"operator": "test", "reason": "too eager"}
        assert (await limit_user(pool, user, OwnLimits(running=1, a_minute=0, free_a_day=1), **by)).done
        assert isinstance(await tap_create(pool, await a_draft(pool, user)), Created)
        assert await tap_create(pool, await a_draft(pool, user)) == LimitReached(why=LimitKind.RUNNING, limit=1)
        for _ in range(3):
            assert isinstance(await tap_create(pool, await a_draft(pool, other)), Created)
        assert (await limit_user(pool, user, OwnLimits(), **by)).done
        assert isinstance(await tap_create(pool, await a_draft(pool, user)), Created)
        strict = Limits(running=0, a_minute=2)
        refused = await tap_create(pool, await a_draft(pool, user), allowed=strict)
        assert isinstance(refused, LimitReached)
        await limit_user(pool, user, OwnLimits(a_minute=0), **by)
        assert isinstance(await tap_create(pool, await a_draft(pool, user), allowed=strict), Created)
        assert not (await limit_user(pool, user, OwnLimits(running=-1), **by)).done
        assert not (await limit_user(pool, UserId(404), OwnLimits(), **by)).done
        assert [entry.done for entry in await journal_of_user(pool, user)] == [True, True, True, False]


async def test_a_message_is_sent_once_per_reference_as_it_was_written(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        user = UserId(chat.person.user_id)
        for _ in range(2):
            result = await message_user(
                chat.pool, user, "1 < 2 & <b>", reference="form:1", operator="test", reason="asked"
            )
            assert result.done
        too_long = await message_user(chat.pool, user, "x" * 4097, reference="form:2", operator="test", reason="asked")
        longest = await message_user(chat.pool, user, "<" * 4096, reference="form:3", operator="test", reason="asked")
        assert (too_long.done, longest.done) == (False, True)
        before = chat.calls("sendMessage")
        await tell_all(chat)
        assert chat.calls("sendMessage") == before + 2
        assert [str(one["text"]) for one in chat.screen()[-2:]] == ["1 < 2 & <b>", "<" * 4096]


async def test_queued_jobs_can_be_canceled_without_a_ban(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        running = await a_running_job(pool, user, price=100)
        await a_job(pool, user, price=50)
        assert (await cancel_queued_jobs(pool, user, operator="test", reason="asked")).done
        assert not (await cancel_queued_jobs(pool, user, operator="test", reason="asked")).done
        assert (await row_of(pool, running))["status"] == "running"
        assert await money_of(pool, user) == (10_000 - 100, 100)


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(running=1), {"ru": "как только один из них будет готов", "en": "as soon as one of them is"}),
        (Limits(a_minute=1), {"ru": "в минуту. Снова можно через", "en": "a minute. You can order again in"}),
        (Limits(pause=timedelta(minutes=5)), {"ru": "Снова можно через 5 мин", "en": "again in 5 min"}),
    ],
)
@pytest.mark.parametrize("language", ["ru", "en"])
async def test_each_refused_order_says_why_and_until_when(
    database: str, language: str, limits: Limits, why: dict[str, str]
) -> None:
    async with conversation(database, limits=limits) as chat:
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        await chat.orders_a_cat()
        await chat.pool.execute("UPDATE users SET language = $1", language)
        await chat.taps("✅ Создать")
        assert why[language] in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
