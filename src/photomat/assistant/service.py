"""Ask the chat model, and make what it answers a new revision of a draft. The chat model is optional, and never the last word.

    claim (commit: asked) → one request → record (commit: answered, its cost) → new revision of the draft (commit)

Killed after the claim (`assistant.before_ask`, `assistant.after_ask`): the call becomes `unknown` and is never repeated. Killed
after the answer was recorded (`assistant.before_apply`): the next claim of the row uses the answer, if the draft is still as
it was and, for a plan, its card is not older than ten seconds. Killed after the revision was saved (`assistant.after_apply`):
the next claim finds it and shows it; until then a tap on the old card shows the new one, because its revision is outdated.

The answer goes through `merge.py` and through the same validation and quote as a customer's own answers (`orders`). It buys
nothing: only a tap on a card does.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from photomat.assistant import calls, notes
from photomat.assistant.calls import CHAT_BUDGET, SHOWN_WITHIN, Call, CallKind, CallLimits, CallState
from photomat.assistant.chat import (
    Proposal,
    can_be_improved,
    improve_request,
    plan_request,
    prefers_english,
    read_improved,
    read_proposal,
    read_transcript,
    transcribe_request,
)
from photomat.assistant.merge import merged, plan_of
from photomat.assistant.notes import Improvement
from photomat.assistant.plan import Plan
from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.model import Model
from photomat.db.pool import Pool
from photomat.files.file import FromTelegram
from photomat.files.sources import FileSources
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Rejected, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.kie.port import Busy, ChatFile, ChatModel, ChatRequest, Paused
from photomat.media.sniff import sniff
from photomat.orders.draft import Draft
from photomat.orders.outcome import DraftOrder
from photomat.orders.service import OrderService
from photomat.work import budget

MAX_VOICE_BYTES: Final = 4 * 2**20
FETCH_WITHIN_S: Final = 10.0
BUSY_S: Final = 5.0
PAUSED_S: Final = 60.0
log = get_logger()


class _NothingToAsk(Rejected):
    """What the call was about has changed meanwhile."""

    def __init__(self) -> None:
        super().__init__("assistant-failed")


class _Revision(NamedTuple):
    model: Model
    inputs: Mapping[str, Any]
    notes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """`chat` is None where no chat model is configured: then what is still queued is skipped."""

    pool: Pool
    chat: ChatModel | None
    orders: OrderService
    files: FileSources
    limits: CallLimits

    async def claim(self, limit: int) -> list[Call]:
        return await calls.claim(self.pool, limit=limit, limits=self.limits)

    async def ask(self, call: Call) -> Call | None:
        """Send the one request of a claimed call, and record what came of it; None when the claim was lost."""
        failpoint("assistant.before_ask")
        try:
            answer = await self._chat.complete(await self._request(call))
        except (PhotomatError, TimeoutError) as error:
            return await self._record_failure(call, error)
        failpoint("assistant.after_ask")
        log.info("ASSISTANT_ANSWERED", call_id=call.call_id, kind=call.kind, credits=str(answer.credits))
        if call.kind is CallKind.TRANSCRIBE:
            answer = replace(answer, text=read_transcript(answer.text) or "")
        return await calls.record_answer(self.pool, call, answer, limits=self.limits)

    async def apply(self, call: Call) -> DraftOrder | None:
        """The draft as the answer makes it, committed; None where the answer changes nothing, or the draft moved on."""
        order = await self._order(call)
        if order is None or notes.is_left_by(order.draft, call.call_id):
            return order
        revision = await self._revision(call, order) if order.draft.revision == call.revision else None
        if revision is None:
            return None
        failpoint("assistant.before_apply")
        draft = await self.orders.revise(
            order.draft, revision.model, revision.inputs, origin=call.origin, assistant=revision.notes
        )
        failpoint("assistant.after_apply")
        return None if draft is None else DraftOrder(draft, revision.model)

    async def untouched(self, call: Call) -> DraftOrder | None:
        """The draft as it was when the call was made; None when it has moved on."""
        order = await self._order(call)
        return order if order is not None and order.draft.revision == call.revision else None

    @property
    def _chat(self) -> ChatModel:
        if self.chat is None:
            raise _NothingToAsk
        return self.chat

    async def _order(self, call: Call) -> DraftOrder | None:
        found = None if call.draft_id is None else await self.orders.find(call.user_id, call.draft_id)
        return None if found is None or found.draft.is_closed or found.draft.is_bought else found

    async def _request(self, call: Call) -> ChatRequest:
        if call.kind is CallKind.TRANSCRIBE:
            return transcribe_request(await self._voice(call), language=call.language)
        order = await self.untouched(call)
        if order is None:
            raise _NothingToAsk
        if call.kind is CallKind.IMPROVE:
            return improve_request(order.model, _prompt(order), language=call.language)
        plan = _plan(call, order)
        if plan is None:
            raise _NothingToAsk
        return plan_request(plan, await self.orders.storefront(), language=call.language)

    async def _voice(self, call: Call) -> ChatFile:
        content = bytearray()
        source = FromTelegram(call.file_id or "")
        async with (
            asyncio.timeout(FETCH_WITHIN_S),
            self.files.opened(source, user_id=call.user_id, most_bytes=MAX_VOICE_BYTES) as chunks,
        ):
            async for chunk in chunks:
                content += chunk
                if len(content) > MAX_VOICE_BYTES:
                    raise _NothingToAsk
        mime = sniff(bytes(content)).mime
        if not mime.startswith("audio/"):
            raise _NothingToAsk
        return ChatFile(mime=mime, content=bytes(content))

    async def _record_failure(self, call: Call, error: Exception) -> Call | None:
        """A request that never left, or was refused, costs nothing; one without an answer counts as paid."""
        state = CallState.UNKNOWN if isinstance(error, OutcomeUnknown) else CallState.FAILED
        if isinstance(error, Busy | Paused):
            seconds = PAUSED_S if isinstance(error, Paused) else BUSY_S
            await budget.block(self.pool, CHAT_BUDGET.name, seconds=seconds, reason=type(error).__name__)
        log.warning("ASSISTANT_FAILED", call_id=call.call_id, kind=call.kind, state=state, error=type(error).__name__)
        return await calls.record_failure(self.pool, call, state=state, error=_word(error))

    async def _revision(self, call: Call, order: DraftOrder) -> _Revision | None:
        if call.kind is CallKind.IMPROVE:
            return await self._improved(call, order)
        is_late = await calls.is_older(self.pool, call, than=SHOWN_WITHIN)
        return None if is_late else await self._planned(call, order)

    async def _planned(self, call: Call, order: DraftOrder) -> _Revision | None:
        """The best of the proposal that can be bought: with its model, else with the model there is."""
        plan, proposal = _plan(call, order), read_proposal(call.answer or "")
        if plan is None:
            return None
        storefront = await self.orders.storefront()
        for one in (proposal, replace(proposal, wish=None, model=None), Proposal(question=proposal.question)):
            better = merged(plan, one, storefront)
            is_same = better == plan and proposal.question is None
            if is_same or await self._is_no_worse(order, better.model, better.inputs):
                left = notes.planned(call_id=call.call_id, revision=_next(order.draft), question=proposal.question)
                return None if is_same else _Revision(better.model, better.inputs, left)
        return None

    async def _is_no_worse(self, order: DraftOrder, model: Model, inputs: Mapping[str, Any]) -> bool:
        """Whether `orders` objects to no more than before: what could be bought still can."""
        before = await self.orders.objections_to(order)
        return len(await self.orders.objections(order.draft.user_id, model, inputs)) <= len(before)

    async def _improved(self, call: Call, order: DraftOrder) -> _Revision | None:
        model, asked, text = order.model, order.model.input_for("prompt"), read_improved(call.answer or "")
        if asked is None or text is None or not can_be_improved(model, order.draft.inputs):
            return None
        after = check_answer(asked, text)
        if isinstance(after, Refused) or after == _prompt(order):
            return None
        inputs = {**order.draft.inputs, asked.name: after}
        if not await self._is_no_worse(order, model, inputs):
            return None
        improvement = Improvement(name=asked.name, before=_prompt(order), in_english=prefers_english(model))
        left = notes.improved(
            call_id=call.call_id, revision=_next(order.draft), improvement=improvement, after=str(after)
        )
        return _Revision(model, inputs, left)


def _plan(call: Call, order: DraftOrder) -> Plan | None:
    words = call.words or order.draft.said or ""
    return plan_of(order.model, order.draft.inputs, words)


def _prompt(order: DraftOrder) -> str:
    asked = order.model.input_for("prompt")
    return str(order.draft.inputs.get(asked.name) or "") if asked is not None else ""


def _next(draft: Draft) -> int:
    return draft.revision + 1


def _word(error: Exception) -> str:
    """One word for the operator."""
    match error:
        case _NothingToAsk():
            return "outdated"
        case Paused():
            return "paused"
        case Busy():
            return "busy"
        case OutcomeUnknown():
            return "no-answer"
        case Transient() | TimeoutError():
            return "unreachable"
        case _:
            return "refused"
