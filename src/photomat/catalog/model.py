"""An AI model of the catalogue: what it is called, what it asks for, what Kie takes for it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias, get_args

from photomat.kie.families import JOBS

Kind: TypeAlias = Literal["image", "video", "audio", "text"]
"""What a model makes; the catalogue has one file for each."""

InputType: TypeAlias = Literal["text", "choice"]
"""How an input is asked for: typed in, or picked from options."""

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
class PriceRow:
    """Credits for one generation with inputs that fit `when`; an empty `when` fits all."""

    credits: Decimal
    when: tuple[tuple[str, str], ...] = ()

    def fits(self, inputs: Mapping[str, str]) -> bool:
        """Say whether every input named in `when` has the value named there."""
        return all(inputs.get(name) == value for name, value in self.when)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One thing that can be bought. The last of `prices` fits any inputs; `protocol` is how Kie is spoken to about it."""

    id: str
    title: str
    kind: Kind
    inputs: tuple[Input, ...]
    prices: tuple[PriceRow, ...]
    protocol: str = JOBS

    def credits_for(self, inputs: Mapping[str, str]) -> Decimal:
        """What Kie takes for one generation with these inputs."""
        return next(row.credits for row in self.prices if row.fits(inputs))
