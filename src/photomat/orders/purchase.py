"""`create_job_atomic`: the tap on [Create] becomes a job, with its hold, once per draft, all or nothing.

Owner, revision and price are tested under the draft's row lock: the user pays what the card showed or sees the card anew. The
limits are tested under the lock of the user's row, so two taps never take the last place both.
A free generation of a promo code is used up under the same lock; when none is left the card is shown anew with its price.
The message whose button was tapped becomes the job's card. A double tap, or the same update handled again, finds the
same job. Killed before the commit: nothing happened, the update is handled again.
"""

from dataclasses import dataclass

from photomat.catalog.pricing import Quote
from photomat.db.pool import Transaction
from photomat.jobs import store as jobs_store
from photomat.jobs import timeline
from photomat.jobs.claims import CREATES
from photomat.jobs.job import KieRequest, hold_reference, plain_request
from photomat.jobs.timeline import Tag
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.orders import draft as drafts
from photomat.orders import limits
from photomat.orders.draft import Draft
from photomat.orders.limits import USUAL, LimitReached, Limits
from photomat.rewards import vouchers
from photomat.wallet import ledger
from photomat.work import budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """Bought just now."""

    job_id: JobId
    corr: str
    model: str
    price: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyStarted:
    """Bought before: by this very card, or by another card of the same draft."""

    job_id: JobId
    corr: str
    this_card: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftChanged:
    """What the card shows is no longer true: show it anew."""

    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftGone:
    """Expired, put away, or somebody else's."""


Creation = Created | AlreadyStarted | DraftChanged | DraftGone | LimitReached


async def create_job_atomic(
    tx: Transaction,
    *,
    draft_id: DraftId,
    revision: int,
    bot_id: BotId,
    user_id: UserId,
    chat_id: ChatId,
    message_id: MessageId,
    language: str,
    kind: str,
    quote: Quote,
    corr: str,
    request: KieRequest | None = None,
    title: str | None = None,
    allowed: Limits = USUAL,
    job_id: JobId | None = None,  # for a trial that is rolled back: it must not use up the next number
) -> Creation:
    """Buy a draft at today's quote; raises NotEnough when the wallet does not cover it (then nothing happened)."""
    draft = await drafts.lock_draft(tx, draft_id=draft_id, user_id=user_id)
    if draft is None:
        return DraftGone()
    if (started := await _started(tx, draft_id, message_id=message_id)) is not None:
        return started
    if draft.expired:
        return DraftGone()
    if draft.revision != revision:
        return DraftChanged(draft=draft)
    quote = await vouchers.drop_used_voucher(tx, user_id=user_id, quote=quote)
    if draft.price != quote.price:
        return DraftChanged(draft=await drafts.reprice(tx, draft_id=draft_id, price=quote.price))
    refusal = await limits.refusal(tx, user_id, allowed, is_free=not draft.price.minor and quote.paid_by is None)
    if refusal is not None:
        return refusal
    made = await jobs_store.insert_job(
        tx,
        key=_key(draft_id),
        corr=corr,
        draft_id=draft_id,
        card=(bot_id, chat_id, message_id),
        user_id=user_id,
        kind=kind,
        language=language,
        quote=quote.as_json(),
        request=request,
        title=title,
        current_turn=await budget.current_turn(tx, CREATES),
        needs_files=(request or plain_request(draft.inputs)).needs_files,
        job_id=job_id,
    )
    if made is None:
        return DraftGone()
    await drafts.mark_bought(tx, draft_id=draft_id)
    if quote.paid_by is not None:
        await vouchers.use_voucher(tx, use_id=quote.paid_by.use_id, job_id=made)
    if draft.price.minor:
        await ledger.hold(tx, user_id=user_id, amount=draft.price, reference=hold_reference(made), job_id=made)
    await timeline.record(tx, made, Tag.CREATED, model=draft.model, price=draft.price.minor)
    failpoint("create.before_commit")
    return Created(job_id=made, corr=corr, model=draft.model, price=draft.price)


async def started_before(
    tx: Transaction, *, draft_id: DraftId, user_id: UserId, message_id: MessageId
) -> AlreadyStarted | None:
    """The job a draft of this user became, also where it could not be bought any more; None when it became none."""
    draft = await drafts.lock_draft(tx, draft_id=draft_id, user_id=user_id)
    return None if draft is None else await _started(tx, draft_id, message_id=message_id)


async def _started(tx: Transaction, draft_id: DraftId, *, message_id: MessageId) -> AlreadyStarted | None:
    bought = await jobs_store.find_by_key(tx, _key(draft_id))
    if bought is None:
        return None
    job_id, corr, card = bought
    return AlreadyStarted(job_id=job_id, corr=corr, this_card=card == message_id)


def _key(draft_id: DraftId) -> str:
    return f"draft:{draft_id}"
