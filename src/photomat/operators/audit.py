"""The full audit on an operator's demand: run now, its proof stored and journaled."""

from photomat.audit.proofs import keep_proof
from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import ActionResult, journaled
from photomat.texts.sentence import Sentence


async def prove_now(pool: Pool, *, operator: str, reason: str) -> ActionResult:
    """Check every invariant over all history and store the proof; `done` is False if one is broken.

    The check reads alone, beside live traffic. Killed before its end: nothing is stored, the next one says the same.
    """
    found = await keep_proof(pool)

    async def act(_tx: Transaction) -> ActionResult:
        if found.violations:
            names = ", ".join(one.name for one in found.violations)
            return ActionResult(
                done=False, says=Sentence("audit-says-broken", count=len(found.violations), names=names)
            )
        return ActionResult(done=True, says=Sentence("audit-says-green", count=found.invariants))

    return await journaled(pool, act, action="audit", operator=operator, reason=reason)
