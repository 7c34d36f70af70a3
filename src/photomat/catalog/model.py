"""An AI model of the catalogue: what it is called, what it asks for, what Kie takes for it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.catalog.filling import filled_in
from photomat.catalog.formula import ONE_GENERATION, Extra, Part, PriceRow, Unit, base_part, is_given, total
from photomat.catalog.input import INPUT_TYPES, Condition, Input, InputType
from photomat.catalog.words import Said
from photomat.kie.families import JOBS

__all__ = ["INPUT_TYPES", "KINDS", "Input", "InputType", "Kind", "Model"]

Kind: TypeAlias = Literal["image", "video", "audio", "text"]
"""What a customer gets."""

Output: TypeAlias = Literal["image", "video", "audio", "json"]
"""What Kie says a model makes; an object to be read reaches the customer as a text."""

Status: TypeAlias = Literal["current", "legacy-endpoint", "undocumented", "retired"]
Tag: TypeAlias = Literal["best", "new", "cheap", "free", "fast"]
Pace: TypeAlias = Literal["quick", "steady", "slow"]
"""How long a task usually takes: seconds, about a minute, many minutes."""

Category: TypeAlias = Literal[
    "text-to-image", "image-to-image", "image-edit", "background-removal", "upscale", "image-analysis",
    "text-to-video", "image-to-video", "reference-to-video", "video-to-video", "avatar",
    "music", "music-tool", "sound-effects", "text-to-speech", "speech-to-text", "audio-isolation",
]  # fmt: skip

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
OUTPUTS: Final[tuple[Output, ...]] = get_args(Output)
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
TAGS: Final[tuple[Tag, ...]] = get_args(Tag)
PACES: Final[tuple[Pace, ...]] = get_args(Pace)
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

AT_ONCE: Final = "at-once"
"""Not a protocol of tasks: the call answers at once. Nothing of it can be sold."""

USUAL_S: Final[Mapping[Pace, int]] = {"quick": 20, "steady": 60, "slow": 240}
"""What a card says before there are statistics of our own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What several inputs may be at most in sum: files, seconds."""

    of: tuple[str, ...]
    max_items: int | None = None
    max_seconds: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One thing that can be bought. `protocol` is how Kie is spoken to about it; `sent` goes into every order as it is.

    `free` means that customers pay nothing for it, whatever Kie takes. `off` says why it is not sold until an operator turns it
    on, `instead` what replaces it, `doubt` which of its facts are assumed. `needs_callback`: Kie refuses it without an address.
    """

    id: str
    title: str
    kind: Kind
    inputs: tuple[Input, ...]
    prices: tuple[PriceRow, ...]
    unit: Unit = ONE_GENERATION
    extras: tuple[Extra, ...] = ()
    step: Unit | None = None
    free: bool = False
    protocol: str = JOBS
    titles: Said | None = None
    purpose: Said | None = None
    output: Output = "image"
    category: Category = "text-to-image"
    also: tuple[Category, ...] = ()
    tags: tuple[Tag, ...] = ()
    status: Status = "current"
    pace: Pace = "steady"
    off: str | None = None
    instead: str | None = None
    doubt: str | None = None
    aliases: tuple[str, ...] = ()
    needs_callback: bool = False
    sent: Mapping[str, Any] = field(default_factory=dict)
    omits: Mapping[str, str] = field(default_factory=dict)
    one_of: tuple[tuple[str, ...], ...] = ()
    never: tuple[Condition, ...] = ()
    together: tuple[Together, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    example_prompt: Said | None = None
    reviewed: tuple[str, ...] = ()

    @property
    def is_sellable(self) -> bool:
        """Whether customers may buy it."""
        return self.off is None and self.status != "retired" and bool(self.prices)

    @property
    def can_be_ordered(self) -> bool:
        """Whether Kie takes orders of it, as far as we know, sold or not."""
        return self.status != "retired" and self.protocol != AT_ONCE

    def title_in(self, language: str) -> str:
        """What it is called in a language."""
        return self.titles.of(language) if self.titles else self.title

    def input(self, name: str) -> Input | None:
        """The input of this name."""
        return next((each for each in self.inputs if each.name == name), None)

    def credits_for(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None) -> Decimal:
        """What Kie takes for one generation with these inputs; `measured` are facts of files, like `audio_url:seconds`."""
        return total(self.price_parts(inputs, measured))

    def price_parts(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None) -> tuple[Part, ...]:
        """What the credits are made of: the row that fits, then every extra that counts something."""
        known = measured or {}
        filled = self.sensible(inputs)
        size = self.step.count(filled, known) if self.step is not None else None
        base = base_part(self.prices, self.unit, filled, known, size=size)
        extras = (extra.part(filled, known) for extra in self.extras if extra.fits(filled))
        return (base, *(part for part in extras if part.count))

    def filled(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs with a default wherever nothing was said."""
        return filled_in(self.inputs, {name: value for name, value in inputs.items() if is_given(value)})

    def sensible(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The filled inputs without those that make no sense beside the rest: what is sent is what is priced."""
        filled = self.filled(inputs)
        idle = {each.name for each in self.inputs if not each.condition.holds(filled)}
        return {name: value for name, value in filled.items() if name not in idle}

    @property
    def defaults(self) -> Mapping[str, str]:
        """What an order has where an input is left out, as far as that is known."""
        return {each.name: each.default for each in self.inputs if each.default is not None}

    @property
    def has_one_price(self) -> bool:
        """Whether every order of this model costs the same."""
        return len(self.prices) == 1 and not self.unit.counts and not self.extras
