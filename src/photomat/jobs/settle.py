"""Settle a job once: outcome, money and a due card in one transaction.

The job's row is locked first, then the wallet; a second settle finds the job settled and changes nothing. A success after a
failure is a gift (not charged), after a cancel an offer (paid only if the user accepts it). Killed before the commit: nothing
happened, and the job is claimed again.

Results of jobs that still run may be settled together (`settle_results`): all jobs are locked in the order of their ids, then
all wallets in the order of their users, as everywhere. A job whose claim was lost, or that ended before, is left out.
"""

from collections.abc import Mapping, Sequence
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
from photomat.kie.results import NOTHING, Detail
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundResult:
    """A success and how it was found: `fence` is that of the claim, `consumed` the credits Kie took."""

    job_id: JobId
    success: Success
    price: int
    via: str
    fence: Fence | None
    consumed: Decimal | None = None

    def as_json(self) -> dict[str, Any]:
        found = {"via": self.via, "urls": list(self.success.urls), "object": self.success.result_object}
        consumed = None if self.consumed is None else str(self.consumed)
        return {name: value for name, value in {**found, "consumed": consumed}.items() if value is not None}

    @property
    def outputs(self) -> list[store.NewOutput]:
        own = ((ANSWER_URL, ANSWER),) if self.success.object_as_file else ()
        found = [*((url, self.success.details.get(url, NOTHING)) for url in self.success.urls), *own]
        return [store.NewOutput(self.job_id, place, url, detail) for place, (url, detail) in enumerate(found)]


class Settled(StrEnum):
    CHARGED = "charged"
    RELEASED = "released"
    GIFT = "gift"
    OFFERED = "offered"
    NOTHING = "nothing"


async def settle_results(tx: Transaction, results: Sequence[FoundResult]) -> set[JobId]:
    """Charge and finish those of the jobs that still run under their claims; return which."""
    running = await store.lock_running(tx, {result.job_id: result.fence for result in results})
    await _finish(tx, [result for result in results if result.job_id in running])
    failpoint("settle.before_commit")
    return running


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
            found = FoundResult(job_id=job_id, success=outcome, price=price, via=via, fence=fence, consumed=consumed)
            settled = await _succeed(tx, found, status)
        case Failure():
            settled = await _fail(tx, job_id, outcome, status, price=price, via=via, consumed=consumed)
        case _:
            assert_never(outcome)
    failpoint("settle.before_commit")
    return settled


async def _succeed(tx: Transaction, found: FoundResult, status: JobStatus) -> Settled:
    if status is JobStatus.CANCELED:
        return await _offer(tx, found)
    is_gift = status is JobStatus.FAILED
    await _finish(tx, [found], is_gift=is_gift)
    return Settled.GIFT if is_gift else Settled.CHARGED


async def _finish(tx: Transaction, results: Sequence[FoundResult], *, is_gift: bool = False) -> None:
    """Charge for the results, unless they are gifts, and finish their locked jobs."""
    if not results:
        return
    await _store_outputs(tx, results)
    paid = [] if is_gift else [result.job_id for result in results if result.price]
    if paid:
        await ledger.charge_all(tx, [hold_reference(job_id) for job_id in paid])
    found = {result.job_id: result.as_json() for result in results}
    owners = await store.write_done(tx, found, money=Settled.GIFT if is_gift else Settled.CHARGED, gift=is_gift)
    invited = await referrals.invited_among(tx, (owners[job_id] for job_id in paid)) if paid else set()
    for job_id in paid:
        if owners[job_id] in invited:
            await referrals.make_due(tx, friend_id=owners[job_id], job_id=job_id)


async def _store_outputs(tx: Transaction, results: Sequence[FoundResult]) -> None:
    await store.insert_outputs(tx, [output for result in results for output in result.outputs])
    for result in results:
        if result.success.unread:
            await store.write_unread(tx, result.job_id, fields=result.success.unread)
            await timeline.record(tx, result.job_id, Tag.UNREAD, fields=list(result.success.unread))


async def _offer(tx: Transaction, found: FoundResult) -> Settled:
    await _store_outputs(tx, [found])
    success = found.success
    is_new = await store.write_offered(
        tx, found.job_id, urls=success.urls, result_object=success.result_object, via=found.via
    )
    if not is_new:
        return Settled.NOTHING
    await timeline.record(tx, found.job_id, Tag.SETTLED, money=Settled.OFFERED, via=found.via)
    if found.consumed is not None:
        await store.write_cost(tx, found.job_id, consumed=found.consumed)
    return Settled.OFFERED


async def _fail(
    tx: Transaction,
    job_id: JobId,
    failure: Failure,
    status: JobStatus,
    *,
    price: int,
    via: str,
    consumed: Decimal | None,
) -> Settled:
    if not may_become(status, JobStatus.FAILED):
        return Settled.NOTHING
    if price:
        await ledger.release(tx, reference=hold_reference(job_id))
    await store.write_failed(tx, job_id, code=failure.code, reason=failure.reason, via=via)
    facts = {"money": Settled.RELEASED, "via": via, "code": failure.code, "reason": failure.reason}
    await timeline.record(tx, job_id, Tag.SETTLED, **facts)
    if consumed is not None:
        await store.write_cost(tx, job_id, consumed=consumed)
    return Settled.RELEASED
