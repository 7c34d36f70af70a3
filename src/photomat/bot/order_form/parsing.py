"""Typed text as an answer: labels for values, yes and no, numbers with their unit, lines of a list. Pure.

Forgiving where the meaning is clear, exact where it is not: `catalog/answers.py` refuses, with the limit in the sentence.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.formula import plain
from photomat.catalog.input import Input
from photomat.catalog.words import LANGUAGES

YES: Final = frozenset({"да", "yes", "true", "on", "вкл", "включить", "y", "+", "1"})
NO: Final = frozenset({"нет", "no", "false", "off", "выкл", "выключить", "n", "-", "0"})
NUMBER: Final = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(?:[a-zа-яё%°]{1,10}\.?)?", re.IGNORECASE)
"""A number, and perhaps what it is of: `5 секунд`, `0,5`."""

BETWEEN: Final = ("|", ";", ",", None)
"""What may stand between the fields of a line, the clearest first; None is a space."""

SHOWN_OPTIONS: Final = 5
MAX_PART_LENGTH: Final = 60


def parse_answer(asked: Input, text: str, language: str) -> Any | Refused:
    """The value of a typed answer, or why it does not fit."""
    typed = text.strip()
    match asked.type:
        case "choice":
            return _option(asked, typed, language)
        case "switch":
            return check_answer(asked, _yes_or_no(typed))
        case "number":
            found = NUMBER.fullmatch(typed)
            return check_answer(asked, found.group(1) if found else typed)
        case _:
            return check_answer(asked, typed)


def parse_lines(asked: Input, text: str, language: str) -> list[Any] | Refused:
    """The lines of a typed list; each line of the text is one, and numbers may stand beside each other."""
    if not asked.fields and asked.sends == "number":
        return [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    lines: list[Any] = []
    for written in (line.strip() for line in text.splitlines() if line.strip()):
        line = _line(asked, written, language)
        if isinstance(line, Refused):
            return line
        lines.append(line)
    return lines or Refused(key="form-expects-text", facts={})


def _option(asked: Input, typed: str, language: str) -> Any | Refused:
    wanted = _folded(typed)
    exact = next((each for each in asked.options if _folded(each) == wanted), None)
    named = exact or next((each for each in asked.options if wanted in _names(asked, each)), None)
    number = NUMBER.fullmatch(typed)
    if named is None and number is not None and number.group(1) in asked.options:
        named = number.group(1)
    if named is not None:
        return named
    return Refused(key="form-expects-choice", facts={"options": _examples(asked, language)})


def _examples(asked: Input, language: str) -> str:
    """A few of the options; all of them where they are few."""
    shown = [asked.label(each, language) for each in asked.options[:SHOWN_OPTIONS]]
    return ", ".join([*shown, *(["…"] if len(asked.options) > SHOWN_OPTIONS else [])])


def _names(asked: Input, option: str) -> set[str]:
    """What an option is called: its labels, and what stands before the dash in them."""
    labels = {asked.label(option, language) for language in LANGUAGES}
    return {_folded(name) for label in labels for name in (label, label.split(" — ")[0])}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _yes_or_no(typed: str) -> str:
    word = _folded(typed)
    return "true" if word in YES else "false" if word in NO else word


def _line(asked: Input, written: str, language: str) -> Any | Refused:
    """One typed line: its main field with others after `|` or a label before `:`; or every field, one after the other."""
    if not asked.fields:
        return written
    if asked.main is None:
        return _line_of_parts(asked, written, language)
    line: dict[str, Any] = {}
    text, bar, last = written.rpartition("|")
    while bar and (found := _setting(asked, last.strip(), language)) is not None:
        if isinstance(found, Refused):
            return found
        line, written = {**found, **line}, text.strip()
        text, bar, last = written.rpartition("|")
    text = written
    before, colon, after = text.partition(":")
    speaker = _recognised(asked, before, language, only="choice") if colon and after.strip() else {}
    return _checked(asked, {**speaker, **line, asked.main: after.strip() if speaker else text}, language)


def _line_of_parts(asked: Input, written: str, language: str) -> dict[str, Any] | Refused:
    """Every field, one after the other, between whichever sign leaves each of them a value."""
    signs = [sign for sign in BETWEEN if sign is None or sign in written]
    lines = [_checked(asked, _parts(asked, written, sign), language) for sign in signs]
    return next((line for line in lines if not isinstance(line, Refused)), lines[0])


def _parts(asked: Input, written: str, sign: str | None) -> dict[str, str]:
    """A part for each field; where there are more, the last field of words has them, for words may hold any sign."""
    texts = [number for number, each in enumerate(asked.fields) if each.type == "text"]
    widest = texts[-1] if texts else len(asked.fields) - 1
    parts = written.split(sign, widest)
    if len(parts) > widest:
        parts[widest:] = parts[widest].rsplit(sign, len(asked.fields) - 1 - widest)
    return dict(zip((each.name for each in asked.fields), (part.strip() for part in parts), strict=False))


def _recognised(asked: Input, part: str, language: str, *, only: str | None = None) -> dict[str, Any]:
    """The field a part of a line can be a value of; nothing where there is none."""
    for each in asked.fields:
        if each.name != asked.main and each.type in ({only} if only else {"choice", "number"}):
            value = parse_answer(each, part, language)
            if not isinstance(value, Refused):
                return {each.name: value}
    return {}


def _setting(asked: Input, part: str, language: str) -> dict[str, Any] | Refused | None:
    """What a part after `|` sets, or why it sets nothing: it would be bought as words. None: nothing can be set that way."""
    settable = [each for each in asked.fields if each.name != asked.main and each.type in {"choice", "number"}]
    found = _recognised(asked, part, language)
    if found or not part or not settable:
        return found if settable else None
    likely = "number" if NUMBER.fullmatch(part) else "choice"
    meant = next((each for each in settable if each.type == likely), settable[0])
    facts = {"value": part[:MAX_PART_LENGTH], "input": meant.name}
    if meant.type == "choice":
        return Refused(key="form-line-choice", facts={**facts, "options": _examples(meant, language)})
    if meant.least is None or meant.most is None:
        return Refused(key="form-line-number", facts=facts)
    return Refused(key="form-line-bounds", facts={**facts, "least": plain(meant.least), "most": plain(meant.most)})


def _checked(asked: Input, line: Mapping[str, Any], language: str) -> dict[str, Any] | Refused:
    kept: dict[str, Any] = {}
    for each in asked.fields:
        if each.name in line:
            value = parse_answer(each, str(line[each.name]), language)
            if isinstance(value, Refused):
                return value
            kept[each.name] = value
        elif asked.main is None and each.required and each.default is None:
            return Refused(key="form-missing", facts={"input": each.name})
    return kept
