"""Settle a job once: outcome, money and a due card in one transaction.

The job's row is locked first, then the wallet; a second settle finds the job settled and changes nothing. A success after a
failure is a gift (not charged), after a cancel an offer (paid only if the user accepts it). Killed before the commit: nothing
happened, and the job is claimed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, assert_never

from photomat.db.pool import Transaction
from photomat.jobs import store, timeline
from photomat.jobs.job import ANSWER_TITLE, ANSWER_URL, JobStatus, hold_reference, may_become
from photomat.jobs.timeline import Tag
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import Fence, JobId
from photomat.kernel.trace import traced
from photomat.kie.results import Detail
from photomat.rewards import referrals
from photomat.wallet import ledger

ANSWER: Final = Detail(title=ANSWER_TITLE)


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


@traced("job.settle")
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
