"""By day the audit checks what is new and sees every mistake in it; what was broken at night stays red until it holds."""

from collections.abc import Sequence
from datetime import date

import pytest

from photomat.alerts import rules as alerts_rules
from photomat.alerts.incident import Figures, ProbeContext
from photomat.audit.by_day import new_violations, violations_by_day
from photomat.audit.cuts import FIRST, WIDTHS
from photomat.audit.proofs import keep_proof
from photomat.audit.run import INVARIANTS, violations
from photomat.audit.slices import check_slice, check_the_night
from photomat.db.pool import Connection, Pool, transaction
from photomat.wallet import ledger
from support.alerts import ToldAccount
from support.books import ANNA, CHECKED_AT_NIGHT, honest_books, names_by_day, undone
from support.database import connection_of, pool_of, shift_clock
from support.jobs import a_done_job, a_job, a_user
from support.long_history import fill
from support.money import make_user, rub
from support.plans import judge, recorded
from support.rewards import a_code, uses
from support.sessions import as_pool

DAY_S = 86400.0
EDGES = 12

TOO_MANY_PASSES = """
    INSERT INTO promo_codes (code, kind, amount, currency, generations, used, operator, reason)
    VALUES ('FREE', 'free', 100, 'RUB', 1, 1, 'x', 'x');
    INSERT INTO promo_uses (code, user_id, nth, origin) VALUES ('FREE', 42, 1, 'free');
    INSERT INTO pass_uses (job_id, use_id)
    SELECT job_id, (SELECT max(use_id) FROM promo_uses) FROM generation_jobs WHERE user_id = 42 AND status = 'done';
"""
GIFT_TAKEN_WITHOUT_CREDIT = """
    UPDATE gifts SET state = 'taken', taker_id = 43, due_at = NULL, closed_at = photomat_now() WHERE state = 'open'
"""


async def seen(pool: Pool) -> Figures | None:
    return await alerts_rules.audit_red(ProbeContext(pool=pool, account=ToldAccount()))


async def unseen(connection: Connection, changes: Sequence[tuple[str, str]]) -> list[str]:
    """Make each change alone, past all protections; those that the audit by day or by night does not see."""
    missed = []
    for change, rule in changes:
        async with undone(connection):
            await connection.execute("SET LOCAL session_replication_role = replica")
            await connection.execute(change)
            await connection.execute("SET LOCAL session_replication_role = origin")
            by_day = {one.name for one in await violations_by_day(as_pool(connection))}
            by_night = {one.name for one in await violations(connection)}
        if rule not in by_day & by_night:
            missed.append(f"{rule} is not in {by_day} and in {by_night} after: {change}")
    return missed


async def test_a_history_that_holds_is_green_however_much_of_it_counts_as_new(database: str) -> None:
    """No rule takes the edge of the window for a missing counterpart."""
    async with connection_of(database) as connection:
        await fill(connection, jobs=400)
        newest = await connection.fetchval("SELECT max(transaction_id) FROM ledger_transactions")
        for days, first in ((400, 1), (150, newest // 2), (1, newest), (0, newest + 1)):
            since = await connection.fetchval("SELECT photomat_now() - make_interval(days => $1)", days)
            assert await new_violations(connection, INVARIANTS, since=since, first_transaction=first) == []


def test_only_what_is_about_all_history_waits_for_the_night() -> None:
    assert {one.name for one in INVARIANTS if one.new is None} == CHECKED_AT_NIGHT


async def test_no_edge_of_the_window_gives_a_false_alarm(database: str) -> None:
    """Every kind of move is in the books; the window begins before, between and after them."""
    async with connection_of(database) as connection:
        await honest_books(connection)
        booked = await connection.fetch(
            "SELECT booked_at, transaction_id FROM ledger_transactions ORDER BY booked_at, transaction_id"
        )
        for since, first in booked[:: len(booked) // EDGES]:
            assert await names_by_day(connection, since=since, first_transaction=first) == set()
        later = await connection.fetchval("SELECT photomat_now()")
        assert await names_by_day(connection, since=later, first_transaction=booked[-1][1] + 1) == set()


WRONG_REWARDS = (
    ("DELETE FROM promo_uses WHERE code = 'SPRING'", "promo-credit-has-its-use"),
    ("UPDATE promo_uses SET taken_back = taken_back + 1 WHERE code = 'PERCENT'", "promo-credit-has-its-use"),
    ("UPDATE promo_codes SET used = 2 WHERE code = 'SPRING'", "promo-code-within-its-limits"),
    ("UPDATE promo_codes SET percent = 49 WHERE kind = 'percent'", "bonus-is-of-its-payment"),
    (TOO_MANY_PASSES, "passes-within-their-number"),
    ("UPDATE referrals SET inviter_id = 43", "referral-reward-has-its-referral"),
    ("UPDATE referrals SET job_id = 1", "referral-follows-a-paid-job"),
    ("DELETE FROM referral_shares", "referral-share-is-of-its-payment"),
    ("UPDATE referral_shares SET percent = 9", "referral-share-is-of-its-payment"),
    ("DELETE FROM gifts WHERE state = 'open'", "open-gifts-are-in-the-gift-account"),
    (GIFT_TAKEN_WITHOUT_CREDIT, "gift-went-one-way"),
    ("UPDATE gifts SET taker_id = 44 WHERE state = 'taken'", "gift-went-one-way"),
    ("UPDATE entries SET amount = amount - 1000 WHERE account = 'gift'", "gifts-taken-were-given"),
    ("UPDATE subscriptions SET stars = stars + 1", "subscription-is-of-its-month"),
    ("UPDATE stars_listed SET stars = stars + 1", "listed-stars-are-booked"),
)


async def test_what_is_wrong_with_new_rewards_and_stars_is_seen_at_the_next_turn(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        await keep_proof(pool)
        await honest_books(connection)
        assert await seen(pool) is None
        assert await unseen(connection, WRONG_REWARDS) == []


@pytest.mark.breaks_invariants
async def test_a_promo_code_credited_twice_is_seen_before_the_next_night(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA)
            await a_code(as_pool(tx))
        await keep_proof(pool)
        await shift_clock(pool, 2 * 3600)
        await uses(pool, ANNA, "SPRING")
        assert await seen(pool) is None
        async with transaction(pool) as tx:
            await ledger.credit(tx, user_id=ANNA, amount=rub(30), reference="promo:2", reason="promo")
        assert await seen(pool) == {"count": 1, "names": "promo-credit-has-its-use"}


@pytest.mark.breaks_invariants
async def test_what_a_slice_has_found_is_red_before_the_night_is_over(database: str) -> None:
    async with pool_of(database) as pool:
        await a_done_job(pool, await a_user(pool))
        await shift_clock(pool, 3 * DAY_S)
        await keep_proof(pool)
        await pool.execute("DELETE FROM job_outputs")
        async with pool.acquire() as connection:
            assert (await check_slice(connection, "jobs", starts=FIRST)).violations
        assert await seen(pool) is None
        await check_the_night(pool, date(2026, 11, 20))
        assert await seen(pool) == {"count": 1, "names": "done-job-has-a-result"}


@pytest.mark.breaks_invariants
async def test_what_was_broken_is_checked_again_in_slices_and_all_of_it_is_found(database: str) -> None:
    """In one statement it would keep the server from vacuuming, every ten minutes and for longer with every job."""
    damage = """
        DELETE FROM job_outputs
         WHERE job_id IN (SELECT min(job_id) FROM job_outputs UNION SELECT max(job_id) / 2 FROM job_outputs
                          UNION SELECT max(job_id) FROM job_outputs)
    """
    async with pool_of(database) as pool, connection_of(database) as connection:
        await fill(connection, jobs=4_000, live=0)
        await connection.execute(damage)
        night = await keep_proof(pool)
        async with recorded(pool) as recording:
            by_day = await violations_by_day(pool, widths=dict.fromkeys(WIDTHS, 50))
        judged = [one for one in await judge(connection, recording) if one.sql.startswith("WITH offenders")]
    assert [one.name for one in by_day] == ["done-job-has-a-result"]
    assert [(one.name, set(one.offenders)) for one in by_day] == [
        (one.name, set(one.offenders)) for one in night.violations
    ]
    assert len(by_day[0].offenders) == 3
    again = [one for one in judged if "FROM generation_jobs" in one.sql and "job_id >= $1" in one.sql]
    assert len(again) == 1, "not asked by a range of jobs"
    whole = [
        f"{one.rows} rows, whole {one.whole_tables}: {one.sql}" for one in judged if "job_outputs" in one.whole_tables
    ]
    assert not whole, "\n\n".join(whole)


WRONG_ROWS = (
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
)


async def test_what_is_wrong_with_new_rows_is_seen_at_the_next_turn(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        user = await a_user(pool)
        await keep_proof(pool)
        await a_done_job(pool, user)
        await a_job(pool, user)
        assert await seen(pool) is None
        assert await unseen(connection, WRONG_ROWS) == []


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
