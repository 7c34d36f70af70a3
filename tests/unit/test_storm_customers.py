"""How a customer of the lab reads a sum of money."""

import pytest

from photomat.kernel.money import Money
from photomat_chaos.lab.customers import minor_in


@pytest.mark.parametrize("minor", [0, 5, 64, 100, 99_936, 1_000_000, 123_456_789])
@pytest.mark.parametrize("version", ["ru", "before"])
def test_a_sum_is_read_as_it_was_written(minor: int, version: str) -> None:
    available, held = (Money(each, "RUB").written(version) for each in (minor, 64))
    assert minor_in(f"💰 Доступно: {available}\nВ работе: {held}") == minor


def test_where_there_is_no_sum_there_is_none() -> None:
    assert minor_in("💰 Доступно: много") is None
