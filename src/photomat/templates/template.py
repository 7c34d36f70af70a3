"""A template: an order of a model with slots for what a customer wants in it. Pure.

A slot is a text that goes into the prompt, or a file. Other inputs are given by role, in the words all models share
(`catalog/roles.py`), so that the order fits whichever of the template's models is sold.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.catalog.answers import Refused
from photomat.catalog.input import Input, Role
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, example_of
from photomat.catalog.roles import Common, own_value
from photomat.catalog.storefront import Storefront
from photomat.catalog.words import LocalizedText

SlotKind: TypeAlias = Literal["text", "image", "audio"]
Group: TypeAlias = Literal["picture", "photo", "video", "music", "voice"]
GROUPS: Final[tuple[Group, ...]] = get_args(Group)
FILE_ROLES: Final[Mapping[SlotKind, Role]] = {"image": "source_image", "audio": "source_audio"}
DEFAULT_MAX_LENGTH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One question; `examples` are answers a tap gives, by language."""

    name: str
    ask: LocalizedText
    kind: SlotKind = "text"
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    max_length: int = DEFAULT_MAX_LENGTH

    def examples_in(self, language: str) -> tuple[str, ...]:
        return self.examples.get("ru" if language == "ru" else "en", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What is ordered once its slots are filled; `models` are tried in their order.

    `source` and `source_audio` name the templates whose examples stand in for a customer's files when an example is made.
    """

    id: str
    group: Group
    title: LocalizedText
    models: tuple[str, ...]
    slots: tuple[Slot, ...]
    prompt: LocalizedText | None = None
    inputs: Mapping[Role, Common] = field(default_factory=dict)
    source: str | None = None
    source_audio: str | None = None

    def model_on(self, storefront: Storefront) -> Model | None:
        """The first of its models that is sold."""
        return next((model for each in self.models if (model := storefront.get(each)) is not None), None)

    def next_slot(self, filled: Collection[str]) -> Slot | None:
        return next((each for each in self.slots if each.name not in filled), None)

    def order(self, model: Model, filled: Mapping[str, Any], *, language: str) -> dict[str, Any]:
        """The inputs of the order, with these answers in its slots; a file is a reference or a URL."""
        found: dict[str, Any] = {}
        words = {each.name: filled[each.name] for each in self.slots if each.kind == "text"}
        prompt = model.input_for("prompt")
        if self.prompt is not None and prompt is not None:
            found[prompt.name] = self.prompt.of(language).format_map(words)
        for each in self.slots:
            asked = file_input(model, each)
            if asked is not None:
                found[asked.name] = [filled[each.name]] if asked.type == "files" else filled[each.name]
        return found | {name: value for name, value in _given(model, self.inputs) if value is not None}

    def example(self, language: str) -> dict[str, str]:
        """The first example answer of each text slot."""
        return {each.name: each.examples_in(language)[0] for each in self.slots if each.kind == "text"}


def file_input(model: Model, slot: Slot) -> Input | None:
    """The input that takes the file of a slot; None for a text."""
    return model.input_for(FILE_ROLES[slot.kind]) if slot.kind in FILE_ROLES else None


def check_text(slot: Slot, text: str) -> Refused | None:
    """Why this is no answer to a text slot."""
    if not text:
        return Refused(key="form-expects-text", facts={})
    length, limit = len(text), slot.max_length
    facts = {"limit": limit, "length": length, "over": length - limit}
    return Refused(key="form-too-long", facts=facts) if length > limit else None


def names_in(pattern: str) -> set[str]:
    """The slots a prompt mentions; raises ValueError where its braces do not match, or hold more than a name."""
    parts = [part for part in Formatter().parse(pattern) if part[1] is not None]
    if any(spec or conversion for _, _, spec, conversion in parts):
        raise ValueError("a slot is its name in braces, and nothing else")
    return {name for _, name, _, _ in parts if name is not None}


def sample_order(template: Template, model: Model, *, language: str) -> dict[str, Any]:
    """A complete order: example answers, and samples of the catalogue for files."""
    samples = example_of(model)
    filled: dict[str, Any] = dict(template.example(language))
    for each in template.slots:
        asked = file_input(model, each)
        sample = samples.get(asked.name) if asked else None
        if each.kind != "text":
            filled[each.name] = sample[0] if isinstance(sample, list) else sample
    return template.order(model, filled, language=language)


def objections(template: Template, model: Model, *, language: str) -> Sequence[Refused]:
    """Why the template makes no valid order of a model, with its example answers."""
    return check_order(model, sample_order(template, model, language=language))


def _given(model: Model, inputs: Mapping[Role, Common]) -> list[tuple[str, str | None]]:
    asked = [(model.input_for(role), value) for role, value in inputs.items()]
    return [(each.name, own_value(each, value)) for each, value in asked if each is not None]
