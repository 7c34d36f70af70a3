"""The tables of the catalogue's TOML files: which fields there are, and what each may hold. Loaded by `load.py`.

What a table can state on its own is checked here. What needs the words or the rest of the model is checked where the model is
built (`load_model.py`); both raise a `Refusal`, which holds the path to the field.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, PositiveInt, StringConstraints, model_validator

from photomat.catalog.formula import UnitWord, plain
from photomat.catalog.input import FileKind, InputType, Place, Role, Sends
from photomat.catalog.model import Category, ModelTag, Output, Pace, Status, Strength
from photomat.catalog.words import LANGUAGES, LocalizedText, VoiceAccent, VoiceSex

T = TypeVar("T")
R = TypeVar("R")
Location: TypeAlias = tuple[str | int, ...]
"""The path to a field of a file: `("model", 0, "input", 2, "options")`."""


class Refusal(ValueError):
    """Something in a table is wrong; `at` is the path to it from the table that is read."""

    def __init__(self, reason: str, *at: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at: Location = at


def require(fine: object, reason: str, *at: str | int) -> None:
    if not fine:
        raise Refusal(reason, *at)


@contextmanager
def inside(*at: str | int) -> Iterator[None]:
    """Prefix the path of refusals of a nested table."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(refusal.reason, *at, *refusal.at) from None


def nested(field: str, tables: Sequence[T], read: Callable[[T], R]) -> tuple[R, ...]:
    """Read several tables of one name; a refusal states which one."""
    found = []
    for position, each in enumerate(tables):
        with inside(field, position):
            found.append(read(each))
    return tuple(found)


def same_fields(table: BaseModel, of: type[Any]) -> dict[str, Any]:
    """The values of the fields that a table and a dataclass have in common."""
    own = type(table).model_fields
    return {each.name: getattr(table, each.name) for each in fields(of) if each.name in own}


def _number(written: object) -> Decimal:
    require(type(written) in {int, float}, "is a number")
    return Decimal(str(written))


def _quoted(written: object) -> Decimal:
    """Money is written in quotes, so that it is never a float."""
    require(isinstance(written, str) and written.strip(), "is a text that is not empty")
    try:
        return Decimal(str(written))
    except InvalidOperation:
        raise Refusal("is a decimal number in quotes") from None


def _amount(written: object) -> Decimal:
    value = _quoted(written)
    require(value.is_finite() and value > 0, "is above zero")
    return value


def _localized(written: object) -> LocalizedText:
    """One text for both languages, or a table with each."""
    if isinstance(written, str) and written.strip():
        return LocalizedText(ru=written, en=written)
    if not isinstance(written, dict):
        raise Refusal("is a text, or one for each language: { ru = …, en = … }")
    for language in LANGUAGES:
        found = written.get(language)
        require(isinstance(found, str) and found.strip(), f"has no text in {language}")
    require(written.keys() == set(LANGUAGES), f"speaks {' and '.join(LANGUAGES)} only")
    return LocalizedText(**written)


def _names(written: object) -> tuple[str, ...]:
    found = [written] if isinstance(written, str) else written
    if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
        raise Refusal("is a list of texts that is not empty")
    return tuple(found)


def _options(written: object) -> str | tuple[str, ...]:
    """The options, or their name in words.toml."""
    return written if isinstance(written, str) else _names(written)


def _value(written: object) -> str:
    require(isinstance(written, str | int | float) and written != "", "is a text, a number, true or false")
    return plain(written)


Text: TypeAlias = Annotated[str, StringConstraints(pattern=r"\S")]
Texts: TypeAlias = Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
Names: TypeAlias = Annotated[tuple[str, ...], PlainValidator(_names)]
Options: TypeAlias = Annotated[str | tuple[str, ...], PlainValidator(_options)]
Value: TypeAlias = Annotated[str, PlainValidator(_value)]
Localized: TypeAlias = Annotated[LocalizedText, PlainValidator(_localized)]
Number: TypeAlias = Annotated[Decimal, PlainValidator(_number)]
Quoted: TypeAlias = Annotated[Decimal, PlainValidator(_quoted)]
Amount: TypeAlias = Annotated[Decimal, PlainValidator(_amount)]
Rows: TypeAlias = Annotated[tuple[T, ...], Field(strict=False, min_length=1)]
"""Several tables of one name, or several literals."""


@cache
def _required(table: type[BaseModel]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in table.model_fields.items() if field.is_required())


class Table(BaseModel):
    """A table of a file: no unknown field, no value converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _missing_is_none(cls, written: Any) -> Any:
        """A required field that is missing is refused by what it must be."""
        return {**dict.fromkeys(_required(cls)), **written} if isinstance(written, dict) else written


class ConditionTable(Table):
    when: dict[str, Any] = {}
    given: Texts = ()
    without: Texts = ()
    above: dict[str, Number] = {}


class DefaultTable(ConditionTable):
    value: Value = Field(alias="is")


class NeverTable(ConditionTable):
    why: Localized | None = None


COMMON: Final = frozenset({
    "name", "type", "required", "place", "role", "title", "ask", "when", "given", "without", "above",
})  # fmt: skip
OF_FILES: Final = frozenset({
    "kind", "formats", "max_mb", "min_seconds", "max_seconds", "min_side", "max_side",
})  # fmt: skip
OF_TYPE: Final[Mapping[str, frozenset[str]]] = {
    "text": frozenset({"default", "min_length", "max_length", "sends", "pattern", "like"}),
    "choice": frozenset({"default", "defaults", "options", "labels", "plain", "sends", "sums", "among"}),
    "number": frozenset({"default", "defaults", "min", "max", "step", "sends", "sums"}),
    "switch": frozenset({"default"}),
    "link": frozenset({"sends"}),
    "file": OF_FILES | {"sends"},
    "files": OF_FILES | {"min_items", "max_items", "total_seconds"},
    "list": frozenset({"default", "fields", "main", "min_items", "max_items", "total_length", "totals", "sends"}),
    "task": frozenset({"of"}),
    "track": frozenset({"of"}),
}
"""Which fields belong to which type of input, besides the common ones."""


class InputTable(ConditionTable):
    """One input of a model, or one field of a list's lines."""

    name: Text
    type: InputType
    required: bool
    role: Role | None = None
    place: Place | None = None
    title: Localized | None = None
    ask: Localized | None = None
    default: Any = None
    defaults: Rows[DefaultTable] = ()
    options: Options | None = None
    labels: dict[str, Localized] = {}
    plain: bool = False
    sends: Sends | None = None
    sums: Text | None = None
    among: Text | None = None
    pattern: Text | None = None
    like: Text | None = None
    min_length: PositiveInt | None = None
    max_length: PositiveInt | None = None
    least: Number | None = Field(None, alias="min")
    most: Number | None = Field(None, alias="max")
    step: Number | None = None
    kind: FileKind | None = None
    formats: Texts = ()
    max_mb: PositiveInt | None = None
    min_seconds: Number | None = None
    max_seconds: Number | None = None
    total_seconds: Number | None = None
    min_side: PositiveInt | None = None
    max_side: PositiveInt | None = None
    min_items: PositiveInt | None = None
    max_items: PositiveInt | None = None
    fields_: Rows["InputTable"] = Field((), alias="fields")
    main: Text | None = None
    total_length: PositiveInt | None = None
    totals: dict[str, Number] = {}
    of: Texts = ()

    @model_validator(mode="before")
    @classmethod
    def _only_fields_of_the_type(cls, written: Any) -> Any:
        own = OF_TYPE.get(str(written.get("type"))) if isinstance(written, dict) else None
        others = [name for name in written if name not in COMMON and name not in own] if own is not None else []
        for name in sorted(others):
            owners = " or ".join(f"a {each}" for each, known in OF_TYPE.items() if name in known)
            raise Refusal(f"belongs to {owners}" if owners else "is not a field here", name)
        return written


class PriceTable(Table):
    credits: Quoted
    when: dict[str, Any] = {}
    given: Texts = ()
    up_to: Amount | None = None


class UnitTable(Table):
    """See `formula.PriceUnit`."""

    word: UnitWord = Field("generation", alias="of")
    count: Names = ()
    times: Names = ()
    largest: bool = False
    each: Amount = Decimal(1)
    factor: Amount = Decimal(1)
    free: Amount = Decimal(0)
    whole: bool = False
    assume: Amount | None = None
    worth: dict[str, Amount] = {}


class ExtraTable(UnitTable):
    credits: Amount
    when: dict[str, Any] = {}
    given: Texts = ()


class TogetherTable(Table):
    of: Texts
    max_items: PositiveInt | None = None
    max_seconds: Number | None = None


class ModelTable(Table):
    id: Text
    title: Localized
    purpose: Localized
    category: Category
    output: Output
    also: Rows[Category] = ()
    tags: Rows[ModelTag] = ()
    good_at: Rows[Strength] = ()
    status: Status = "current"
    pace: Pace | None = None
    protocol: Text | None = None
    needs_callback: bool = Field(default=False, alias="callback")
    off: Text | None = None
    instead: Text | None = None
    doubt: Text | None = None
    aliases: Texts = ()
    free: bool = False
    sent: dict[str, Any] = {}
    omits: dict[str, Any] = {}
    checkers: Texts = ()
    input: Rows[InputTable]
    one_of: Annotated[tuple[Texts, ...], Field(strict=False)] = ()
    never: Rows[NeverTable] = ()
    together: Rows[TogetherTable] = ()
    price: Rows[PriceTable] = ()
    unit: UnitTable | None = None
    step: UnitTable | None = None
    extra: Rows[ExtraTable] = ()
    example: dict[str, Any] = {}
    reviewed: Texts = ()


class ModelsFile(Table):
    model: Rows[ModelTable]


class InputWordsTable(Table):
    title: Localized
    ask: Localized | None = None


class VoiceTable(Table):
    sex: VoiceSex | None = None
    accent: VoiceAccent | None = None


class WordsFile(Table):
    """`words*.toml`."""

    input: dict[str, InputWordsTable] = {}
    option: dict[str, Localized] = {}
    options: dict[str, dict[str, Localized]] = {}
    example: dict[str, str] = {}
    omitted: dict[str, str] = {}
    voice: dict[str, VoiceTable] = {}
