"""DATABASE_URL with several servers, of which one is the primary.

    postgresql://shop:secret@db1:5432,db2:5432/shop

Each new connection goes to the server that accepts writes; the one that did last is asked first, so after a promotion every
loop finds the new primary without a restart. Each server gets an equal part of the time for connecting: one that is off
and does not answer cannot use up the time of the next, as it would in asyncpg, which has one limit for all.

A server that vanished without closing its connections is noticed by the operating system: what it does not acknowledge within
`UNACKNOWLEDGED_MS`, or keepalives without an answer, end the connection, long before the time limit of a statement.
"""

import socket
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg

from photomat.db.connection import SyncedConnection

READ_WRITE: Final = "read-write"
UNACKNOWLEDGED_MS: Final = 10_000
KEEPALIVE: Final = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": UNACKNOWLEDGED_MS}
"""Options of our end of a TCP connection, where the operating system has them; the server's are in `db/pool.py`."""

_primaries: dict[str, str] = {}
"""By DATABASE_URL, the URL of the server that was the primary last."""


class NoPrimary(ConnectionError):
    """None of the servers accepts writes now: those that answer are replicas."""


def each_server(dsn: str) -> tuple[str, ...]:
    """One URL for each server the URL names."""
    parts = urlsplit(dsn)
    who, at, place = parts.netloc.rpartition("@")
    if place:
        return tuple(urlunsplit(parts._replace(netloc=f"{who}{at}{host}")) for host in place.split(","))
    options = dict(parse_qsl(parts.query))
    hosts, ports = options.get("host", "").split(","), options.get("port", "").split(",")
    if len(hosts) == 1:
        return (dsn,)
    if len(ports) == 1:
        ports *= len(hosts)
    return tuple(
        urlunsplit(parts._replace(query=urlencode(options | {"host": host, "port": port})))
        for host, port in zip(hosts, ports, strict=True)
    )


async def connect_primary(dsn: str, *, timeout: float, **arguments: Any) -> SyncedConnection:  # noqa: ASYNC109  asyncpg's
    """Connect to the only server of the URL, or to the one of several that accepts writes."""
    servers = each_server(dsn)
    if len(servers) == 1:
        return _kept_alive(await asyncpg.connect(dsn, timeout=timeout, **arguments))
    failures: list[Exception] = []
    for server in _in_order(dsn, servers):
        try:
            connection = await _connect_if_primary(server, timeout=timeout / len(servers), **arguments)
        except (OSError, asyncpg.CannotConnectNowError, asyncpg.ConnectionDoesNotExistError) as failure:
            failures.append(failure)
            continue
        _primaries[dsn] = server
        return _kept_alive(connection)
    raise next((failure for failure in failures if isinstance(failure, NoPrimary)), failures[0])


def _in_order(dsn: str, servers: tuple[str, ...]) -> list[str]:
    known = _primaries.get(dsn)
    return sorted(servers, key=lambda server: server != known)


async def _connect_if_primary(server: str, **arguments: Any) -> SyncedConnection:
    """`target_session_attrs` of the URL is honoured; without it the server must accept writes."""
    parts = urlsplit(server)
    query = urlencode({"target_session_attrs": READ_WRITE} | dict(parse_qsl(parts.query)))
    try:
        connection: SyncedConnection = await asyncpg.connect(urlunsplit(parts._replace(query=query)), **arguments)
    except asyncpg.TargetServerAttributeNotMatched:
        raise NoPrimary("the server is a replica, or accepts no writes") from None
    return connection


def _kept_alive(connection: SyncedConnection) -> SyncedConnection:
    end = connection.own_end
    if end is not None and end.family in {socket.AF_INET, socket.AF_INET6}:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in KEEPALIVE.items():
            if hasattr(socket, name):
                end.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return connection
