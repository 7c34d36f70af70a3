"""Phase 3, callback handler: signed callbacks are accepted, others refused; we reach Kie, and Kie can reach us.

The product's own endpoint is served on loopback for a moment, on a session that is rolled back.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiohttp import web

from photomat.checks import sample
from photomat.checks.context import CheckContext, rolled_back
from photomat.checks.findings import Finding, failure, ok, verify, warning
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
FIX: Final = "run `photomat migrate`; if it stays so, run the tests of this version and report it."
CORRECT_KEY: Final = "correct KIE_API_KEY; it is made at kie.ai, under API keys."


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackEndpoint:
    """The served endpoint, and a client that signs as Kie does."""

    url: str
    client: aiohttp.ClientSession
    webhook_key: str | None

    async def post(self, token: str | None, task_id: str) -> int:
        url = f"{self.url}/kie/callback" + (f"/{token}" if token else "")
        body = {"data": {"taskId": task_id, "state": "success"}}
        async with self.client.post(url, json=body, headers=self._signature(task_id)) as answer:
            return answer.status

    def _signature(self, task_id: str) -> Mapping[str, str]:
        if self.webhook_key is None:
            return {}
        now = str(epoch())
        return {TIMESTAMP_HEADER: now, SIGNATURE_HEADER: kie_signature(task_id, now, self.webhook_key)}


async def callback_handler(context: CheckContext) -> list[Finding]:
    return [*await _endpoint(context), await _kie(context), await _public_url(context)]


async def _endpoint(context: CheckContext) -> list[Finding]:
    currency, signing = context.settings.currency, context.settings.callback_secrets
    async with rolled_back(context.direct) as pool, _served(context, pool) as endpoint:
        await sample.create_customer(pool, currency)
        created = await sample.buy(pool, await sample.create_draft(pool, currency))
        if not isinstance(created, Created):
            return [failure("Nothing could be bought.", FIX)]
        token = sign_job(created.job_id, signing)
        forged = sign_job(created.job_id, (secrets.token_bytes(16),))
        task, unknown = "check-task", "check-unknown"
        answers = [
            await endpoint.post(forged, task),
            await endpoint.post(token, task),
            await endpoint.post(token, task),
            await endpoint.post(sign_job(NO_JOB, signing), unknown),
        ]
        stored = await pool.fetchval("SELECT count(*) FROM callbacks WHERE task_id = $1", task)
        orphans = await pool.fetchval("SELECT count(*) FROM orphan_callbacks WHERE task_id = $1", unknown)
    return [
        verify(answers[0] == web.HTTPUnauthorized.status_code, "A forged callback is refused with 401.", FIX),
        verify(
            answers[1:3] == [200, 200] and stored == 1,
            "A signed callback is answered 200 and kept, a repeated one once.",
            FIX,
        ),
        verify(
            answers[3] == web.HTTPOk.status_code and orphans == 1, "A callback without a job is kept as an orphan.", FIX
        ),
    ]


@asynccontextmanager
async def _served(context: CheckContext, pool: Pool) -> AsyncIterator[CallbackEndpoint]:
    callbacks = KieCallbacks(
        inbox=CallbackInbox(pool, lambda _loop: None),
        secrets=context.settings.callback_secrets,
        webhook_key=context.settings.kie_webhook_key,
    )
    app = web.Application()
    app.router.add_post("/kie/callback/{token}", callbacks.handle_job)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        async with aiohttp.ClientSession(timeout=TIMEOUT) as client:
            yield CallbackEndpoint(url=url, client=client, webhook_key=context.settings.kie_webhook_key)
    finally:
        await runner.cleanup()


async def _kie(context: CheckContext) -> Finding:
    if context.account is None:
        return warning(
            "Kie was not asked: without keys this is the sandbox.", "set BOT_TOKEN and KIE_API_KEY to go live."
        )
    try:
        credits_left = await context.account.credits()
    except Paused as error:
        return failure(f"{error}.", CORRECT_KEY)
    except Transient as error:
        return failure(f"{error}.", "is KIE_API_URL right, and may this machine reach it? Jobs wait until it can.")
    if credits_left <= 0:
        return failure("The account at Kie has no credits: every task is refused and jobs wait.", "top up at kie.ai.")
    if credits_left < FEW_CREDITS:
        return warning(f"Only {credits_left:g} credits are left at Kie.", "top up at kie.ai soon.")
    return ok(f"Kie answers and has {credits_left:g} credits for us.")


async def _public_url(context: CheckContext) -> Finding:
    url = context.settings.base_url
    if url is None:
        return ok("No PUBLIC_URL: long polling, and results are found by asking Kie.")
    try:
        async with (
            asyncio.timeout(10),
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
            client.post(f"{url}/kie/callback/0.check", json={"data": {"taskId": "check"}}) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return warning(
            f"{url} does not answer from here ({type(error).__name__}).",
            "start an instance; if one runs, ask from outside whether PUBLIC_URL leads to it.",
        )
    if status != web.HTTPUnauthorized.status_code:
        return warning(
            f"{url} answers a forged callback with {status} instead of 401: something else is served there.",
            "make PUBLIC_URL lead to this program.",
        )
    return ok(f"Callbacks reach us at {url}.")
