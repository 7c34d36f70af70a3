"""One table of a catalogue file, read field by field. Whatever makes no sense is refused by file, model and field."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from photomat.catalog.formula import plain
from photomat.kernel.errors import Startup


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One table; `where` says which one it is."""

    where: str
    fields: Mapping[str, Any]
    known: frozenset[str]

    def __post_init__(self) -> None:
        for field in sorted(self.fields.keys() - self.known):
            raise self.refusal(field, "is not a field here")

    def tables(self, field: str, known: frozenset[str], *, named_by: str) -> list["Entry"]:
        """Several tables of one name; at least one is needed."""
        rows = self.fields.get(field)
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise self.refusal(field, f"at least one [[{field}]] is needed")
        return [
            Entry(where=f"{self.where}: {row.get(named_by, f'{field} {position}')}", fields=row, known=known)
            for position, row in enumerate(rows, start=1)
        ]

    def text(self, field: str) -> str:
        """A text that is not empty."""
        value = self.fields.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.refusal(field, "is a text that is not empty")
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of texts that is not empty."""
        values = self.fields.get(field)
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            raise self.refusal(field, "is a list of texts that is not empty")
        return tuple(values)

    def table(self, field: str, known: frozenset[str]) -> "Entry | None":
        """One table, if it is there."""
        row = self.fields.get(field)
        self.require(row is None or isinstance(row, dict), field, f"is one table [{field}]")
        return None if row is None else Entry(where=f"{self.where}: {field}", fields=row, known=known)

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
        """What is wrong, by name."""
        return Startup(f"{self.where}: {field}: {sentence}")
