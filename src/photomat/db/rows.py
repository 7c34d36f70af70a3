"""Rows of asyncpg. Each slice turns its rows into types in one place."""

from typing import TypeAlias

import asyncpg

from photomat.db.pool import Pool, Transaction
from photomat.kernel.errors import Corrupt

Row: TypeAlias = asyncpg.Record


async def require_row(session: Pool | Transaction, query: str, *args: object) -> Row:
    """The first row of a statement that always finds one; `Corrupt` shows the statement if there is none.

    Takes a pool or a transaction because it only stands in for their common `fetchrow`.
    """
    row = await session.fetchrow(query, *args)
    if row is None:
        raise Corrupt(f"no row from: {' '.join(query.split())}")
    return row
