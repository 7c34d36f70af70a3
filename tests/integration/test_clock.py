"""Only database time decides, and a test can let it pass."""

import asyncio

from photomat.db.pool import transaction
from photomat.kernel.clock import sleep_until_set
from support.database import connection_of, pool_of, shift_clock


async def test_a_shift_lets_time_pass_for_every_session(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        before = await other.fetchval("SELECT photomat_now()")
        await shift_clock(pool, 3600)
        await shift_clock(pool, 3600)
        passed = await other.fetchval("SELECT photomat_now()") - before
        assert 7200 <= passed.total_seconds() < 7260


async def test_the_clock_does_not_stand_still_in_a_transaction(database: str) -> None:
    """Work that waited for a lock must not see the past."""
    async with pool_of(database) as pool, transaction(pool) as tx:
        first = await tx.fetchval("SELECT photomat_now()")
        assert await tx.fetchval("SELECT photomat_now()") > first


async def test_in_production_nothing_is_shifted(database: str) -> None:
    async with pool_of(database) as pool:
        assert await pool.fetchval("SELECT abs(extract(epoch FROM photomat_now() - clock_timestamp())) < 1")


async def test_a_wait_ends_with_its_event_or_in_time() -> None:
    event = asyncio.Event()
    assert not await sleep_until_set(event, 0)
    event.set()
    assert await sleep_until_set(event, 60)
