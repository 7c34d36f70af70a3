"""Output for people: listings, and the box of a running instance.

Words are never broken or truncated, so that ids, references and amounts can be copied. A listing is a table if the terminal is
wide enough for its longest words, otherwise a paragraph per row; into a pipe it is a table with one line per row. Values from
the database are never read as markup: a reference such as `payment:stars:7` keeps its colons.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from photomat.app.settings import Settings
from photomat.kernel.logs import get_logger

CELL_PADDING: Final = 3
"""Columns that a cell takes beside its text: a border and a space on each side."""
log = get_logger()


class Listing:
    """Rows under headings; long cells wrap between words."""

    def __init__(self, *headings: str) -> None:
        self.headings = list(headings)
        self.rows: list[list[str]] = []

    def add_row(self, *cells: str) -> None:
        self.rows.append(list(cells))

    def widths(self, available: int | None) -> list[int] | None:
        """The width of every column; None if the longest words of a row do not fit on a line."""
        columns = list(zip(self.headings, *self.rows, strict=True))
        widest = [max(cell_len(line) for cell in column for line in cell.split("\n")) for column in columns]
        if available is None:
            return widest
        widths = [max(cell_len(word) for cell in column for word in _words(cell)) for column in columns]
        left = available - CELL_PADDING * len(columns) - 1 - sum(widths)
        if left < 0:
            return None
        for _ in range(left):
            missing = [full - width for full, width in zip(widest, widths, strict=True)]
            if max(missing) <= 0:
                break
            widths[missing.index(max(missing))] += 1
        return widths

    def as_table(self, widths: Sequence[int]) -> Table:
        table = Table()
        for heading, width in zip(self.headings, widths, strict=True):
            table.add_column(heading, width=width, no_wrap=True, overflow="fold")
        for row in self.rows:
            table.add_row(*(_folded(cell, width) for cell, width in zip(row, widths, strict=True)))
        return table

    def as_paragraphs(self, width: int) -> str:
        return "\n".join(f"{row[0]}\n{self._rest(row, width)}" for row in self.rows)

    def _rest(self, row: Sequence[str], width: int) -> str:
        named = zip(self.headings[1:], row[1:], strict=True)
        words = " · ".join(f"{heading} {cell}" for heading, cell in named if cell)
        return _folded(words.replace("\n", " "), width, indent="  ")


def print_listing(found: Listing | str) -> None:
    """Print a listing, or the sentence that there is nothing."""
    console = Console(emoji=False, markup=False, highlight=False)
    if isinstance(found, str):
        console.print(found, soft_wrap=True)
        return
    widths = found.widths(console.width if console.is_terminal else None)
    if widths is None:
        console.print(found.as_paragraphs(console.width), soft_wrap=True)
    else:
        console.width = sum(widths) + CELL_PADDING * len(widths) + 1
        console.print(found.as_table(widths))


def _words(cell: str) -> list[str]:
    """Split at spaces and line ends only: a no-break space belongs to its word."""
    return cell.replace("\n", " ").split(" ")


def _folded(text: str, width: int, *, indent: str = "") -> str:
    lines = [
        textwrap.wrap(
            line,
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
        for line in text.split("\n")
    ]
    return "\n".join("\n".join(each) for each in lines)


def show_box(urls: Mapping[str, str], *, settings: Settings, first: str | None = None) -> None:
    """Print where everything is, with `first` highlighted; with JSON logs as the event READY."""
    if settings.log_format == "json":
        log.info("READY", **{name.lower().replace(" ", "_"): url for name, url in urls.items()})
        return
    table = Table.grid(padding=(0, 2))
    for name, url in urls.items():
        style = "bold green" if name == first else ""
        table.add_row(f"[{style}]{name}[/]" if style else name, f"[{style}]{url}[/]" if style else url)
    Console(width=100).print(
        Panel(table, title="Photomat is running · Ctrl-C stops it", border_style="green", padding=(1, 3))
    )
