"""The categories of the menu: what a person wants to do, each made of some categories of the catalogue. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from photomat.catalog.input import FileKind
from photomat.catalog.model import Category, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuCategory:
    """One entry of the menu; an empty `of` stands for everything. Its title is the text `wish-<id>`.

    `starts_from` is the kind of file somebody who chooses it has at hand.
    """

    id: str
    of: frozenset[Category] = frozenset()
    starts_from: FileKind | None = None

    def includes(self, model: Model) -> bool:
        """Whether a model belongs to it."""
        return not self.of or not self.of.isdisjoint((model.category, *model.also))


def _category(category_id: str, *of: Category, starts_from: FileKind | None = None) -> MenuCategory:
    return MenuCategory(id=category_id, of=frozenset(of), starts_from=starts_from)


PICTURE: Final = _category("picture", "text-to-image")
EVERYTHING: Final = MenuCategory(id="all")
MENU_CATEGORIES: Final[tuple[MenuCategory, ...]] = (
    PICTURE,
    _category("edit", "image-to-image", "image-edit", starts_from="image"),
    _category("animate", "image-to-video", starts_from="image"),
    _category("video", "text-to-video", "reference-to-video"),
    _category("revideo", "video-to-video", starts_from="video"),
    _category("avatar", "avatar", starts_from="image"),
    _category("music", "music"),
    _category("song-tools", "music-tool"),
    _category("voice", "text-to-speech"),
    _category("sound", "sound-effects", "audio-isolation"),
    _category("enhance", "upscale", starts_from="image"),
    _category("background", "background-removal", starts_from="image"),
    _category("read", "image-analysis", starts_from="image"),
    _category("transcribe", "speech-to-text", starts_from="audio"),
)
"""In the order the menu shows them."""


def menu_category(category_id: str) -> MenuCategory | None:
    """The entry of this id."""
    return next((each for each in (*MENU_CATEGORIES, EVERYTHING) if each.id == category_id), None)


def menu_category_of(model: Model) -> MenuCategory:
    """The entry whose list shows a model first: by its own category."""
    return next((each for each in MENU_CATEGORIES if model.category in each.of), EVERYTHING)


def starting_from(models: Iterable[Model], kind: FileKind) -> tuple[MenuCategory, ...]:
    """The entries for somebody who has a file of this kind: they start from one, or one of their models needs one."""
    found = list(models)
    needing = [each for each in found if _needs(each, kind)]
    return tuple(
        category
        for category in MENU_CATEGORIES
        if any(map(category.includes, needing)) or (category.starts_from == kind and any(map(category.includes, found)))
    )


def _needs(model: Model, kind: FileKind) -> bool:
    return any(each.required and each.takes_files and each.files and each.files.kind == kind for each in model.inputs)


def offered(models: Iterable[Model]) -> tuple[MenuCategory, ...]:
    """The entries that some of these models belong to."""
    found = list(models)
    return tuple(each for each in MENU_CATEGORIES if any(each.includes(model) for model in found))
