"""The audit of a night reads a long history in short snapshots, finds what the audit at once finds, and its totals add up."""

import asyncio
import os
from collections.abc import Mapping
from datetime import date
from typing import Final

import pytest
from asyncpg.connection import LoggedQuery

from photomat.audit.cuts import FIRST, NEXT, WHOLE, parts
from photomat.audit.proofs import kept_proofs, prove_the_night, seal_days
from photomat.audit.run import examine, totals, violations
from photomat.audit.slices import check_slice, check_the_night
from photomat.db.pool import transaction
from photomat.wallet import ledger
from support.books import ANNA, NARROW, honest_books
from support.database import SharedPostgres, connection_of, create_database, drop_database, pool_of
from support.jobs import a_done_job, a_user
from support.long_history import fill
from support.money import rub
from support.plans import judge, recorded

NIGHT: Final = date(2026, 11, 20)
WIDTH: Final = 20
ROWS_A_KEY: Final = 50
"""What a statement looks at for each key of its range: the rows of both sides, and what was given back of them."""
JOBS: Final = int(os.environ.get("HISTORY_JOBS", "1000000"))
MOST_OF_WHOLE: Final = 0.5
"""A slice is as large on any history; on a million jobs reading everything takes five times as long."""


async def test_a_slice_reads_its_range_and_what_belongs_to_it_by_index(database: str) -> None:
    widths = dict.fromkeys(NEXT, WIDTH) | {"days": 1}
    async with connection_of(database) as connection, pool_of(database) as pool:
        await fill(connection, jobs=14_000)
        await seal_days(connection)
        async with recorded(pool) as recording, pool.acquire() as held:
            for part, next_key in NEXT.items():
                middle = await held.fetchval(next_key, FIRST, 150 if part == "days" else 1_000)
                assert (await check_slice(held, part, starts=middle, widths=widths)).ends is not None, part
        judged = [one for one in await judge(connection, recording) if one.sql.startswith("WITH offenders")]
    assert len(judged) > 60, "not every invariant is cut"
    too_much = [one for one in judged if one.whole_tables or one.rows > WIDTH * ROWS_A_KEY]
    assert not too_much, "\n\n".join(f"{one.rows} rows, whole {one.whole_tables}: {one.sql}" for one in too_much)


def test_only_what_never_grows_is_checked_as_a_whole() -> None:
    whole = [part.removeprefix(f"{WHOLE}: ") for part in parts() if part not in NEXT]
    assert whole == ["protections-stand", "keys-stand", "no-difference-is-left-alone", "lane-counts-what-waits"]
    assert parts()[-len(whole) :] == [f"{WHOLE}: {name}" for name in whole], (
        "a slow one would keep the slices from running"
    )


async def test_the_totals_of_a_night_are_those_of_the_books(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await honest_books(tx)
        night = await check_the_night(pool, NIGHT, widths=NARROW)
        async with pool.acquire() as connection:
            assert night.figures == await totals(connection)


async def test_money_that_moves_while_the_night_is_checked_leaves_totals_that_add_up(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await honest_books(tx)
        await check_the_night(pool, NIGHT, widths=NARROW)
        for part in ("transactions", "users", "jobs"):
            await pool.execute("DELETE FROM audit_slices WHERE part = $1", part)
            async with transaction(pool) as tx:
                await ledger.credit(tx, user_id=ANNA, amount=rub(5), reference=f"moved:{part}", reason="operator")
            night = await check_the_night(pool, NIGHT, widths=NARROW)
            assert night.violations == []
            assert _sum_of_the_books(night.figures) == 0


def _sum_of_the_books(figures: Mapping[str, int]) -> int:
    shop = sum(
        figure
        for name, figure in figures.items()
        if name.endswith(": RUB") and name not in {"wallets: RUB", "owed: RUB", "held: RUB"}
    )
    return figures["wallets: RUB"] - figures["owed: RUB"] + shop


async def test_two_active_instances_count_nothing_twice(database: str) -> None:
    """Their slices have other ends, as where rows came meanwhile: who finds one stored goes on from its end."""
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await honest_books(tx)
        nights = await asyncio.gather(
            *(check_the_night(pool, NIGHT, widths=dict.fromkeys(NARROW, width)) for width in (2, 3, 5))
        )
        async with pool.acquire() as connection:
            assert [night.figures for night in nights] == [await totals(connection)] * 3


@pytest.mark.breaks_invariants
async def test_an_invariant_that_cannot_be_checked_is_named_in_the_proof_with_all_that_the_others_found(
    database: str,
) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await pool.execute(
            'UPDATE generation_jobs SET quote = \'{"usd_rate": "much"}\', credits_consumed = 1 WHERE job_id = $1',
            job_id,
        )
        await pool.execute("UPDATE wallets SET posted = posted + 100")
        assert await prove_the_night(pool)
        (proof,) = await kept_proofs(pool)
        async with pool.acquire() as connection:
            at_once = {one.name for one in await violations(connection)}
    found = {str(one["name"]): one["offenders"] for one in proof.violations}
    assert found.keys() == at_once
    assert "wallet-is-its-entries" in found
    assert found["cost-is-what-kie-took"] == ['could not be checked: invalid input syntax for type numeric: "much"']


@pytest.mark.prove
async def test_no_snapshot_of_a_night_is_as_long_as_those_of_the_audit_at_once(
    postgres: SharedPostgres, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures of docs/operations/history.md, printed."""
    dsn = await create_database(postgres.dsn, template=postgres.template)
    snapshots: list[tuple[float, str]] = []

    def note(query: LoggedQuery) -> None:
        snapshots.append((query.elapsed, " ".join(query.query.split())[-200:]))

    async with connection_of(dsn) as connection:
        await fill(connection, jobs=JOBS, live=0, undeliverable=JOBS // 10)
        await seal_days(connection)
    async with pool_of(dsn, size=1) as pool:
        async with pool.acquire() as connection:
            connection.add_query_logger(note)
        night = await check_the_night(pool, NIGHT)
        longest, sql = max(snapshots)
        snapshots.clear()
        async with pool.acquire() as connection:
            at_once = await examine(connection)
    await drop_database(postgres.dsn, dsn)
    whole = max(snapshots)[0]
    with capsys.disabled():
        print(f"{JOBS} jobs: the night {night.seconds:.0f} s, longest snapshot {longest:.2f} s: {sql}")  # noqa: T201
        print(f"at once {at_once.seconds:.0f} s, longest snapshot {whole:.2f} s")  # noqa: T201
    assert (night.violations, at_once.violations) == ([], [])
    assert night.figures == at_once.figures
    assert longest < whole * MOST_OF_WHOLE
