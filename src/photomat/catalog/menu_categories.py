"""The categories of the menu: what a person wants to do, each made of some categories of the catalogue. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from photomat.catalog.input import FileKind
from photomat.catalog.model import Category, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One wish of the menu; `of` empty stands for everything. What it is called is the text `wish-<id>`.

    `starts_from` is what somebody with this wish has in hand: a file of this kind.
    """

    id: str
    of: frozenset[Category] = frozenset()
    starts_from: FileKind | None = None

    def is_granted_by(self, model: Model) -> bool:
        """Whether a model does what is wanted."""
        return not self.of or not self.of.isdisjoint((model.category, *model.also))


def _wish(wish_id: str, *of: Category, starts_from: FileKind | None = None) -> Wish:
    return Wish(id=wish_id, of=frozenset(of), starts_from=starts_from)


PICTURE: Final = _wish("picture", "text-to-image")
EVERYTHING: Final = Wish(id="all")
WISHES: Final[tuple[Wish, ...]] = (
    PICTURE,
    _wish("edit", "image-to-image", "image-edit", starts_from="image"),
    _wish("animate", "image-to-video", starts_from="image"),
    _wish("video", "text-to-video", "reference-to-video"),
    _wish("revideo", "video-to-video", starts_from="video"),
    _wish("avatar", "avatar", starts_from="image"),
    _wish("music", "music"),
    _wish("song-tools", "music-tool"),
    _wish("voice", "text-to-speech"),
    _wish("sound", "sound-effects", "audio-isolation"),
    _wish("enhance", "upscale", starts_from="image"),
    _wish("background", "background-removal", starts_from="image"),
    _wish("read", "image-analysis", starts_from="image"),
    _wish("transcribe", "speech-to-text", starts_from="audio"),
)
"""In the order the menu shows them."""


def wish_named(wish_id: str) -> Wish | None:
    """The wish of this id."""
    return next((each for each in (*WISHES, EVERYTHING) if each.id == wish_id), None)


def wish_of(model: Model) -> Wish:
    """The wish whose list a model is found in first: by its own category."""
    return next((each for each in WISHES if model.category in each.of), EVERYTHING)


def starting_from(models: Iterable[Model], kind: FileKind) -> tuple[Wish, ...]:
    """The wishes that somebody can have who holds a file of this kind: they start from one, or a model needs one for them."""
    found = list(models)
    needing = [each for each in found if _needs(each, kind)]
    return tuple(
        wish
        for wish in WISHES
        if any(map(wish.is_granted_by, needing)) or (wish.starts_from == kind and any(map(wish.is_granted_by, found)))
    )


def _needs(model: Model, kind: FileKind) -> bool:
    return any(each.required and each.takes_files and each.files and each.files.kind == kind for each in model.inputs)


def granted(models: Iterable[Model]) -> tuple[Wish, ...]:
    """The wishes that some of these models grant."""
    found = list(models)
    return tuple(each for each in WISHES if any(each.is_granted_by(model) for model in found))
