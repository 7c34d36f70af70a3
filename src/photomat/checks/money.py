"""Phases 2, 6 and 7 on the real tables, rolled back: atomic operations, idempotency, balance.

A purchase makes job and hold or nothing, and settling moves the money with the outcome; everything done twice happens once; the
database refuses forbidden changes, and the audit of the real books is clean.
"""

from typing import Final

import asyncpg

from photomat.audit.run import INVARIANTS, violations
from photomat.checks import sample
from photomat.checks.context import SESSION, CheckContext, rolled_back
from photomat.checks.findings import Finding, failure, ok, verify
from photomat.db.pool import Pool, connect, transaction
from photomat.jobs.job import hold_reference
from photomat.jobs.listing import find_job
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
MAX_NAMED: Final = 3
FORBIDDEN: Final = (
    "UPDATE entries SET amount = amount + 1 WHERE user_id = -424242",
    "DELETE FROM hold_closings WHERE reference = 'check'",
    "UPDATE wallets SET posted = -1 WHERE user_id = -424242",
    "INSERT INTO ledger_transactions (reference, reason, digest) VALUES ('check:half', 'operator', sha256('check'))",
)
"""The database itself must refuse changed history, a lost closing, a negative wallet, a booking without its lines."""


async def atomic_operations(context: CheckContext) -> list[Finding]:
    currency = context.settings.currency
    async with rolled_back(context.direct) as pool:
        await sample.create_customer(pool, currency)
        bought = await sample.buy(pool, await sample.create_draft(pool, currency, number=1))
        second = await sample.buy(pool, await sample.create_draft(pool, currency, number=2))
        if not (isinstance(bought, Created) and isinstance(second, Created)):
            return [failure("create_job_atomic made no job.", ATOMIC_FIX)]
        held = await sample.read_money(pool) == (sample.BALANCE - 2 * sample.PRICE, 2 * sample.PRICE)
        await sample.receive_callback(pool, bought.job_id, "check-task-1")
        charged = await sample.settle_job(pool, bought.job_id, Success(urls=(sample.RESULT,)))
        released = await sample.settle_job(pool, second.job_id, Failure(code="check"))
        return [
            verify(held, "create_job_atomic makes the job together with the hold.", ATOMIC_FIX),
            verify(
                await find_job(pool, "check-task-1") == bought.job_id,
                "update_from_callback teaches a job its task and wakes it.",
                ATOMIC_FIX,
            ),
            verify(
                (charged, released) == (Settled.CHARGED, Settled.RELEASED)
                and await sample.read_money(pool) == (sample.BALANCE - sample.PRICE, 0),
                "A success is charged and a failure is released, together with the outcome.",
                ATOMIC_FIX,
            ),
            await _refused_without_traces(pool, currency),
        ]


async def _refused_without_traces(pool: Pool, currency: str) -> Finding:
    before = await sample.read_money(pool)
    draft = await sample.create_draft(pool, currency, number=3, price=sample.BALANCE * 2)
    if not isinstance(await sample.buy(pool, draft), NotEnough):
        return failure("A tap the wallet does not cover was accepted.", ATOMIC_FIX)
    left = await pool.fetchval("SELECT count(*) FROM generation_jobs WHERE draft_id = $1", draft.draft_id)
    whole = left == 0 and await sample.read_money(pool) == before
    return verify(whole, "A tap the wallet does not cover leaves neither job nor hold.", ATOMIC_FIX)


async def idempotency(context: CheckContext) -> list[Finding]:
    currency = context.settings.currency
    async with rolled_back(context.direct) as pool:
        await sample.create_customer(pool, currency)
        draft = await sample.create_draft(pool, currency)
        first, second = [await sample.buy(pool, draft) for _ in range(2)]
        other_card = await sample.buy(pool, draft, message=999_999)
        if not isinstance(first, Created):
            return [failure("A draft could not be bought.", IDEMPOTENCY_FIX)]
        repeated = [isinstance(one, AlreadyStarted) and one.job_id == first.job_id for one in (second, other_card)]
        heard = [await sample.receive_callback(pool, first.job_id, "check-task") for _ in range(2)]
        stored = await pool.fetchval("SELECT count(*) FROM callbacks WHERE job_id = $1", first.job_id)
        ends = [await sample.settle_job(pool, first.job_id, Success(urls=(sample.RESULT,))) for _ in range(2)]
        late = await sample.settle_job(pool, first.job_id, Failure(code="check"))
        return [
            verify(
                all(repeated),
                "A second tap, on this card or another of the draft, finds the same job.",
                IDEMPOTENCY_FIX,
            ),
            verify(heard == [True, False] and stored == 1, "A repeated callback is stored once.", IDEMPOTENCY_FIX),
            verify(
                [*ends, late] == [Settled.CHARGED, Settled.NOTHING, Settled.NOTHING],
                "A second settlement changes nothing, nor does a late failure.",
                IDEMPOTENCY_FIX,
            ),
            await _money_once(pool, first.job_id, currency),
        ]


async def _money_once(pool: Pool, job_id: JobId, currency: str) -> Finding:
    async with transaction(pool) as tx:
        charged_again = await ledger.charge(tx, reference=hold_reference(job_id))
        again = await ledger.credit(
            tx,
            user_id=sample.USER,
            amount=Money(sample.BALANCE, currency),
            reference=f"welcome:{sample.USER}",
            reason="welcome",
        )
    refused = False
    try:
        async with transaction(pool) as tx:
            await ledger.release(tx, reference=hold_reference(job_id))
    except Corrupt:
        refused = True
    once = (
        not charged_again
        and not again
        and refused
        and await sample.read_money(pool) == (sample.BALANCE - sample.PRICE, 0)
    )
    return verify(once, "A charge and a credit happen once, and what is charged cannot be released.", IDEMPOTENCY_FIX)


async def balance(context: CheckContext) -> list[Finding]:
    currency = context.settings.currency
    async with rolled_back(context.direct) as pool:
        await sample.create_customer(pool, currency)
        created = await sample.buy(pool, await sample.create_draft(pool, currency))
        if not isinstance(created, Created):
            return [failure("Nothing could be bought.", BALANCE_FIX)]
        held = await sample.read_money(pool)
        await sample.settle_job(pool, created.job_id, Success(urls=(sample.RESULT,)))
        charged = await sample.read_money(pool)
        await pool.execute("SET CONSTRAINTS ALL IMMEDIATE")
        moves = verify(
            held == (sample.BALANCE - sample.PRICE, sample.PRICE) and charged == (sample.BALANCE - sample.PRICE, 0),
            "Money is credited, held and charged, and every booking adds up to zero.",
            BALANCE_FIX,
        )
        accepted = [statement for statement in FORBIDDEN if not await _is_refused(pool, statement)]
    shut = verify(
        not accepted, "The database refuses changed history, negative wallets and half a booking.", BALANCE_FIX
    )
    return [moves, shut, *await _audit(context)]


async def _is_refused(pool: Pool, statement: str) -> bool:
    try:
        async with transaction(pool) as tx:
            await tx.execute(statement)
    except asyncpg.IntegrityConstraintViolationError:
        return True
    return False


async def _audit(context: CheckContext) -> list[Finding]:
    connection = await connect(context.direct, name=SESSION)
    try:
        found = await violations(connection)
    finally:
        await connection.close(timeout=5)
    if not found:
        return [ok(f"All {len(INVARIANTS)} invariants of the audit hold.")]
    return [
        failure(
            f"{one.name}: {one.sentence} {len(one.offenders)} offenders: {'; '.join(one.offenders[:MAX_NAMED])}.",
            "keep the output of `photomat audit`, repair nothing by hand first.",
        )
        for one in found
    ]
