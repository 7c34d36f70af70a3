"""Phase 7, balance: money moves on the real tables as it should and no other way, and the books of the shop are in order."""

from typing import Final

import asyncpg

from photomat.audit.invariants import INVARIANTS
from photomat.audit.run import violations
from photomat.checks import trial
from photomat.checks.finding import Finding, broken, fine, proved
from photomat.checks.ground import SESSION, Ground, rolled_back
from photomat.db.pool import Pool, connect, transaction
from photomat.jobs.create import Created
from photomat.jobs.settle import Success

MEND: Final = "the tables of money were changed by hand: compare with `photomat migrate`, restore what is missing."
MOST_NAMED: Final = 3
FORBIDDEN: Final = (
    "UPDATE entries SET amount = amount + 1 WHERE user_id = -424242",
    "DELETE FROM hold_closings WHERE reference = 'check'",
    "UPDATE wallets SET posted = -1 WHERE user_id = -424242",
    "INSERT INTO ledger_transactions (reference, reason, digest) VALUES ('check:half', 'operator', sha256('check'))",
)
"""What the database itself must refuse: changed history, a lost closing, a negative wallet, a booking without its lines."""


async def balance(ground: Ground) -> list[Finding]:
    """Hold, charge and be refused by the database itself; then audit."""
    currency = ground.settings.currency
    async with rolled_back(ground.direct) as pool:
        await trial.a_customer(pool, currency)
        created = await trial.tap(pool, await trial.a_draft(pool, currency))
        if not isinstance(created, Created):
            return [broken("Nothing could be bought.", MEND)]
        held = await trial.money(pool)
        await trial.end(pool, created.job_id, Success(urls=(trial.RESULT,)))
        charged = await trial.money(pool)
        await pool.execute("SET CONSTRAINTS ALL IMMEDIATE")
        moves = proved(
            held == (trial.BALANCE - trial.PRICE, trial.PRICE) and charged == (trial.BALANCE - trial.PRICE, 0),
            "Money is credited, held and charged, and every booking adds up to zero.",
            MEND,
        )
        accepted = [statement for statement in FORBIDDEN if not await _is_refused(pool, statement)]
    shut = proved(not accepted, "The database refuses changed history, negative wallets and half a booking.", MEND)
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
