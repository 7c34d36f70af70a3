"""Is it the database that is away, or is it the statement's own fault? Whoever counts failures wants to know."""

from typing import Final

import asyncpg

from photomat.kernel.errors import PhotomatError

AWAY: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    OSError,
)
"""Connections lost or refused, a server that shuts down or starts, too many clients."""

UNMIGRATED: Final = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)
"""The database is there, our tables are not, or not all of them."""


def database_is_away(trouble: BaseException) -> bool:
    """Whether the same statement may well succeed when the database is back."""
    if isinstance(trouble, asyncpg.InterfaceError):
        return not isinstance(trouble, ValueError)  # a value that cannot be sent will not be sendable later
    return isinstance(trouble, AWAY)


def fails_every_time(trouble: BaseException) -> bool:
    """Whether the database has refused the values themselves: repeating the statement cannot help."""
    if isinstance(trouble, asyncpg.InterfaceError):
        return isinstance(trouble, ValueError)
    return isinstance(trouble, asyncpg.IntegrityConstraintViolationError | asyncpg.DataError | PhotomatError)
