"""Honest waiting: the usual time, the place in Kie's queue, and that a job takes longer, at a price that does not grow."""

from pathlib import Path

import pytest

from photomat.db.pool import Pool
from photomat.delivery.render import FAR, MAX_PLACES, PAUSED, Wait
from photomat.delivery.waiting import refresh_places, with_waits
from photomat.jobs.claims import CREATES
from photomat.jobs.poll import SLOW_FROM
from photomat.jobs.submit import paused_by
from photomat.kernel.ids import JobId
from photomat.kie.state_parser import KieState, Reading
from photomat.work import budget
from support.database import pool_of
from support.delivery import delivery_desk
from support.jobs import RUNNING, a_done_job, a_job, a_running_job, a_user, claims_of, is_shown, lock_cards, row_of
from support.steps import look

ANNA, BORIS = 5_000_001, 5_000_002
COUNT_WRITES = """
    CREATE SEQUENCE writes MINVALUE 0 START 0;
    SELECT nextval('writes');
    CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('writes'); RETURN NEW; END $$;
    CREATE TRIGGER count_write BEFORE UPDATE ON generation_jobs FOR EACH ROW EXECUTE FUNCTION count_write();
"""
TEN_THOUSAND_JOBS = """
    INSERT INTO generation_jobs (idempotency_key, corr, draft_id, bot_id, chat_id, card_message_id, user_id, model, kind,
                                 inputs, language, price, currency, quote, submit_turn, card_shown, card_wanted)
    SELECT 'load:' || n, corr, draft_id, bot_id, n, n, user_id, model, kind, inputs, language, 0, currency, NULL, 1 + n, 1, 1
      FROM generation_jobs, generate_series(1, 10000) AS n WHERE job_id = $1
"""


async def queue_of(pool: Pool, count: int) -> list[JobId]:
    """So many jobs, each of its own user, none of them submitted, each with its card shown."""
    users = [await a_user(pool, user_id=ANNA + number) for number in range(count)]
    jobs = [await a_job(pool, user) for user in users]
    for job_id in jobs:
        await is_shown(pool, job_id)
    return jobs


async def use_up(pool: Pool, creates: budget.Budget) -> None:
    for _ in range(creates.limit):
        await budget.take(pool, creates)


async def waits(pool: Pool) -> dict[JobId, Wait]:
    """What the cards that are due would say, as the loop locks them."""
    cards = await with_waits(pool, await lock_cards(pool), creates=claims_of(pool).creates)
    return {card.job_id: card.wait for card in cards}


async def test_the_card_says_how_long_results_of_this_model_took(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for seconds in (600, 40, 10):
            job_id = await a_done_job(pool, user)
            await pool.execute(
                "UPDATE generation_jobs SET created_at = settled_at - $2 * interval '1 second', card_shown = card_wanted"
                " WHERE job_id = $1",
                job_id,
                seconds,
            )
        running, waiting = await a_running_job(pool, user), await a_job(pool, user)
        assert {job: wait.usual_s for job, wait in (await waits(pool)).items()} == {waiting: 40, running: 40}


async def test_a_place_is_shown_only_while_kies_limit_is_the_reason(database: str) -> None:
    async with pool_of(database) as pool:
        creates = claims_of(pool).creates
        await a_job(pool, await a_user(pool))
        (free,) = (await waits(pool)).values()
        assert free.place is None, "it is submitted at once"
        await use_up(pool, creates)
        second = await a_job(pool, await a_user(pool, user_id=BORIS))
        wait = (await waits(pool))[second]
        assert wait.place == 2
        assert creates.apart_s <= wait.starts_s <= creates.window_s + 2


async def test_a_pause_of_kie_has_no_place_and_no_time(database: str) -> None:
    async with pool_of(database) as pool:
        await budget.block(pool, CREATES, seconds=60, reason=paused_by(402))
        job_id = await a_job(pool, await a_user(pool))
        assert (await waits(pool))[job_id] == Wait(place=PAUSED)


async def test_a_refusal_for_speed_is_a_queue_with_a_time(database: str) -> None:
    async with pool_of(database) as pool:
        await budget.block(pool, CREATES, seconds=30, reason="Kie: too many requests")
        job_id = await a_job(pool, await a_user(pool))
        wait = (await waits(pool))[job_id]
        assert (wait.place, 25 <= wait.starts_s <= 30) == (1, True)


async def test_only_cards_whose_place_changed_are_due_again(database: str) -> None:
    async with pool_of(database) as pool:
        creates = claims_of(pool).creates
        first, second, third = await queue_of(pool, 3)
        assert await refresh_places(pool, creates=creates) == 0, "Kie's limit holds nothing back"
        await use_up(pool, creates)
        assert await refresh_places(pool, creates=creates) == 3
        await shown(pool)
        places = [(await row_of(pool, job_id))["shown_place"] for job_id in (first, second, third)]
        assert places == [1, 2, 3]
        assert await refresh_places(pool, creates=creates) == 0, "nothing moved"
        await pool.execute(
            "UPDATE generation_jobs SET due_at = photomat_now() + interval '1 hour' WHERE job_id = $1", second
        )
        assert await refresh_places(pool, creates=creates) == 1
        assert (await waits(pool))[third].place == 2


async def test_a_card_that_is_still_to_be_edited_is_not_made_due_twice(database: str) -> None:
    async with pool_of(database) as pool:
        creates = claims_of(pool).creates
        (job_id,) = await queue_of(pool, 1)
        await use_up(pool, creates)
        for _ in range(3):
            await refresh_places(pool, creates=creates)
        row = await row_of(pool, job_id)
        assert row["card_wanted"] == row["card_shown"] + 1


async def test_ten_thousand_waiting_jobs_cost_the_refresh_no_more_than_fifty(database: str) -> None:
    async with pool_of(database) as pool:
        creates = claims_of(pool).creates
        (first,) = await queue_of(pool, 1)
        await pool.execute(TEN_THOUSAND_JOBS, first)
        await pool.execute("ANALYZE generation_jobs")
        await pool.execute(COUNT_WRITES)
        await use_up(pool, creates)
        assert await refresh_places(pool, creates=creates) == MAX_PLACES
        assert await pool.fetchval("SELECT last_value FROM writes") == MAX_PLACES
        await shown(pool)
        last = await pool.fetchval("SELECT max(job_id) FROM generation_jobs")
        await pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1 WHERE job_id = $1", last)
        wait = (await waits(pool))[last]
        assert wait.place == FAR
        await pool.execute("DELETE FROM generation_jobs WHERE job_id = $1", last)
        await pool.execute("DELETE FROM generation_jobs WHERE idempotency_key LIKE 'load:%'")


async def shown(pool: Pool) -> None:
    """Every card that is due is edited."""
    while cards := await with_waits(pool, await lock_cards(pool), creates=claims_of(pool).creates):
        for card in cards:
            await pool.execute(
                "UPDATE generation_jobs SET card_shown = card_wanted, shown_place = $2, delivering_at = NULL"
                " WHERE job_id = $1",
                card.job_id,
                card.wait.place,
            )


async def test_the_customer_reads_the_place_and_then_the_next_one(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        creates = claims_of(desk.pool).creates
        await use_up(desk.pool, creates)
        before = await a_job(desk.pool, await a_user(desk.pool, user_id=BORIS))
        job_id = await a_job(desk.pool, desk.user, message_id=await desk.card())
        for card in await with_waits(desk.pool, await lock_cards(desk.pool, job_id=job_id), creates=creates):
            await desk.coordinator.deliver_result_atomic(card)
        assert "В очереди: 2-й" in desk.seen()[-1]["text"]
        assert (await row_of(desk.pool, job_id))["shown_place"] == 2
        await desk.pool.execute(
            "UPDATE generation_jobs SET due_at = photomat_now() + interval '1 hour' WHERE job_id = $1", before
        )
        await refresh_places(desk.pool, creates=creates)
        for card in await with_waits(desk.pool, await lock_cards(desk.pool, job_id=job_id), creates=creates):
            await desk.coordinator.deliver_result_atomic(card)
        assert "В очереди: 1-й" in desk.seen()[-1]["text"]


async def test_a_card_is_delivered_even_if_nothing_can_be_said_about_its_wait(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise ValueError("no statistics")

    monkeypatch.setattr("photomat.delivery.waiting.usual_seconds_of", broken)
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        assert await waits(pool) == {job_id: Wait()}


async def test_a_job_beyond_twice_its_usual_time_says_so_once(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await is_shown(pool, job_id)
        before = await look(pool, job_id, RUNNING, after_s=SLOW_FROM.total_seconds() - 5)
        assert (before["slow_at"], before["card_wanted"] - before["card_shown"]) == (None, 0), (
            "half a minute is usual, twice that is not over"
        )
        slow = await look(pool, job_id, RUNNING, after_s=10)
        assert slow["slow_at"] is not None
        assert slow["card_wanted"] == slow["card_shown"] + 1
        await is_shown(pool, job_id)
        later = await look(pool, job_id, RUNNING, after_s=20)
        assert (later["slow_at"], later["card_wanted"]) == (slow["slow_at"], slow["card_wanted"])


async def test_slow_is_measured_by_the_results_of_the_model(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        done = await a_done_job(pool, user)
        await pool.execute(
            "UPDATE generation_jobs SET created_at = settled_at - interval '100 seconds' WHERE job_id = $1", done
        )
        job_id = await a_running_job(pool, user)
        assert (await look(pool, job_id, RUNNING, after_s=190))["slow_at"] is None
        assert (await look(pool, job_id, RUNNING, after_s=20))["slow_at"] is not None


async def test_a_percentage_is_stored_only_if_kie_reports_it(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        for reading in (RUNNING, None):
            assert (await look(pool, job_id, reading, after_s=70))["progress"] == 0
        assert (await look(pool, job_id, Reading(KieState.RUNNING, (), None, progress=47), after_s=70))[
            "progress"
        ] == 40
