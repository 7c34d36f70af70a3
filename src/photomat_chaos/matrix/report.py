"""The matrix as a page of its own: figures on top, a table for each action, and below it every broken cell in full.

One file without anything from outside, for a phone as for a desk, light as well as dark.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.matrix.cell import ACTIONS, WAYS, Action, Cell, Place

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "✓": ("good", "survived"),
    "·": ("none", "never passed"),
    "✗": ("bad", "broken"),
}
STRUCK: Final[Mapping[Action, str]] = {"kill": "killed", "stop": "frozen and woken", "cut": "cut off"}
ABOUT: Final = (
    "Every failpoint × every action × every way a job can go. Each cell is one purchase on real processes and a real"
    " PostgreSQL, then rest, then the history checker."
)
WHOLE: Final = len(FAILPOINTS) * len(ACTIONS) * len(WAYS)
STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d2430; --paper: #fbfaf7; --line: #d9d5cb; --faint: #6d7482;
  --good: #e2f2e5; --good-ink: #14602b; --bad: #fbe0dd; --bad-ink: #9c1c10; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --paper: #14171c; --line: #343a44; --faint: #8f97a5;
  --good: #15301d; --good-ink: #8fdca4; --bad: #46161280; --bad-ink: #ff9d92; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.15rem; }
h2::first-letter { text-transform: uppercase; }
p { margin: 0 0 1rem; } .faint { color: var(--faint); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem; margin: 1.5rem 0; }
dl div { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .5rem; }
dt { font-size: .8rem; color: var(--faint); } dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
dl .good { background: var(--good); } dl .bad { background: var(--bad); }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; font-size: .85rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
thead th { font-weight: 600; } tbody tr:last-child > * { border-bottom: 0; }
tbody th { position: sticky; left: 0; background: var(--paper); font: 500 .8rem/1.4 ui-monospace, monospace; }
td.good { background: var(--good); color: var(--good-ink); } td.bad { background: var(--bad); color: var(--bad-ink); }
td.none { color: var(--faint); } td a { color: inherit; font-weight: 600; }
article { margin: .75rem 0; padding: .75rem 1rem; border-left: .25rem solid var(--bad-ink); background: var(--bad); }
article h3 { margin: 0 0 .25rem; font-size: 1rem; overflow-wrap: anywhere; } ul { margin: 0; padding-left: 1.2rem; }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; } td span, thead th { font-size: .7rem; } }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixReport:
    """A finished run, or as far as it got."""

    cells: Sequence[Cell]
    version: str
    seed: int
    finished: str
    """The instant in words."""

    @property
    def broken(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.broken]

    @property
    def is_a_part(self) -> bool:
        """Whether cells were left out: a shard, chosen points or actions, or a run that was stopped."""
        return len(self.cells) < WHOLE

    def struck(self, action: Action) -> int:
        return sum(cell.struck and cell.place.action == action for cell in self.cells)

    def figures(self) -> dict[str, int]:
        return {
            "cells": len(self.cells),
            **{words: self.struck(action) for action, words in STRUCK.items()},
            "never passed": sum(cell.sign == "·" for cell in self.cells),
            "violations": sum(len(cell.broken) for cell in self.cells),
            "seconds in cells": round(sum(cell.seconds for cell in self.cells)),
        }


def page_of(report: MatrixReport) -> str:
    verdict = f"Cells that broke a promise: {len(report.broken)}" if report.broken else "No promise was broken"
    if report.is_a_part:
        verdict += f" in {len(report.cells)} of {WHOLE} cells"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{verdict} · the crash matrix of Photomat</title>",
            f"<style>{STYLE}</style></head><body>",
            f"<h1>{verdict}</h1>",
            f'<p class="faint">{ABOUT}</p>',
            f'<p class="faint">Photomat {escape(report.version)} · seed {report.seed} · {escape(report.finished)}</p>',
            *_figures(report),
            *(line for action in ACTIONS for line in _table(report, action)),
            *_stories(report.broken),
            "</body></html>",
            "",
        ]
    )


def _figures(report: MatrixReport) -> Iterator[str]:
    yield "<dl>"
    for name, figure in report.figures().items():
        mood = ("bad" if report.broken else "good") if name == "violations" else ""
        yield f'<div class="{mood}"><dt>{name}</dt><dd>{figure:,}</dd></div>'
    yield "</dl>"


def _table(report: MatrixReport, action: Action) -> Iterator[str]:
    cells = {cell.place: cell for cell in report.cells if cell.place.action == action}
    if not cells:
        return
    yield f"<h2>{ACTIONS[action]}</h2>"
    yield '<div class="wide"><table><thead><tr><th scope="col">failpoint</th>'
    yield "".join(f'<th scope="col">{way}</th>' for way in WAYS)
    yield "</tr></thead><tbody>"
    for point in dict.fromkeys(place.failpoint for place in cells):
        row = (cells.get(Place(action=action, failpoint=point, way=way)) for way in WAYS)
        yield f'<tr><th scope="row">{point}</th>{"".join(_box(cell) for cell in row)}</tr>'
    yield "</tbody></table></div>"


def _box(cell: Cell | None) -> str:
    if cell is None:
        return '<td class="none" title="not part of this run">not run</td>'
    mood, words = WORDS[cell.sign]
    about = "; ".join(cell.broken) or (f"{words}, pass {cell.nth}, {cell.seconds:.1f} s" if cell.struck else words)
    said = f"{cell.sign} <span>{words}</span>"
    if cell.broken:
        said = f'<a href="#{cell.place.name}">{said}</a>'
    return f'<td class="{mood}" title="{escape(about)}">{said}</td>'


def _stories(broken: Sequence[Cell]) -> Iterator[str]:
    if broken:
        yield "<h2>What was broken</h2>"
    for cell in broken:
        place = cell.place
        yield f'<article id="{place.name}"><h3>{place.failpoint}, {place.way}, {ACTIONS[place.action]}</h3><ul>'
        yield from (f"<li>{escape(sentence)}</li>" for sentence in cell.broken)
        yield "</ul></article>"
