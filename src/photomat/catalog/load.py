"""The catalogue from its files, one for each family of models, refused at start when anything in them is wrong.

A refusal names the file, the line, the model and the field, so that an operator can fix it without reading this. tomllib
reports no lines, so the line is searched for when something is refused.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from photomat.catalog.load_model import read_model
from photomat.catalog.model import Catalog, Model
from photomat.catalog.tables import Location, ModelsFile, Refusal, Table, WordsFile, inside, require
from photomat.catalog.words import InputWords, VoiceFacts, Words
from photomat.kernel.errors import Startup

F = TypeVar("F", bound=Table)

WORDS: Final = "words"
NAMED_BY: Final[Mapping[str, str]] = {
    "model": "id", "input": "name", "fields": "name", "defaults": "is", "price": "credits", "extra": "credits",
    "never": "when", "together": "of",
}  # fmt: skip
"""The field by which a refusal names one of several tables."""

REASONS: Final[Mapping[str, str]] = {
    "extra_forbidden": "is not a field here",
    "bool_type": "is true or false",
    "int_type": "is above zero",
    "greater_than": "is above zero",
    "tuple_type": "is a list of texts that is not empty",
    "too_short": "is a list of texts that is not empty",
}
"""Our words for pydantic's errors; any other error means that the field should have been a text."""

MODEL: Final = re.compile(r"\s*\[\[model\]\]|\s*\[model\]")
AT_LINE: Final = re.compile(r"line (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file: its content, and its lines for refusals."""

    name: str
    content: Mapping[str, Any]
    lines: Sequence[str]

    def read(self, shape: type[F]) -> F:
        try:
            return shape.model_validate(self.content)
        except ValidationError as error:
            found = error.errors(include_url=False)
            first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
            raise self.refused(_refusal(first)) from None

    def refused(self, refusal: Refusal) -> Startup:
        """`file:line: model: field: reason`."""
        path: list[str] = []
        hints: list[str] = []
        table: Any = self.content
        named = ""
        *way, field = refusal.at[: _after_last_name(refusal.at)]
        for key in way:
            table = table[key]
            if isinstance(key, int):
                by = NAMED_BY[named]
                path.append(str(table.get(by, f"{named} {key + 1}")))
                hints.append(f'{by} = "{table[by]}"' if by in table else named)
            elif isinstance(table, dict):
                path += [key] if key != "options" else []
                hints.append(key)
            named = str(key)
        hints += [str(field)] if field in table else []
        block = way[1] if way[:1] == ["model"] and isinstance(way[1], int) else None
        return Startup(": ".join((f"{self.name}:{self._line(block, hints)}", *path, str(field), refusal.reason)))

    def _line(self, block: int | None, hints: Sequence[str]) -> int:
        """The line of the last hint found, looking for one after the other, from the start of a model or of the file."""
        starts = [number for number, line in enumerate(self.lines) if MODEL.match(line)]
        at, end = 0, len(self.lines)
        if block is not None and block < len(starts):
            at, end = [*starts, end][block : block + 2]
        for hint in hints:
            at = next((number for number in range(at, end) if _says(self.lines[number], hint)), at)
        return at + 1


def load_catalog(folder: Traversable | None = None) -> Catalog:
    """Read every .toml of the folder, by default the one that comes with the program."""
    return _load(folder) if folder is not None else _packaged()


@cache
def _packaged() -> Catalog:
    """Cached: the packaged files cannot change while the program runs."""
    return _load(_data())


def _load(folder: Traversable) -> Catalog:
    files = _files(folder)
    shared = [file for file in files if _is_words(file)] or [file for file in _files(_data()) if _is_words(file)]
    words = _words([_source(file).read(WordsFile) for file in shared])
    models: dict[str, Model] = {}
    for file in files:
        if not _is_words(file):
            _read_models(_source(file), words, models)
    return Catalog(models=models, omitted=words.omitted, voices=words.voices)


def _read_models(source: Source, words: Words, models: dict[str, Model]) -> None:
    for position, table in enumerate(source.read(ModelsFile).model):
        try:
            with inside("model", position):
                require(table.id not in models, "is in the catalogue twice", "id")
                models[table.id] = read_model(table, words)
        except Refusal as refusal:
            raise source.refused(refusal) from None


def _words(files: Sequence[WordsFile]) -> Words:
    options = [(name, labels) for file in files for name, labels in {"": file.option, **file.options}.items()]
    inputs = [item for file in files for item in file.input.items()]
    return Words(
        inputs={name: InputWords(title=each.title, ask=each.ask) for name, each in inputs},
        options={(name, value): label for name, labels in options for value, label in labels.items()},
        examples={russian: english for file in files for russian, english in file.example.items()},
        omitted={name: why for file in files for name, why in file.omitted.items()},
        voices={
            value: VoiceFacts(sex=each.sex, accent=each.accent) for file in files for value, each in file.voice.items()
        },
    )


def _source(file: Traversable) -> Source:
    try:
        text = file.read_text(encoding="utf-8")
        return Source(name=file.name, content=tomllib.loads(text), lines=text.splitlines())
    except UnicodeDecodeError as error:
        raise Startup(f"{file.name}:1: {error}") from None
    except tomllib.TOMLDecodeError as error:
        line = AT_LINE.search(str(error))
        raise Startup(f"{file.name}:{line.group(1) if line else 1}: {error}") from None


def _files(folder: Traversable) -> list[Traversable]:
    return sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)


def _is_words(file: Traversable) -> bool:
    return file.name.startswith(WORDS)


def _data() -> Traversable:
    return resources.files("photomat.catalog").joinpath("data")


def _refusal(error: Mapping[str, Any]) -> Refusal:
    at: Location = error["loc"]
    kind: str = error["type"]
    field, is_item = at[_after_last_name(at) - 1], isinstance(at[-1], int)
    if kind == "value_error":
        own: Refusal = error["ctx"]["error"]
        return Refusal(own.reason, *at, *own.at)
    if field in NAMED_BY and (kind in {"tuple_type", "too_short"} or kind.startswith("model_")):
        return Refusal(f"at least one [[{field}]] is needed", *at)
    if kind == "dict_type" or kind.startswith("model_"):
        return Refusal(f"is one table: {field} = {{ … }}", *at)
    if kind == "literal_error":
        expected = str(error["ctx"]["expected"]).replace("'", "").replace(" or ", ", ")
        return Refusal(f"{error['input']} is not one of {expected}" if is_item else f"is one of {expected}", *at)
    text = "is a list of texts that is not empty" if is_item else "is a text that is not empty"
    return Refusal(REASONS.get(kind, text), *at)


def _after_last_name(at: Location) -> int:
    """Where the path to a field ends: numbers behind it state which item of a list it is."""
    return 1 + max(place for place, key in enumerate(at) if isinstance(key, str))


def _says(line: str, hint: str) -> bool:
    """Whether a line has the hint outside its comment: `key = "value"`, or a key that is set."""
    code = line.split(" # ", 1)[0]
    if "=" in hint:
        return hint in code
    return re.search(rf"(?<![\w.]){re.escape(hint)}\"?\s*=|^\s*\[+[\w.]*\b{re.escape(hint)}\]+", code) is not None
