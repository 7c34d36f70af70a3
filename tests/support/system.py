"""The whole product over loopback: real `photomat run` processes between both simulators and a real PostgreSQL."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from photomat.db.pool import Connection
from photomat_chaos.lab.load_balancer import LoadBalancer, open_load_balancer
from support.customer import Customer
from support.database import connection_of, shift_clock
from support.instance import Instance, start_instance
from support.kie_sim import RunningKie, running_kie
from support.patience import PATIENCE_S, until, until_found
from support.telegram_sim import RunningTelegram, running_telegram
from support.updates import BOT_ID

__all__ = ["PATIENCE_S", "Instance", "System", "open_shop", "running_system", "until"]

TOKEN: Final = f"{BOT_ID}:test-token"
RETRY_UNIT_S: Final = 0.1
"""Telegram repeats a webhook after 0, 2, 4 … of these."""

NEWEST_JOB: Final = "SELECT * FROM generation_jobs ORDER BY job_id DESC LIMIT 1"
AT_WORK: Final = """
    SELECT true FROM generation_jobs AS job JOIN instances ON instances.instance_id = job.leased_by
     WHERE job.leased_until > photomat_now() AND instances.pid = ANY($1) LIMIT 1
"""
PAST_THE_LAST_EDIT_S: Final = 150.0
"""After a take-over a final edit is rendered once more two minutes later."""


@dataclass(slots=True, kw_only=True)
class System:
    """Both worlds, the public door, the database, and the instances started so far."""

    database: str
    folder: Path
    telegram: RunningTelegram
    kie: RunningKie
    door: LoadBalancer
    settings: dict[str, str] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)
    """Every instance there was, oldest first."""

    @property
    def instance(self) -> Instance:
        """The newest instance."""
        return self.instances[-1]

    @property
    def story(self) -> str:
        """All logs, in the order the instances were started."""
        return "\n".join(instance.log for instance in self.instances)

    async def start(
        self, *, public: bool = True, wait: bool = True, program: Path | None = None, **settings: str
    ) -> Instance:
        """Start an instance, of this version or another; without a public address it polls and gets no callbacks."""
        environment = {
            "BOT_TOKEN": TOKEN,
            "KIE_API_KEY": self.kie.world.key,
            "TELEGRAM_API_URL": self.telegram.url,
            "KIE_API_URL": self.kie.url,
            "KIE_UPLOAD_URL": self.kie.url,
            "DATABASE_URL": self.database,
            "DATA_DIR": str(self.folder / "data"),
            "WELCOME_CREDIT": "10000",
            "POLL_FIRST_S": "0.2",
            **({"PUBLIC_URL": self.door.url} if public else {}),
            **self.settings,
            **settings,
        }
        name = f"instance-{len(self.instances) + 1}"
        instance = start_instance(environment, folder=self.folder, name=name, program=program)
        self.instances.append(instance)
        if wait:
            await until(lambda: instance.ready or instance.exit_code is not None, about=lambda: instance.log)
            assert instance.exit_code is None, instance.log
        return instance

    def customer(self, name: str = "Анна") -> Customer:
        """Somebody new with Telegram on their phone."""
        person = self.telegram.person(name)
        return Customer(telegram=self.telegram, database=self.database, person=person, story=lambda: self.story)

    @asynccontextmanager
    async def sql(self) -> AsyncIterator[Connection]:
        """A connection of the test's own."""
        async with connection_of(self.database) as connection:
            yield connection

    async def job(self) -> dict[str, Any]:
        """The newest job's row."""
        async with self.sql() as connection:
            row = await connection.fetchrow(NEWEST_JOB)
        assert row is not None, "there is no job"
        return dict(row)

    async def until_job(
        self, condition: Callable[[dict[str, Any]], object], *, within_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """Wait until the newest job's row is as wished; give it."""
        async with self.sql() as connection:
            last: list[dict[str, Any]] = []

            async def wished() -> dict[str, Any] | None:
                row = await connection.fetchrow(NEWEST_JOB)
                last[:] = [] if row is None else [dict(row)]
                return last[0] if last and condition(last[0]) else None

            return await until_found(wished, within_s=within_s, about=lambda: f"{last}\n{self.story[-6000:]}")

    async def kie_finishes(self, *, state: str = "success", **order: object) -> str:
        """Let the newest task at Kie end now; give its id."""
        task_id = list(self.kie.world.tasks)[-1]
        await self.kie.post(f"/sandbox/tasks/{task_id}", {"state": state, **order})
        return task_id

    def times_struck(self, method: str) -> int:
        """How many calls of this method a fault has struck."""
        transcripts = (self.kie.transcript, self.telegram.world.transcript)
        events = [event for one in transcripts for event in one.since(0, limit=5000)]
        return sum(event.kind == "fault" and event.name == method for event in events)

    async def passes(self, seconds: float) -> None:
        """Let so much time pass for every instance, while none of them is at work on a job.

        What began before the jump would set its next time by the old clock; nothing in production jumps.
        """
        alive = [one.pid for one in self.instances if one.alive and not one.frozen]
        async with self.sql() as connection:

            async def at_rest() -> bool | None:
                return None if await connection.fetchval(AT_WORK, alive) else True

            await until_found(at_rest, about=lambda: f"a pause in\n{self.story[-8000:]}")
            await shift_clock(connection, seconds)

    async def comes_to_rest(self) -> None:
        """Wait until nothing is left to be done, the repeated last edits included."""
        await self._until_idle("settled_at IS NOT NULL")
        await self.passes(PAST_THE_LAST_EDIT_S)
        await self._until_idle("card_shown = card_wanted")

    async def _until_idle(self, jobs_are: str) -> None:
        busy = f"""
            SELECT 1 FROM generation_jobs
             WHERE NOT ({jobs_are}) OR ring_due_at IS NOT NULL OR delivering_at IS NOT NULL
                OR card_shown < card_wanted AND deliver_at <= photomat_now() + interval '1 minute'
            UNION ALL SELECT 1 FROM lanes WHERE pending > 0 LIMIT 1"""  # noqa: S608  a condition of our own
        async with self.sql() as connection:

            async def idle() -> bool | None:
                return None if await connection.fetchval(busy) else True

            await until_found(idle, about=lambda: f"rest after\n{self.story[-8000:]}")


@asynccontextmanager
async def open_shop(database: str, folder: Path, seconds: float = 0.3, /, **settings: str) -> AsyncIterator[System]:
    """A system with one instance, ready for customers."""
    async with running_system(database, folder, seconds, **settings) as system:
        await system.start()
        yield system


@asynccontextmanager
async def running_system(
    database: str, folder: Path, seconds: float = 0.3, /, **settings: str
) -> AsyncIterator[System]:
    """Both simulators (a picture takes `seconds`), the door, the database; the test starts instances, all end with it."""
    async with (
        running_telegram(token=TOKEN, webhook_retry_unit_s=RETRY_UNIT_S) as telegram,
        running_kie(
            seconds_to_success=seconds,
            webhook_key=settings.get("KIE_WEBHOOK_KEY", ""),
            picture_side_px=128,
            callback_retries=100,
            callback_retry_after_s=0.3,
        ) as kie,
        open_load_balancer(in_turn=False) as door,
    ):
        system = System(
            database=database, folder=folder, telegram=telegram, kie=kie, door=door, settings=dict(settings)
        )
        door.instances = system.instances
        try:
            yield system
        finally:
            for instance in system.instances:
                await instance.kill()
