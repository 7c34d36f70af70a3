"""An operator's night: real instances, a simulated Telegram, and exactly one message when it begins and one when it is over."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from photomat.cluster.leader import LOCK_KEY
from support.customer import Customer, words_of
from support.patience import until_found
from support.system import System, running_system

WATCHED = "SELECT max(watched_at) FROM watches WHERE kind = $1"


async def test_operators_are_told_once_that_credits_run_out_and_once_that_they_are_back(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path) as system:
        anna, boris, gone = (system.customer(name) for name in ("Анна", "Борис", "Глеб"))
        system.settings["ADMIN_IDS"] = ", ".join(str(one.person.user_id) for one in (anna, gone, boris))
        await system.start()
        second = await system.start()
        await _reads_english(boris)
        system.telegram.blocks(gone.person)
        system.kie.world.credits = 12.0
        await _watched(system, "kie-credits", step_s=180)
        await anna.sees("Осталось кредитов: 12")
        await boris.sees("Credits left: 12")
        await boris.taps("👌 I take it")
        await _is_taken_by(system, f"telegram:{boris.person.user_id} Борис")
        system.kie.world.credits = 5000.0
        await _watched(system, "kie-credits", step_s=180)
        await _watched(system, "kie-credits", step_s=61)
        await anna.sees("Прошло: Кредиты Kie кончаются")
        await boris.sees("Over: Kie credits are running out")
        for _ in range(2):
            await _watched(system, "kie-credits", step_s=180)
        assert len(_alerts(anna)) == len(_alerts(boris)) == 2
        assert _alerts(gone) == []
        assert system.story.count("[INCIDENT_OPEN]") == system.story.count("[INCIDENT_OVER]") == 1
        assert system.story.count("[ALERT_FAILED]") == 1, "who blocked the bot is named once"
        assert not second.lines("ACTIVE_ENTER")


async def test_a_passive_instance_tells_that_nobody_is_active_and_the_next_leader_that_it_is_over(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path) as system, system.sql() as thief:
        anna = system.customer()
        await thief.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)
        instance = await system.start(ADMIN_IDS=str(anna.person.user_id))
        for _ in range(5):
            await _watched(system, "no-active", step_s=10)
        await anna.sees("Ни один экземпляр не ACTIVE")
        assert not instance.lines("ACTIVE_ENTER")
        await thief.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)
        await instance.says("ACTIVE_ENTER")
        await _is_active(system)
        await _watched(system, "no-active", step_s=0, until=lambda row: row["quiet_since"])
        await _watched(system, "no-active", step_s=61, until=lambda row: row["closed_at"])
        await anna.sees("Прошло: Ни один экземпляр не ACTIVE")
        assert len(_alerts(anna)) == 2


async def test_an_ordinary_deploy_wakes_nobody(database: str, tmp_path: Path) -> None:
    """The watches have a turn in the very moment in which nobody is ACTIVE, and in one in which two say they are."""
    async with running_system(database, tmp_path) as system, system.sql() as between:
        system.settings["ADMIN_IDS"] = str(system.customer().person.user_id)
        old = await system.start()
        new = await system.start()
        async with asyncio.TaskGroup() as group:
            held_up = group.create_task(between.execute("SELECT pg_advisory_lock($1)", LOCK_KEY))
            assert await old.stop() == 0
            await held_up
        await _watched(system, "no-active", step_s=5)
        assert await _holds(system, "no-active"), "the turn fell into the handover"
        await between.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)
        await new.says("ACTIVE_ENTER")
        await _is_active(system)
        await between.execute(
            "INSERT INTO instances (instance_id, version, host, pid, active, seen_at)"
            " VALUES ('old', 'old', 'old', 1, true, photomat_now() + interval '5 seconds')"
        )
        await _watched(system, "two-active", step_s=5)
        assert await _holds(system, "two-active"), "the old one's last heartbeat is still fresh"
        await between.execute("DELETE FROM instances WHERE instance_id = 'old'")
        for _ in range(3):
            await _watched(system, "two-active", step_s=5)
            await _watched(system, "no-active", step_s=5)
        assert not await _holds(system, "two-active")
        assert "[INCIDENT_OPEN]" not in system.story


def _alerts(operator: Customer) -> list[dict[str, Any]]:
    return [one for one in operator.screen() if one["from"] == "bot" and words_of(one)[:1] in "🔴✅"]


async def _reads_english(operator: Customer) -> None:
    operator.says("/start")
    operator.says("/lang")
    await operator.taps("🇬🇧 English")
    await operator.sees("Main menu")


async def _watched(
    system: System, kind: str, *, step_s: float, until: Callable[[dict[str, Any]], object] = lambda _row: True
) -> None:
    """Let so much time pass and wait until somebody has watched, and the newest incident is as wished."""
    async with system.sql() as connection:
        before = await connection.fetchval(WATCHED, kind)
        await system.passes(step_s)

        async def watched() -> bool | None:
            after = await connection.fetchval(WATCHED, kind)
            row = await connection.fetchrow("SELECT * FROM incidents ORDER BY incident_id DESC LIMIT 1")
            return True if after and after != before and (until(dict(row)) if row else True) else None

        await until_found(watched, about=lambda: f"a turn of {kind} in\n{system.story[-4000:]}")


async def _holds(system: System, kind: str) -> bool:
    """Whether the last turn of a watch saw what it watches for."""
    async with system.sql() as connection:
        return bool(await connection.fetchval("SELECT holds_since IS NOT NULL FROM watches WHERE kind = $1", kind))


async def _is_taken_by(system: System, operator: str) -> None:
    async with system.sql() as connection:

        async def taken() -> bool | None:
            by = await connection.fetchval("SELECT acknowledged_by FROM incidents")
            return True if by == operator else None

        await until_found(taken, about=lambda: system.story[-4000:])


async def _is_active(system: System) -> None:
    """Wait until the leader's heartbeat says so."""
    async with system.sql() as connection:

        async def said() -> bool | None:
            return True if await connection.fetchval("SELECT bool_or(active) FROM instances") else None

        await until_found(said, about=lambda: system.story[-4000:])
