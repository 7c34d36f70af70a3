"""Ports nobody uses right now."""

import socket
from contextlib import ExitStack


def free_ports_in_a_row(count: int) -> int:
    """The first of so many free ports that follow each other."""
    for _ in range(100):
        with ExitStack() as stack:
            first = _bind(stack, 0)
            if first is not None and all(_bind(stack, first + step) is not None for step in range(1, count)):
                return first
    raise AssertionError(f"no {count} free ports in a row")


def _bind(stack: ExitStack, port: int) -> int | None:
    probe = stack.enter_context(socket.socket())
    try:
        probe.bind(("127.0.0.1", port))
    except (OSError, OverflowError):
        return None
    return int(probe.getsockname()[1])
