"""An AI model of the catalogue: its names, its inputs, and what Kie charges for it. Pure.

An order has more in it than a customer gave: defaults, lines that other lists refer to, sums of lines (`filled_in`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.catalog.formula import (
    ONE_GENERATION,
    Extra,
    PricePart,
    PriceRow,
    PriceUnit,
    as_number,
    base_part,
    is_given,
    plain,
    total,
)
from photomat.catalog.input import ALWAYS, Condition, Input, Role
from photomat.catalog.words import LocalizedText, VoiceFacts
from photomat.kie.protocol import JOBS

Kind: TypeAlias = Literal["image", "video", "audio", "text"]
"""What a customer gets."""

Output: TypeAlias = Literal["image", "video", "audio", "json"]
"""What Kie says a model makes; an object to be read reaches the customer as a text."""

Status: TypeAlias = Literal["current", "legacy-endpoint", "undocumented", "retired"]
ModelTag: TypeAlias = Literal["best", "new", "cheap", "free", "fast"]
Strength: TypeAlias = Literal[
    "text", "realistic", "sound", "faces", "long", "detail", "transparent", "series", "samples"
]
"""What a model is better at than its neighbours in a list; the text `good-<strength>` says it."""
Pace: TypeAlias = Literal["quick", "steady", "slow"]
"""How long a task usually takes: seconds, about a minute, many minutes."""

Category: TypeAlias = Literal[
    "text-to-image", "image-to-image", "image-edit", "background-removal", "upscale", "image-analysis",
    "text-to-video", "image-to-video", "reference-to-video", "video-to-video", "avatar",
    "music", "music-tool", "sound-effects", "text-to-speech", "speech-to-text", "audio-isolation",
]  # fmt: skip

TAGS: Final[tuple[ModelTag, ...]] = get_args(ModelTag)
STRENGTHS: Final[tuple[Strength, ...]] = get_args(Strength)
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

AT_ONCE: Final = "at-once"
"""Not a protocol of tasks: the call answers at once. Nothing of it can be sold."""

USUAL_S: Final[Mapping[Pace, int]] = {"quick": 20, "steady": 60, "slow": 240}
"""What a card says before there are statistics of our own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """A limit on the sum of several inputs: files, seconds."""

    of: tuple[str, ...]
    max_items: int | None = None
    max_seconds: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One thing that can be bought. `protocol` is the API family of Kie; `sent` goes into every order as it is.

    `free` means that customers pay nothing, whatever Kie charges. `off` says why it is not sold until an operator turns it on,
    `instead` which model replaces it, `doubt` which of its facts are assumed. `needs_callback`: Kie refuses it without a URL.
    `checkers` are its switches for a content filter of the provider: true filters.

    What every order asks is found once: the plain `defaults`, the inputs that apply only in some orders (`conditional`), those
    with defaults that depend on the rest (`derived`), and those that sum lines (`summing`).
    """

    id: str
    title: str
    kind: Kind
    inputs: tuple[Input, ...]
    prices: tuple[PriceRow, ...]
    unit: PriceUnit = ONE_GENERATION
    extras: tuple[Extra, ...] = ()
    step: PriceUnit | None = None
    free: bool = False
    protocol: str = JOBS
    titles: LocalizedText | None = None
    purpose: LocalizedText | None = None
    output: Output = "image"
    category: Category = "text-to-image"
    also: tuple[Category, ...] = ()
    tags: tuple[ModelTag, ...] = ()
    good_at: tuple[Strength, ...] = ()
    status: Status = "current"
    pace: Pace = "steady"
    off: str | None = None
    instead: str | None = None
    doubt: str | None = None
    aliases: tuple[str, ...] = ()
    needs_callback: bool = False
    sent: Mapping[str, Any] = field(default_factory=dict)
    omits: Mapping[str, str] = field(default_factory=dict)
    checkers: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    never: tuple[Condition, ...] = ()
    together: tuple[Together, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    example_prompt: LocalizedText | None = None
    reviewed: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(init=False, repr=False, compare=False)
    conditional: tuple[Input, ...] = field(init=False, repr=False, compare=False)
    derived: tuple[Input, ...] = field(init=False, repr=False, compare=False)
    summing: tuple[Input, ...] = field(init=False, repr=False, compare=False)
    _by_name: Mapping[str, Input] = field(init=False, repr=False, compare=False)
    _by_role: Mapping[Role, Input] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = {
            "defaults": {each.name: each.default for each in self.inputs if each.default is not None},
            "conditional": tuple(each for each in self.inputs if each.condition is not ALWAYS),
            "derived": tuple(each for each in self.inputs if each.defaults or each.default_items),
            "summing": tuple(each for each in self.inputs if each.sums is not None),
            "_by_name": {each.name: each for each in reversed(self.inputs)},
            "_by_role": {each.role: each for each in reversed(self.inputs) if each.role is not None},
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)  # frozen elsewhere

    @property
    def is_sellable(self) -> bool:
        return self.off is None and self.status != "retired" and bool(self.prices)

    @property
    def can_be_ordered(self) -> bool:
        """Whether Kie accepts orders of it, as far as we know, sold or not."""
        return self.status != "retired" and self.protocol != AT_ONCE

    def title_in(self, language: str) -> str:
        return self.titles.of(language) if self.titles else self.title

    def input(self, name: str) -> Input | None:
        return self._by_name.get(name)

    def input_for(self, role: Role) -> Input | None:
        """The input of this role, whatever Kie calls it."""
        return self._by_role.get(role)

    def credits_for(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None) -> Decimal:
        """What Kie charges for one generation; `measured` are facts of files, like `audio_url:seconds`."""
        return total(self.price_parts(inputs, measured))

    def price_parts(
        self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None
    ) -> tuple[PricePart, ...]:
        """What the credits are made of: the row that fits, then every extra that counts something."""
        known = measured or {}
        filled = self.sensible(inputs)
        size = self.step.count(filled, known) if self.step is not None else None
        base = base_part(self.prices, self.unit, filled, known, size=size)
        extras = (extra.part(filled, known) for extra in self.extras if extra.fits(filled))
        return (base, *(part for part in extras if part.count))

    def filled(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs with a default wherever nothing was given."""
        return filled_in(self, {name: value for name, value in inputs.items() if is_given(value)})

    def sensible(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The filled inputs without those that do not apply beside the rest: what is sent is what is priced."""
        filled = self.filled(inputs)
        idle = {each.name for each in self.conditional if not each.condition.holds(filled)}
        return {name: value for name, value in filled.items() if name not in idle} if idle else filled

    @property
    def has_one_price(self) -> bool:
        return len(self.prices) == 1 and not self.unit.counts and not self.extras


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Every model we know, by id, in the order of the files: on sale, off, or retired.

    `omitted` are inputs of Kie that no form offers, and why; `voices` the options that are voices.
    """

    models: Mapping[str, Model]
    omitted: Mapping[str, str] = field(default_factory=dict)
    voices: Mapping[str, VoiceFacts] = field(default_factory=dict)

    def get(self, model_id: str) -> Model:
        return self.models[model_id]

    @property
    def sellable(self) -> tuple[Model, ...]:
        return tuple(model for model in self.models.values() if model.is_sellable)

    def sources(self, model: Model, asked: Input) -> tuple[Model, ...]:
        """The models whose results an input accepts: those it names, or all of a category in the same API."""
        uses_jobs = model.protocol == JOBS
        return tuple(
            each
            for each in self.models.values()
            if each.id in asked.of or (each.category in asked.of and (each.protocol == JOBS) is uses_jobs)
        )


def filled_in(model: Model, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, with defaults and sums wherever nothing was given."""
    filled = {**model.defaults, **given}
    for each in model.derived:
        if each.defaults and each.name not in given:
            filled |= next(({each.name: value} for condition, value in each.defaults if condition.holds(filled)), {})
        if each.default_items:
            filled[each.name] = _with_lines_referred_to(model.inputs, each, filled)
    for each in model.summing:
        total = sum_for(model.inputs, each, filled)
        if total is not None:
            filled[each.name] = plain(total)
    return filled


def sum_for(asked: Sequence[Input], each: Input, filled: Mapping[str, Any]) -> Decimal | None:
    """What an input is by the lines it sums; None where it sums nothing, or no lines apply."""
    if each.sums is None:
        return None
    name, _, field = each.sums.partition(".")
    listed = next((other for other in asked if other.name == name), None)
    if listed is None or not is_given(filled.get(name)) or not listed.condition.holds(filled):
        return None
    return total_of(listed, field, filled[name])


def total_of(listed: Input, field: str, lines: Any) -> Decimal:
    """The numbers of a field in all lines, added up; `40%` is forty."""
    numbers = [as_number(value.removesuffix("%")) for value in values_of_field(listed, field, lines)]
    return sum((number for number in numbers if number is not None), Decimal(0))


def values_of_field(listed: Input, field: str, lines: Any) -> list[str]:
    """A field of every line, or its default where a line has none."""
    default = next((each.default for each in listed.fields if each.name == field), None)
    found = [line.get(field, default) for line in lines if isinstance(line, Mapping)] if isinstance(lines, list) else []
    return [plain(value).strip() for value in found if is_given(value)]


def referred_to(asked: Sequence[Input], target: str, filled: Mapping[str, Any]) -> list[str]:
    """The values that fields `among` the target (`speakers.speaker_id`) have in their lines."""
    return [
        value
        for listed in asked
        for field in listed.fields
        if field.among == target
        for value in values_of_field(listed, field.name, filled.get(listed.name))
    ]


def _with_lines_referred_to(asked: Sequence[Input], each: Input, filled: Mapping[str, Any]) -> list[Any]:
    """The lines of a list, with its default lines that other lists refer to; without any, the first of the defaults."""
    given = filled.get(each.name)
    lines = list(given) if isinstance(given, list) else []
    for part in each.fields:
        wanted = referred_to(asked, f"{each.name}.{part.name}", filled)
        known = values_of_field(each, part.name, lines)
        lines += [line for line in each.default_items if line.get(part.name) in wanted and line[part.name] not in known]
    is_referred_to = any(other.among for listed in asked for other in listed.fields)
    return lines or list(each.default_items[:1] if is_referred_to else each.default_items)
