"""Answers a customer might give: one that fits, for any input of the catalogue, and ones that do not."""

from typing import Any

from photomat.catalog.formula import plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model


def fitting(asked: Input, model: Model | None = None) -> Any:
    """A value that fits an input: the model's own example where it has one, else the least there can be."""
    if model is not None and asked.name in model.example:
        return model.example[asked.name]
    if asked.type == "list":
        return adding_up(asked, [_line(asked) for _ in range(asked.min_items or 1)])
    if asked.type == "choice":
        return asked.options[-1]
    plain_values: dict[str, Any] = {
        "text": asked.like or "x" * (asked.min_length or 1),
        "number": plain(asked.least if asked.least is not None else 1),
        "switch": "true",
        "link": "https://example.com/page",
        "file": {"file": 1},
        "files": [{"file": number} for number in range(1, (asked.min_items or 1) + 1)],
        "task": {"job": 1},
        "track": {"job": 1, "output": 0},
    }
    return plain_values[asked.type]


def adding_up(asked: Input, lines: list[Any]) -> list[Any]:
    """These lines with shares that make up the whole: the first has what is left over."""
    for field, whole in asked.totals:
        share = int(whole) // len(lines)
        shares = [int(whole) - share * (len(lines) - 1), *[share] * (len(lines) - 1)]
        lines = [{**line, field: f"{number}%"} for line, number in zip(lines, shares, strict=True)]
    return lines


def too_much(asked: Input) -> list[str]:
    """What somebody may type that breaks a limit of the input, one answer for each limit it has."""
    match asked.type:
        case "text":
            least = asked.min_length or 0
            long = ["я" * (asked.max_length + 1)] if asked.max_length else []
            return [*long, *(["я" * (least - 1)] if least > 1 else []), "  "]
        case "choice":
            return ["нет такого варианта"]
        case "number":
            high = [plain(asked.most + 1)] if asked.most is not None else []
            low = [plain(asked.least - 1)] if asked.least is not None else []
            between = [plain((asked.least or 0) + asked.step / 2)] if asked.step and asked.most != asked.least else []
            return [*high, *low, *between, "много"]
        case "switch":
            return ["может быть"]
        case "link":
            return ["не ссылка"]
        case _:
            return []


def _line(asked: Input) -> Any:
    if not asked.fields:
        return "1"
    return {each.name: fitting(each) for each in asked.fields if each.required and each.default is None}
