"""Incidents open once and end once, however many instances watch; a moment's trouble is none, a moment's calm no end."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from photomat.alerts.checker import WATCHES_DUE
from photomat.alerts.incident import IncidentKind, ProbeContext
from photomat.alerts.store import CLOSED_INCIDENTS
from photomat.db.pool import Pool, transaction
from photomat.delivery.lock import park
from photomat.kernel.errors import Transient
from photomat.kernel.ids import JobId
from photomat.operators import actions
from support.alerts import ANNA, BORIS, Tower, a_tower, heartbeat_of, tower_on
from support.command import answer, photomat
from support.database import shift_clock
from support.jobs import a_done_job, a_user, lock_card
from support.logs import logged

NOTICES = "SELECT count(*) FROM incident_notices WHERE about = $1"


async def test_a_parked_card_opens_one_incident_and_tells_its_end_with_how_long_it_took(database: str) -> None:
    async with a_tower(database, IncidentKind.PARKED_DELIVERIES) as tower:
        with logged() as lines:
            job_id = await _parked(tower.pool)
            await tower.goes_round(15)
            await tower.goes_round(585)
            await _mended(tower.pool, job_id)
            await tower.goes_round(15)
            assert (await tower.incidents())[0]["closed_at"] is None, "not at the first calm look"
            await tower.goes_round(61)
            await tower.goes_round(61)
        (incident,) = await tower.incidents()
        assert incident["closed_at"] is not None
        assert round(incident["lasted"] / timedelta(minutes=1)) == 10
        assert [line["event"] for line in lines if line["event"].startswith("INCIDENT")] == [
            "INCIDENT_OPEN",
            "INCIDENT_OVER",
        ]
        (opened,) = (line for line in lines if line["event"] == "INCIDENT_OPEN")
        assert (opened["incident"], opened["kind"], opened["count"]) == (1, "parked-deliveries", 1)


async def test_after_a_step_back_a_watch_of_the_newer_version_is_nobodys_turn(database: str) -> None:
    async with a_tower(database) as tower:
        await tower.pool.execute("INSERT INTO watches (kind, due_at) VALUES ('of-tomorrow', photomat_now())")
        assert await tower.pool.fetchval(WATCHES_DUE) is None
        await shift_clock(tower.pool, 15)
        assert await tower.pool.fetchval(WATCHES_DUE) == 1
        await tower.turns()
        assert await tower.pool.fetchval(WATCHES_DUE) is None


async def test_eight_instances_at_once_open_one_incident_and_end_it_once(database: str) -> None:
    async with a_tower(database, IncidentKind.PARKED_DELIVERIES, admins=(ANNA, BORIS)) as tower:
        towers = [tower_on(tower.pool, IncidentKind.PARKED_DELIVERIES, admins=(ANNA, BORIS)) for _ in range(8)]
        job_id = await _parked(tower.pool)
        for mended in (False, True):
            if mended:
                await _mended(tower.pool, job_id)
            for _ in range(6):
                await shift_clock(tower.pool, 15)
                taken = await asyncio.gather(*(one.goes_round() for one in towers))
                assert sum(taken) == 1, "one of them has the turn"
        assert [incident["closed_at"] is not None for incident in await tower.incidents()] == [True]
        assert await tower.pool.fetchval(NOTICES, "open") == 2
        assert await tower.pool.fetchval(NOTICES, "over") == 2


async def test_a_rule_that_fails_is_logged_and_harms_no_other_of_its_round(database: str) -> None:
    async with a_tower(database, IncidentKind.PARKED_DELIVERIES, IncidentKind.STOPPED_JOBS) as tower:
        await _parked(tower.pool)

        async def fails(context: ProbeContext) -> None:
            await context.pool.execute("SELECT 1 / 0")

        rules = [
            replace(rule, condition=fails) if rule.kind is IncidentKind.STOPPED_JOBS else rule
            for rule in sorted(tower.watcher.rules, key=lambda rule: rule.kind is not IncidentKind.STOPPED_JOBS)
        ]
        turns = sorted(await tower.turns(15), key=lambda turn: turn.kind is not IncidentKind.STOPPED_JOBS)
        with logged() as lines:
            await replace(tower.watcher, rules=rules).check_together(turns)
        assert [line["event"] for line in lines] == ["STEP_ERROR", "INCIDENT_OPEN"]
        assert [incident["kind"] for incident in await tower.incidents()] == ["parked-deliveries"]


async def test_the_audit_is_checked_in_no_transaction_of_other_rules(database: str) -> None:
    """On a long history it takes minutes; a transaction that lasts as long keeps the server from vacuuming."""
    held = """
        SELECT pg_current_xact_id_if_assigned() IS NOT NULL
               OR EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%')
    """
    found = []

    async def observe(context: ProbeContext) -> None:
        found.append(await context.pool.fetchval(held))

    async with a_tower(database, IncidentKind.AUDIT, IncidentKind.STOPPED_JOBS) as tower:
        rules = [
            replace(rule, condition=observe) if rule.kind is IncidentKind.AUDIT else rule
            for rule in tower.watcher.rules
        ]
        turns = sorted(await tower.turns(600), key=lambda turn: turn.kind is IncidentKind.AUDIT)
        assert len(turns) == 2
        await replace(tower.watcher, rules=rules).check_together(turns)
    assert found == [False]


async def test_two_who_saw_the_same_at_the_same_moment_open_one_incident(database: str) -> None:
    async with a_tower(database, IncidentKind.PARKED_DELIVERIES) as tower:
        await _parked(tower.pool)
        (turn,) = await tower.turns(15)
        await asyncio.gather(*(tower_on(tower.pool).watcher.check(turn) for _ in range(6)))
        assert len(await tower.incidents()) == 1
        assert await tower.pool.fetchval(NOTICES, "open") == 1


async def test_one_who_was_frozen_with_a_turn_in_hand_writes_nothing(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        (old,) = await tower.turns(180)
        assert await tower.goes_round(180) == 1
        zombie = tower_on(tower.pool, IncidentKind.KIE_CREDITS)
        zombie.account.answer = 3.0
        await zombie.watcher.check(old)
        assert await tower.incidents() == []


async def test_the_same_trouble_within_the_minute_of_calm_is_the_same_incident(database: str) -> None:
    async with a_tower(database, IncidentKind.PARKED_DELIVERIES) as tower:
        job_id = await _parked(tower.pool)
        await tower.goes_round(15)
        for _ in range(3):
            await _mended(tower.pool, job_id)
            for _ in range(3):
                await tower.goes_round(15)
            await _parks(tower.pool, job_id)
            await tower.goes_round(15)
        await _mended(tower.pool, job_id)
        for _ in range(4):
            await tower.goes_round(15)
        assert [one["closed_at"] for one in await tower.incidents()] == [None], "calm for 45 s only"
        await tower.goes_round(16)
        assert (await tower.incidents())[0]["closed_at"] is not None
        await _parks(tower.pool, job_id)
        await tower.goes_round(15)
        assert [one["closed_at"] is None for one in await tower.incidents()] == [False, True], "the next is a new one"
        assert await tower.pool.fetchval(NOTICES, "open") == 2


async def test_after_the_first_calm_look_a_seldom_watch_comes_back_within_the_minute(database: str) -> None:
    async with a_tower(database, IncidentKind.AUDIT) as tower:
        await tower.pool.execute("INSERT INTO incidents (kind) VALUES ('audit')")
        assert await tower.goes_round(600) == 1
        assert await tower.goes_round(61) == 1, "not ten minutes later"
        assert (await tower.incidents())[0]["closed_at"] is not None


async def test_a_kie_that_does_not_answer_neither_opens_nor_ends_an_incident(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, IncidentKind.KIE_KEY) as tower:
        tower.account.answer = Transient("no answer")
        await tower.goes_round(180)
        assert await tower.incidents() == []
        tower.account.answer = 3.0
        await tower.goes_round(180)
        tower.account.answer = Transient("no answer")
        for _ in range(5):
            await tower.goes_round(180)
        (incident,) = await tower.incidents()
        assert incident["quiet_since"] is None


async def test_nobody_active_for_half_a_minute_is_an_incident_seen_by_a_passive_one(database: str) -> None:
    async with a_tower(database, IncidentKind.NO_ACTIVE) as tower:
        await heartbeat_of(tower.pool, "passive", active=False).beat()
        for _ in range(6):
            await tower.goes_round(5)
        assert await tower.incidents() == [], "25 seconds are a handover that took long"
        await tower.goes_round(5)
        assert [one["kind"] for one in await tower.incidents()] == ["no-active"]


async def test_a_handover_every_twenty_seconds_is_no_incident(database: str) -> None:
    async with a_tower(database, IncidentKind.NO_ACTIVE, IncidentKind.TWO_ACTIVE) as tower:
        old = heartbeat_of(tower.pool, "instance 0", active=True)
        await old.beat()
        for number in range(1, 8):
            new = heartbeat_of(tower.pool, f"instance {number}", active=True)
            await new.beat()
            await tower.goes_round(5)
            await old.leave()
            await new.beat()
            await tower.goes_round(5)
            await tower.goes_round(10)
            old = new
        assert await tower.incidents() == []


async def test_two_that_stay_active_are_an_incident(database: str) -> None:
    async with a_tower(database, IncidentKind.TWO_ACTIVE) as tower:
        rivals = [heartbeat_of(tower.pool, name, active=True) for name in ("one", "two")]
        opened = []
        for _ in range(5):
            for rival in rivals:
                await rival.beat()
            await tower.goes_round(5)
            opened.append(len(await tower.incidents()))
        assert opened == [0, 0, 0, 1, 1]


async def test_what_was_seen_before_a_long_silence_does_not_add_up_to_an_incident(database: str) -> None:
    async with a_tower(database, IncidentKind.NO_ACTIVE) as tower:
        await tower.goes_round(5)
        await tower.goes_round(3600)
        assert await tower.incidents() == [], "everything was stopped for an hour, and starts again"
        for _ in range(6):
            await tower.goes_round(5)
        assert len(await tower.incidents()) == 1


async def test_an_operator_who_is_added_while_it_is_open_is_told_too(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, admins=()) as tower:
        tower.account.answer = 3.0
        await tower.goes_round(180)
        assert await tower.pool.fetchval(NOTICES, "open") == 0
        restarted = tower_on(tower.pool, IncidentKind.KIE_CREDITS, admins=(ANNA,))
        restarted.account.answer = 2.0
        for _ in range(3):
            await restarted.goes_round(180)
        assert await tower.pool.fetchval(NOTICES, "open") == 1
        assert [one["figures"] for one in await tower.incidents()] == [{"credits": 2}]


async def test_incidents_are_forgotten_three_months_after_their_end_and_open_ones_never(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _credits_were_out(tower)
        tower.account.answer = 3.0
        await tower.goes_round(180)
        await tower.turns(89 * 86400)
        await CLOSED_INCIDENTS.delete(tower.pool, timedelta(days=90), 1000)
        assert len(await tower.incidents()) == 2
        await tower.turns(2 * 86400)
        await CLOSED_INCIDENTS.delete(tower.pool, timedelta(days=90), 1000)
        assert [one["closed_at"] for one in await tower.incidents()] == [None]


async def test_the_command_lists_open_ones_first_with_who_was_told(database: str, tmp_path: Path) -> None:
    assert "There are no incidents" in photomat("incidents", folder=tmp_path, DATABASE_URL=database).stdout
    async with a_tower(database, IncidentKind.KIE_CREDITS, IncidentKind.PARKED_DELIVERIES) as tower:
        await _parked(tower.pool)
        await tower.goes_round(15)
        await _credits_were_out(tower)
        await tower.tells()
    found = answer("incidents", folder=tmp_path, database=database)
    assert [(one["kind"], one["open"], one["told"]) for one in found] == [
        ("parked-deliveries", True, 1),
        ("kie-credits", False, 1),
    ]
    assert found[1]["figures"] == {"credits": 3}
    printed = photomat("incidents", folder=tmp_path, DATABASE_URL=database, COLUMNS="160").stdout
    assert "parked-deliveries" in printed
    assert "OPEN" in printed


async def _parked(pool: Pool) -> JobId:
    job_id = await a_done_job(pool, await a_user(pool))
    await _parks(pool, job_id)
    return job_id


async def _parks(pool: Pool, job_id: JobId) -> None:
    card = await lock_card(pool, job_id)
    async with transaction(pool) as tx:
        assert await park(tx, card, error="refused")


async def _mended(pool: Pool, job_id: JobId) -> None:
    assert (await actions.redeliver(pool, job_id, operator="anna")).done


async def _credits_were_out(tower: Tower) -> None:
    tower.account.answer = 3.0
    await tower.goes_round(180)
    tower.account.answer = 900.0
    for _ in range(2):
        await tower.goes_round(180)
    assert (await tower.incidents())[-1]["closed_at"] is not None
