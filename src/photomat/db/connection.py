"""A connection that knows when the server may still be inside a statement's implicit transaction.

asyncpg prepares a statement with Parse, Describe and Flush; the Sync that ends the implicit transaction travels with the
execution. If nothing is executed (a deadline fires together with the reply, an argument cannot be encoded, a statement is
only prepared), the server keeps the transaction, its locks and its running statement_timeout, while asyncpg considers the
connection idle. So a connection is marked from the first message of a statement until the statement has ended normally,
and a marked one is rolled back before its next statement, or when it returns to the pool. A statement that ends normally
costs no extra round trip.

What must happen only if a transaction is committed, such as counting, waits in `on_commit` and is dropped with a rollback,
that of a savepoint included.

Everything runs READ COMMITTED, whatever a role or database is set to: transactions say so when they begin. Where a session
cannot be set (behind a transaction pooler) and the server's default is another level, a single statement gets a transaction
of its own.
"""

import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import asyncpg
from asyncpg.transaction import Transaction, TransactionState

ROLLBACK_TIMEOUT_S: Final = 2.0
"""A healthy server needs a millisecond; a slower connection is not worth keeping."""

Isolation: TypeAlias = Literal["read_committed", "read_uncommitted", "repeatable_read", "serializable"]

UNUSABLE: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""What the loss of a connection can look like, one that ended while asyncpg was preparing a statement among it."""


if TYPE_CHECKING:
    from asyncio import BaseTransport

    class _Connection(asyncpg.Connection):
        """The private parts of asyncpg's connection that are used below; its stubs describe only the public ones."""

        _top_xact: Transaction | None
        _transport: BaseTransport

        def _check_open(self) -> None: ...
        async def _execute(self, *arguments: Any, **options: Any) -> Any: ...
        async def _executemany(self, *arguments: Any, **options: Any) -> Any: ...
        async def _get_statement(self, *arguments: Any, **options: Any) -> Any: ...
        async def _copy_out(self, *arguments: Any, **options: Any) -> str: ...
        async def _copy_in(self, *arguments: Any, **options: Any) -> str: ...
else:
    _Connection = asyncpg.Connection


if TYPE_CHECKING:

    class _Transaction(Transaction):
        """The private parts of asyncpg's transaction that are used below."""

        _connection: "SyncedConnection"
        _nested: bool
        _state: TransactionState
else:
    _Transaction = Transaction


class WatchedTransaction(_Transaction):
    """A transaction or savepoint that calls what waits in `on_commit` of its connection once it is committed."""

    __slots__ = ("_first",)

    async def start(self) -> None:
        """Begin; what waits from here on is this transaction's own."""
        await super().start()
        waiting = self._connection.on_commit
        if not self._nested:
            waiting.clear()
        self._first = len(waiting)

    async def __aexit__(self, extype: object, ex: object, tb: object) -> None:
        try:
            await super().__aexit__(extype, ex, tb)
        finally:
            self._end()

    async def commit(self) -> None:
        try:
            await super().commit()
        finally:
            self._end()

    async def rollback(self) -> None:
        try:
            await super().rollback()
        finally:
            self._end()

    def _end(self) -> None:
        waiting = self._connection.on_commit
        if self._state is not TransactionState.COMMITTED:
            del waiting[self._first :]
        elif not self._nested:
            ready, waiting[:] = waiting[:], []
            for call in ready:
                call()


class SyncedConnection(_Connection):
    """A connection whose interrupted statements are rolled back before anything else runs on it."""

    __slots__ = ("_begins_for_each", "_unsynced", "on_commit")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unsynced = False
        self._begins_for_each = False
        self.on_commit: list[Callable[[], object]] = []

    @property
    def own_end(self) -> socket.socket | None:
        """Our end of the connection, for options of the operating system."""
        end: socket.socket | None = self._transport.get_extra_info("socket")
        return end

    def transaction(
        self, *, isolation: Isolation | None = None, readonly: bool = False, deferrable: bool = False
    ) -> Transaction:
        """A transaction, READ COMMITTED by default; inside another one a savepoint."""
        if isolation is None and self._top_xact is None:
            isolation = "read_committed"
        self._check_open()
        return WatchedTransaction(self, isolation, readonly, deferrable)

    async def pin_isolation(self) -> None:
        """Keep single statements READ COMMITTED on a session whose default cannot be set."""
        default = await self.fetchval("SELECT current_setting('default_transaction_isolation')")
        self._begins_for_each = default != "read committed"

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ASYNC109  asyncpg's
        """Run one command, or several when there are no arguments."""
        if not args:
            if self._unsynced:
                await self._roll_back_unsynced()
            if self._needs_begin():
                async with self.transaction():
                    return await self.execute(query, timeout=timeout)
            self._unsynced = True
        status = await super().execute(query, *args, timeout=timeout)
        self._unsynced = False
        return status

    def is_clean(self) -> bool:
        """Whether it can be used by others at once: open, with no transaction and no interrupted statement."""
        return not (self._unsynced or self._top_xact is not None or self.is_closed() or self.is_in_transaction())

    def get_reset_query(self) -> str:
        """None: a connection of a pool carries no session state."""
        return ""

    async def reset(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109  asyncpg's
        """End an open transaction and an interrupted statement, before the connection is another task's."""
        if not self.is_clean():
            await super().reset(timeout=timeout)
            await self.end_interrupted()

    async def end_interrupted(self) -> None:
        """Roll back what an interrupted statement left; a connection that cannot do it in time is terminated."""
        try:
            await self._roll_back_unsynced()
        except UNUSABLE:
            self.terminate()

    async def _roll_back_unsynced(self) -> None:
        """Leave the implicit transaction, if there may be one. An explicit one is its owner's to end."""
        if self._unsynced and not self.is_in_transaction():
            await super().execute("ROLLBACK", timeout=ROLLBACK_TIMEOUT_S)
            self._unsynced = False

    def _needs_begin(self) -> bool:
        return self._begins_for_each and self._top_xact is None and not self.is_in_transaction()

    async def _execute(self, *arguments: Any, **options: Any) -> Any:
        if self._unsynced:
            await self._roll_back_unsynced()
        if self._needs_begin():
            async with self.transaction():
                return await self._execute(*arguments, **options)
        result = await super()._execute(*arguments, **options)
        self._unsynced = False
        return result

    async def _executemany(self, *arguments: Any, **options: Any) -> Any:
        if self._unsynced:
            await self._roll_back_unsynced()
        if self._needs_begin():
            async with self.transaction():
                return await self._executemany(*arguments, **options)
        result = await super()._executemany(*arguments, **options)
        self._unsynced = False
        return result

    async def _get_statement(self, *arguments: Any, **options: Any) -> Any:
        """Every way to prepare a statement comes through here, those of asyncpg's cursors and COPY too."""
        self._unsynced = True
        return await super()._get_statement(*arguments, **options)

    async def copy_records_to_table(self, *arguments: Any, **options: Any) -> str:
        """Copy records to a table; see `_copy`."""
        return await self._copy(super().copy_records_to_table(*arguments, **options))

    async def _copy_out(self, *arguments: Any, **options: Any) -> str:
        return await self._copy(super()._copy_out(*arguments, **options))

    async def _copy_in(self, *arguments: Any, **options: Any) -> str:
        return await self._copy(super()._copy_in(*arguments, **options))

    async def _copy(self, copying: Awaitable[str]) -> str:
        """Terminate the connection if a COPY is interrupted: its stream can be neither resumed nor skipped."""
        try:
            status = await copying
        except BaseException:
            self.terminate()
            raise
        self._unsynced = False
        return status
