"""The catalogue from its files, one for each kind, refused at start when anything in them makes no sense.

A refusal names the file, the model and the field, so that an operator can mend it without reading this.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from photomat.catalog.entry import Entry
from photomat.catalog.load_price import EXTRA_FIELDS, PRICE_FIELDS, read_extra, read_rows, read_unit
from photomat.catalog.model import INPUT_TYPES, KINDS, Input, Kind, Model
from photomat.kernel.errors import Startup
from photomat.kie.families import FAMILIES, JOBS

FILE_FIELDS: Final = frozenset({"model"})
MODEL_FIELDS: Final = frozenset({"id", "title", "protocol", "free", "input", "price", "unit", "extra"})
INPUT_FIELDS: Final = frozenset({"name", "type", "required", "options", "default", "max_length"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Every model on sale, by id, in the order of the files."""

    models: Mapping[str, Model]

    def get(self, model_id: str) -> Model:
        """The model of this id; KeyError when it is not on sale."""
        return self.models[model_id]

    def of_kind(self, kind: str) -> tuple[Model, ...]:
        """The models of one kind, in the order they are shown."""
        return tuple(model for model in self.models.values() if model.kind == kind)


def load_catalog(folder: Traversable | None = None) -> Catalog:
    """Read every .toml of the folder, by default the one that comes with the program."""
    folder = folder or resources.files("photomat.catalog").joinpath("data")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    models: dict[str, Model] = {}
    for file in files:
        for model in _read_file(file):
            if model.id in models:
                raise Startup(f"{file.name}: {model.id}: id: is in the catalogue twice")
            models[model.id] = model
    return Catalog(models=models)


def _read_file(file: Traversable) -> list[Model]:
    kind = next((kind for kind in KINDS if file.name == f"{kind}.toml"), None)
    if kind is None:
        raise Startup(f"{file.name}: a catalogue file is named after what its models make: {', '.join(KINDS)}")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Startup(f"{file.name}: {error}") from None
    entry = Entry(where=file.name, fields=content, known=FILE_FIELDS)
    return [_model(model, kind) for model in entry.tables("model", MODEL_FIELDS, named_by="id")]


def _model(entry: Entry, kind: Kind) -> Model:
    inputs = tuple(_input(each) for each in entry.tables("input", INPUT_FIELDS, named_by="name"))
    names = [each.name for each in inputs]
    entry.require(len(names) == len(set(names)), "input", "two inputs bear the same name")
    free = entry.flag("free")
    rows = entry.tables("price", PRICE_FIELDS, named_by="credits")
    extras = entry.tables("extra", EXTRA_FIELDS, named_by="credits") if "extra" in entry.fields else []
    protocol = entry.text("protocol") if "protocol" in entry.fields else JOBS
    entry.require(protocol in FAMILIES, "protocol", f"is one of {', '.join(FAMILIES)}")
    return Model(
        id=entry.text("id"),
        title=entry.text("title"),
        kind=kind,
        inputs=inputs,
        prices=read_rows(entry, rows, inputs, free=free),
        unit=read_unit(entry, inputs),
        extras=tuple(read_extra(each, inputs) for each in extras),
        free=free,
        protocol=protocol,
    )


def _input(entry: Entry) -> Input:
    input_type = next((known for known in INPUT_TYPES if known == entry.text("type")), None)
    if input_type is None:
        raise entry.refusal("type", f"is one of {', '.join(INPUT_TYPES)}")
    options = entry.texts("options") if input_type == "choice" else ()
    default = entry.value("default", "is a text, a number, true or false") if "default" in entry.fields else None
    max_length = entry.fields.get("max_length")
    entry.require(isinstance(entry.fields.get("required"), bool), "required", "is true or false")
    entry.require(input_type == "choice" or "options" not in entry.fields, "options", "belong to a choice")
    entry.require(input_type == "text" or max_length is None, "max_length", "belongs to a text")
    entry.require(max_length is None or (type(max_length) is int and max_length > 0), "max_length", "is above zero")
    entry.require(default is None or not options or default in options, "default", "is not among the options")
    return Input(
        name=entry.text("name"),
        type=input_type,
        required=entry.fields["required"],
        options=options,
        default=default,
        max_length=max_length,
    )
