"""Runs the audit: every invariant against one snapshot, reading only, so it may run beside live traffic at any time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from photomat.audit.invariants import INVARIANTS, Invariant
from photomat.db.pool import Connection

MOST_OFFENDERS: Final = 100
TIMEOUT_S: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An invariant that does not hold, with the rows that break it, the first hundred of them."""

    name: str
    sentence: str
    offenders: tuple[str, ...]


async def violations(connection: Connection, invariants: Sequence[Invariant] = INVARIANTS) -> list[Violation]:
    """What is wrong, worst first; an empty list is the good answer. The connection must not be in a transaction."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute(f"SET LOCAL statement_timeout = '{TIMEOUT_S}s'")
        return [
            Violation(name=invariant.name, sentence=invariant.sentence, offenders=offenders)
            for invariant in invariants
            if (offenders := await _offenders(connection, invariant))
        ]


async def _offenders(connection: Connection, invariant: Invariant) -> tuple[str, ...]:
    query = f"SELECT * FROM ({invariant.sql}) AS offenders LIMIT {MOST_OFFENDERS}"  # noqa: S608  our own constants
    rows = await connection.fetch(query, timeout=TIMEOUT_S)
    return tuple(" ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
