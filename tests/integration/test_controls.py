"""What operators pause: what is then not sold, not submitted and not claimed, and what goes on."""

import asyncio
from datetime import timedelta

from photomat.cluster.instances import Heartbeat, running_instances
from photomat.cluster.leader import ActiveState
from photomat.db.pool import Pool, transaction
from photomat.delivery.lock import mark_delivered
from photomat.delivery.render import PAUSED
from photomat.delivery.waiting import refresh_places, with_waits
from photomat.jobs import store
from photomat.jobs.listing import JobFilter, list_jobs, read_surroundings
from photomat.kernel.ids import InstanceId
from photomat.operators.controls import drain, pause, resume, undrain
from photomat.work.controls import BOT, KIE, read_pauses
from photomat.work.drain import DrainState
from photomat.work.loop import Loop, LoopStep
from support.database import pool_of, shift_clock
from support.jobs import ONE, TIMES, TWO, a_job, a_user, claim_submit, claims_of, is_shown, lock_cards, row_of
from support.patience import until

ME = "cli:anna@desk"
Z_IMAGE = "model:z-image"


async def paused(pool: Pool, name: str, **how: object) -> None:
    answer = await pause(pool, name, operator=ME, reason="a test", **how)  # type: ignore[arg-type]
    assert answer.done, answer.sentence


async def resumed(pool: Pool, name: str) -> None:
    assert (await resume(pool, name, operator=ME, reason="a test")).done


async def test_a_pause_is_made_once_ended_once_and_both_are_journaled(database: str) -> None:
    async with pool_of(database) as pool:
        assert not (await resume(pool, BOT, operator=ME, reason="early")).done
        await paused(pool, BOT, notice="  Скоро\nвернёмся. ", lasts=timedelta(hours=1))
        assert not (await pause(pool, BOT, operator=ME, reason="again")).done
        found = (await read_pauses(pool)).bot
        assert found is not None
        assert (found.paused_by, found.reason, found.notice) == (ME, "a test", "Скоро вернёмся.")
        await resumed(pool, BOT)
        assert (await read_pauses(pool)).by_name == {}
        rows = await pool.fetch("SELECT action, done, reason, reference FROM operator_journal ORDER BY entry_id")
        assert [tuple(row) for row in rows] == [
            ("resume", False, "early", BOT),
            ("pause", True, "a test", BOT),
            ("pause", False, "again", BOT),
            ("resume", True, "a test", BOT),
        ]


async def test_a_pause_ends_by_itself_and_can_then_be_made_anew(database: str) -> None:
    async with pool_of(database) as pool:
        await paused(pool, KIE, lasts=timedelta(minutes=30))
        await shift_clock(pool, 31 * 60)
        assert (await read_pauses(pool)).provider is None
        assert not (await resume(pool, KIE, operator=ME, reason="late")).done
        await paused(pool, KIE)
        await paused(pool, Z_IMAGE, lasts=timedelta(minutes=30))
        await shift_clock(pool, 62 * 60)
        await paused(pool, Z_IMAGE)
        assert set((await read_pauses(pool)).by_name) == {KIE, Z_IMAGE}


async def test_nothing_is_submitted_while_the_provider_is_paused(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        claimed = await claim_submit(pool, job_id)
        await paused(pool, KIE)
        async with transaction(pool) as tx:
            assert not await store.record_intents(tx, [claimed], decide_after=[TIMES.overdue_of("image")])
            await store.release_claim(tx, claimed)
        assert await claims_of(pool).submits(9) == []
        assert await store.claim_uploads(pool, limit=9, lease=TIMES.lease, instance=ONE) == []
        await resumed(pool, KIE)
        assert [job.job_id for job in await claims_of(pool).submits(9)] == [job_id]


async def test_a_paused_model_waits_and_the_others_do_not(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        waiting = [await a_job(pool, user) for _ in range(3)]
        other = await a_job(pool, user)
        await pool.execute("UPDATE generation_jobs SET model = 'google/imagen4' WHERE job_id = $1", other)
        await paused(pool, Z_IMAGE)
        assert [job.job_id for job in await claims_of(pool).submits(9)] == [other]
        assert await claims_of(pool).submits(9) == []
        await resumed(pool, Z_IMAGE)
        assert [job.job_id for job in await claims_of(pool).submits(9)] == waiting


async def test_waiting_cards_say_so_once_and_are_not_stuck(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await is_shown(pool, job_id)
        creates = claims_of(pool).creates
        assert await refresh_places(pool, creates=creates) == 0
        await paused(pool, Z_IMAGE, lasts=timedelta(hours=2))
        assert await refresh_places(pool, creates=creates) == 1
        (card,) = await with_waits(pool, await lock_cards(pool), creates=creates)
        assert card.wait.place == PAUSED
        assert card.wait.pause is not None
        async with transaction(pool) as tx:
            assert await mark_delivered(tx, card, ring_kind=None, repeat_later=False)
        assert await refresh_places(pool, creates=creates) == 0, "it is said already"
        await shift_clock(pool, 30 * 60)
        around = await read_surroundings(pool, delivery_lease=TIMES.lease, given_up_after=TIMES.timeout)
        assert await list_jobs(pool, limit=9, only=JobFilter.STUCK, around=around) == []
        await resumed(pool, Z_IMAGE)
        assert len(await list_jobs(pool, limit=9, only=JobFilter.STUCK, around=around)) == 1
        assert (await row_of(pool, job_id))["status"] == "pending"


async def test_an_instance_is_drained_unless_it_is_the_last(database: str) -> None:
    async with pool_of(database) as pool:
        states = {name: DrainState() for name in (ONE, TWO)}
        beats = {name: Heartbeat(pool, name, ActiveState(), version="1", drain=state) for name, state in states.items()}
        await beats[ONE].beat()
        assert not (await drain(pool, ONE, operator=ME, reason="alone")).done
        await beats[TWO].beat()
        assert (await drain(pool, ONE, operator=ME, reason="a restart")).done
        assert not (await drain(pool, ONE, operator=ME, reason="again")).done
        assert not (await drain(pool, TWO, operator=ME, reason="the last one that works")).done
        assert not (await drain(pool, InstanceId("nobody"), operator=ME, reason="who?")).done
        await beats[ONE].beat()
        assert (states[ONE].wanted, states[TWO].wanted) == (True, False)
        await beats[ONE].beat()
        assert [one.drained_at is not None for one in await running_instances(pool)] == [True, False]
        assert (await undrain(pool, ONE, operator=ME, reason="it stays")).done
        await beats[ONE].beat()
        assert not states[ONE].wanted
        assert [one.drained_at for one in await running_instances(pool)] == [None, None]


async def test_a_draining_loop_claims_nothing_and_finishes_what_it_holds() -> None:

    state, go_on, done, queue = DrainState(), asyncio.Event(), [], [1, 2]

    async def claim(limit: int) -> list[int]:
        return [queue.pop() for _ in queue[:limit]]

    async def do(item: int) -> None:
        await go_on.wait()
        done.append(item)

    stop, wake = asyncio.Event(), asyncio.Event()
    loop = Loop(state.guarded(LoopStep(name="numbers", claim=claim, do=do, width=1)), wake=wake)
    async with asyncio.TaskGroup() as group:
        group.create_task(loop.run(stop))
        await until(lambda: not state.is_idle)
        state.set(wanted=True)
        go_on.set()
        await until(lambda: state.is_idle)
        wake.set()
        await until(lambda: not wake.is_set())
        assert (done, queue) == ([2], [1])
        state.set(wanted=False)
        wake.set()
        await until(lambda: done == [2, 1])
        stop.set()
