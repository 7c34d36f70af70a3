"""One table of a catalogue file, read field by field. Whatever makes no sense is refused by file, line, model and field."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from photomat.catalog.formula import plain
from photomat.catalog.lines import Lines
from photomat.catalog.words import LANGUAGES, Said
from photomat.kernel.errors import Startup

T = TypeVar("T", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One table; `path` says which one it is, `block` of which model of the file, `hints` help to find its line."""

    lines: Lines
    fields: Mapping[str, Any]
    known: frozenset[str]
    path: tuple[str, ...] = ()
    block: int | None = None
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in sorted(self.fields.keys() - self.known):
            raise self.refusal(field, "is not a field here")

    def tables(self, field: str, known: frozenset[str], *, named_by: str) -> list["Entry"]:
        """Several tables of one name; at least one is needed."""
        rows = self.fields.get(field)
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise self.refusal(field, f"at least one [[{field}]] is needed")
        return [
            Entry(
                lines=self.lines,
                fields=row,
                known=known,
                path=(*self.path, str(row.get(named_by, f"{field} {position + 1}"))),
                block=position if field == "model" else self.block,
                hints=(*self.hints, *([f'{named_by} = "{row[named_by]}"'] if named_by in row else [field])),
            )
            for position, row in enumerate(rows)
        ]

    def some_tables(self, field: str, known: frozenset[str], *, named_by: str) -> list["Entry"]:
        """Several tables of one name, or none."""
        return self.tables(field, known, named_by=named_by) if field in self.fields else []

    def table(self, field: str, known: frozenset[str]) -> "Entry | None":
        """One table, if it is there."""
        row = self.fields.get(field)
        self.require(row is None or isinstance(row, dict), field, f"is one table [{field}]")
        if row is None:
            return None
        path, hints = (*self.path, field), (*self.hints, field)
        return Entry(lines=self.lines, fields=row, known=known, path=path, block=self.block, hints=hints)

    def text(self, field: str) -> str:
        """A text that is not empty."""
        value = self.fields.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.refusal(field, "is a text that is not empty")
        return value

    def some_text(self, field: str) -> str | None:
        """A text that is not empty, if it is there."""
        return self.text(field) if field in self.fields else None

    def one_of(self, field: str, words: tuple[T, ...], otherwise: T | None = None) -> T:
        """One of the words we know."""
        if otherwise is not None and field not in self.fields:
            return otherwise
        found = next((word for word in words if word == self.fields.get(field)), None)
        if found is None:
            raise self.refusal(field, f"is one of {', '.join(words)}")
        return found

    def said(self, field: str) -> Said:
        """A text in both languages: one for both, or a table with each."""
        value = self.fields.get(field)
        if isinstance(value, str) and value.strip():
            return Said(ru=value, en=value)
        if not isinstance(value, dict):
            raise self.refusal(field, "is a text, or one for each language: { ru = …, en = … }")
        for language in LANGUAGES:
            found = value.get(language)
            self.require(isinstance(found, str) and bool(found.strip()), field, f"has no text in {language}")
        self.require(value.keys() == set(LANGUAGES), field, f"speaks {' and '.join(LANGUAGES)} only")
        return Said(ru=value["ru"], en=value["en"])

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of texts that is not empty."""
        values = self.fields.get(field)
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            raise self.refusal(field, "is a list of texts that is not empty")
        return tuple(values)

    def some_texts(self, field: str) -> tuple[str, ...]:
        """A list of texts, or nothing."""
        return self.texts(field) if field in self.fields else ()

    def whole(self, field: str, *, least: int = 1) -> int | None:
        """A whole number, if it is there."""
        value = self.fields.get(field)
        fine = value is None or (type(value) is int and value >= least)
        self.require(fine, field, "is above zero" if least == 1 else f"is a whole number, {least} or more")
        return value

    def amount(self, field: str, *, least: Decimal | None = None) -> Decimal:
        """A number in quotes, above zero; with `least` it may be that."""
        return self.number(field, self.text(field), least=least)

    def number(self, field: str, written: object, *, least: Decimal | None = None) -> Decimal:
        """What was written, as a number."""
        try:
            value = Decimal(written if isinstance(written, str) else "")
        except InvalidOperation:
            raise self.refusal(field, "is a decimal number in quotes") from None
        fine = value.is_finite() and (value > 0 if least is None else value >= least)
        self.require(fine, field, "is above zero" if least is None else f"is {least} or more")
        return value

    def measure(self, field: str) -> Decimal | None:
        """A number that is no money, if it is there: written as TOML writes numbers."""
        value = self.fields.get(field)
        self.require(value is None or type(value) in {int, float}, field, "is a number")
        return None if value is None else Decimal(str(value))

    def flag(self, field: str) -> bool:
        """Yes or no; no where nothing is said."""
        value = self.fields.get(field, False)
        if not isinstance(value, bool):
            raise self.refusal(field, "is true or false")
        return value

    def value(self, field: str, sentence: str) -> str:
        """A chosen value in one spelling: a text, a number, true or false."""
        found = self.fields[field]
        self.require(isinstance(found, str | int | float) and found != "", field, sentence)
        return plain(found)

    def require(self, fine: bool, field: str, sentence: str) -> None:  # noqa: FBT001  reads like an assertion
        """Refuse the field unless it is fine."""
        if not fine:
            raise self.refusal(field, sentence)

    def refusal(self, field: str, sentence: str) -> Startup:
        """What is wrong, by place and name."""
        place = self.lines.place(self.block, (*self.hints, *([field] if field in self.fields else [])))
        return Startup(": ".join((place, *self.path, field, sentence)))
