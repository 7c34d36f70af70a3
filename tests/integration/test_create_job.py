"""The tap on [Create] buys a draft once, for the price it showed, or does nothing at all."""

import asyncio
from typing import Any

import pytest

from photomat.db.pool import Pool, transaction
from photomat.jobs.settle import Success
from photomat.kernel.errors import NotEnough
from photomat.kernel.ids import DraftId, UserId
from photomat.orders.draft import cancel_draft, change_draft, read_draft
from photomat.orders.limits import MAX_RUNNING
from photomat.orders.outcome import AlreadyStarted, CardOutdated, Created, DraftGone, LimitKind, LimitReached
from support.database import pool_of, shift_clock
from support.jobs import (
    BOT,
    CAT,
    PRICE,
    a_draft,
    a_job,
    a_running_job,
    a_user,
    money_of,
    row_of,
    settle_now,
    tap_create,
)
from support.money import rub

DAY_S = 86_400


async def counts(pool: Pool) -> tuple[int, int]:
    return (
        await pool.fetchval("SELECT count(*) FROM generation_jobs"),
        await pool.fetchval("SELECT count(*) FROM holds"),
    )


async def test_a_tap_makes_the_job_holds_the_price_and_takes_the_message_as_card(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=1000)
        created = await tap_create(pool, await a_draft(pool, user), message_id=77, corr="0123abcd", language="en")
        assert isinstance(created, Created)
        job = await row_of(pool, created.job_id)
        assert (created.model, created.price, created.corr) == ("z-image", rub(PRICE), "0123abcd")
        assert await money_of(pool, user) == (1000 - PRICE, PRICE)
        facts = {
            key: job[key] for key in ("status", "corr", "bot_id", "chat_id", "card_message_id", "language", "price")
        }
        assert facts == {
            "status": "pending",
            "corr": "0123abcd",
            "bot_id": BOT,
            "chat_id": user,
            "card_message_id": 77,
            "language": "en",
            "price": PRICE,
        }
        assert job["inputs"] == CAT
        assert (job["card_wanted"], job["card_shown"]) == (1, 0)


async def test_a_double_tap_finds_the_same_job_and_holds_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=1000)
        draft = await a_draft(pool, user)
        answers = await asyncio.gather(*(tap_create(pool, draft, message_id=77) for _ in range(8)))
        created = [answer for answer in answers if isinstance(answer, Created)]
        again = [answer for answer in answers if isinstance(answer, AlreadyStarted)]
        assert (len(created), len(again)) == (1, 7)
        assert {(one.job_id, one.corr, one.this_card) for one in again} == {(created[0].job_id, created[0].corr, True)}
        assert await counts(pool) == (1, 1)
        assert await money_of(pool, user) == (1000 - PRICE, PRICE)


async def test_another_card_of_the_same_draft_answers_already_started(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        draft = await a_draft(pool, user)
        first = await tap_create(pool, draft, message_id=77)
        second = await tap_create(pool, draft, message_id=78)
        assert isinstance(first, Created)
        assert second == AlreadyStarted(job_id=first.job_id, corr=first.corr, this_card=False)
        assert (await row_of(pool, first.job_id))["card_message_id"] == 77


async def test_two_cards_of_one_draft_tapped_at_once_buy_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        draft = await a_draft(pool, user)
        answers = await asyncio.gather(*(tap_create(pool, draft, message_id=70 + n) for n in range(6)))
        assert sorted(type(answer).__name__ for answer in answers) == ["AlreadyStarted"] * 5 + ["Created"]
        assert await counts(pool) == (1, 1)


async def test_a_card_of_an_older_revision_is_shown_anew(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        old = await a_draft(pool, user)
        inputs = CAT | {"aspect_ratio": "16:9"}
        new = await change_draft(
            pool,
            draft_id=old.draft_id,
            user_id=user,
            origin="update:1:99",
            model=old.model,
            inputs=inputs,
            price=rub(PRICE),
        )
        answer = await tap_create(pool, old)
        assert isinstance(answer, CardOutdated)
        assert new is not None
        assert (answer.draft.revision, answer.draft.inputs) == (new.revision, inputs)
        assert await counts(pool) == (0, 0)
        assert isinstance(await tap_create(pool, answer.draft), Created)


async def test_a_price_that_changed_is_shown_before_it_is_paid(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=1000)
        draft = await a_draft(pool, user)
        answer = await tap_create(pool, draft, price_now=rub(PRICE + 6))
        assert isinstance(answer, CardOutdated)
        assert (answer.draft.price, answer.draft.revision) == (rub(PRICE + 6), draft.revision + 1)
        assert await counts(pool) == (0, 0)
        stale = await tap_create(pool, draft, price_now=rub(PRICE + 6))
        assert isinstance(stale, CardOutdated)
        assert isinstance(await tap_create(pool, answer.draft), Created)
        assert await money_of(pool, user) == (1000 - PRICE - 6, PRICE + 6)


async def test_a_draft_lives_for_a_day(database: str) -> None:
    async with pool_of(database) as pool:
        draft = await a_draft(pool, await a_user(pool))
        await shift_clock(pool, DAY_S + 1)
        assert await tap_create(pool, draft) == DraftGone()
        assert await counts(pool) == (0, 0)


async def test_a_bought_draft_is_found_again_even_after_its_day(database: str) -> None:
    async with pool_of(database) as pool:
        draft = await a_draft(pool, await a_user(pool))
        assert isinstance(await tap_create(pool, draft), Created)
        await shift_clock(pool, DAY_S + 1)
        assert isinstance(await tap_create(pool, draft), AlreadyStarted)


async def test_a_draft_put_away_cannot_be_bought_and_a_bought_one_not_put_away(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        draft, bought = await a_draft(pool, user), await a_draft(pool, user)
        assert isinstance(await tap_create(pool, bought), Created)
        async with transaction(pool) as tx:
            assert await cancel_draft(tx, draft_id=draft.draft_id, user_id=user)
            assert not await cancel_draft(tx, draft_id=bought.draft_id, user_id=user)
        assert await tap_create(pool, draft) == DraftGone()


async def test_nobody_buys_the_draft_of_somebody_else(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        draft = await a_draft(pool, anna)
        assert await tap_create(pool, draft, user_id=boris) == DraftGone()
        assert await tap_create(pool, draft, draft_id=DraftId(draft.draft_id + 1)) == DraftGone()
        assert await read_draft(pool, draft_id=draft.draft_id, user_id=boris) is None
        assert await counts(pool) == (0, 0)


async def test_a_wallet_that_does_not_cover_the_price_leaves_nothing_behind(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=PRICE - 1)
        draft = await a_draft(pool, user)
        with pytest.raises(NotEnough) as refusal:
            await tap_create(pool, draft)
        assert (refusal.value.price, refusal.value.available) == (rub(PRICE), rub(PRICE - 1))
        assert await counts(pool) == (0, 0)
        assert await money_of(pool, user) == (PRICE - 1, 0)


async def test_money_held_for_one_job_does_not_pay_for_another(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=PRICE + 10)
        drafts = [await a_draft(pool, user) for _ in range(4)]
        answers: list[Any] = await asyncio.gather(*(tap_create(pool, one) for one in drafts), return_exceptions=True)
        assert sorted(type(answer).__name__ for answer in answers) == ["Created"] + ["NotEnough"] * 3
        assert await money_of(pool, user) == (10, PRICE)


async def test_a_free_job_holds_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=0)
        assert isinstance(await tap_create(pool, await a_draft(pool, user, price=0)), Created)
        assert await counts(pool) == (1, 0)


async def test_a_user_has_ten_running_jobs_at_most(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        first = await a_running_job(pool, user)
        for _ in range(MAX_RUNNING - 1):
            await a_job(pool, user)
        draft = await a_draft(pool, user)
        assert await tap_create(pool, draft) == LimitReached(why=LimitKind.RUNNING, limit=MAX_RUNNING)
        assert isinstance(await tap_create(pool, await a_draft(pool, await a_user(pool, user_id=2))), Created)
        await settle_now(pool, first, Success(urls=("https://files.example/1.png",)))
        assert isinstance(await tap_create(pool, draft), Created)


async def test_a_card_hosts_one_job_for_its_whole_life(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        assert isinstance(await tap_create(pool, await a_draft(pool, user), message_id=77), Created)
        assert await tap_create(pool, await a_draft(pool, user), message_id=77) == DraftGone()
        assert await counts(pool) == (1, 1)
        other = UserId(await a_user(pool, user_id=2))
        assert isinstance(await tap_create(pool, await a_draft(pool, other), message_id=77), Created)


async def test_the_same_update_again_finds_its_draft_and_makes_no_further_revision(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        draft = await a_draft(pool, user, origin="update:1:5")
        assert await a_draft(pool, user, origin="update:1:5") == draft
        changed = [
            await change_draft(
                pool,
                draft_id=draft.draft_id,
                user_id=user,
                origin="update:1:6",
                model=draft.model,
                inputs=CAT,
                price=rub(PRICE),
            )
            for _ in range(2)
        ]
        assert [one.revision for one in changed if one is not None] == [2, 2]
