"""Ports that follow each other, for a program that counts on from its own."""

from photomat.checks.smoke_environment import reserve_port


def free_ports_in_a_row(count: int) -> int:
    """The first of so many free ports that follow each other."""
    for _ in range(100):
        first = reserve_port()
        try:
            for step in range(1, count):
                reserve_port(first + step)
        except (OSError, OverflowError):
            continue
        return first
    raise AssertionError(f"no {count} free ports in a row")
