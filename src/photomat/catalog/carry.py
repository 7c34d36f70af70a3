"""Take an order over to another model: its words, its files, and the choices that mean the same there. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Role
from photomat.catalog.model import Model
from photomat.catalog.reference import JobRef, files_in, reference
from photomat.catalog.roles import common_value, own_value
from photomat.catalog.wishes import SOURCES, source_input, with_track, with_words

CHOICES: Final[tuple[Role, ...]] = ("format", "resolution", "duration", "count", "sound")


def carried(old: Model, new: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What of an order the new model can be given; the rest is left to its defaults."""
    words = with_words(new, words_of(old, inputs))
    return {**choices(old, new, inputs), **_track(old, new, inputs), **_files(old, new, inputs), **words}


def words_of(model: Model, inputs: Mapping[str, Any]) -> str:
    """The words that describe an order; empty where it has none."""
    asked = model.input_for("prompt") or model.input_for("lyrics")
    return str(inputs.get(asked.name) or "") if asked is not None else ""


def choices(old: Model, new: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Format, length and the like, as the new model spells them, where it has the same choice."""
    found: dict[str, Any] = {}
    for role in CHOICES:
        before, after = old.input_for(role), new.input_for(role)
        if before is None or after is None or not is_given(inputs.get(before.name)):
            continue
        common = common_value(before, inputs[before.name])
        own = None if common is None else own_value(after, common)
        found |= {} if own is None else {after.name: own}
    return found


def _files(old: Model, new: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in SOURCES:
        asked, files = source_input(new, kind), files_of(old, inputs, kind)
        if asked is not None and files:
            found[asked.name] = files[: asked.items_limit] if asked.type == "files" else files[0]
    return found


def files_of(model: Model, inputs: Mapping[str, Any], kind: FileKind) -> list[dict[str, int]]:
    """The files of one kind in an order, as references."""
    taking = [each for each in model.inputs if each.files is not None and each.files.kind == kind]
    return [ref.as_json() for each in taking for ref in files_in(inputs.get(each.name))]


def _track(old: Model, new: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    asked = old.input_for("source_track")
    track = reference(inputs.get(asked.name)) if asked is not None else None
    return with_track(new, track) if isinstance(track, JobRef) else {}
