"""The smoke test: nine phases from a new customer to an undelivered result, on simulators, with real money rows.

    1 user  2 balance  3 job  4 task  5 callback  6 charge  7 delivery  8 orphan  9 undelivered

The operator's own configuration is not touched: the database is in a temporary folder, Telegram and Kie are simulated.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp
import asyncpg

from photomat.audit.run import violations
from photomat.checks.smoke_environment import (
    WEBHOOK_KEY,
    WELCOME,
    Customer,
    SmokeEnvironment,
    SmokeFailed,
    new_customer,
    open_environment,
)
from photomat.db.pool import connect, transaction
from photomat.delivery.lock import get_undelivered_jobs
from photomat.kernel.clock import epoch, monotonic
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import JobId, UserId
from photomat.kie.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, kie_signature
from photomat.operators import actions
from photomat.wallet import ledger

OPERATOR: Final = "photomat smoke"
BLOCKED: Final = "Forbidden: bot was blocked by the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseResult:
    number: int
    name: str
    ok: bool
    sentence: str
    seconds: float


@dataclass(slots=True, kw_only=True)
class SmokeRun:
    """The phases; one customer for phases 1 to 7, a new one for each of the others, because chats have rate limits."""

    env: SmokeEnvironment
    customer: Customer
    price: int = 0
    card: int = 0

    async def user(self) -> str:
        start = await self.customer.says("/start")
        await self.customer.sees("", after=start)
        await self.env.until(self._is_known, "The customer's row")
        return f"A new customer is stored (id {self.customer.user_id})."

    async def balance(self) -> str:
        asked = await self.customer.says("/balance")
        await self.customer.sees(f"{WELCOME // 100} ₽", after=asked)
        await self._has(self.customer, WELCOME, held=0)
        return f"{WELCOME // 100} ₽ are in the wallet, and /balance says so."

    async def job(self) -> str:
        self.card = await self.customer.buys()
        job = await self.env.until_job(lambda row: row["card_message_id"] == self.card, "A job for the tapped card")
        self.price = job["price"]
        _expect(self.price > 0, "the job costs nothing")
        await self._has(self.customer, WELCOME - self.price, held=self.price)
        return f"Job {job['job_id']} is bought and its price is held."

    async def task(self) -> str:
        job = await self.env.until_job(lambda row: row["external_task_id"], "The task at Kie")
        tasks = [task["task_id"] for task in await self._tasks()]
        _expect(tasks == [job["external_task_id"]], f"Kie has {len(tasks)} tasks instead of this one")
        return f"Kie has made task {job['external_task_id'][:8]}…, once."

    async def callback(self) -> str:
        job = await self.env.until_job(lambda row: row["status"] == "done", "The end of the job")
        heard = await self.env.pool.fetchval("SELECT count(*) FROM callbacks WHERE job_id = $1", job["job_id"])
        _expect(heard >= 1, "no callback is stored")
        _expect(job["found_via"] == "callback", f"the result was found by {job['found_via']}, not by the callback")
        return "The callback was accepted, Kie was asked, the job is done."

    async def charge(self) -> str:
        await self._has(self.customer, WELCOME - self.price, held=0)
        charges = await self.env.pool.fetchval("SELECT count(*) FROM ledger_transactions WHERE reason = 'charge'")
        _expect(charges == 1, f"{charges} charges instead of one")
        await self._audit_is_clean()
        return "The hold became one charge; the audit is clean."

    async def delivery(self) -> str:
        await self._gets_one_picture(self.customer, self.card)
        return "The card became the picture, one picture, and the phone rang once."

    async def orphan(self) -> str:
        """The answer of createTask is lost and a callback names no job: kept, matched, delivered, submitted once."""
        customer = await new_customer(self.env)
        before = {task["task_id"] for task in await self._tasks()}
        await self._arm("kie", "createTask", "drop_after")
        await self._arm("kie", "callback", "never")
        card = await customer.buys()
        job = await self.env.until_job(
            lambda row: row["last_error"] and row["status"] == "submitting", "An unknown submit"
        )
        task = await self.env.until(lambda: self._new_task(before), "The end of the task at Kie")
        status = await self._call_back_without_job(task)
        _expect(status == 200, f"a callback signed by Kie was answered {status}")  # noqa: PLR2004  the only good answer
        first = await actions.reconcile(self.env.pool, operator=OPERATOR)
        _expect([one["task_id"] for one in first.waiting] == [task], "the orphan is not kept")
        await self.env.post(f"{self.env.kie_url}/sandbox/tasks/{task}/callback")
        await self._gets_one_picture(customer, card)
        waiting = await self.env.pool.fetchval("SELECT count(*) FROM orphan_callbacks WHERE processed_at IS NULL")
        _expect(waiting == 0, "the orphan still waits although its job is known")
        _expect(len(await self._tasks()) == len(before) + 1, f"job {job['job_id']} was submitted twice")
        await self._has(customer, WELCOME - self.price, held=0)
        return "An orphan callback was kept, found its job, and its picture was shown and paid for once."

    async def undelivered(self) -> str:
        """Telegram refuses the result: it is kept, redelivered, and shown once."""
        await self._arm("telegram", "editMessageMedia", "error", status=403, code=403, text=BLOCKED, times=-1)
        customer = await new_customer(self.env)
        card = await customer.buys()
        job = await self.env.until_job(lambda row: row["undeliverable_at"], "An undeliverable result")
        job_id = JobId(job["job_id"])
        _expect(job_id in await get_undelivered_jobs(self.env.pool), "it is not among the undelivered")
        await self.env.client.delete(f"{self.env.telegram_url}/sandbox/faults")
        answer = await actions.redeliver(self.env.pool, job_id, operator=OPERATOR, reason="smoke")
        _expect(answer.done, answer.sentence)
        await self._gets_one_picture(customer, card)
        _expect(await get_undelivered_jobs(self.env.pool) == [], "something is still undelivered")
        await self._has(customer, WELCOME - self.price, held=0)
        await self._audit_is_clean()
        return "A refused result was kept, redelivered and shown once; the audit is clean."

    async def _is_known(self) -> bool | None:
        known = await self.env.pool.fetchval("SELECT true FROM users WHERE user_id = $1", self.customer.user_id)
        return True if known else None

    async def _gets_one_picture(self, customer: Customer, card: int) -> None:
        """Expect the picture on the card alone, marked as delivered, and one completion message."""

        async def rung() -> bool | None:
            return True if await customer.rings() else None

        await self.env.until_job(lambda row: row["delivered_at"], f"The picture on card {card}")
        await self.env.until(rung, "The ring")
        pictures = [message["message_id"] for message in await customer.pictures()]
        _expect(pictures == [card], f"the pictures {pictures} are not the card {card}")
        _expect(await customer.rings() == 1, "the phone rang more than once")

    async def _has(self, customer: Customer, available: int, *, held: int) -> None:
        async with transaction(self.env.pool) as tx:
            found = await ledger.balance(tx, user_id=UserId(customer.user_id))
        seen = (found.available.minor, found.held.minor)
        _expect(seen == (available, held), f"available and held are {seen} instead of {(available, held)}")

    async def _audit_is_clean(self) -> None:
        connection = await connect(self.env.dsn, name=OPERATOR)
        try:
            found = await violations(connection)
        finally:
            await connection.close(timeout=5)
        _expect(not found, f"the audit found {[one.name for one in found]}")

    async def _arm(self, world: str, method: str, action: str, **more: object) -> None:
        await self.env.post(f"{self.env.kie_url}/sandbox/faults", world=world, method=method, action=action, **more)

    async def _tasks(self) -> list[dict[str, str]]:
        return list((await self.env.get(f"{self.env.kie_url}/sandbox/tasks"))["tasks"])

    async def _new_task(self, before: set[str]) -> str | None:
        ended = [task["task_id"] for task in await self._tasks() if task["state"] == "success"]
        return next((task for task in ended if task not in before), None)

    async def _call_back_without_job(self, task_id: str) -> int:
        now = str(epoch())
        headers = {TIMESTAMP_HEADER: now, SIGNATURE_HEADER: kie_signature(task_id, now, WEBHOOK_KEY)}
        body = {"code": 200, "data": {"taskId": task_id, "state": "success"}}
        async with self.env.client.post(f"{self.env.url}/kie/callback", json=body, headers=headers) as answer:
            return answer.status


async def smoke(dsn: str, folder: Path) -> AsyncIterator[PhaseResult]:
    """Run the phases and yield each result; stop at the first failure. Phase 0 is a start that failed."""
    try:
        async with open_environment(dsn, folder) as environment:
            async for result in _phases(environment):
                yield result
    except SmokeFailed as failure:
        yield PhaseResult(number=0, name="start", ok=False, sentence=str(failure), seconds=0)


async def _phases(environment: SmokeEnvironment) -> AsyncIterator[PhaseResult]:
    run = SmokeRun(env=environment, customer=await new_customer(environment))
    phases: tuple[Callable[[], Awaitable[str]], ...] = (
        *(run.user, run.balance, run.job, run.task, run.callback, run.charge, run.delivery),
        *(run.orphan, run.undelivered),
    )
    for number, phase in enumerate(phases, start=1):
        result = await _run_phase(number, phase)
        yield result
        if not result.ok:
            return


async def _run_phase(number: int, phase: Callable[[], Awaitable[str]]) -> PhaseResult:
    began = monotonic()
    try:
        sentence, ok = await phase(), True
    except SmokeFailed as failure:
        sentence, ok = str(failure), False
    except (aiohttp.ClientError, asyncpg.PostgresError, PhotomatError, OSError) as error:
        sentence, ok = f"{type(error).__name__}: {error}", False
    name = getattr(phase, "__name__", "phase")
    return PhaseResult(number=number, name=name, ok=ok, sentence=sentence, seconds=round(monotonic() - began, 2))


def _expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise SmokeFailed(f"{otherwise[:1].upper()}{otherwise[1:]}.")
