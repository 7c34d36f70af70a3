"""Phase 2, atomic operations: a tap makes job and hold or nothing, an end moves the money with the outcome. Rolled back.

Phase 6, idempotency: everything is done twice on the real tables, and happens once. Rolled back.

Phase 7, balance: money moves on the real tables as it should and no other way, and the books of the shop are in order.
"""

from typing import Final

import asyncpg

from photomat.audit.invariants import INVARIANTS
from photomat.audit.run import violations
from photomat.checks import trial
from photomat.checks.ground import SESSION, Finding, Ground, broken, fine, proved, rolled_back
from photomat.db.pool import Pool, connect, transaction
from photomat.jobs.job import hold_reference
from photomat.jobs.report import find_job
from photomat.jobs.settle import Failure, Settled, Success
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.orders.outcome import AlreadyStarted, Created
from photomat.wallet import ledger

ATOMIC_FIX = "run `photomat migrate`; if it stays so, run the tests of this version and report it."
IDEMPOTENCY_FIX = "a unique key is missing or was changed: compare with `photomat migrate` and `photomat audit`."
BALANCE_FIX: Final = (
    "the tables of money were changed by hand: compare with `photomat migrate`, restore what is missing."
)
MOST_NAMED: Final = 3
FORBIDDEN: Final = (
    "UPDATE entries SET amount = amount + 1 WHERE user_id = -424242",
    "DELETE FROM hold_closings WHERE reference = 'check'",
    "UPDATE wallets SET posted = -1 WHERE user_id = -424242",
    "INSERT INTO ledger_transactions (reference, reason, digest) VALUES ('check:half', 'operator', sha256('check'))",
)
"""What the database itself must refuse: changed history, a lost closing, a negative wallet, a booking without its lines."""


async def atomic_operations(ground: Ground) -> list[Finding]:
    """Buy, end well, end badly, and be refused, on the real tables."""
    currency = ground.settings.currency
    async with rolled_back(ground.direct) as pool:
        await trial.a_customer(pool, currency)
        bought = await trial.tap(pool, await trial.a_draft(pool, currency, number=1))
        second = await trial.tap(pool, await trial.a_draft(pool, currency, number=2))
        if not (isinstance(bought, Created) and isinstance(second, Created)):
            return [broken("create_job_atomic made no job.", ATOMIC_FIX)]
        held = await trial.money(pool) == (trial.BALANCE - 2 * trial.PRICE, 2 * trial.PRICE)
        await trial.call_back(pool, bought.job_id, "check-task-1")
        charged = await trial.end(pool, bought.job_id, Success(urls=(trial.RESULT,)))
        released = await trial.end(pool, second.job_id, Failure(code="check"))
        return [
            proved(held, "create_job_atomic makes the job together with the hold.", ATOMIC_FIX),
            proved(
                await find_job(pool, "check-task-1") == bought.job_id,
                "update_from_callback teaches a job its task and wakes it.",
                ATOMIC_FIX,
            ),
            proved(
                (charged, released) == (Settled.CHARGED, Settled.RELEASED)
                and await trial.money(pool) == (trial.BALANCE - trial.PRICE, 0),
                "A success is charged and a failure is released, together with the outcome.",
                ATOMIC_FIX,
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
        return proved(whole, "A tap the wallet does not cover leaves neither job nor hold.", ATOMIC_FIX)
    return broken("A tap the wallet does not cover was accepted.", ATOMIC_FIX)


async def idempotency(ground: Ground) -> list[Finding]:
    """A double tap, a double callback, a double end, double money."""
    currency = ground.settings.currency
    async with rolled_back(ground.direct) as pool:
        await trial.a_customer(pool, currency)
        draft = await trial.a_draft(pool, currency)
        first, second = [await trial.tap(pool, draft) for _ in range(2)]
        other_card = await trial.tap(pool, draft, message=999_999)
        if not isinstance(first, Created):
            return [broken("A draft could not be bought.", IDEMPOTENCY_FIX)]
        repeated = [isinstance(one, AlreadyStarted) and one.job_id == first.job_id for one in (second, other_card)]
        heard = [await trial.call_back(pool, first.job_id, "check-task") for _ in range(2)]
        stored = await pool.fetchval("SELECT count(*) FROM callbacks WHERE job_id = $1", first.job_id)
        ends = [await trial.end(pool, first.job_id, Success(urls=(trial.RESULT,))) for _ in range(2)]
        late = await trial.end(pool, first.job_id, Failure(code="check"))
        return [
            proved(
                all(repeated),
                "A second tap, on this card or another of the draft, finds the same job.",
                IDEMPOTENCY_FIX,
            ),
            proved(heard == [True, False] and stored == 1, "A repeated callback is stored once.", IDEMPOTENCY_FIX),
            proved(
                [*ends, late] == [Settled.CHARGED, Settled.NOTHING, Settled.NOTHING],
                "Whoever settles second changes nothing, a late failure neither.",
                IDEMPOTENCY_FIX,
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
    return proved(once, "A charge and a credit happen once, and what is charged cannot be released.", IDEMPOTENCY_FIX)


async def balance(ground: Ground) -> list[Finding]:
    """Hold, charge and be refused by the database itself; then audit."""
    currency = ground.settings.currency
    async with rolled_back(ground.direct) as pool:
        await trial.a_customer(pool, currency)
        created = await trial.tap(pool, await trial.a_draft(pool, currency))
        if not isinstance(created, Created):
            return [broken("Nothing could be bought.", BALANCE_FIX)]
        held = await trial.money(pool)
        await trial.end(pool, created.job_id, Success(urls=(trial.RESULT,)))
        charged = await trial.money(pool)
        await pool.execute("SET CONSTRAINTS ALL IMMEDIATE")
        moves = proved(
            held == (trial.BALANCE - trial.PRICE, trial.PRICE) and charged == (trial.BALANCE - trial.PRICE, 0),
            "Money is credited, held and charged, and every booking adds up to zero.",
            BALANCE_FIX,
        )
        accepted = [statement for statement in FORBIDDEN if not await _is_refused(pool, statement)]
    shut = proved(
        not accepted, "The database refuses changed history, negative wallets and half a booking.", BALANCE_FIX
    )
    return [moves, shut, *await _audit(ground)]


async def _is_refused(pool: Pool, statement: str) -> bool:
    try:
        async with transaction(pool) as tx:
            await tx.execute(statement)
    except asyncpg.IntegrityConstraintViolationError:
        return True
    return False


async def _audit(ground: Ground) -> list[Finding]:
    connection = await connect(ground.direct, name=SESSION)
    try:
        found = await violations(connection)
    finally:
        await connection.close(timeout=5)
    if not found:
        return [fine(f"All {len(INVARIANTS)} invariants of the audit hold.")]
    return [
        broken(
            f"{one.name}: {one.sentence} {len(one.offenders)} offenders: {'; '.join(one.offenders[:MOST_NAMED])}.",
            "keep the output of `photomat audit`, repair nothing by hand first.",
        )
        for one in found
    ]
