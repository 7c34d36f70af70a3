"""One act on many jobs: each by its ordinary verb, in a transaction and with a journal row of its own, for one reason.

Killed in between, the rest is not done and nothing is done halfway; doing it again acts on the rest, because each verb refuses
or repeats harmlessly what was done before (a refund has one reference a job).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from photomat.db.pool import Pool
from photomat.jobs.actions import JobVerb
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import JobId
from photomat.operators import actions, money
from photomat.operators.actions import ActionResult
from photomat.texts.sentence import Sentence

MAX_JOBS: Final = 500
MAX_NAMED: Final = 10
"""Refusals that the answer names; all are in the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkResult:
    """How many were done, and each that was not, with the reason."""

    done: int
    refused: Sequence[tuple[JobId, Sentence]]

    @property
    def as_action(self) -> ActionResult:
        count = self.done + len(self.refused)
        if not count:
            return ActionResult(done=False, says=Sentence("bulk-nothing"))
        if not self.refused:
            return ActionResult(done=True, says=Sentence("bulk-done", done=self.done, count=count))
        named = [Sentence("bulk-one", job=job_id, why=why) for job_id, why in self.refused[:MAX_NAMED]]
        listed = reduce(lambda first, second: Sentence("bulk-both", first=first, second=second), named)
        if len(self.refused) > MAX_NAMED:
            listed = Sentence("bulk-more", list=listed, more=len(self.refused) - MAX_NAMED)
        says = Sentence("bulk-partly", done=self.done, count=count, refused=listed)
        return ActionResult(done=self.done > 0, says=says)


async def act_on_all(pool: Pool, verb: JobVerb, job_ids: Sequence[JobId], *, operator: str, reason: str) -> BulkResult:
    """Do it to each job, at most `MAX_JOBS`; one that is refused does not stop the others."""
    done, refused = 0, []
    for job_id in list(dict.fromkeys(job_ids))[:MAX_JOBS]:
        try:
            answer = await act_on_one(pool, verb, job_id, operator=operator, reason=reason)
        except PhotomatError as error:
            answer = ActionResult(done=False, says=Sentence("action-refused", why=str(error)))
        if answer.done:
            done += 1
        else:
            refused.append((job_id, answer.says))
    return BulkResult(done=done, refused=refused)


async def act_on_one(pool: Pool, verb: JobVerb, job_id: JobId, *, operator: str, reason: str) -> ActionResult:
    match verb:
        case JobVerb.RETRY:
            return await actions.retry(pool, job_id, operator=operator, reason=reason)
        case JobVerb.REDELIVER:
            return await actions.redeliver(pool, job_id, operator=operator, reason=reason)
        case JobVerb.CANCEL:
            return await actions.cancel(pool, job_id, operator=operator, reason=reason)
        case JobVerb.REFUND:
            reference = f"refund:{job_id}"
            return await money.refund_job(pool, job_id, None, reference=reference, operator=operator, reason=reason)
