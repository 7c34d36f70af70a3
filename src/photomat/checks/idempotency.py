"""Phase 6, idempotency: everything is done twice on the real tables, and happens once. Rolled back."""

from photomat.checks import trial
from photomat.checks.finding import Finding, broken, proved
from photomat.checks.ground import Ground, rolled_back
from photomat.db.pool import Pool, transaction
from photomat.jobs.create import AlreadyStarted, Created
from photomat.jobs.job import hold_reference
from photomat.jobs.settle import Failure, Settled, Success
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.wallet import ledger

MEND = "a unique key is missing or was changed: compare with `photomat migrate` and `photomat audit`."


async def idempotency(ground: Ground) -> list[Finding]:
    """A double tap, a double callback, a double end, double money."""
    currency = ground.settings.currency
    async with rolled_back(ground.direct) as pool:
        await trial.a_customer(pool, currency)
        draft = await trial.a_draft(pool, currency)
        first, second = [await trial.tap(pool, draft) for _ in range(2)]
        other_card = await trial.tap(pool, draft, message=999_999)
        if not isinstance(first, Created):
            return [broken("A draft could not be bought.", MEND)]
        repeated = [isinstance(one, AlreadyStarted) and one.job_id == first.job_id for one in (second, other_card)]
        heard = [await trial.call_back(pool, first.job_id, "check-task") for _ in range(2)]
        stored = await pool.fetchval("SELECT count(*) FROM callbacks WHERE job_id = $1", first.job_id)
        ends = [await trial.end(pool, first.job_id, Success(urls=(trial.RESULT,))) for _ in range(2)]
        late = await trial.end(pool, first.job_id, Failure(code="check"))
        return [
            proved(all(repeated), "A second tap, on this card or another of the draft, finds the same job.", MEND),
            proved(heard == [True, False] and stored == 1, "A repeated callback is stored once.", MEND),
            proved(
                [*ends, late] == [Settled.CHARGED, Settled.NOTHING, Settled.NOTHING],
                "Whoever settles second changes nothing, a late failure neither.",
                MEND,
            ),
            await _money_once(pool, first.job_id, currency),
        ]


async def _money_once(pool: Pool, job_id: JobId, currency: str) -> Finding:
    async with transaction(pool) as tx:
        charged_again = await ledger.charge(tx, reference=hold_reference(job_id))
        again = await ledger.credit(
            tx,
            user_id=trial.USER,
            amount=Money(trial.BALANCE, currency),
            reference=f"welcome:{trial.USER}",
            reason="welcome",
        )
    refused = False
    try:
        async with transaction(pool) as tx:
            await ledger.release(tx, reference=hold_reference(job_id))
    except Corrupt:
        refused = True
    once = not charged_again and not again and refused and await trial.money(pool) == (trial.BALANCE - trial.PRICE, 0)
    return proved(once, "A charge and a credit happen once, and what is charged cannot be released.", MEND)
