"""Phase 2, atomic operations: a tap makes job and hold or nothing, an end moves the money with the outcome. Rolled back."""

from photomat.checks import trial
from photomat.checks.finding import Finding, broken, proved
from photomat.checks.ground import Ground, rolled_back
from photomat.db.pool import Pool
from photomat.jobs.create import Created
from photomat.jobs.settle import Failure, Settled, Success
from photomat.jobs.story import find_job
from photomat.kernel.errors import NotEnough

MEND = "run `photomat migrate`; if it stays so, run the tests of this version and report it."


async def atomic_operations(ground: Ground) -> list[Finding]:
    """Buy, end well, end badly, and be refused, on the real tables."""
    currency = ground.settings.currency
    async with rolled_back(ground.direct) as pool:
        await trial.a_customer(pool, currency)
        bought = await trial.tap(pool, await trial.a_draft(pool, currency, number=1))
        second = await trial.tap(pool, await trial.a_draft(pool, currency, number=2))
        if not (isinstance(bought, Created) and isinstance(second, Created)):
            return [broken("create_job_atomic made no job.", MEND)]
        held = await trial.money(pool) == (trial.BALANCE - 2 * trial.PRICE, 2 * trial.PRICE)
        await trial.call_back(pool, bought.job_id, "check-task-1")
        charged = await trial.end(pool, bought.job_id, Success(urls=(trial.RESULT,)))
        released = await trial.end(pool, second.job_id, Failure(code="check"))
        return [
            proved(held, "create_job_atomic makes the job together with the hold.", MEND),
            proved(
                await find_job(pool, "check-task-1") == bought.job_id,
                "update_from_callback teaches a job its task and wakes it.",
                MEND,
            ),
            proved(
                (charged, released) == (Settled.CHARGED, Settled.RELEASED)
                and await trial.money(pool) == (trial.BALANCE - trial.PRICE, 0),
                "A success is charged and a failure is released, together with the outcome.",
                MEND,
            ),
            await _refused_whole(pool, currency),
        ]


async def _refused_whole(pool: Pool, currency: str) -> Finding:
    before = await trial.money(pool)
    draft = await trial.a_draft(pool, currency, number=3, price=trial.BALANCE * 2)
    try:
        await trial.tap(pool, draft)
    except NotEnough:
        left = await pool.fetchval("SELECT count(*) FROM generation_jobs WHERE draft_id = $1", draft.draft_id)
        whole = left == 0 and await trial.money(pool) == before
        return proved(whole, "A tap the wallet does not cover leaves neither job nor hold.", MEND)
    return broken("A tap the wallet does not cover was accepted.", MEND)
