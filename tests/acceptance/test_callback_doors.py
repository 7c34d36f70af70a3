"""What comes to the callback doors: good, forged, broken, early, unknown. Evidence and a wake-up, never the verdict."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from photomat.kernel.ids import JobId
from photomat.kie.signature import sign_job
from photomat_chaos.lab.load_balancer import serving
from photomat_sandbox.kie.callbacks import signature
from support.endings import buys_something_endless, ends_well
from support.patience import until
from support.system import System, open_shop, running_system

SECRET = "secret-of-the-addresses"
KEY = "whsec_of_the_tests"
UNKNOWN_JOB = JobId(999_999)
TASK = {"data": {"taskId": "task-of-nobody", "state": "success", "resultJson": '{"resultUrls": ["http://x/y.png"]}'}}


async def test_forged_and_broken_callbacks_are_refused_and_leave_nothing(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, CALLBACK_SECRET=SECRET) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        job_id = (await system.job())["job_id"]
        good, forged = sign_job(job_id, [SECRET.encode()]), sign_job(job_id, [b"guessed"])
        assert await _post(system, f"/{forged}", json=TASK) == 401
        assert await _post(system, f"/{job_id}.", json=TASK) == 401
        assert await _post(system, f"/{UNKNOWN_JOB}.{good.partition('.')[2]}", json=TASK) == 401
        assert await _post(system, "", json=TASK) == 401, "without a job only with Kie's own signature"
        assert await _post(system, f"/{good}", data=b"not json") == 400
        assert await _post(system, f"/{good}", data=b"[" * 100_000) == 400
        assert await _post(system, f"/{good}", json={"data": {"state": "success"}}) == 400
        assert await _post(system, f"/{good}", data=io.BytesIO(b" " * (5 * 2**20))) == 413
        async with system.sql() as connection:
            assert await connection.fetchval("SELECT count(*) FROM callbacks") == 0
            assert await connection.fetchval("SELECT count(*) FROM orphan_callbacks") == 0
        assert (await system.job())["status"] == "running"
        await system.kie_finishes()
        await ends_well(system, anna, cards=(card,))


async def test_a_callback_that_lies_does_not_decide(database: str, tmp_path: Path) -> None:
    """The address is good, the body says fail; recordInfo says success, and counts."""
    async with open_shop(database, tmp_path) as system:
        system.kie.faults.arm(world="kie", method="callback", action="error", code=501, text="a lie")
        anna = system.customer()
        card = await anna.buys()
        await ends_well(system, anna, cards=(card,))


async def test_with_a_webhook_key_only_signed_callbacks_are_taken(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, KIE_WEBHOOK_KEY=KEY, CALLBACK_SECRET=SECRET) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        job = await system.job()
        path, task_id = f"/{sign_job(job['job_id'], [SECRET.encode()])}", str(job["external_task_id"])
        body = {"data": {"taskId": task_id, "state": "success"}}
        assert await _post(system, path, json=body) == 401
        assert await _post(system, path, json=body, headers=_signed("another-task", system)) == 401
        assert await _post(system, path, json=body, headers=_signed(task_id, system, age_s=3600)) == 401
        async with system.sql() as connection:
            assert await connection.fetchval("SELECT count(*) FROM callbacks") == 0
        await system.kie_finishes()
        await system.instance.says("CALLBACK_RECEIVED")
        await ends_well(system, anna, cards=(card,))


@pytest.mark.parametrize("knows_job", [True, False], ids=["its own address", "an orphan"])
async def test_a_callback_before_the_create_answer_is_not_lost(
    database: str, tmp_path: Path, *, knows_job: bool
) -> None:
    """Kie's answer to createTask is held back until its callback was there: by the job's address, or as a stranger's."""
    async with running_system(database, tmp_path, KIE_WEBHOOK_KEY=KEY, CALLBACK_SECRET=SECRET) as system:
        if not knows_job:
            system.kie.faults.arm(world="kie", method="callback", action="never")
        async with _held_answers(system) as (kie_url, answers):
            instance = await system.start(KIE_API_URL=kie_url)
            anna = system.customer()
            card = await anna.buys()
            await until(lambda: system.kie.world.tasks, about=lambda: system.story)
            (task_id,) = system.kie.world.tasks
            if not knows_job:
                body = {"data": {"taskId": task_id, "state": "success"}}
                path = f"/{sign_job(UNKNOWN_JOB, [SECRET.encode()])}"
                assert await _post(system, path, json=body, headers=_signed(task_id, system)) == 200
                await instance.says("ORPHAN_CALLBACK")
            await instance.says("CALLBACK_RECEIVED")
            assert not instance.lines("JOB_SUBMITTED")
            answers.release()
            if not knows_job:
                await instance.says("ORPHAN_RECONCILE")
            await ends_well(system, anna, cards=(card,))
        async with system.sql() as connection:
            assert not await connection.fetchval("SELECT count(*) FROM orphan_callbacks WHERE processed_at IS NULL")


async def test_a_callback_nobody_can_place_is_kept(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, KIE_WEBHOOK_KEY=KEY) as system:
        for times in (1, 2):
            assert await _post(system, "", json=TASK, headers=_signed("task-of-nobody", system)) == 200
            await system.instance.says("CALLBACK_RECEIVED", times=times)
        async with system.sql() as connection:
            rows = await connection.fetch("SELECT task_id, processed_at FROM orphan_callbacks")
        assert [(row["task_id"], row["processed_at"]) for row in rows] == [("task-of-nobody", None)]


def _signed(task_id: str, system: System, *, age_s: int = 0) -> dict[str, str]:
    timestamp = int(system.kie.world.clock()) - age_s
    signed = signature(key=KEY, task_id=task_id, timestamp=timestamp)
    return {"X-Webhook-Timestamp": str(timestamp), "X-Webhook-Signature": signed}


async def _post(system: System, path: str, **request: Any) -> int:
    """Call back; give the status of the answer."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{system.instance.url}/kie/callback{path}", **request) as answer,
    ):
        return answer.status


class _Answers:
    """Answers of createTask on their way back, held until they are released."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._held = True

    def release(self) -> None:
        self._held = False

    async def handle(self, request: web.Request) -> web.Response:
        """Pass a request on at once, and the answer of a createTask when it is released."""
        async with (
            aiohttp.ClientSession(headers={"Authorization": request.headers["Authorization"]}) as session,
            session.request(request.method, f"{self._target}{request.path_qs}", data=await request.read()) as answer,
        ):
            body, status = await answer.read(), answer.status
        if request.path.endswith("createTask"):
            await until(lambda: not self._held)
        return web.Response(body=body, status=status, content_type="application/json")


@asynccontextmanager
async def _held_answers(system: System) -> AsyncIterator[tuple[str, _Answers]]:
    """An address in front of Kie that holds the answers of createTask back."""
    answers = _Answers(system.kie.url)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answers.handle)
    async with serving(app) as url:
        yield url, answers
