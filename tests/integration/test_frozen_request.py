"""What Kie is sent is frozen when a job is bought; who cannot read that claims nothing; files travel before the intent."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool, transaction
from photomat.jobs import store
from photomat.jobs.inputs import InputLost
from photomat.jobs.job import Job, KieRequest, frozen_request
from photomat.jobs.submit import Submitter
from photomat.jobs.sweep import rearm_stuck_jobs
from photomat.kernel.errors import Corrupt, Transient
from photomat.kernel.ids import InstanceId, JobId, TaskId
from photomat.kie.port import Paused
from support.database import pool_of, shift_clock
from support.jobs import (
    CAT,
    LEASE,
    ONE,
    PRICE,
    TIMES,
    ToldProvider,
    Woken,
    a_job,
    a_user,
    claim_submit,
    money_of,
    row_of,
)
from support.kie_sim import running_kie
from support.steps import BALANCE, kie_client, submitter

WITH_FILE = KieRequest(protocol="jobs", body={"prompt": "кот", "image_url": {"file": 7}})
CLAIM_OF_AN_OLDER_PROGRAM = """
    WITH due AS MATERIALIZED (
        SELECT job_id FROM generation_jobs
         WHERE status = 'pending' AND due_at <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())
         ORDER BY due_at LIMIT 8 FOR UPDATE SKIP LOCKED)
    UPDATE generation_jobs AS job
       SET fence = job.fence + 1, leased_until = photomat_now() + interval '30 seconds', attempts = attempts + 1
      FROM due WHERE job.job_id = due.job_id
    RETURNING job.job_id
"""
SWEEP_OF_AN_OLDER_PROGRAM = """
    UPDATE generation_jobs SET due_at = photomat_now(), leased_until = NULL
     WHERE settled_at IS NULL AND stopped_at IS NULL AND due_at IS NULL
       AND (leased_until IS NULL OR leased_until <= photomat_now())
"""


@dataclass(slots=True, kw_only=True)
class ToldInputs:
    """Resolves every job to one body, or to what it is told; may take its time."""

    answer: dict[str, Any] | Exception
    busy_s: float = 0.0
    asked: list[JobId] = field(default_factory=list)

    async def resolve(self, job: Job) -> dict[str, Any]:
        self.asked.append(job.job_id)
        await asyncio.sleep(self.busy_s)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def claim_upload(pool: Pool, job_id: JobId, *, instance: InstanceId = ONE) -> Job:
    """Claim this one job, whose files are to be uploaded."""
    (job,) = await store.claim_uploads(pool, limit=9, lease=LEASE, instance=instance)
    assert job.job_id == job_id
    return job


def with_inputs(pool: Pool, provider: Any, inputs: ToldInputs, *, lease: timedelta = LEASE) -> Submitter:
    return replace(submitter(pool, provider, woken=Woken()), resolve=inputs.resolve, times=replace(TIMES, lease=lease))


async def test_an_older_program_neither_claims_what_it_would_send_wrongly_nor_is_held_up_by_it(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        asking = [await a_job(pool, user, request=WITH_FILE) for _ in range(9)]
        plain = await a_job(pool, user)
        assert [row["job_id"] for row in await pool.fetch(CLAIM_OF_AN_OLDER_PROGRAM)] == [plain]
        await pool.execute(SWEEP_OF_AN_OLDER_PROGRAM)
        assert await pool.fetch(CLAIM_OF_AN_OLDER_PROGRAM) == []
        ours = await store.claim_uploads(pool, limit=99, lease=LEASE, instance=ONE)
        assert sorted(job.job_id for job in ours) == asking
        assert {job.request.protocol for job in ours} == {"jobs"}


async def test_a_frozen_job_comes_due_again_however_it_was_given_back(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool), request=WITH_FILE)
        provider = ToldProvider(creates=[TaskId("task-9")])
        later = ToldInputs(answer=Transient("not now", retry_after_s=60))
        await with_inputs(pool, provider, later).submit(await claim_upload(pool, job_id))
        assert await store.claim_uploads(pool, limit=9, lease=LEASE, instance=ONE) == []
        assert await rearm_stuck_jobs(pool) == 0
        await shift_clock(pool, 61)
        broken = ToldInputs(answer=Corrupt("a rule of our own"))
        await with_inputs(pool, provider, broken).submit(await claim_upload(pool, job_id))
        assert await store.claim_uploads(pool, limit=9, lease=LEASE, instance=ONE) == [], (
            "a stopped job waits for the operator"
        )
        async with transaction(pool) as tx:
            await store.make_due(tx, job_id)
        await with_inputs(pool, provider, ToldInputs(answer={"prompt": "кот"})).submit(await claim_upload(pool, job_id))
        row = await row_of(pool, job_id)
        assert (row["status"], row["submit_at"]) == ("running", None)
        assert row["due_at"] is not None


async def test_only_what_the_inputs_cannot_say_is_frozen() -> None:
    catalog = load_catalog()
    assert frozen_request(catalog.get("z-image"), CAT) is None
    kling = frozen_request(catalog.get("kling/v2-1-master-text-to-video"), {"prompt": "кот", "duration": "10"})
    assert kling is not None
    assert (kling.protocol, kling.body["duration"]) == ("jobs", "10")
    lyrics = frozen_request(catalog.get("suno/lyrics"), {"prompt": "снег"})
    assert lyrics == KieRequest(protocol="suno/lyrics", body={"prompt": "снег"})


async def test_the_frozen_request_is_what_kie_gets_by_the_frozen_protocol(database: str) -> None:
    async with pool_of(database) as pool, running_kie() as kie, kie_client(kie.url) as provider:
        frozen = KieRequest(protocol="gpt4o-image", body={"prompt": "кот", "size": "1:1"})
        job_id = await a_job(pool, await a_user(pool), inputs={"prompt": "кот"}, request=frozen)
        await submitter(pool, provider).submit(await claim_submit(pool, job_id))
        (task,) = kie.world.tasks.values()
        assert (task.order.family, task.order.given["size"]) == ("gpt4o-image", "1:1")
        assert (await row_of(pool, job_id))["external_task_id"] == task.task_id


async def test_files_are_brought_to_kie_before_the_intent_and_the_lease_lives_meanwhile(database: str) -> None:
    async with pool_of(database) as pool:
        lease = timedelta(seconds=0.3)
        job_id = await a_job(pool, await a_user(pool), request=WITH_FILE)
        job = await claim_upload(pool, job_id)
        await pool.execute("UPDATE generation_jobs SET leased_until = photomat_now() + $1::interval", lease)
        inputs = ToldInputs(answer={"prompt": "кот", "image_url": "https://kie.example/7.png"}, busy_s=0.8)
        provider = ToldProvider(creates=[TaskId("task-9")])
        await with_inputs(pool, provider, inputs, lease=lease).submit(job)
        assert (await row_of(pool, job_id))["external_task_id"] == "task-9"
        assert inputs.asked == [job_id]


async def test_who_lost_the_claim_while_files_travelled_creates_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        lease = timedelta(seconds=0.3)
        job_id = await a_job(pool, await a_user(pool), request=WITH_FILE)
        job = await claim_upload(pool, job_id)
        await pool.execute("UPDATE generation_jobs SET fence = fence + 1")
        provider = ToldProvider(creates=[TaskId("task-9")])
        inputs = ToldInputs(answer={"prompt": "кот"}, busy_s=600)
        async with asyncio.timeout(120):
            await with_inputs(pool, provider, inputs, lease=lease).submit(job)
        assert provider.created == []
        assert (await row_of(pool, job_id))["status"] == "pending"


async def test_a_lost_file_fails_the_job_and_the_money_is_back(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=BALANCE)
        job_id = await a_job(pool, user, request=WITH_FILE)
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
        provider = ToldProvider(creates=[TaskId("task-9")])
        lost = ToldInputs(answer=InputLost("input-gone", "Telegram no longer has the file"))
        await with_inputs(pool, provider, lost).submit(await claim_upload(pool, job_id))
        row = await row_of(pool, job_id)
        assert (row["status"], row["fail_code"], provider.created) == ("failed", "input-gone", [])
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_an_upload_that_does_not_work_now_is_tried_later_and_a_refused_key_pauses_everything(
    database: str,
) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool), request=WITH_FILE)
        provider = ToldProvider(creates=[TaskId("task-9")])
        later = ToldInputs(answer=Transient("the upload host is away", retry_after_s=7))
        await with_inputs(pool, provider, later).submit(await claim_upload(pool, job_id))
        row = await row_of(pool, job_id)
        assert (row["status"], row["intent_at"], row["last_error"]) == ("pending", None, "the upload host is away")
        await shift_clock(pool, 8)
        paused = ToldInputs(answer=Paused("Kie refuses the key", code=401))
        await with_inputs(pool, provider, paused).submit(await claim_upload(pool, job_id))
        reason = await pool.fetchval("SELECT reason FROM budgets WHERE name = 'kie:creates'")
        assert (reason, provider.created) == ("kie-401", [])
