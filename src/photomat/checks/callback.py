"""Phase 3, callback handler: our door takes what is signed and refuses what is not; Kie is reached, and can reach us.

The door is the product's own, opened on loopback for a moment, over a session that is rolled back.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiohttp import web

from photomat.checks import trial
from photomat.checks.ground import Finding, Ground, broken, doubtful, fine, proved, rolled_back
from photomat.db.pool import Pool
from photomat.jobs.callback import CallbackInbox
from photomat.kernel.clock import epoch
from photomat.kernel.errors import Transient
from photomat.kernel.ids import JobId
from photomat.kie.port import Paused
from photomat.kie.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, kie_signature, sign_job
from photomat.orders.outcome import Created
from photomat.web.kie_callback import KieCallbacks

FEW_CREDITS: Final = 100
NO_JOB: Final = JobId(10**17)
TIMEOUT: Final = aiohttp.ClientTimeout(total=10, connect=5)
MEND: Final = "run `photomat migrate`; if it stays so, run the tests of this version and report it."
CORRECT_KEY: Final = "correct KIE_API_KEY; it is made at kie.ai, under API keys."


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The opened door, and a client in front of it that signs as Kie does."""

    url: str
    client: aiohttp.ClientSession
    webhook_key: str | None

    async def knock(self, token: str | None, task_id: str) -> int:
        """Post a callback about a task; give the status."""
        address = f"{self.url}/kie/callback" + (f"/{token}" if token else "")
        body = {"data": {"taskId": task_id, "state": "success"}}
        async with self.client.post(address, json=body, headers=self._signature(task_id)) as answer:
            return answer.status

    def _signature(self, task_id: str) -> Mapping[str, str]:
        if self.webhook_key is None:
            return {}
        now = str(epoch())
        return {TIMESTAMP_HEADER: now, SIGNATURE_HEADER: kie_signature(task_id, now, self.webhook_key)}


async def callback_handler(ground: Ground) -> list[Finding]:
    """Knock at the door as Kie and as a stranger, then reach Kie and our own public address."""
    return [*await _door(ground), await _kie(ground), await _public_address(ground)]


async def _door(ground: Ground) -> list[Finding]:
    currency, signing = ground.settings.currency, ground.settings.callback_secrets
    async with rolled_back(ground.direct) as pool, _opened(ground, pool) as door:
        await trial.a_customer(pool, currency)
        created = await trial.tap(pool, await trial.a_draft(pool, currency))
        if not isinstance(created, Created):
            return [broken("Nothing could be bought.", MEND)]
        token = sign_job(created.job_id, signing)
        forged = sign_job(created.job_id, (secrets.token_bytes(16),))
        task, stranger = "check-task", "check-stranger"
        answers = [
            await door.knock(forged, task),
            await door.knock(token, task),
            await door.knock(token, task),
            await door.knock(sign_job(NO_JOB, signing), stranger),
        ]
        stored = await pool.fetchval("SELECT count(*) FROM callbacks WHERE task_id = $1", task)
        orphans = await pool.fetchval("SELECT count(*) FROM orphan_callbacks WHERE task_id = $1", stranger)
    return [
        proved(answers[0] == web.HTTPUnauthorized.status_code, "A forged callback is refused with 401.", MEND),
        proved(
            answers[1:3] == [200, 200] and stored == 1,
            "A signed callback is answered 200 and kept, a repeated one once.",
            MEND,
        ),
        proved(
            answers[3] == web.HTTPOk.status_code and orphans == 1,
            "A callback without a job is kept as an orphan.",
            MEND,
        ),
    ]


@asynccontextmanager
async def _opened(ground: Ground, pool: Pool) -> AsyncIterator[Door]:
    doors = KieCallbacks(
        inbox=CallbackInbox(pool, lambda _loop: None),
        secrets=ground.settings.callback_secrets,
        webhook_key=ground.settings.kie_webhook_key,
    )
    app = web.Application()
    app.router.add_post("/kie/callback/{token}", doors.handle_job)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        async with aiohttp.ClientSession(timeout=TIMEOUT) as client:
            yield Door(url=url, client=client, webhook_key=ground.settings.kie_webhook_key)
    finally:
        await runner.cleanup()


async def _kie(ground: Ground) -> Finding:
    if ground.account is None:
        return doubtful(
            "Kie was not asked: without keys this is the sandbox.", "set BOT_TOKEN and KIE_API_KEY to go live."
        )
    try:
        credits_left = await ground.account.credits()
    except Paused as error:
        return broken(f"{error}.", CORRECT_KEY)
    except Transient as error:
        return broken(f"{error}.", "is KIE_API_URL right, and may this machine reach it? Jobs wait until it can.")
    if credits_left <= 0:
        return broken("The account at Kie has no credits: every task is refused and jobs wait.", "top up at kie.ai.")
    if credits_left < FEW_CREDITS:
        return doubtful(f"Only {credits_left:g} credits are left at Kie.", "top up at kie.ai soon.")
    return fine(f"Kie answers and has {credits_left:g} credits for us.")


async def _public_address(ground: Ground) -> Finding:
    address = ground.settings.address
    if address is None:
        return fine("No PUBLIC_URL: long polling, and results are found by asking Kie.")
    try:
        async with (
            asyncio.timeout(10),
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
            client.post(f"{address}/kie/callback/0.check", json={"data": {"taskId": "check"}}) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return doubtful(
            f"{address} does not answer from here ({type(error).__name__}).",
            "start an instance; if one runs, ask from outside whether PUBLIC_URL leads to it.",
        )
    if status != web.HTTPUnauthorized.status_code:
        return doubtful(
            f"{address} answers a forged callback with {status} instead of 401: something else stands there.",
            "let PUBLIC_URL lead to this program.",
        )
    return fine(f"Callbacks reach us at {address}.")
