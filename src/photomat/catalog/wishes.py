"""What a person wants, before any model has a name: each wish is some categories of the catalogue. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from photomat.catalog.model import Category, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One wish of the menu; `of` empty stands for everything. What it is called is the text `wish-<id>`."""

    id: str
    of: frozenset[Category] = frozenset()

    def is_granted_by(self, model: Model) -> bool:
        """Whether a model does what is wanted."""
        return not self.of or not self.of.isdisjoint((model.category, *model.also))


def _wish(wish_id: str, *of: Category) -> Wish:
    return Wish(id=wish_id, of=frozenset(of))


PICTURE: Final = _wish("picture", "text-to-image")
EVERYTHING: Final = Wish(id="all")
WISHES: Final[tuple[Wish, ...]] = (
    PICTURE,
    _wish("edit", "image-to-image", "image-edit"),
    _wish("animate", "image-to-video"),
    _wish("video", "text-to-video", "reference-to-video"),
    _wish("revideo", "video-to-video"),
    _wish("avatar", "avatar"),
    _wish("music", "music"),
    _wish("song-tools", "music-tool"),
    _wish("voice", "text-to-speech"),
    _wish("sound", "sound-effects", "audio-isolation"),
    _wish("enhance", "upscale"),
    _wish("background", "background-removal"),
    _wish("read", "speech-to-text", "image-analysis"),
)
"""In the order the menu shows them."""


def wish_named(wish_id: str) -> Wish | None:
    """The wish of this id."""
    return next((each for each in (*WISHES, EVERYTHING) if each.id == wish_id), None)


def wish_of(model: Model) -> Wish:
    """The wish whose list a model is found in first: by its own category."""
    return next((each for each in WISHES if model.category in each.of), EVERYTHING)


def granted(models: Iterable[Model]) -> tuple[Wish, ...]:
    """The wishes that some of these models grant."""
    found = list(models)
    return tuple(each for each in WISHES if any(each.is_granted_by(model) for model in found))
