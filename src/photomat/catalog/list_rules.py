"""What the lines of an order's lists must be together: their sums, and the lines that others speak of. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.filling import spoken_of, sum_for, total_of, values_of_field
from photomat.catalog.formula import as_number, is_given, plain
from photomat.catalog.input import Input


def check_lists(asked: Sequence[Input], filled: Mapping[str, Any]) -> list[Refused]:
    """Everything that stands against the lists of an order."""
    listed = [each for each in asked if is_given(filled.get(each.name)) and each.condition.holds(filled)]
    return [*_sums(asked, filled), *_totals(listed, filled), *_spoken_of(asked, listed, filled)]


def _sums(asked: Sequence[Input], filled: Mapping[str, Any]) -> Iterator[Refused]:
    """A sum is bound like the input that it is."""
    for each in asked:
        total = sum_for(asked, each, filled)
        if total is not None and isinstance(check_answer(each, plain(total)), Refused):
            least, most = _bounds(each)
            name = (each.sums or "").partition(".")[0]
            facts = {"input": name, "total": plain(total), "least": least, "most": most}
            yield Refused(key="form-lines-sum", facts=facts)


def _bounds(each: Input) -> tuple[str, str]:
    numbers = sorted(number for option in each.options if (number := as_number(option)) is not None)
    bounds = (numbers[0], numbers[-1]) if numbers else (each.least, each.most)
    least, most = ("∞" if bound is None else plain(bound) for bound in bounds)
    return least, most


def _totals(listed: Sequence[Input], filled: Mapping[str, Any]) -> Iterator[Refused]:
    for each in listed:
        for field, limit in each.totals:
            total = total_of(each, field, filled[each.name])
            if total != limit:
                yield Refused(
                    key="form-lines-total", facts={"input": field, "limit": plain(limit), "total": plain(total)}
                )


def _spoken_of(asked: Sequence[Input], listed: Sequence[Input], filled: Mapping[str, Any]) -> Iterator[Refused]:
    """Whatever is spoken of has a line, and one only."""
    for each in listed:
        for field in each.fields:
            wanted = spoken_of(asked, f"{each.name}.{field.name}", filled)
            known = values_of_field(each, field.name, filled[each.name])
            lacking = next((value for value in wanted if value not in known), None)
            if lacking is not None:
                yield Refused(
                    key="form-lines-lack", facts={"input": each.name, "value": field.labels.get(lacking, lacking)}
                )
            twice = next((value for value in known if wanted and known.count(value) > 1), None)
            if twice is not None:
                yield Refused(
                    key="form-lines-twice", facts={"input": each.name, "value": field.labels.get(twice, twice)}
                )
