"""The values an input can be given with a button, and what an order could have in place of its own. Pure.

`option_rows` are the rows of a card: the inputs that customers vary most, each with the values that the rest of the order
allows and what the order then costs. An option never takes away what a customer gave, and never makes an order incomplete.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.formula import as_number, is_given, plain
from photomat.catalog.input import Input, Role
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, open_to_customers, settled
from photomat.catalog.roles import AUTO, common_value
from photomat.kernel.money import Money

MOST_QUICK: Final = 12
LARGEST_QUICK: Final = 10_000
MAX_ROWS: Final = 3
MIN_OPTIONS, MAX_OPTIONS, USUAL_COUNTS = 2, 5, 3
MAX_LISTED: Final = 16
"""An input with more options is a list of its own: a card shows only the chosen one."""

VARIED: Final[tuple[Role | None, ...]] = (
    "format",
    "resolution",
    "quality",
    "duration",
    "sound",
    "count",
    "voice",
    None,
)
VARIED_IN_VIDEO: Final[tuple[Role | None, ...]] = (
    "duration",
    "resolution",
    "quality",
    "format",
    "sound",
    "count",
    None,
)
"""What customers vary, most wanted first; None is a choice or a switch without a role."""
FROM_FILES: Final[tuple[Role, ...]] = ("source_image", "last_frame", "source_video")
"""A file of theirs decides the format, so that it is varied last."""
USUAL: Final[Mapping[Role, tuple[str | int, ...]]] = {
    "format": (AUTO, "1:1", "16:9", "9:16", "4:3", "3:4"),
    "count": (1, 2, 4),
    "duration": (10, 5, 15),
}
"""Where not all values fit, these are shown before others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A value and what the order costs with it. `number` is its place among the input's `values`; None for a typed one.

    Where not all options fit, those with the lowest `rank` are shown; the chosen one has the lowest.
    """

    number: int | None
    value: str
    is_chosen: bool
    rank: int
    price: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    """An input, by its place among the model's, with some of its values; `has_more` where it takes others too."""

    question: int
    input: Input
    options: tuple[Option, ...]
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order as it stands, and how it is priced with other inputs."""

    model: Model
    inputs: Mapping[str, Any]
    measured: Mapping[str, Decimal]
    price_of: Callable[[Mapping[str, Any]], Money]

    def chosen(self, asked: Input) -> str | None:
        value = self.model.sensible(self.inputs).get(asked.name)
        return plain(value) if is_given(value) else None


def values(asked: Input) -> tuple[str, ...]:
    """What can be answered with a button, in its order: options, yes and no, or numbers likely to be wanted."""
    match asked.type:
        case "choice":
            return asked.options
        case "switch":
            return ("true", "false")
        case "number":
            return _quick_numbers(asked)
        case _:
            return ()


def _quick_numbers(asked: Input) -> tuple[str, ...]:
    if asked.least is not None and asked.most is not None and asked.step:
        count = int((asked.most - asked.least) / asked.step) + 1
        if count <= MOST_QUICK:
            return tuple(plain(asked.least + asked.step * number) for number in range(count))
    bounds = [plain(bound) for bound in (asked.least, asked.default, asked.most) if bound is not None]
    quick = tuple(dict.fromkeys(each for each in bounds if abs(float(each)) <= LARGEST_QUICK))
    return (*quick, *_usual_numbers(asked, quick)) if len(quick) > 1 else ()


def _usual_numbers(asked: Input, known: Sequence[str]) -> list[str]:
    """Usual numbers within the bounds; they come last, so that buttons from before keep their numbers."""
    usual = [plain(each) for each in USUAL.get(asked.role, ())] if asked.role else []
    return [each for each in usual if each not in known and not isinstance(check_answer(asked, each), Refused)]


def option_rows(order: Order) -> tuple[OptionRow, ...]:
    """The rows of a card, most wanted first."""
    rows: list[OptionRow] = []
    known = check_order(order.model, order.inputs, order.measured)
    for asked in _varied(order.model, order.inputs):
        row = _row(order, asked, known)
        if row is not None:
            rows.append(row)
        if len(rows) == MAX_ROWS:
            break
    return tuple(rows)


def with_option(model: Model, inputs: Mapping[str, Any], asked: Input, number: int) -> dict[str, Any] | None:
    """The order with this option; tapped again, one that is not needed is taken out. None: there is no such option."""
    offered = values(asked)
    if number >= len(offered):
        return None
    is_optional = not asked.required and asked.default is None
    if is_optional and plain(inputs.get(asked.name)) == offered[number]:
        return settled(model, {name: value for name, value in inputs.items() if name != asked.name})
    return settled(model, {**inputs, asked.name: offered[number]})


def _varied(model: Model, inputs: Mapping[str, Any]) -> list[Input]:
    wanted = list(VARIED_IN_VIDEO if model.kind == "video" else VARIED)
    sources = (model.input_for(role) for role in FROM_FILES)
    if any(each is not None and is_given(inputs.get(each.name)) for each in sources):
        wanted.remove("format")
        wanted.append("format")
    shown = [each for each in open_to_customers(model, inputs) if each.place in {"ask", "card"} and _is_varied(each)]
    found = [each for each in shown if each.role in wanted]
    return sorted(found, key=lambda each: wanted.index(each.role))


def _is_varied(asked: Input) -> bool:
    by_buttons = asked.type in {"choice", "switch"} or (asked.type == "number" and asked.role is not None)
    return by_buttons and len(values(asked)) > 1


def _row(order: Order, asked: Input, known: Sequence[object]) -> OptionRow | None:
    """The row of an input; None where nothing could be chosen in it."""
    chosen, offered = order.chosen(asked), values(asked)
    if chosen is None and asked.type == "number":
        return None
    listed = _distinct(asked, offered, chosen) if len(offered) <= MAX_LISTED else [chosen or offered[0]]
    shown = [each for each in listed if each == chosen or _is_possible(order, asked, each, known)]
    if len(shown) < MIN_OPTIONS <= len(listed) or (len(listed) < MIN_OPTIONS and chosen is None):
        return None
    ranked = _ranked(asked, shown, chosen)[: USUAL_COUNTS if asked.role == "count" else MAX_OPTIONS]
    kept = [each for each in _in_order(asked, shown) if each in ranked]
    options = tuple(_option(order, asked, each, chosen, rank=ranked.index(each)) for each in kept)
    has_more = asked.role != "count" and (len(options) < len(offered) or asked.type == "number")
    return OptionRow(question=order.model.inputs.index(asked), input=asked, options=options, has_more=has_more)


def _distinct(asked: Input, offered: Sequence[str], chosen: str | None) -> list[str]:
    """The values, formats that look alike once and numbers in their order; a typed value is among them."""
    found: dict[object, str] = {}
    for value in offered:
        mark = common_value(asked, value) if asked.role == "format" else value
        if mark not in found or value == chosen:
            found[mark] = value
    typed = [chosen] if chosen is not None and chosen not in found.values() else []
    listed = [*typed, *found.values()]
    return sorted(listed, key=lambda each: as_number(each) or Decimal(0)) if asked.type == "number" else listed


def _in_order(asked: Input, shown: Sequence[str]) -> list[str]:
    """As they stand in a row, whichever is chosen: formats the most usual first, others as in the catalogue."""
    if asked.role != "format":
        return list(shown)
    usual = USUAL["format"]
    return sorted(
        shown, key=lambda each: usual.index(found) if (found := common_value(asked, each)) in usual else len(usual)
    )


def _ranked(asked: Input, shown: Sequence[str], chosen: str | None) -> list[str]:
    """The values by how likely they are wanted: the chosen one, the usual ones, then what follows the chosen one."""
    usual = USUAL.get(asked.role, ()) if asked.role else ()
    here = shown.index(chosen) if chosen in shown else 0

    def rank(value: str) -> tuple[bool, int, bool, int]:
        common, place = common_value(asked, value), shown.index(value)
        order = usual.index(common) if common in usual else len(usual)
        return value != chosen, order, place < here, abs(place - here)

    return sorted(shown, key=rank)


def _is_possible(order: Order, asked: Input, value: str, known: Sequence[object]) -> bool:
    """Whether the order stays complete with this value, and keeps whatever was given."""
    after = settled(order.model, {**order.inputs, asked.name: value})
    kept = all(name in after for name, given in order.inputs.items() if is_given(given))
    return kept and all(each in known for each in check_order(order.model, after, order.measured))


def _option(order: Order, asked: Input, value: str, chosen: str | None, *, rank: int) -> Option:
    offered = values(asked)
    inputs = order.inputs if value == chosen else settled(order.model, {**order.inputs, asked.name: value})
    return Option(
        number=offered.index(value) if value in offered else None,
        value=value,
        is_chosen=value == chosen,
        rank=rank,
        price=order.price_of(inputs),
    )
