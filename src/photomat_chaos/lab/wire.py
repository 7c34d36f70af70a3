"""As much of PostgreSQL's wire protocol as it takes to know which message ends a transaction.

A session starts with messages that have no type; after that every message is a type, a length and a body. asyncpg ends its
transactions with the simple query `COMMIT;`; a prepared COMMIT is known as well.
"""

import asyncio
import struct
from dataclasses import dataclass, field
from typing import Final

LENGTH: Final = struct.Struct("!I")
STARTUP: Final = struct.Struct("!II")
SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
NO_ENCRYPTION: Final = b"N"
QUERY, PARSE, BIND, EXECUTE, SYNC = b"Q", b"P", b"B", b"E", b"S"
READY_FOR_QUERY: Final = b"Z"
ASKS_FOR_AN_ANSWER: Final = frozenset({QUERY, SYNC})
LARGEST_STARTUP_BYTES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Message:
    """One message of either side."""

    kind: bytes
    body: bytes

    @property
    def as_bytes(self) -> bytes:
        """As it travels."""
        return self.kind + LENGTH.pack(len(self.body) + LENGTH.size) + self.body


async def read_message(reader: asyncio.StreamReader) -> Message:
    """The next message; IncompleteReadError when the other side has ended."""
    head = await reader.readexactly(1 + LENGTH.size)
    (size,) = LENGTH.unpack(head[1:])
    return Message(head[:1], await reader.readexactly(size - LENGTH.size))


async def read_startup(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The first message of a session: what it asks for, and all its bytes."""
    head = await reader.readexactly(STARTUP.size)
    size, code = STARTUP.unpack(head)
    if not STARTUP.size <= size <= LARGEST_STARTUP_BYTES:
        raise ValueError(f"a session does not start with {size} bytes")
    return code, head + await reader.readexactly(size - STARTUP.size)


@dataclass(slots=True)
class CommitSpotter:
    """Knows a COMMIT in what a client sends, said plainly or prepared before."""

    _prepared: set[bytes] = field(default_factory=set)
    _bound: bool = False

    def commits(self, message: Message) -> bool:
        """Whether this message makes the server commit."""
        match message.kind:
            case b"Q":
                return _is_commit(message.body)
            case b"P":
                name, _, query = message.body.partition(b"\0")
                (self._prepared.add if _is_commit(query) else self._prepared.discard)(name)
            case b"B":
                self._bound = message.body.split(b"\0", 2)[1] in self._prepared
            case b"E":
                return self._bound
        return False


def _is_commit(query: bytes) -> bool:
    return query[:20].strip(b"\0; \n").upper() in {b"COMMIT", b"END"}
