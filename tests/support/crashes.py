"""Sessions that die between two statements of a verb: what was done of it must leave nothing."""

import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

import asyncpg
from hypothesis import strategies as st

from photomat.db.pool import Connection, Transaction, connect
from photomat.kernel.errors import Corrupt, NotEnough, Rejected
from support.wallet_model import NO, REFUSED, TOO_POOR

Verb: TypeAlias = Callable[[Transaction], Coroutine[Any, Any, object]]
Cut: TypeAlias = int
cuts: Final = st.sampled_from([None, None, None, 1, 2, 3, 5, 8, 12])
"""After how many statements an action is cut off before it is done."""


class CutOffError(Exception):
    """The process died here."""


def fragile(connection: Connection, statements: int) -> Any:
    """The session, breaking before its nth statement."""
    return _Fragile(connection, statements)


class _Fragile:
    def __init__(self, connection: Connection, statements: int) -> None:
        self._connection = connection
        self._left = statements

    def __getattr__(self, name: str) -> Any:
        if name in {"fetch", "fetchrow", "fetchval", "execute"}:
            self._left -= 1
            if self._left < 0:
                raise CutOffError
        return getattr(self._connection, name)


async def answer_of(connection: Connection, verb: Verb) -> object:
    """What a verb says in a transaction of its own, in the model's words."""
    try:
        async with connection.transaction():
            return await verb(connection)
    except NotEnough:
        return TOO_POOR
    except Rejected:
        return NO
    except Corrupt:
        return REFUSED


async def cut_off(dsn: str, verb: Verb, statements: Cut) -> None:
    """Do so many statements of it in a session of its own, and let that die."""
    session = await connect(dsn, name="photomat test, cut off")
    try:
        begun = session.transaction()
        await begun.start()
        with contextlib.suppress(CutOffError, Corrupt, Rejected, asyncpg.PostgresError):
            await verb(fragile(session, statements))
        await begun.rollback()
    finally:
        session.terminate()
