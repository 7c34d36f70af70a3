"""Proofs are kept once a night and shown, days that are over are sealed, and differences have an owner until they end."""

from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from photomat.audit import differences
from photomat.audit.cuts import parts
from photomat.audit.proofs import OLD_PROOFS, keep_proof, kept_proofs, prove_the_night, seal_days
from photomat.audit.run import violations
from photomat.audit.slices import check_the_night
from photomat.db.pool import Pool, transaction
from photomat.wallet import ledger
from support.books import ANNA, by_hand, honest_books, names
from support.database import connection_of, pool_of, shift_clock
from support.money import make_user, rub

DAY_S = 86_400


async def days(pool: Pool) -> int:
    return int(await pool.fetchval("SELECT count(*) FROM sealed_days"))


async def pass_a_day(pool: Pool) -> None:
    async with pool.acquire() as connection:
        await shift_clock(connection, DAY_S)


async def credit(pool: Pool, reference: str) -> None:
    async with transaction(pool) as tx:
        await ledger.credit(tx, user_id=ANNA, amount=rub(5), reference=reference, reason="operator")


async def test_every_night_has_one_proof_with_what_the_books_added_up_to(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await honest_books(tx)
        assert [await prove_the_night(pool) for _ in range(3)] == [True, False, False]
        await pass_a_day(pool)
        await pass_a_day(pool)
        assert await prove_the_night(pool) is True
        await keep_proof(pool)
        by_operator, second, first = await kept_proofs(pool)
        expected = await pool.fetchval("SELECT sum(posted) FROM wallets")
    assert by_operator.night is None
    assert second.night is not None
    assert first.night is not None
    assert (second.night - first.night).days == 2
    assert (first.violations, first.figures["wallets: RUB"]) == ([], expected)
    kinds = {"income: RUB", "held: RUB", "owed: RUB", "open holds", "open differences", "transactions", "users"}
    assert kinds <= set(first.figures)
    in_accounts = sum(
        figure
        for name, figure in first.figures.items()
        if name.endswith(": RUB") and name not in {"wallets: RUB", "held: RUB", "owed: RUB"}
    )
    assert first.figures["wallets: RUB"] - first.figures["owed: RUB"] + in_accounts == 0


async def test_a_night_that_was_killed_goes_on_with_the_next_slice(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await honest_books(tx)
        night = await pool.fetchval("SELECT (photomat_now() AT TIME ZONE 'UTC')::date")
        await check_the_night(pool, night)
        stored = await pool.fetch("SELECT part, checked_at FROM audit_slices")
        assert {row["part"] for row in stored} == set(parts())
        await pool.execute("DELETE FROM audit_slices WHERE part = 'jobs'")
        assert (await check_the_night(pool, night)).violations == []
        again = await pool.fetch("SELECT part, checked_at FROM audit_slices")
        assert {row["part"] for row in again if row not in stored} == {"jobs"}


@pytest.mark.breaks_invariants
async def test_what_an_earlier_run_of_the_night_found_is_in_its_proof(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        await pool.execute("UPDATE wallets SET posted = 200")
        night = await pool.fetchval("SELECT (photomat_now() AT TIME ZONE 'UTC')::date")
        await check_the_night(pool, night)
        await pool.execute("UPDATE wallets SET posted = 100")
        assert [found.name for found in (await check_the_night(pool, night)).violations] == ["wallet-is-its-entries"]


async def test_two_active_instances_keep_one_proof(database: str) -> None:
    async with pool_of(database) as pool:
        night = await pool.fetchval("SELECT (photomat_now() AT TIME ZONE 'UTC')::date")
        await keep_proof(pool, night=night)
        await keep_proof(pool, night=night)
        assert len(await kept_proofs(pool)) == 1


@pytest.mark.breaks_invariants
async def test_a_red_night_is_kept_with_a_few_offenders_and_cannot_be_changed(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        await pool.execute("UPDATE wallets SET posted = 200")
        await prove_the_night(pool)
        (proof,) = await kept_proofs(pool)
        assert [found["name"] for found in proof.violations] == ["wallet-is-its-entries"]
        assert proof.violations[0]["count"] == 1
        with pytest.raises(asyncpg.RestrictViolationError):
            await pool.execute("UPDATE audit_runs SET violations = '[]'")


async def test_old_proofs_are_forgotten_and_sealed_days_are_not(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        await prove_the_night(pool)
        async with pool.acquire() as connection:
            await shift_clock(connection, 401 * DAY_S)
        await prove_the_night(pool)
        assert (await OLD_PROOFS.delete(pool, timedelta(days=400), 1000)).deleted == 1
        assert len(await kept_proofs(pool)) == 1
        assert await days(pool) == 1


async def test_a_day_is_sealed_when_it_is_over_and_each_holds_the_one_before(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            assert await seal_days(tx) == 0
        for number in range(3):
            await pass_a_day(pool)
            await pass_a_day(pool)
            async with transaction(pool) as tx:
                assert await seal_days(tx) == 1
                assert await seal_days(tx) == 0
            await credit(pool, f"stars:{number}")
        assert await days(pool) == 3
    async with connection_of(database) as connection:
        assert await names(connection) == set()
        change = "UPDATE sealed_days SET digest = sha256('') WHERE day = (SELECT min(day) FROM sealed_days)"
        await by_hand(connection, "sealed_days", change)
        (found,) = await violations(connection)
        assert (found.name, len(found.offenders)) == ("sealed-days-are-unchanged", 2)
        await by_hand(connection, "sealed_days", "DELETE FROM sealed_days")
        assert await seal_days(connection) == 3


async def test_a_forger_who_knows_the_seals_is_given_away_by_the_day(database: str) -> None:
    """A whole transaction with right fingerprints, booked into the past, changes a day that is sealed."""
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        await pass_a_day(pool)
        await pass_a_day(pool)
        async with transaction(pool) as tx:
            await seal_days(tx)
        await credit(pool, "stars:1")
    async with connection_of(database) as connection:
        move = "UPDATE ledger_transactions SET booked_at = booked_at - interval '2 days' WHERE reference = 'stars:1'"
        await by_hand(connection, "ledger_transactions", move)
        assert await names(connection) == {"sealed-days-are-unchanged"}
        await by_hand(connection, "ledger_transactions", move.replace("- interval", "+ interval"))


async def test_a_difference_is_open_once_keeps_its_owner_and_ends(database: str) -> None:
    seen: dict[str, Any] = {"kind": "stars", "reference": "stars:9", "expected": "100"}
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            assert await differences.report(tx, **seen, found="nothing") is True
        (one,) = await differences.list_differences(pool)
        async with transaction(pool) as tx:
            assert await differences.assign(tx, one.difference_id, owner="anna") is True
            assert await differences.report(tx, **seen, found="50") is False
            assert await differences.report(tx, **seen | {"kind": "kie"}, found="50") is True
        first, second = await differences.list_differences(pool)
        assert (first.owner, first.found, second.kind) == ("anna", "50", "kie")
        async with transaction(pool) as tx:
            assert await differences.resolve(tx, first.difference_id, resolution="booked by hand") is True
            assert await differences.resolve(tx, first.difference_id, resolution="again") is False
            assert await differences.assign(tx, first.difference_id, owner="boris") is False
            assert await differences.end_unseen(tx, kind="kie", still_there=["stars:9"]) == 0
            assert await differences.end_unseen(tx, kind="kie", still_there=[]) == 1
            assert await differences.report(tx, **seen, found="50") is True
        endings = [(one.kind, one.resolution) for one in await differences.list_differences(pool)]
    assert sorted(endings, key=str) == [("kie", "seen no more"), ("stars", "booked by hand"), ("stars", None)]
