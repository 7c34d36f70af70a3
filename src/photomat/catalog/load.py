"""The catalogue from its files, one for each kind, refused at start when anything in them makes no sense.

A refusal names the file, the model and the field, so that an operator can mend it without reading this.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

from photomat.catalog.model import INPUT_TYPES, KINDS, Input, Kind, Model, PriceRow
from photomat.kernel.errors import Startup
from photomat.kie.families import FAMILIES, JOBS

FILE_FIELDS: Final = frozenset({"model"})
MODEL_FIELDS: Final = frozenset({"id", "title", "protocol", "input", "price"})
INPUT_FIELDS: Final = frozenset({"name", "type", "required", "options", "default", "max_length"})
PRICE_FIELDS: Final = frozenset({"credits", "when"})


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
    entry = _Entry(where=file.name, fields=content, known=FILE_FIELDS)
    return [_model(model, kind) for model in entry.tables("model", MODEL_FIELDS, named_by="id")]


def _model(entry: "_Entry", kind: Kind) -> Model:
    inputs = tuple(_input(each) for each in entry.tables("input", INPUT_FIELDS, named_by="name"))
    names = [each.name for each in inputs]
    entry.require(len(names) == len(set(names)), "input", "two inputs bear the same name")
    prices = tuple(_price(each, inputs) for each in entry.tables("price", PRICE_FIELDS, named_by="credits"))
    entry.require(not prices[-1].when, "price", "the last row must fit any inputs, so it has no `when`")
    protocol = entry.text("protocol") if "protocol" in entry.fields else JOBS
    entry.require(protocol in FAMILIES, "protocol", f"is one of {', '.join(FAMILIES)}")
    return Model(
        id=entry.text("id"), title=entry.text("title"), kind=kind, inputs=inputs, prices=prices, protocol=protocol
    )


def _input(entry: "_Entry") -> Input:
    input_type = next((known for known in INPUT_TYPES if known == entry.text("type")), None)
    if input_type is None:
        raise entry.refusal("type", f"is one of {', '.join(INPUT_TYPES)}")
    options = entry.texts("options") if input_type == "choice" else ()
    default = entry.text("default") if "default" in entry.fields else None
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


def _price(entry: "_Entry", inputs: tuple[Input, ...]) -> PriceRow:
    options = {each.name: each.options for each in inputs}
    when = entry.fields.get("when", {})
    entry.require(isinstance(when, dict), "when", "names inputs and their values")
    for name, value in when.items():
        entry.require(value in options.get(name, ()), "when", f"{name} = {value!r} is not an option of this model")
    return PriceRow(credits=entry.amount("credits"), when=tuple(when.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One table of a file, read field by field; `where` says which one it is."""

    where: str
    fields: Mapping[str, Any]
    known: frozenset[str]

    def __post_init__(self) -> None:
        for field in sorted(self.fields.keys() - self.known):
            raise self.refusal(field, "is not a field here")

    def tables(self, field: str, known: frozenset[str], *, named_by: str) -> list["_Entry"]:
        rows = self.fields.get(field)
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise self.refusal(field, f"at least one [[{field}]] is needed")
        return [
            _Entry(where=f"{self.where}: {row.get(named_by, f'{field} {position}')}", fields=row, known=known)
            for position, row in enumerate(rows, start=1)
        ]

    def text(self, field: str) -> str:
        value = self.fields.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.refusal(field, "is a text that is not empty")
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        values = self.fields.get(field)
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            raise self.refusal(field, "is a list of texts that is not empty")
        return tuple(values)

    def amount(self, field: str) -> Decimal:
        try:
            value = Decimal(self.text(field))
        except InvalidOperation:
            raise self.refusal(field, "is a decimal number in quotes") from None
        self.require(value.is_finite() and value > 0, field, "is above zero")
        return value

    def require(self, fine: bool, field: str, sentence: str) -> None:  # noqa: FBT001  reads like an assertion
        if not fine:
            raise self.refusal(field, sentence)

    def refusal(self, field: str, sentence: str) -> Startup:
        return Startup(f"{self.where}: {field}: {sentence}")
