"""One input of a model: how it is given, within which limits, when it makes sense, and how it is written for Kie. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.catalog.formula import as_number, is_given, plain
from photomat.catalog.reference import reference
from photomat.catalog.words import LocalizedText

InputType: TypeAlias = Literal["text", "choice", "number", "switch", "link", "file", "files", "list", "task", "track"]
"""How an input is given: typed in, picked from options, a number, yes or no, a URL, sent as a file or as several, as a
list of lines with fields of their own, picked from what was made before (a task, or one track of a task)."""

Place: TypeAlias = Literal["ask", "card", "more", "hidden"]
"""Where a customer meets it: asked for in turn, changed on the card, under "more settings", or never."""

Sends: TypeAlias = Literal["text", "number", "list"]
"""How Kie wants it where that is not plain from the type: digits as a text, an option as a number, one value as a list."""

FileKind: TypeAlias = Literal["image", "video", "audio", "document"]

Role: TypeAlias = Literal[
    "prompt", "lyrics", "negative_prompt", "format", "resolution", "quality", "duration", "count", "seed", "sound", "voice",
    "language", "file_type", "source_image", "last_frame", "mask", "reference_image", "source_video", "reference_video",
    "source_audio", "reference_audio", "source_task", "source_track",
]  # fmt: skip
"""What an input is for, however Kie calls it: see `roles.py`. The format is the shape of a picture."""

FILE_KINDS: Final[tuple[FileKind, ...]] = get_args(FileKind)

MAX_FILES: Final = 14
MAX_LINES: Final = 100
MAX_CHARACTERS: Final = 20_000
"""Where the catalogue names no limit: files of an input, lines of a list, characters of a text or of a whole list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """What a file may be. An unknown limit is None; seconds and sides are of each file, `total_seconds` of all."""

    kind: FileKind
    formats: tuple[str, ...] = ()
    max_bytes: int | None = None
    min_seconds: Decimal | None = None
    max_seconds: Decimal | None = None
    total_seconds: Decimal | None = None
    min_side: int | None = None
    max_side: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What else must be so: inputs with one of these values, given, not given, or above a bound (files and lines are counted).

    `why` is what a customer reads where it says that something does not go together.
    """

    when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    given: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    above: tuple[tuple[str, Decimal], ...] = ()
    why: LocalizedText | None = None

    def holds(self, inputs: Mapping[str, Any]) -> bool:
        """Whether these inputs, defaults included, meet it."""
        if self is ALWAYS:
            return True
        return (
            all(name in inputs and plain(inputs[name]) in values for name, values in self.when)
            and all(is_given(inputs.get(name)) for name in self.given)
            and not any(is_given(inputs.get(name)) for name in self.without)
            and all(_size(inputs.get(name)) > bound for name, bound in self.above)
        )

    @property
    def names(self) -> frozenset[str]:
        return frozenset((
            *(name for name, _ in self.when), *self.given, *self.without, *(name for name, _ in self.above)
        ))  # fmt: skip


ALWAYS: Final = Condition()


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One question of a model's form. Which limits it has depends on its type; `docs/catalogue.md` lists them.

    `of` names the models, or the categories, whose results a task or a track may be. The first of `defaults` whose condition
    holds replaces the default. An input that `sums` a field of a list (`multi_prompt.duration`) is that sum while there are
    lines. A field whose values are `among` those of another list's field has a line there for each. `totals` are what the
    numbers of a field must be together; a text matches `pattern`, `like` this.
    """

    name: str
    type: InputType
    required: bool
    role: Role | None = None
    options: tuple[str, ...] = ()
    default: str | None = None
    defaults: tuple[tuple[Condition, str], ...] = ()
    sums: str | None = None
    among: str | None = None
    pattern: str | None = None
    like: str | None = None
    totals: tuple[tuple[str, Decimal], ...] = ()
    max_length: int | None = None
    min_length: int | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    step: Decimal | None = None
    files: FileLimits | None = None
    min_items: int | None = None
    max_items: int | None = None
    fields: tuple["Input", ...] = ()
    main: str | None = None
    total_length: int | None = None
    default_items: tuple[Mapping[str, str], ...] = ()
    of: tuple[str, ...] = ()
    place: Place = "card"
    sends: Sends | None = None
    condition: Condition = ALWAYS
    title: LocalizedText | None = None
    ask: LocalizedText | None = None
    labels: Mapping[str, LocalizedText] = field(default_factory=dict)

    @property
    def takes_files(self) -> bool:
        return self.type in {"file", "files"}

    @property
    def must_be_asked(self) -> bool:
        return self.required and self.default is None and not self.default_items

    @property
    def items_limit(self) -> int:
        """The most files or lines; 1 for anything else."""
        general = {"files": MAX_FILES, "list": MAX_LINES}.get(self.type)
        return 1 if general is None else self.max_items or general

    @property
    def length_limit(self) -> int:
        """The most characters; of a list in all its lines and fields."""
        own = self.max_length or self.total_length
        return max(own or 0, MAX_CHARACTERS) if self.type == "list" else own or MAX_CHARACTERS

    def title_in(self, language: str) -> str:
        return self.title.of(language) if self.title else self.name

    def label(self, option: str, language: str) -> str:
        label = self.labels.get(option)
        return label.of(language) if label else option

    def as_json(self, value: Any) -> Any:
        """The value as Kie expects it: numbers as numbers, switches as booleans, lists as lists."""
        match self.type:
            case "switch":
                return plain(value) == "true"
            case "number" | "choice":
                written = self._number(value) if self._is_number else plain(value)
                return [written] if self.sends == "list" else written
            case "files":
                return [value] if isinstance(value, str | Mapping) else list(value)
            case "list":
                return [self._item(each) for each in value]
            case _:
                written = value if reference(value) else str(value)
                return [written] if self.sends == "list" else written

    @property
    def _is_number(self) -> bool:
        return self.sends == "number" if self.type == "choice" else self.sends != "text"

    def _number(self, value: Any) -> int | float | str:
        number = as_number(value)
        if number is None:
            return plain(value)
        return int(number) if number == number.to_integral_value() else float(number)

    def _item(self, item: Any) -> Any:
        if not self.fields:
            number = as_number(item)
            return int(number) if self.sends == "number" and number is not None else str(item)
        filled = {each.name: each.default for each in self.fields if each.default is not None}
        given = {name: value for name, value in item.items() if is_given(value)}
        values = {**filled, **given}
        return {each.name: each.as_json(values[each.name]) for each in self.fields if each.name in values}


def _size(value: Any) -> Decimal:
    """How many files or lines; of anything else the number it is."""
    if isinstance(value, list | tuple):
        return Decimal(len(value))
    return as_number(value) or Decimal(1 if is_given(value) else 0)
