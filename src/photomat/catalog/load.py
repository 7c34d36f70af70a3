"""The catalogue from its files, one for each family of models, refused at start when anything in them makes no sense.

A refusal names the file, the line, the model and the field, so that an operator can mend it without reading this.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

from photomat.catalog.entry import Entry
from photomat.catalog.lines import Lines, lines_of
from photomat.catalog.load_model import MODEL_FIELDS, read_model
from photomat.catalog.load_words import is_words, joined, read_words
from photomat.catalog.model import Catalog, Model
from photomat.catalog.words import Words
from photomat.kernel.errors import Startup

FILE_FIELDS: Final = frozenset({"model"})


def load_catalog(folder: Traversable | None = None) -> Catalog:
    """Read every .toml of the folder, by default the one that comes with the program."""
    return _load(folder) if folder is not None else _packaged()


@cache
def _packaged() -> Catalog:
    """The catalogue that comes with the program; it cannot change while it runs."""
    return _load(_data())


def _load(folder: Traversable) -> Catalog:
    files = _files(folder)
    shared = [file for file in files if is_words(file)] or [file for file in _files(_data()) if is_words(file)]
    words = joined(read_words(*_content(file)) for file in shared)
    models: dict[str, Model] = {}
    for file in files:
        for entry, model in _read_file(file, words) if not is_words(file) else ():
            entry.require(model.id not in models, "id", "is in the catalogue twice")
            models[model.id] = model
    return Catalog(models=models, omitted=words.omitted)


def _files(folder: Traversable) -> list[Traversable]:
    return sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)


def _read_file(file: Traversable, words: Words) -> list[tuple[Entry, Model]]:
    content, lines = _content(file)
    entry = Entry(lines=lines, fields=content, known=FILE_FIELDS)
    return [(each, read_model(each, words)) for each in entry.tables("model", MODEL_FIELDS, named_by="id")]


def _content(file: Traversable) -> tuple[Mapping[str, Any], Lines]:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Startup(f"{file.name}:1: {error}") from None
    lines = lines_of(file.name, text)
    try:
        return tomllib.loads(text), lines
    except tomllib.TOMLDecodeError as error:
        raise Startup(f"{lines.place_of_error(error)}: {error}") from None


def _data() -> Traversable:
    return resources.files("photomat.catalog").joinpath("data")
