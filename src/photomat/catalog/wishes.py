"""What people wish for, and which model serves it: the data of `wishes.toml`. Pure.

A wish is narrower than an entry of the menu: "continue this song" and "write a song" are both music. What a wish starts from
(a file, a track) decides where it is offered: under a photo a customer sent, under a result.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, TypeAlias

from photomat.catalog.input import FileKind, Input, Role
from photomat.catalog.model import Model
from photomat.catalog.order import relevant
from photomat.catalog.reference import JobRef
from photomat.catalog.storefront import MenuCategory, Storefront, menu_category
from photomat.catalog.words import LocalizedText

Start: TypeAlias = FileKind | Literal["track"]
"""What a wish starts from: a file of this kind, or a track of an earlier song."""

SOURCES: Final[Mapping[FileKind, Role]] = {
    "image": "source_image", "video": "source_video", "audio": "source_audio",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """`models` serve it, the best first. `prompt` is sent to a model where the customer said nothing."""

    id: str
    category: MenuCategory
    models: tuple[str, ...]
    starts_from: Start | None = None
    prompt: LocalizedText | None = None


@cache
def wishes() -> Mapping[str, Wish]:
    """Every wish by its id, in the order they are offered."""
    text = resources.files("photomat.catalog").joinpath("wishes.toml").read_text("utf-8")
    return {each["id"]: _wish(each) for each in tomllib.loads(text)["wish"]}


def _wish(table: Mapping[str, Any]) -> Wish:
    category = menu_category(table["category"])
    if category is None:
        raise ValueError(f"wishes.toml: {table['id']}: no category {table['category']}")
    prompt = LocalizedText(**table["prompt"]) if "prompt" in table else None
    models = tuple(table["models"])
    return Wish(id=table["id"], category=category, models=models, starts_from=table.get("from"), prompt=prompt)


@cache
def wishes_from(start: Start | None) -> tuple[Wish, ...]:
    return tuple(each for each in wishes().values() if each.starts_from == start)


def wish_served_by(model: Model, start: Start | None) -> Wish | None:
    """The wish that an order of this model fulfils: one that names the model, else one of its category."""
    found = wishes_from(start)
    named = (each for each in found if model.id in each.models)
    return next(named, None) or next((each for each in found if _serves(model, each)), None)


def model_for(wish: Wish, storefront: Storefront) -> Model | None:
    """The model that serves a wish now: an operator's favourite that fits, else the first of the wish's own that is sold."""
    favourites = (each for each in storefront.favourites if _serves(each, wish))
    own = (storefront.get(model_id) for model_id in wish.models)
    return next(favourites, None) or next((each for each in own if each is not None), None)


def _serves(model: Model, wish: Wish) -> bool:
    """Whether a model is made for the wish: its own category fits, and it takes what the wish starts from."""
    if model.category not in wish.category.of:
        return False
    if wish.starts_from == "track":
        return model.input_for("source_track") is not None
    return wish.starts_from is None or source_input(model, wish.starts_from) is not None


def source_input(model: Model, kind: FileKind) -> Input | None:
    """The input that takes the file an order starts from."""
    role = SOURCES.get(kind)
    main = model.input_for(role) if role else None
    if main is not None and main.place != "hidden":
        return main
    visible = [each for each in model.inputs if each.takes_files and each.place != "hidden"]
    taking = [each for each in visible if each.files is not None and each.files.kind == kind]
    applying = relevant(model, {}) if taking else ()
    return next((each for each in taking if each in applying), None)


def with_file(asked: Input, file: Mapping[str, Any]) -> dict[str, Any]:
    """The input with this file, as a list where it takes several."""
    return {asked.name: [dict(file)] if asked.type == "files" else dict(file)}


def with_track(model: Model, track: JobRef) -> dict[str, Any]:
    """The inputs that continue from a track: the track itself, and its task where the model wants that too."""
    task, own = model.input_for("source_task"), model.input_for("source_track")
    found = {task.name: JobRef(track.job_id).as_json()} if task is not None else {}
    return found | ({own.name: track.as_json()} if own is not None else {})


def with_words(model: Model, words: str) -> dict[str, Any]:
    """The words as the model gets them: its prompt, or the text it reads aloud."""
    asked = model.input_for("prompt") or model.input_for("lyrics")
    return {asked.name: words} if asked is not None and words else {}
