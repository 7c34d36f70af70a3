"""Rows of asyncpg. Each slice turns its rows into types in one place."""

from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

import asyncpg

from photomat.db.pool import Pool, Transaction
from photomat.kernel.errors import Corrupt

Row: TypeAlias = asyncpg.Record


class Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Value = TypeVar("Value", bound=Dataclass)


def row_as(kind: type[Value], row: Row, **others: object) -> Value:
    """A row as a dataclass: each field is the column of its name, except the `others`."""
    columns = {name: row[name] for name in kind.__dataclass_fields__ if name not in others}
    return kind(**columns, **others)


async def require_row(session: Pool | Transaction, query: str, *args: object) -> Row:
    """The first row of a statement that always finds one; `Corrupt` shows the statement if there is none.

    Takes a pool or a transaction because it only stands in for their common `fetchrow`.
    """
    row = await session.fetchrow(query, *args)
    if row is None:
        raise Corrupt(f"no row from: {' '.join(query.split())}")
    return row
