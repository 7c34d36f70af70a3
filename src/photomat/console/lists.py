"""Lists of the console: filters from the URL, links that change one filter, pages by key, CSV that no spreadsheet executes."""

import asyncio
import csv
import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, TypeVar
from urllib.parse import urlencode

from aiohttp import web

from photomat.kernel.money import MINOR_PER_MAJOR, STARS, Money

Item = TypeVar("Item")
PAGE_SIZE: Final = 50
CSV_ROWS: Final = 10_000
"""What one export may hold; a larger one is cut by its filters."""
ROWS_A_TURN: Final = 100
MAX_TEXT: Final = 200
YEARS: Final = range(2000, 2100)
MAX_ID: Final = 2**63 - 1
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A cell that begins so would be executed by a spreadsheet."""


@dataclass(frozen=True, slots=True)
class Query:
    """The filters of a page's URL; a value that cannot be read counts as not given."""

    path: str
    values: Mapping[str, str]

    def text(self, name: str) -> str | None:
        return self.values.get(name, "").replace("\0", "").strip()[:MAX_TEXT] or None

    def number(self, name: str) -> int | None:
        written = (self.text(name) or "").removeprefix("#")
        found = int(written) if written.isascii() and written.isdigit() else MAX_ID + 1
        return found if found <= MAX_ID else None

    def choice(self, name: str, known: Collection[str]) -> str | None:
        written = self.text(name)
        return written if written in known else None

    def day(self, name: str) -> date | None:
        try:
            found = date.fromisoformat(self.values.get(name, ""))
        except ValueError:
            return None
        return found if found.year in YEARS else None

    def url(self, **changes: object) -> str:
        """This page with some filters changed; None drops one. The list starts at its first page."""
        kept = {name: value for name, value in self.values.items() if name not in {"before", "format", *changes}}
        added = {name: str(value) for name, value in changes.items() if value not in {None, ""}}
        both = urlencode({**{name: value for name, value in kept.items() if value}, **added})
        return f"{self.path}?{both}" if both else self.path


async def in_turns(items: Sequence[Item], row_of: Callable[[Item], Sequence[object]]) -> list[Sequence[object]]:
    """The rows of a table whose cells take time to write: others get their turn in between."""
    rows = []
    for number, item in enumerate(items, start=1):
        rows.append(row_of(item))
        if number % ROWS_A_TURN == 0:
            await asyncio.sleep(0)
    return rows


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> web.Response:
    """A table as a file for spreadsheets, in UTF-8 with a mark that Excel needs."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(header)
    table.writerows([_cell(value) for value in row] for row in rows)
    return web.Response(
        body=b"\xef\xbb\xbf" + written.getvalue().encode(),
        content_type="text/csv",
        charset="utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _cell(value: object) -> str:
    """A number stays a number; text that could be a formula gets an apostrophe."""
    match value:
        case None:
            return ""
        case Money():
            return str(value.minor) if value.currency == STARS else f"{value.minor / MINOR_PER_MAJOR:.2f}"
        case bool() | int() | float():
            return str(value)
        case datetime():
            return value.isoformat(timespec="seconds")
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
