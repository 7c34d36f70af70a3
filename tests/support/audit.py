"""The audit as an assertion: all invariants in one question, asked after every test and after every step of a model.

The question only says which are broken; the real audit then says by what.
"""

from typing import Final

from photomat.audit.run import INVARIANTS, Violation, violations
from photomat.db.pool import Connection

BROKEN: Final = " UNION ALL ".join(
    f"SELECT '{each.name}' AS name FROM ({each.sql}) AS offenders HAVING count(*) > 0"  # noqa: S608  our own constants
    for each in INVARIANTS
)

ONE_PLAN: Final = "SET plan_cache_mode = force_generic_plan"
"""For a session that asks often: to plan the question costs more than to answer it for a few rows."""


async def broken(connection: Connection) -> set[str]:
    """The names of the invariants that do not hold."""
    return {row["name"] for row in await connection.fetch(BROKEN)}


async def wrongs(connection: Connection) -> list[Violation]:
    """What is wrong; an empty list is the good answer."""
    if not await broken(connection):
        return []
    found = await violations(connection)
    assert found, "the short audit complained of what the long one does not see"
    return found
