"""Settle a job once: outcome, money and a due card in one transaction. Refund its charge once where that is due.

The job's row is locked first, then the wallet; a second settle finds the job settled and changes nothing. A success after a
failure is a gift (not charged), after a cancel an offer (paid only if the user accepts it). Killed before the commit: nothing
happened, and the job is claimed again.

Results that could not be delivered for some days are refunded once: those parked for the operator, and those in a group the bot
was removed from. A user who blocked the bot gets the result on their return, so those jobs wait. The condition is tested again
under the job's lock, so a card shown a moment ago is not refunded. A refunded result that is shown later is a gift.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, assert_never

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs import store, timeline
from photomat.jobs.job import ANSWER_TITLE, ANSWER_URL, JobStatus, hold_reference, may_become
from photomat.jobs.timeline import Tag
from photomat.kernel.errors import Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, Fence, JobId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.kie.results import Detail
from photomat.messages.notices import TO_BALANCE, notify
from photomat.rewards import referrals
from photomat.wallet import ledger, refunds
from photomat.wallet.postings import RefundReason

ANSWER: Final = Detail(title=ANSWER_TITLE)
MOST_REFUNDS: Final = 100
SETTLED_WITHIN: Final = timedelta(days=60)
"""Older ones were handled by an earlier pass or by an operator."""
UNDELIVERED: Final = """
    status = 'done' AND NOT gift AND price > 0 AND delivered_at IS NULL AND settled_at <= photomat_now() - $1::interval
    AND (parked_at IS NOT NULL OR undeliverable_at IS NOT NULL AND chat_id <> user_id)
"""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """A result; `details` are the facts Kie gives about its files, by their URLs.

    `object_as_file`: the object is the last output. `unread` names fields of the answer that no rule could read.
    """

    urls: tuple[str, ...]
    result_object: Mapping[str, Any] | None = None
    details: Mapping[str, Detail] = field(default_factory=dict)
    object_as_file: bool = False
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No result. `code` chooses the text for the user, `reason` is for the operator."""

    code: str
    reason: str | None = None


Outcome = Success | Failure


class Settled(StrEnum):
    CHARGED = "charged"
    RELEASED = "released"
    GIFT = "gift"
    OFFERED = "offered"
    NOTHING = "nothing"


async def settle(
    tx: Transaction,
    job_id: JobId,
    outcome: Outcome,
    *,
    price: int,
    via: str,
    fence: Fence | None,
    consumed: Decimal | None = None,
) -> Settled:
    """Settle a job at its price; `fence` is that of the claim that found the outcome, `consumed` the credits Kie took."""
    status = await store.lock_status(tx, job_id, fence)
    if status is None or status is JobStatus.DONE:
        return Settled.NOTHING
    match outcome:
        case Success():
            settled = await _succeed(tx, job_id, outcome, status, price=price, via=via)
        case Failure():
            settled = await _fail(tx, job_id, outcome, status, price=price, via=via)
        case _:
            assert_never(outcome)
    if settled is not Settled.NOTHING:
        code, reason = (outcome.code, outcome.reason) if isinstance(outcome, Failure) else (None, None)
        await timeline.record(tx, job_id, Tag.SETTLED, money=settled, via=via, code=code, reason=reason)
        if consumed is not None:
            await store.write_cost(tx, job_id, consumed=consumed)
    failpoint("settle.before_commit")
    return settled


async def _succeed(
    tx: Transaction, job_id: JobId, success: Success, status: JobStatus, *, price: int, via: str
) -> Settled:
    own = (ANSWER_URL,) if success.object_as_file else ()
    await store.insert_outputs(tx, job_id, (*success.urls, *own), details={**success.details, ANSWER_URL: ANSWER})
    if success.unread:
        await store.write_unread(tx, job_id, fields=success.unread)
        await timeline.record(tx, job_id, Tag.UNREAD, fields=list(success.unread))
    if status is JobStatus.CANCELED:
        is_new = await store.write_offered(tx, job_id, urls=success.urls, result_object=success.result_object, via=via)
        return Settled.OFFERED if is_new else Settled.NOTHING
    gift = status is JobStatus.FAILED
    if price and not gift:
        await ledger.charge(tx, reference=hold_reference(job_id))
        await referrals.make_due(tx, friend_id=await store.read_owner(tx, job_id), job_id=job_id)
    await store.write_done(tx, job_id, urls=success.urls, result_object=success.result_object, via=via, gift=gift)
    return Settled.GIFT if gift else Settled.CHARGED


async def _fail(
    tx: Transaction, job_id: JobId, failure: Failure, status: JobStatus, *, price: int, via: str
) -> Settled:
    if not may_become(status, JobStatus.FAILED):
        return Settled.NOTHING
    if price:
        await ledger.release(tx, reference=hold_reference(job_id))
    await store.write_failed(tx, job_id, code=failure.code, reason=failure.reason, via=via)
    return Settled.RELEASED


async def refund_undelivered(pool: Pool, *, after: timedelta) -> int:
    """Refund results that could not be delivered for so long; return how many."""
    rows = await pool.fetch(
        f"""
        SELECT job_id FROM generation_jobs AS job
         WHERE settled_at > photomat_now() - $1::interval - $2::interval AND {UNDELIVERED}
           AND (SELECT sum(amount) FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE ledger_transactions.job_id = job.job_id AND account = 'income') > 0
         ORDER BY settled_at LIMIT $3
        """,  # noqa: S608  a constant of ours
        after,
        SETTLED_WITHIN,
        MOST_REFUNDS,
    )
    return sum([await _refund_if_undelivered(pool, JobId(row["job_id"]), after) for row in rows])


async def _refund_if_undelivered(pool: Pool, job_id: JobId, after: timedelta) -> bool:
    try:
        async with transaction(pool) as tx:
            undelivered = await tx.fetchval(
                f"SELECT true FROM generation_jobs WHERE job_id = $2 AND {UNDELIVERED} FOR UPDATE",  # noqa: S608  a constant of ours
                after,
                job_id,
            )
            if not undelivered:
                return False
            refund = await refund_job_charge(
                tx, job_id=job_id, reference=f"undelivered:{job_id}", by="the rule of days", reason="undelivered"
            )
    except Rejected:
        return False
    log.warning("REFUND_UNDELIVERED", job_id=job_id, user_id=refund.user_id, amount=refund.amount.minor)
    return refund.is_new


async def refund_given_up(tx: Transaction, jobs: Iterable[JobId], *, by: str) -> None:
    """Refund results that can no longer be shown because another bot owns the database, unless refunded before."""
    for job_id in jobs:
        with suppress(Rejected):
            async with tx.transaction():
                await refund_job_charge(
                    tx, job_id=job_id, reference=f"undelivered:{job_id}", by=by, reason="undelivered"
                )


async def refund_job_charge(
    tx: Transaction,
    *,
    job_id: JobId,
    reference: str,
    by: str,
    amount: Money | None = None,
    reason: RefundReason = "refund",
) -> refunds.ChargeRefund:
    """Refund what is left of a charge, or a part, once per reference, and notify the customer once.

    Lock the job first where it may change meanwhile; its wallet is locked here. An operator's reason stays in the journal.
    """
    refund = await refunds.refund_charge(tx, job_id=job_id, amount=amount, reference=reference, reason=reason)
    if refund.is_new:
        await referrals.lose_job(tx, friend_id=refund.user_id, job_id=job_id)
        await timeline.record(tx, job_id, Tag.REFUNDED, by=by, amount=refund.amount.minor)
        await notify(
            tx,
            key=f"job-refund:{reference}",
            chat_id=ChatId(refund.user_id),
            text_key="job-undelivered" if reason == "undelivered" else "job-refunded",
            facts={"amount": refund.amount},
            buttons=[[TO_BALANCE]],
        )
    return refund
