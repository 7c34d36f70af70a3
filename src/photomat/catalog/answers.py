"""Whether an answer fits an input: the value as it is kept, or the key of a sentence with its facts. Pure.

Kept values are plain: a text, an option, digits, `true` or `false`; files as URLs or references, lists as objects with such
values. Files are checked by their content in `file_rules.py`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.formula import as_number, plain
from photomat.catalog.input import Input
from photomat.catalog.reference import reference

LINK: Final = re.compile(r"https?://[^\s/]+\.\S{2,2000}")
YES_NO: Final = frozenset({"true", "false"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An answer that does not fit: the key of what the customer reads, and its facts."""

    key: str
    facts: Mapping[str, object]


def check_answer(asked: Input, answer: Any) -> Any | Refused:
    """The value to keep, or why it does not fit. Files have their own check, by their facts."""
    match asked.type:
        case "choice":
            return _choice(asked, answer)
        case "number":
            return _number(asked, answer)
        case "switch":
            return plain(answer) if plain(answer) in YES_NO else Refused(key="form-expects-switch", facts={})
        case "link":
            return answer if LINK.fullmatch(str(answer)) else Refused(key="form-expects-link", facts={})
        case "files":
            return check_count(asked, [answer] if isinstance(answer, str | Mapping) else list(answer or ()))
        case "list":
            return _lines(asked, answer)
        case "file" | "task" | "track" if reference(answer):
            return answer
        case _:
            return _text(asked, answer)


def check_count(asked: Input, values: list[Any]) -> Any | Refused:
    """The values, or why they are too many or too few."""
    if len(values) > asked.items_limit:
        return Refused(key="form-too-many", facts={"limit": asked.items_limit, "count": len(values)})
    if len(values) < (asked.min_items or 1):
        return Refused(key="form-too-few", facts={"limit": asked.min_items or 1, "count": len(values)})
    return values


def check_length(asked: Input, lines: Sequence[Any]) -> Refused | None:
    """Why these lines of a list are too many characters, whatever fields they are in; None when they are not."""
    length = sum(_characters(line) for line in lines)
    return _too_long(asked.length_limit, length) if length > asked.length_limit else None


def _choice(asked: Input, answer: Any) -> Any | Refused:
    value = plain(answer).strip()
    return (
        value
        if value in asked.options
        else Refused(key="form-expects-choice", facts={"options": ", ".join(asked.options)})
    )


def _text(asked: Input, answer: Any) -> Any | Refused:
    text = answer.strip() if isinstance(answer, str) else ""
    if not text:
        return Refused(key="form-expects-text", facts={})
    if len(text) > asked.length_limit:
        return _too_long(asked.length_limit, len(text))
    if asked.min_length is not None and len(text) < asked.min_length:
        return Refused(key="form-too-short", facts={"limit": asked.min_length, "length": len(text)})
    if asked.pattern is not None and re.fullmatch(asked.pattern, text) is None:
        return Refused(key="form-pattern", facts={"input": asked.name, "like": asked.like or "", "text": text[:40]})
    return text


def _too_long(limit: int, length: int) -> Refused:
    return Refused(key="form-too-long", facts={"limit": limit, "length": length, "over": length - limit})


def _characters(line: Any) -> int:
    values = line.values() if isinstance(line, Mapping) else [line]
    return sum(len(value) for value in values if isinstance(value, str))


def _number(asked: Input, answer: Any) -> Any | Refused:
    number = as_number(answer.replace(",", ".") if isinstance(answer, str) else answer)
    bounds = {"least": _shown(asked.least), "most": _shown(asked.most)}
    if number is None:
        return Refused(key="form-expects-number", facts=bounds)
    is_low = asked.least is not None and number < asked.least
    if is_low or (asked.most is not None and number > asked.most):
        return Refused(key="form-number-bounds", facts=bounds)
    if asked.step is not None and (number - (asked.least or 0)) % asked.step:
        return Refused(key="form-number-step", facts={"step": plain(asked.step)})
    return plain(number)


def _lines(asked: Input, answer: Any) -> Any | Refused:
    """A typed text is one line of a list that says which of its fields is the main one."""
    lines = [{asked.main: answer}] if isinstance(answer, str) and asked.main else answer
    if not isinstance(lines, list):
        return Refused(key="form-expects-text", facts={})
    counted = check_count(asked, lines)
    if isinstance(counted, Refused):
        return counted
    kept = [_line(asked, line) for line in lines]
    wrong = next((line for line in kept if isinstance(line, Refused)), None)
    if wrong is not None:
        return wrong
    length = sum(len(line.get(asked.main, "")) for line in kept if isinstance(line, dict))
    if asked.total_length is not None and length > asked.total_length:
        return _too_long(asked.total_length, length)
    return check_length(asked, kept) or kept


def _line(asked: Input, line: Any) -> Any | Refused:
    if not asked.fields:
        return check_answer(Input(name=asked.name, type="number" if asked.sends else "text", required=True), line)
    if not isinstance(line, Mapping):
        return Refused(key="form-expects-text", facts={})
    kept: dict[str, Any] = {}
    for each in asked.fields:
        given = line.get(each.name, each.default)
        if given is None and each.required:
            return Refused(key="form-missing", facts={"input": each.name})
        value = None if given is None else given if each.type == "file" else check_answer(each, given)
        if isinstance(value, Refused):
            return value
        kept |= {} if value is None else {each.name: value}
    return kept


def _shown(bound: Decimal | None) -> str:
    return "∞" if bound is None else plain(bound)
