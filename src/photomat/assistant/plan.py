"""What someone asked for in plain words, and the order that was made of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from photomat.catalog.input import FileKind
from photomat.catalog.model import Model
from photomat.catalog.wishes import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Plain words, their language, and the kind of file that came with them."""

    words: str
    language: str
    attached: FileKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An order for the words; `alternatives` are the other wishes they may have meant, the likeliest first."""

    wish: Wish
    model: Model
    inputs: Mapping[str, Any]
    words: str
    alternatives: tuple[Wish, ...] = ()
