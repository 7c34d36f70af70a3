"""An AI model of the catalogue: what it is called, what it asks for, what Kie takes for it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.catalog.formula import ONE_GENERATION, Extra, Part, PriceRow, Unit, base_part, total
from photomat.kie.families import JOBS

Kind: TypeAlias = Literal["image", "video", "audio", "text"]
"""What a model makes; the catalogue has one file for each."""

InputType: TypeAlias = Literal["text", "choice", "number", "switch", "file", "files"]
"""How an input is given: typed in, picked from options, a number, yes or no, sent as a file, as several."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
INPUT_TYPES: Final[tuple[InputType, ...]] = get_args(InputType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One question of a model's form. A text may have a `max_length`, a choice has its `options`."""

    name: str
    type: InputType
    required: bool
    options: tuple[str, ...] = ()
    default: str | None = None
    max_length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One thing that can be bought. The last of `prices` fits any inputs; `protocol` is how Kie is spoken to about it.

    `free` means that customers pay nothing for it, whatever Kie takes.
    """

    id: str
    title: str
    kind: Kind
    inputs: tuple[Input, ...]
    prices: tuple[PriceRow, ...]
    unit: Unit = ONE_GENERATION
    extras: tuple[Extra, ...] = ()
    free: bool = False
    protocol: str = JOBS

    def credits_for(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None) -> Decimal:
        """What Kie takes for one generation with these inputs; `measured` are facts of files, like `audio_url:seconds`."""
        return total(self.price_parts(inputs, measured))

    def price_parts(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None) -> tuple[Part, ...]:
        """What the credits are made of: the row that fits, then every extra that counts something."""
        known = measured or {}
        filled = {**self.defaults, **{name: value for name, value in inputs.items() if value is not None}}
        base = base_part(self.prices, self.unit, filled, known)
        extras = (extra.part(filled, known) for extra in self.extras if extra.fits(filled))
        return (base, *(part for part in extras if part.count))

    @property
    def defaults(self) -> Mapping[str, str]:
        """What Kie does where an input is left out, as far as it is known."""
        return {each.name: each.default for each in self.inputs if each.default is not None}

    @property
    def has_one_price(self) -> bool:
        """Whether every order of this model costs the same."""
        return len(self.prices) == 1 and not self.unit.counts and not self.extras
