"""Settings a customer states in words, and a model's nearest values of them. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any, Final, cast

from photomat.assistant.vocabulary import SettingRule, plain_text, vocabulary
from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.input import Input, Role
from photomat.catalog.model import Model
from photomat.catalog.roles import AUTO, common_value, own_value

WIDTHS: Final = {
    "360p": 640, "480p": 854, "512p": 910, "540p": 960, "1K": 1024, "720p": 1280, "768p": 1366, "1080p": 1920, "2K": 2048,
    "4K": 3840,
}  # fmt: skip
"""By which resolutions of different names are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A setting, and where the text states it; the words of one to `keep` stay in the description."""

    role: str | None
    input: str | None
    value: str
    start: int
    end: int
    keep: bool

    @property
    def what(self) -> str:
        return self.role or self.input or ""

    def asked_by(self, model: Model) -> Input | None:
        """The model's input for it."""
        return model.input_for(cast("Role", self.role)) if self.role else model.input(self.input or "")


def settings_in(text: str) -> tuple[Stated, ...]:
    """What a text states, each setting once: the first time."""
    lowered = plain_text(text)
    found: dict[str, Stated] = {}
    for rule in vocabulary().settings:
        for stated in _stated(rule, lowered):
            known = found.get(stated.what)
            if known is None or stated.start < known.start:
                found[stated.what] = stated
    return tuple(sorted(found.values(), key=lambda each: each.start))


def _stated(rule: SettingRule, text: str) -> Iterable[Stated]:
    if rule.unless is not None and rule.unless.search(text):
        return
    for pattern in rule.patterns:
        for match in pattern.finditer(text):
            value = _value(rule, match)
            if value is not None:
                yield Stated(
                    role=rule.role, input=rule.input, value=value, start=match.start(), end=match.end(), keep=rule.keep
                )


def _value(rule: SettingRule, match: re.Match[str]) -> str | None:
    if rule.value == "#":
        number = vocabulary().numbers.get(match[1]) or int(match[1])
        return str(number * rule.times)
    value = rule.value.format(*match.groups())
    return value if not rule.among or value in rule.among else None


def nearest(asked: Input, stated: Stated) -> tuple[str | None, bool]:
    """The model's own value nearest to what was stated, if it has any, and whether it is just that."""
    common: str | int = int(stated.value) if stated.role in {"duration", "count"} else stated.value
    exact = own_value(asked, common)
    if exact is not None:
        return exact, True
    match stated.role:
        case "voice":
            return _voice(asked, stated.value), True
        case "format":
            return _closest(asked, stated.value, _ratio), False
        case "resolution":
            return _closest(asked, stated.value, _width), False
        case "duration" | "count":
            return _closest(asked, stated.value, _number) if asked.options else _bounded(
                asked, int(stated.value)
            ), False
        case _:
            return None, False


def _voice(asked: Input, sex: str) -> str | None:
    named = {asked.label(option, "en").split()[0].strip(",—"): option for option in reversed(asked.options)}
    return next((named[name] for name in vocabulary().voices.get(sex, ()) if name in named), None)


def _closest(asked: Input, wanted: str, size: Any) -> str | None:
    sizes = {option: size(common_value(asked, option)) for option in asked.options}
    target = size(wanted)
    known = {option: abs(found - target) for option, found in sizes.items() if found is not None}
    return min(known, key=lambda option: known[option]) if known and target is not None else None


def _ratio(value: str | int | None) -> float | None:
    if value is None or value == AUTO or ":" not in str(value):
        return None
    width, _, height = str(value).partition(":")
    return log(Fraction(int(width), int(height)))


def _width(value: str | int | None) -> float | None:
    width = WIDTHS.get(str(value))
    return log(width) if width else None


def _number(value: str | int | None) -> float | None:
    return None if value is None or value == AUTO else float(value)


def _bounded(asked: Input, number: int) -> str | None:
    low, high = asked.least, asked.most
    bounded = max(low, number) if low is not None else number
    bounded = min(high, bounded) if high is not None else bounded
    checked = check_answer(asked, str(bounded))
    return None if isinstance(checked, Refused) else str(checked)


def without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without these parts, its punctuation and spaces put right."""
    kept, end = [], 0
    for first, last in sorted(spans):
        kept.append(text[end : max(first, end)])
        end = max(last, end)
    return tidy(" ".join([*kept, text[end:]]) if spans else text)


def tidy(text: str) -> str:
    """No doubled spaces or commas, no punctuation at the beginning, nothing left over at the end."""
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r" +([,.!?;:])", r"\1", text)
    text = re.sub(r"([,;:.])(?:\s*[,;:])+", r"\1", text)
    text = re.sub(r"\(\s*\)", "", text)
    return text.strip(" \t\n,;:—–-").removeprefix(".").lstrip(" ,;:—–-.!").rstrip(" \t\n,;:—–-")
