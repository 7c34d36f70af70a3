"""Texts for customers in both languages. Pure.

The catalogue has shared words (`data/words*.toml`): what an input is called and how it is asked for, what an option means. A
model states only what differs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

LANGUAGES: Final = ("ru", "en")
VoiceSex: TypeAlias = Literal["female", "male"]
VoiceAccent: TypeAlias = Literal["british", "australian", "indian"]

CAPITAL: Final = re.compile(r"[A-Z]")
RUSSIAN: Final = re.compile(r"[А-Яа-яЁё]")
NEEDS_NO_LABEL: Final = re.compile(r"-?\d+([.:]\d+)?|\d+(p|P|K|k)|\d+\.\d+K|mp4|mov|png|jpe?g|webp")
"""An option that needs no label: a number, a ratio, a resolution, a file format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalizedText:
    ru: str
    en: str

    def of(self, language: str) -> str:
        """English for any language but Russian."""
        return self.ru if language == "ru" else self.en


@dataclass(frozen=True, slots=True, kw_only=True)
class InputWords:
    """What an input is called on a card, and the question where that takes a sentence."""

    title: LocalizedText
    ask: LocalizedText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceFacts:
    """What is known of a voice besides its name; None is unknown, or neither."""

    sex: VoiceSex | None = None
    accent: VoiceAccent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The shared words: of inputs by name; of options by input (`""`: any) and value; what is never offered, and why.

    `examples` maps Russian examples to English; `voices` are the options that are voices.
    """

    inputs: Mapping[str, InputWords] = field(default_factory=dict)
    options: Mapping[tuple[str, str], LocalizedText] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    omitted: Mapping[str, str] = field(default_factory=dict)
    voices: Mapping[str, VoiceFacts] = field(default_factory=dict)

    def input(self, name: str) -> InputWords | None:
        """The words of an input, however Kie spells it: `taskId` is `task_id`."""
        return self.inputs.get(snake_case(name))

    def option(self, name: str, value: str) -> LocalizedText | None:
        found = self.options.get((snake_case(name), value)) or self.options.get(("", value))
        if found is None and NEEDS_NO_LABEL.fullmatch(value):
            return LocalizedText(ru=value, en=value)
        return found


def is_russian(text: str) -> bool:
    return RUSSIAN.search(text) is not None


def snake_case(name: str) -> str:
    """One spelling of Kie's two: `aspectRatio` and `aspect_ratio` are the same input."""
    return CAPITAL.sub(lambda found: f"_{found.group().lower()}", name).lstrip("_")
