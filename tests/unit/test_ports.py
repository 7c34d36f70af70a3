"""A reserved port is given to nobody who asks for any, and can still be opened by name."""

import socket

import pytest

from photomat.checks.smoke_environment import LOOPBACK, reserve_port
from support.ports import free_ports_in_a_row

RESERVED, ASKED = 2_000, 300
"""So many that ports which are merely free would meet one of the others."""


def test_nobody_who_asks_for_any_port_is_given_a_reserved_one() -> None:
    reserved = {reserve_port() for _ in range(RESERVED)}
    given = set()
    for _ in range(ASKED):
        with socket.create_server((LOOPBACK, 0)) as server, socket.create_connection(server.getsockname()) as client:
            given |= {server.getsockname()[1], client.getsockname()[1]}
    assert not given & reserved


def test_a_server_opens_the_port_it_reserved() -> None:
    port = reserve_port()
    with socket.create_server((LOOPBACK, port)) as server:
        assert server.getsockname()[1] == port


def test_a_port_in_use_cannot_be_reserved() -> None:
    with socket.create_server((LOOPBACK, 0)) as server, pytest.raises(OSError, match="in use"):
        reserve_port(server.getsockname()[1])


def test_ports_in_a_row_can_all_be_opened() -> None:
    first = free_ports_in_a_row(3)
    servers = [socket.create_server((LOOPBACK, first + step)) for step in range(3)]
    for server in servers:
        server.close()
