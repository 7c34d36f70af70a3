"""What a customer said, and the order that serves it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from photomat.catalog.input import FileKind
from photomat.catalog.model import Model
from photomat.catalog.wishes import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A message, or the caption of the file that is attached to it."""

    words: str
    language: str
    attached: FileKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An order to show, files left out: they are the customer's.

    `inputs` have the model's own names and values. `words` is the description that became the prompt, in the customer's own
    words; empty where they described nothing and the wish's usual prompt is used, or the model takes none. `alternatives` are
    other wishes that the same message may have meant. `names_wish`: the message itself says what kind of thing is wanted.
    """

    wish: Wish
    model: Model
    inputs: Mapping[str, Any]
    words: str
    alternatives: tuple[Wish, ...] = ()
    names_wish: bool = False
