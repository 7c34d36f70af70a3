"""By day the audit checks what is new and sees every mistake in it; what was broken at night stays red until it holds."""

import pytest

from photomat.alerts import conditions
from photomat.alerts.incident import Eyes, Figures
from photomat.audit.by_day import violations_by_day
from photomat.audit.invariants import INVARIANTS
from photomat.audit.proofs import keep_proof
from photomat.audit.run import new_violations, violations
from photomat.db.pool import Pool, transaction
from support.alerts import ToldAccount
from support.database import connection_of, pool_of, shift_clock
from support.jobs import a_done_job, a_job, a_user
from support.long_history import fill

DAY_S = 86400.0


async def seen(pool: Pool) -> Figures | None:
    return await conditions.audit_red(Eyes(pool=pool, account=ToldAccount()))


async def by_hand(pool: Pool, change: str) -> None:
    """A hand in the database, past all protections."""
    async with transaction(pool) as tx:
        await tx.execute("SET LOCAL session_replication_role = replica")
        await tx.execute(change)


async def test_a_history_that_holds_is_green_however_much_of_it_counts_as_new(database: str) -> None:
    """No rule takes the edge of the window for a missing counterpart."""
    async with connection_of(database) as connection:
        await fill(connection, jobs=400)
        newest = await connection.fetchval("SELECT max(transaction_id) FROM ledger_transactions")
        for days, first in ((400, 1), (150, newest // 2), (1, newest), (0, newest + 1)):
            since = await connection.fetchval("SELECT photomat_now() - make_interval(days => $1)", days)
            assert await new_violations(connection, INVARIANTS, since=since, first_transaction=first) == []


@pytest.mark.breaks_invariants
@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("UPDATE entries SET amount = amount + 1 WHERE line = 1 AND account = 'wallet'", "transaction-balances"),
        ("UPDATE wallets SET posted = posted + 5", "wallet-is-its-entries"),
        ("UPDATE wallets SET held = held + 5, posted = posted + 5", "held-is-open-holds"),
        ("UPDATE ledger_transactions SET digest = sha256('x')", "transaction-is-what-was-asked"),
        ("UPDATE ledger_transactions SET seal = sha256('x')", "transaction-is-as-booked"),
        ("UPDATE holds SET amount = amount + 1", "hold-is-what-was-asked"),
        ("DELETE FROM hold_closings", "charge-is-its-hold"),
        ("UPDATE hold_closings SET closed_as = 'release'", "done-job-is-charged"),
        ("DELETE FROM holds WHERE reference NOT IN (SELECT reference FROM hold_closings)", "live-job-holds-its-price"),
        ("DELETE FROM generation_jobs", "charge-is-for-a-done-job"),
        ("UPDATE generation_jobs SET price = 1", "hold-is-of-its-job"),
        ("UPDATE generation_jobs SET price = 1", "job-costs-what-its-card-showed"),
        ("DELETE FROM job_outputs", "done-job-has-a-result"),
        ("INSERT INTO lanes (bot_id, lane, pending) VALUES (1, 'user:1', 2)", "lane-counts-what-waits"),
        ("ALTER TABLE entries DISABLE TRIGGER entries_append_only", "protections-stand"),
    ],
)
async def test_what_is_wrong_with_new_rows_is_seen_at_the_next_turn(database: str, change: str, rule: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        user = await a_user(pool)
        await keep_proof(pool)
        await a_done_job(pool, user)
        await a_job(pool, user)
        assert await seen(pool) is None
        await by_hand(pool, change)
        assert rule in {one.name for one in await violations_by_day(connection)}
        assert rule in {one.name for one in await violations(connection)}


@pytest.mark.breaks_invariants
async def test_what_is_wrong_with_old_rows_is_found_at_night_and_stays_red_until_it_is_right(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await shift_clock(pool, 3 * DAY_S)
        await keep_proof(pool)
        rows = await pool.fetch("DELETE FROM job_outputs RETURNING *")
        assert await seen(pool) is None, "three days old: not looked at by day"
        assert [one.name for one in (await keep_proof(pool)).violations] == ["done-job-has-a-result"]
        for _ in range(2):
            assert await seen(pool) == {"count": 1, "names": "done-job-has-a-result"}
        await pool.execute("INSERT INTO job_outputs (job_id, position, url) VALUES ($1, 0, $2)", job_id, rows[0]["url"])
        assert await seen(pool) is None
