"""One instance is ACTIVE; the next takes over when its session ends, and two are borne for a moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from photomat.app.settings import Settings
from photomat.app.wiring import POOL_SIZE, build
from photomat.cluster import leader
from photomat.cluster.instances import Heartbeat, alive_instances, forget_dead_instances, new_instance_id
from photomat.cluster.leader import ActiveState, Leader
from photomat.kernel.ids import InstanceId
from support.database import connection_of, pool_of, shift_clock
from support.logs import logged
from support.telegram_sim import until

LOCK_HOLDER = "photomat active lock"
OURS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1"


@dataclass(slots=True, kw_only=True)
class Candidate:
    """One instance that wants to be ACTIVE."""

    state: ActiveState = field(default_factory=ActiveState)
    stop: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def candidates(database: str, count: int) -> AsyncIterator[list[Candidate]]:
    everybody = [Candidate() for _ in range(count)]
    async with asyncio.TaskGroup() as group:
        for one in everybody:
            group.create_task(Leader(database, one.state).run(one.stop))
        try:
            yield everybody
        finally:
            for one in everybody:
                one.stop.set()


@pytest.fixture(autouse=True)
def _quick_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps at a twentieth of the pace."""
    monkeypatch.setattr(leader, "PROOF_S", 0.1)
    monkeypatch.setattr(leader, "TRY_S", 0.025)


def active(everybody: list[Candidate]) -> list[Candidate]:
    return [one for one in everybody if one.state.active]


async def test_one_of_three_is_active(database: str) -> None:
    async with candidates(database, 3) as everybody:
        await until(lambda: active(everybody))
        async with connection_of(database) as watcher:
            held = await watcher.fetchval(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        assert held == 1
        assert len(active(everybody)) == 1


async def test_another_takes_over_when_the_holder_stops(database: str) -> None:
    async with candidates(database, 2) as everybody:
        await until(lambda: active(everybody))
        (first,) = active(everybody)
        first.stop.set()
        await until(lambda: active(everybody) and not first.state.active)
        (second,) = active(everybody)
        assert second is not first


async def test_a_holder_whose_session_is_ended_steps_down_and_another_takes_over(database: str) -> None:
    async with candidates(database, 2) as everybody, connection_of(database) as operator:
        await until(lambda: active(everybody))
        (first,) = active(everybody)
        with logged() as lines:
            holder = await operator.fetchval(
                "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
            await operator.execute("SELECT pg_terminate_backend($1)", holder)
            await until(lambda: any(line["event"] == "LOCK" and line["reason"] == "lock_lost" for line in lines))
            await until(lambda: len(active(everybody)) == 1)
        assert {line["state"] for line in lines if line["event"] == "LOCK"} == {"ACTIVE", "PASSIVE"}
        assert first.stop.is_set() is False


async def test_the_holder_never_sits_idle_in_a_transaction(database: str) -> None:
    async with candidates(database, 1) as everybody, connection_of(database) as watcher:
        await until(lambda: active(everybody))
        states = await watcher.fetch(OURS.replace("pid", "state"), LOCK_HOLDER)
        assert [row["state"] for row in states] == ["idle"]


async def test_a_stopped_leader_gives_the_lock_back_and_is_passive(database: str) -> None:
    async with candidates(database, 1) as everybody:
        await until(lambda: active(everybody))
    assert not everybody[0].state.active
    async with connection_of(database) as watcher:
        assert await watcher.fetchval("SELECT pg_try_advisory_lock($1)", leader.LOCK_KEY)


async def test_without_a_database_nobody_is_active_and_nobody_gives_up(database: str) -> None:
    state, stop = ActiveState(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        with logged() as lines:
            group.create_task(Leader(database.replace("/test_", "/no_such_"), state).run(stop))
            await until(lambda: sum(line["event"] == "LOCK" for line in lines) >= 2)
        assert not state.active
        assert {line["reason"] for line in lines if line["event"] == "LOCK"} == {"no_database"}
        stop.set()


async def test_whoever_waits_learns_of_every_change() -> None:
    state = ActiveState()
    async with asyncio.timeout(120):
        await state.wait_passive()
        with logged() as lines:
            state.set(active=True, reason="lock_acquired")
            state.set(active=True, reason="lock_acquired")
        await state.wait_active()
        state.set(active=False, reason="lock_lost")
        await state.wait_passive()
    assert [(line["event"], line["active_state"]) for line in lines] == [("STATE_SYNC", "False->True")]
    assert not state.active


async def test_an_instance_is_seen_while_it_beats_and_gone_when_it_leaves(database: str) -> None:
    async with pool_of(database) as pool:
        state = ActiveState()
        heartbeat = Heartbeat(pool, InstanceId("one"), state, version="1.0")
        await heartbeat.beat()
        await shift_clock(pool, 5)
        state.set(active=True, reason="lock_acquired")
        await heartbeat.beat()
        (row,) = await pool.fetch("SELECT *, seen_at - started_at AS seen_for FROM instances")
        assert (row["instance_id"], row["version"], row["active"]) == ("one", "1.0", True)
        assert row["seen_for"].total_seconds() >= 5
        await heartbeat.leave()
        assert await pool.fetch("SELECT 1 FROM instances") == []
        state.set(active=False, reason="test over")


async def test_an_instance_whose_pool_is_busy_to_the_last_connection_is_seen_all_the_same(
    database: str, tmp_path: Path
) -> None:
    settings = Settings.model_validate({"bot_token": "1:x", "kie_api_key": "x", "data_dir": str(tmp_path)})
    async with AsyncExitStack() as stack:
        program = await build(stack, settings, database, stop=asyncio.Event())
        async with AsyncExitStack() as busy, asyncio.timeout(120):
            for _ in range(POOL_SIZE):
                await busy.enter_async_context(program.pool.acquire())
            await program.heartbeat().beat()
        assert await alive_instances(program.pool) == {program.instance}


async def test_the_long_dead_are_forgotten(database: str) -> None:
    async with pool_of(database) as pool:
        await Heartbeat(pool, InstanceId("dead"), ActiveState(), version="1").beat()
        await shift_clock(pool, 86_401)
        await Heartbeat(pool, InstanceId("alive"), ActiveState(), version="1").beat()
        await forget_dead_instances(pool)
        assert [row["instance_id"] for row in await pool.fetch("SELECT instance_id FROM instances")] == ["alive"]


def test_no_two_instances_have_one_name() -> None:
    assert len({new_instance_id() for _ in range(20)}) == 20


async def test_a_frozen_holder_is_forgotten_by_the_server_and_another_takes_over(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is stopped keeps its connection, but proves nothing any more."""
    monkeypatch.setattr(leader, "PROOF_S", 3600.0)
    monkeypatch.setattr(leader, "FROZEN_AFTER_S", 1)
    async with candidates(database, 2) as everybody:
        await until(lambda: active(everybody))
        (frozen,) = active(everybody)
        await until(lambda: any(one.state.active for one in everybody if one is not frozen))
