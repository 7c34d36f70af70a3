"""Tables of a run: what was measured, how it stands to the targets, and what changed since the committed figures."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table

from photomat_bench.figures import Change, Figure, TargetResult

SIGNS: Final = {True: "✓ met", False: "✗ not met", None: "– not measured"}


def print_run(
    console: Console,
    machine: Mapping[str, object],
    figures: Sequence[Figure],
    results: Sequence[TargetResult],
    skipped: Mapping[str, str],
) -> None:
    console.print(machine_lines(machine), soft_wrap=True)
    console.print(figure_table(figures))
    for name, reason in skipped.items():
        console.print(f"– {name} was not measured: {reason}", soft_wrap=True)
    console.print(target_table(results))


def machine_lines(machine: Mapping[str, object]) -> str:
    packages, settings = machine["packages"], machine["postgresql"]
    return (
        f"Photomat {machine['photomat']}, Python {machine['python']}, {machine['system']}, "
        f"{machine['cores']} cores, load average {machine['load_average']}, "
        f"a fixed loop takes {machine['loop_ms']} ms\n"
        f"{_pairs(packages)}\nPostgreSQL: {_pairs(settings)}"
    )


def _pairs(values: object) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items()) if isinstance(values, Mapping) else ""


def figure_table(figures: Sequence[Figure]) -> Table:
    table = _table("figure", "median", "least", "most", "runs")
    for figure in figures:
        table.add_row(
            figure.name,
            _short(figure.median),
            _short(min(figure.values)),
            _short(max(figure.values)),
            str(len(figure.values)),
        )
    return table


def target_table(results: Sequence[TargetResult]) -> Table:
    table = _table("target", "now", "wanted", "")
    for result in results:
        sign = "≥" if result.better == "more" else "≤"
        now = "" if result.value is None else _short(result.value)
        table.add_row(result.name, now, f"{sign} {result.limit:g}", SIGNS[result.met])
    return table


def change_table(changed: Sequence[Change]) -> Table:
    table = _table("figure", "committed", "now", "")
    for change in changed:
        table.add_row(change.name, _short(change.before), _short(change.now), change.verdict)
    return table


def _table(*columns: str) -> Table:
    table = Table(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    return table


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"  # noqa: PLR2004  three digits are enough
