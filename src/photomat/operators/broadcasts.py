"""What an operator may do with a broadcast: write it, look at it in their own chat, start it, stop it, go on with it.

    create → preview → start → (stop ⇄ resume)

The content is checked before it is stored, so Telegram has nothing to refuse. It can be started once a preview of exactly this
content was shown, and with the reach the operator saw: if it differs by more than a tenth by now, they look again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from photomat.broadcasts import broadcast as broadcasts
from photomat.broadcasts.broadcast import Broadcast, BroadcastState
from photomat.broadcasts.content import BroadcastContent, check_content
from photomat.broadcasts.segment import Segment, count_reach_in, problem_with
from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money
from photomat.operators.actions import ActionResult, journaled, write_journal
from photomat.texts.sentence import Sentence

REACH_MAY_DIFFER: Final = 10
"""By one in so many."""
NO_SUCH: Final = Sentence("broadcast-no-such")


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedBroadcast:
    """`broadcast_id` is None if it was refused."""

    answer: ActionResult
    broadcast_id: int | None


async def create_broadcast(
    pool: Pool, content: BroadcastContent, segment: Segment, *, operator: str, reason: str | None = None
) -> CreatedBroadcast:
    async with transaction(pool) as tx:
        answer = _refusal(content, segment)
        broadcast_id = await broadcasts.add_draft(tx, content, segment, operator=operator) if answer is None else None
        answer = answer or _done(Sentence("broadcast-created", id=broadcast_id or 0))
        await write_journal(
            tx,
            operator=operator,
            action="create broadcast",
            reason=reason,
            done=answer.done,
            outcome=answer.says,
            reference=None if broadcast_id is None else f"broadcast:{broadcast_id}",
        )
    return CreatedBroadcast(answer=answer, broadcast_id=broadcast_id)


async def change_broadcast(
    pool: Pool,
    broadcast_id: int,
    content: BroadcastContent,
    segment: Segment,
    *,
    operator: str,
    reason: str | None = None,
) -> ActionResult:
    """Replace what a broadcast says and whom it is for, until it is started; it needs a new preview then."""

    async def act(tx: Transaction) -> ActionResult:
        refusal = _refusal(content, segment)
        if refusal is not None:
            return refusal
        if not await broadcasts.change_draft(tx, broadcast_id, content, segment):
            return _refused(Sentence("broadcast-not-open"))
        return _done(Sentence("broadcast-changed"))

    return await _journaled(pool, act, "change broadcast", broadcast_id, operator=operator, reason=reason)


async def aim_broadcast(
    pool: Pool, broadcast_id: int, segment: Segment, *, operator: str, reason: str | None = None
) -> ActionResult:
    """Change whom it is for, until it is started; a preview of what it says still counts."""

    async def act(tx: Transaction) -> ActionResult:
        problem = problem_with(segment)
        if problem is not None:
            return _refused(problem)
        if not await broadcasts.change_segment(tx, broadcast_id, segment):
            return _refused(Sentence("broadcast-not-open"))
        return _done(Sentence("broadcast-aimed"))

    return await _journaled(pool, act, "aim broadcast", broadcast_id, operator=operator, reason=reason)


async def delete_broadcast(pool: Pool, broadcast_id: int, *, operator: str, reason: str) -> ActionResult:
    """Forget a broadcast that was never started."""

    async def act(tx: Transaction) -> ActionResult:
        if not await broadcasts.delete_draft(tx, broadcast_id):
            return _refused(Sentence("broadcast-not-open"))
        return _done(Sentence("broadcast-deleted"))

    return await _journaled(pool, act, "delete broadcast", broadcast_id, operator=operator, reason=reason)


async def preview_broadcast(
    pool: Pool, broadcast_id: int, *, chat_id: ChatId, operator: str, reason: str | None = None
) -> ActionResult:
    """Show it in an operator's own chat, as often as they like."""

    async def act(tx: Transaction) -> ActionResult:
        if not await broadcasts.ask_preview(tx, broadcast_id, chat_id=chat_id):
            return _refused(NO_SUCH)
        return _done(Sentence("broadcast-preview-asked", chat=str(chat_id)))

    return await _journaled(pool, act, "preview broadcast", broadcast_id, operator=operator, reason=reason)


async def start_broadcast(pool: Pool, broadcast_id: int, *, reach: int, operator: str, reason: str) -> ActionResult:
    """Start to send it; `reach` is the number of recipients the operator has seen."""

    async def act(tx: Transaction) -> ActionResult:
        found = await broadcasts.lock_broadcast(tx, broadcast_id)
        if found is None or found.state is not BroadcastState.READY:
            return _refused(_why_not_startable(found))
        now = (await count_reach_in(tx, found.segment)).reach
        if not now:
            return _refused(Sentence("broadcast-reaches-nobody"))
        if abs(now - reach) * REACH_MAY_DIFFER > reach:
            return _refused(Sentence("broadcast-reach-differs", seen=reach, now=now))
        await broadcasts.start(tx, broadcast_id, reach=reach)
        return _done(Sentence("broadcast-started", reach=now))

    return await _journaled(pool, act, "start broadcast", broadcast_id, operator=operator, reason=reason)


async def stop_broadcast(pool: Pool, broadcast_id: int, *, operator: str, reason: str) -> ActionResult:
    """Send no more of it; what has left cannot be called back."""

    async def act(tx: Transaction) -> ActionResult:
        stopped = await broadcasts.stop(tx, broadcast_id)
        return _done(Sentence("broadcast-stopped")) if stopped else _refused(Sentence("broadcast-not-sending"))

    return await _journaled(pool, act, "stop broadcast", broadcast_id, operator=operator, reason=reason)


async def resume_broadcast(pool: Pool, broadcast_id: int, *, operator: str, reason: str) -> ActionResult:
    """Go on with a stopped broadcast, to those who have not got it."""

    async def act(tx: Transaction) -> ActionResult:
        resumed = await broadcasts.resume(tx, broadcast_id)
        return _done(Sentence("broadcast-resumed")) if resumed else _refused(Sentence("broadcast-not-resumable"))

    return await _journaled(pool, act, "resume broadcast", broadcast_id, operator=operator, reason=reason)


def conditions_of(segment: Segment, *, currency: str) -> list[Sentence]:
    """A segment in words, a sentence for each condition."""
    if segment.is_everyone:
        return [Sentence("broadcast-to-everyone")]
    said = [
        (segment.language is not None, Sentence("broadcast-to-language", language=segment.language or "")),
        (segment.paid is True, Sentence("broadcast-to-payers")),
        (segment.paid is False, Sentence("broadcast-to-unpaid")),
        (segment.ordered_within_days, Sentence("broadcast-to-active", days=segment.ordered_within_days or 0)),
        (segment.not_ordered_for_days, Sentence("broadcast-to-sleeping", days=segment.not_ordered_for_days or 0)),
        (
            segment.balance_from is not None,
            Sentence("broadcast-to-rich", amount=Money(segment.balance_from or 0, currency)),
        ),
        (segment.never_ordered, Sentence("broadcast-to-newcomers")),
        (segment.kind, Sentence("broadcast-to-kind", kind=segment.kind or "")),
        (segment.model, Sentence("broadcast-to-model", model=segment.model or "")),
        (segment.user_ids is not None, Sentence("broadcast-to-listed", count=len(segment.user_ids or ()))),
    ]
    return [sentence for is_said, sentence in said if is_said]


def problem_of(content: BroadcastContent, segment: Segment) -> Sentence | None:
    """Why a broadcast would be refused, for a form; None if it would not."""
    try:
        check_content(content)
    except Rejected as error:
        return Sentence(error.text_key, **{name: _fact(fact) for name, fact in error.facts.items()})
    return problem_with(segment)


def _fact(fact: object) -> str | int:
    return fact if isinstance(fact, int) else str(fact)


def _refusal(content: BroadcastContent, segment: Segment) -> ActionResult | None:
    problem = problem_of(content, segment)
    return None if problem is None else ActionResult(done=False, says=problem)


def _why_not_startable(found: Broadcast | None) -> Sentence:
    if found is None:
        return NO_SUCH
    return Sentence("broadcast-not-previewed" if found.state is BroadcastState.DRAFT else "broadcast-not-open")


def _done(says: Sentence) -> ActionResult:
    return ActionResult(done=True, says=says)


def _refused(says: Sentence) -> ActionResult:
    return ActionResult(done=False, says=says)


async def _journaled(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[ActionResult]],
    action: str,
    broadcast_id: int,
    *,
    operator: str,
    reason: str | None,
) -> ActionResult:
    return await journaled(
        pool, act, action=action, operator=operator, reason=reason, reference=f"broadcast:{broadcast_id}"
    )
