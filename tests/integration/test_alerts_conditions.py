"""What each watch sees: nothing just below its threshold, the figures at it, and nothing again once it is mended."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from photomat.alerts import rules
from photomat.alerts.incident import Condition, Figures, ProbeContext
from photomat.audit.proofs import keep_proof
from photomat.db.installation import insert_stamp
from photomat.db.pool import Pool, transaction
from photomat.delivery.lock import mark_delivered, mark_undeliverable, park
from photomat.inbox import lanes
from photomat.inbox.receive import receive
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.claims import stop_on_error
from photomat.kernel.errors import Corrupt, Transient
from photomat.kernel.ids import BotId, JobId
from photomat.kie.port import Paused
from photomat.operators import actions
from photomat.work.disk import MIB, Disk
from support.alerts import ToldAccount, heartbeat_of
from support.database import connection_of, pool_of, shift_clock
from support.jobs import ONE, Woken, a_done_job, a_job, a_running_job, a_user, claim_submit, lock_card
from support.kie_sim import running_kie
from support.steps import submit_at
from support.updates import BOT_ID, text_update

UNDELIVERED = rules.undelivered
PROOF_MISSING = rules.proof_missing
PARKED_UPDATES = rules.parked_updates
ORPHANS = rules.orphan_spike
CREDITS = rules.kie_credits
HOUR, NO_TIME = timedelta(hours=1), timedelta(0)


async def seen(pool: Pool, condition: Condition, account: float | Exception = 5000.0) -> Figures | None:
    return await condition(ProbeContext(pool=pool, account=ToldAccount(answer=account)))


async def test_nobody_active_is_seen_once_the_last_heartbeat_is_old(database: str) -> None:
    async with pool_of(database) as pool:
        await heartbeat_of(pool, "leader", active=True).beat()
        await heartbeat_of(pool, "second", active=False).beat()
        assert await seen(pool, rules.no_active) is None
        await shift_clock(pool, 8)
        await heartbeat_of(pool, "second", active=False).beat()
        assert await seen(pool, rules.no_active) == {"alive": 1}
        await heartbeat_of(pool, "second", active=True).beat()
        assert await seen(pool, rules.no_active) is None


async def test_two_that_say_they_are_active_are_seen_and_a_dead_one_does_not_count(database: str) -> None:
    async with pool_of(database) as pool:
        await heartbeat_of(pool, "dead", active=True).beat()
        await shift_clock(pool, 8)
        await heartbeat_of(pool, "leader", active=True).beat()
        assert await seen(pool, rules.two_active) is None
        await heartbeat_of(pool, "rival", active=True).beat()
        assert await seen(pool, rules.two_active) == {"active": 2}


@pytest.mark.breaks_invariants
async def test_a_red_audit_is_seen_with_the_names_of_the_rules(database: str) -> None:
    async with pool_of(database) as pool:
        await a_done_job(pool, await a_user(pool))
        assert await seen(pool, rules.audit_red) is None
        await pool.execute("DELETE FROM job_outputs")
        assert await seen(pool, rules.audit_red) == {"count": 1, "names": "done-job-has-a-result"}


async def test_a_night_without_a_full_check_is_seen_after_26_hours(database: str) -> None:
    async with pool_of(database) as pool:
        assert await seen(pool, PROOF_MISSING) is None, "never run: no shop yet"
        async with transaction(pool) as tx:
            await insert_stamp(tx, bot_id=BotId(BOT_ID), currency="RUB")
            await tx.execute("UPDATE installation SET stamped_at = photomat_now()")
        await shift_clock(pool, 26 * 3600 - 60)
        assert await seen(pool, PROOF_MISSING) is None, "a young shop has had no night yet"
        await shift_clock(pool, 120)
        assert await seen(pool, PROOF_MISSING) == {"hours": 26}
        await keep_proof(pool)
        assert await seen(pool, PROOF_MISSING) is None
        await shift_clock(pool, 26 * 3600 + 60)
        assert await seen(pool, PROOF_MISSING) == {"hours": 26}


async def test_a_stopped_job_is_seen_until_an_operator_ends_it(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        assert await seen(pool, rules.stopped_jobs) is None
        async with stop_on_error(pool, await claim_submit(pool, job_id), Woken()):
            _break_a_rule()
        assert await seen(pool, rules.stopped_jobs) == {"count": 1, "job": job_id}
        assert (await actions.cancel(pool, job_id, operator="anna", reason="our error")).done
        assert await seen(pool, rules.stopped_jobs) is None


async def test_a_result_not_shown_is_seen_after_ten_minutes_and_not_before(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await a_running_job(pool, user, task_id="still-at-kie")
        shown, waiting = await a_done_job(pool, user), await a_done_job(pool, user)
        await _show(pool, shown)
        await shift_clock(pool, 590)
        assert await seen(pool, UNDELIVERED) is None
        await shift_clock(pool, 11)
        assert await seen(pool, UNDELIVERED) == {"count": 1, "job": waiting, "minutes": 10}
        await _show(pool, waiting)
        assert await seen(pool, UNDELIVERED) is None


async def test_a_customer_who_blocked_the_bot_is_no_incident_and_a_parked_card_is_another(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        blocked, parked = await a_done_job(pool, user), await a_done_job(pool, user)
        assert await seen(pool, rules.parked_deliveries) is None
        async with transaction(pool) as tx:
            assert await mark_undeliverable(tx, await lock_card(pool, blocked), error="blocked")
            assert await park(tx, await lock_card(pool, parked), error="refused")
        await shift_clock(pool, 3600)
        assert await seen(pool, UNDELIVERED) is None
        assert await seen(pool, rules.parked_deliveries) == {"count": 1, "job": parked}
        assert (await actions.redeliver(pool, parked, operator="anna")).done
        assert await seen(pool, rules.parked_deliveries) is None


async def test_a_parked_update_is_seen_for_half_an_hour(database: str) -> None:
    async with pool_of(database) as pool:
        await receive(pool, bot_id=BotId(BOT_ID), updates=[text_update(1), text_update(2)])
        assert await seen(pool, PARKED_UPDATES) is None
        [claimed] = await lanes.claim_lanes(pool, bot_id=BotId(BOT_ID), instance=ONE, lease_s=30, pre_checkout=False)
        async with transaction(pool) as tx:
            assert await lanes.park(tx, claimed, error="ValueError")
        assert await seen(pool, PARKED_UPDATES) == {"count": 1}
        await shift_clock(pool, 1801)
        assert await seen(pool, PARKED_UPDATES) is None


async def test_five_orphans_that_had_time_to_find_their_job_are_a_spike_and_four_are_not(database: str) -> None:
    async with pool_of(database) as pool:
        await _orphans(pool, "a", "b", "c", "d")
        await shift_clock(pool, 121)
        await _orphans(pool, "e")
        assert await seen(pool, ORPHANS) is None, "the fifth may still find its job"
        await shift_clock(pool, 121)
        assert await seen(pool, ORPHANS) == {"count": 5}
        await shift_clock(pool, 3600)
        assert await seen(pool, ORPHANS) is None, "what nobody could match stays, and is no news any more"


@pytest.mark.parametrize(("credits_left", "figures"), [(49.9, {"credits": 49}), (50.0, None), (0.0, {"credits": 0})])
async def test_credits_are_out_below_fifty(database: str, credits_left: float, figures: Figures | None) -> None:
    async with pool_of(database) as pool:
        assert await seen(pool, CREDITS, credits_left) == figures


async def test_a_refused_key_is_seen_and_a_kie_that_does_not_answer_says_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        assert await seen(pool, rules.kie_key_refused) is None
        assert await seen(pool, rules.kie_key_refused, Paused("no such key", code=401)) == {}
        for condition in (rules.kie_key_refused, CREDITS):
            with pytest.raises(Transient):
                await seen(pool, condition, Transient("no answer"))


@pytest.mark.parametrize("code", [401, 402, 433])
async def test_a_pause_is_seen_with_its_code_and_who_waits_while_it_lasts(database: str, code: int) -> None:
    async with pool_of(database) as pool, running_kie() as kie:
        user = await a_user(pool)
        refused, _waiting = await a_job(pool, user), await a_job(pool, user)
        assert await seen(pool, rules.kie_paused) is None
        await pool.execute("UPDATE generation_jobs SET due_at = due_at + interval '1 s' WHERE job_id <> $1", refused)
        kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=code, text="no")
        await submit_at(pool, kie, refused)
        assert await seen(pool, rules.kie_paused) == {"code": code, "count": 2}
        with pytest.raises(Transient, match="paused"):
            await seen(pool, rules.kie_key_refused, Paused("no such key", code=401))
        await shift_clock(pool, 61)
        assert await seen(pool, rules.kie_paused) is None


async def test_a_busy_kie_is_no_pause(database: str) -> None:
    async with pool_of(database) as pool, running_kie() as kie:
        kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=429, text="slow down")
        await submit_at(pool, kie, await a_job(pool, await a_user(pool)))
        assert await seen(pool, rules.kie_paused) is None


async def test_a_session_that_sits_in_its_transaction_is_seen(database: str) -> None:
    idle = partial(rules.old_transaction, idle=NO_TIME, any_longer_than=HOUR)
    long = partial(rules.old_transaction, idle=HOUR, any_longer_than=NO_TIME)
    not_yet = partial(rules.old_transaction, idle=HOUR, any_longer_than=HOUR)
    async with pool_of(database) as pool, connection_of(database) as forgetful:
        pid = forgetful.get_server_pid()
        assert await seen(pool, idle) is None
        async with forgetful.transaction():
            await forgetful.fetchval("SELECT count(*) FROM users")
            assert await seen(pool, idle) == {"pid": pid, "minutes": 0}
            assert await seen(pool, long) == {"pid": pid, "minutes": 0}
            assert await seen(pool, not_yet) is None
        assert await seen(pool, idle) is None


def _break_a_rule() -> None:
    raise Corrupt("a rule of ours does not hold")


async def _show(pool: Pool, job_id: JobId) -> None:
    card = await lock_card(pool, job_id)
    async with transaction(pool) as tx:
        assert await mark_delivered(tx, card, ring_kind=None, repeat_later=False)


async def _orphans(pool: Pool, *tasks: str) -> None:
    async with transaction(pool) as tx:
        await update_from_callback(
            tx, [KieCallback(job_id=None, task_id=task, payload={}, body=task.encode()) for task in tasks]
        )


async def test_a_disk_with_little_room_is_seen_and_zero_asks_nothing(database: str, tmp_path: Path) -> None:
    disk = Disk(tmp_path / "not there yet")
    free = disk.free_bytes()
    async with pool_of(database) as pool:

        async def at(threshold: int) -> Figures | None:
            account = ToldAccount(answer=5000.0)
            return await rules.disk_low(ProbeContext(pool=pool, account=account, disk=disk, disk_alert_bytes=threshold))

        assert await at(0) is None
        assert await at(free // 2) is None
        figures = await at(2 * free)
        assert figures is not None
        assert figures["threshold"] == 2 * free // MIB


async def test_a_database_larger_than_its_plan_is_seen_and_zero_asks_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        size: int = await pool.fetchval("SELECT pg_database_size(current_database())")

        async def at(threshold: int) -> Figures | None:
            eyes = ProbeContext(pool=pool, account=ToldAccount(answer=5000.0), database_alert_bytes=threshold)
            return await rules.database_large(eyes)

        assert await at(0) is None
        assert await at(2 * size) is None
        assert await at(size // 2) == {"size": size // MIB, "threshold": size // 2 // MIB}
