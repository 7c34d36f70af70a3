"""Posting updates to the bot's webhook.

One update at a time per lane (a chat's messages, a person's taps …), several lanes at once. Anything but 2xx in
time is tried again: at once, then after 2, 4, 8 … s up to a random 60–120 s, until the update is too old.
"""

import asyncio
import json
import random
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from photomat_sandbox.faults import Fault, Faults
from photomat_sandbox.telegram.bot_api import BotApi
from photomat_sandbox.telegram.call import params_of_json
from photomat_sandbox.telegram.errors import ApiError
from photomat_sandbox.telegram.methods.registry import NAMES_BY_LOWER
from photomat_sandbox.telegram.updates import Update
from photomat_sandbox.telegram.urls import is_loopback

ANSWER_TIMEOUT_S: Final = 60.0
LOOK_AGAIN_S: Final = 0.25
MAX_RETRY_AFTER_S: Final = 3600
MAX_REORDER_S: Final = 30.0
UNANSWERABLE: Final = {"setWebhook", "deleteWebhook", "close", "logOut"}


@dataclass(slots=True, kw_only=True)
class _Lane:
    in_flight: bool = False
    failures: int = 0
    due_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    ok: bool
    reason: str
    retry_after_s: float = 0.0
    body: bytes = b""


class WebhookPoster:
    """Posts the queued updates whenever a webhook is set."""

    def __init__(self, api: BotApi, faults: Faults) -> None:
        self._api = api
        self._world = api.world
        self._faults = faults
        self._lanes: dict[str, _Lane] = {}
        self._held: set[int] = set()
        self._next_sent = asyncio.Event()

    async def run(self) -> None:
        """Post for ever; cancelling it ends the posts in flight."""
        timeout = aiohttp.ClientTimeout(total=ANSWER_TIMEOUT_S)
        async with aiohttp.ClientSession(timeout=timeout) as session, asyncio.TaskGroup() as group:
            while True:
                for update, lane in self._due():
                    lane.in_flight = True
                    group.create_task(self._post(session, update, lane))
                await self._world.updates.wait_for_change(LOOK_AGAIN_S)

    def _due(self) -> list[tuple[Update, _Lane]]:
        """Return the first update of every lane that is free and due, within the allowed connections."""
        if not self._world.webhook.url:
            self._lanes.clear()
            return []
        due: list[tuple[Update, _Lane]] = []
        seen: set[str] = set()
        now = self._world.clock()
        places = self._world.webhook.max_connections - sum(lane.in_flight for lane in self._lanes.values())
        for update in self._world.updates.pending.values():
            if len(due) >= places:
                break
            if update.expires_at <= now or update.lane in seen or update.update_id in self._held:
                continue
            seen.add(update.lane)
            lane = self._lanes.setdefault(update.lane, _Lane())
            if not lane.in_flight and lane.due_at <= now:
                due.append((update, lane))
        return due

    async def _post(self, session: aiohttp.ClientSession, update: Update, lane: _Lane) -> None:
        fault = self._faults.take("telegram", "webhook")
        if fault and fault.action == "reorder":
            await self._hold(update, lane)
        try:
            outcome = await self._try_once(session, update, fault)
        finally:
            lane.in_flight = False
            self._held.discard(update.update_id)
        self._note(update, outcome.reason, fault)
        if outcome.ok:
            lane.failures, lane.due_at = 0, 0.0
            self._world.updates.confirm(update.update_id)
            await self._run_answered_method(outcome.body)
        else:
            lane.failures += 1
            pause_s = outcome.retry_after_s or retry_pause_s(lane.failures)
            lane.due_at = self._world.clock() + pause_s * self._world.webhook_retry_unit_s
            self._world.webhook.last_error = outcome.reason
            self._world.webhook.last_error_at = self._world.now()
        self._world.updates.wake()

    async def _try_once(self, session: aiohttp.ClientSession, update: Update, fault: Fault | None) -> _Outcome:
        match fault.action if fault else None:
            case "never":
                return _Outcome(ok=True, reason="never sent")
            case "drop_before":
                return _Outcome(ok=False, reason="Connection refused")
            case "error" | "too_many":
                status = fault.status if fault and fault.action == "error" else 429
                return _Outcome(ok=False, reason=f"Wrong response from the webhook: {status}")
            case "delay":
                await asyncio.sleep(fault.delay_s if fault else 0.0)
            case "duplicate":
                await self._send(session, update)
        outcome = await self._send(session, update)
        if fault and fault.action == "drop_after":
            return _Outcome(ok=False, reason="Read timeout expired")
        return outcome

    async def _send(self, session: aiohttp.ClientSession, update: Update) -> _Outcome:
        webhook = self._world.webhook
        headers = {"Content-Type": "application/json"}
        if webhook.secret_token:
            headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secret_token
        body = json.dumps(update.as_json(), ensure_ascii=False).encode()
        ssl = not is_loopback(webhook.url)
        try:
            async with session.post(webhook.url, data=body, headers=headers, allow_redirects=False, ssl=ssl) as answer:
                content = await answer.read()
                sent, self._next_sent = self._next_sent, asyncio.Event()
                sent.set()
                if 200 <= answer.status < 300:  # noqa: PLR2004 - 2xx is the only yes
                    return _Outcome(ok=True, reason=f"{answer.status}", body=content)
                pause = answer.headers.get("Retry-After", "")
                return _Outcome(
                    ok=False,
                    reason=f"Wrong response from the webhook: {answer.status} {answer.reason}",
                    retry_after_s=min(int(pause), MAX_RETRY_AFTER_S) if pause.isdigit() else 0.0,
                )
        except TimeoutError:
            return _Outcome(ok=False, reason="Read timeout expired")
        except (aiohttp.ClientError, OSError, ValueError):
            return _Outcome(ok=False, reason="Connection refused")

    async def _hold(self, update: Update, lane: _Lane) -> None:
        """Let the next update go first, even one of the same lane, but do not wait for ever."""
        self._held.add(update.update_id)
        lane.in_flight = False
        self._world.updates.wake()
        try:
            async with asyncio.timeout(MAX_REORDER_S):
                await self._next_sent.wait()
        except TimeoutError:
            return

    async def _run_answered_method(self, body: bytes) -> None:
        """Run the method a webhook's answer may name; its result is discarded."""
        try:
            order: Any = json.loads(body)
        except ValueError:
            return
        name = NAMES_BY_LOWER.get(str(order.get("method", "")).lower()) if isinstance(order, dict) else None
        if name is None or name.startswith("get") or name in UNANSWERABLE:
            return
        try:
            await self._api.call(name, params_of_json(order))
        except ApiError as error:
            reason = f"{name} in a webhook's answer refused: {error.description}"
            self._world.transcript.add(world="telegram", kind="webhook", name="webhook", summary=reason)

    def _note(self, update: Update, reason: str, fault: Fault | None) -> None:
        applied = f" ({fault.action})" if fault else ""
        self._world.transcript.add(
            world="telegram",
            kind="webhook",
            name="webhook",
            summary=f"update {update.update_id} {update.kind} → {reason}{applied}",
            detail={"update_id": update.update_id, "kind": update.kind, "outcome": reason},
        )


def retry_pause_s(failures: int) -> float:
    """Return the pause after so many failures in a row: none, then 2, 4, 8 … up to a minute or two."""
    if failures <= 1:
        return 0.0
    longest = random.uniform(60.0, 120.0)  # noqa: S311 - the real server spreads its tries, nothing secret
    return min(2.0 ** min(failures - 1, 10), longest)
