"""Tables of a run: what was measured, how it stands to the targets, and what changed since the committed figures."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table

from photomat_bench.figures import LEAST_CHANGE_OF_ONE, Change, Figure, TargetResult

SIGNS: Final = {True: "✓ met", False: "✗ not met", None: "– not measured"}


def print_run(
    console: Console,
    machine: Mapping[str, object],
    figures: Sequence[Figure],
    results: Sequence[TargetResult],
) -> None:
    console.print(machine_lines(machine), soft_wrap=True)
    console.print(figure_table(figures))
    for line in fault_lines(machine):
        console.print(line, soft_wrap=True, markup=False)
    console.print(target_table(results))


def fault_lines(machine: Mapping[str, object]) -> list[str]:
    """What was not measured, and what went wrong with what was."""
    skipped, faults = machine.get("skipped"), machine.get("faults")
    lines = (
        [f"– {name} was not measured: {why}" for name, why in skipped.items()] if isinstance(skipped, Mapping) else []
    )
    lines += [f"✗ {name}: {fault}" for name, fault in faults.items()] if isinstance(faults, Mapping) else []
    return lines


def machine_lines(machine: Mapping[str, object]) -> str:
    packages, settings, engines = machine["packages"], machine["postgresql"], machine.get("engines")
    return (
        f"Photomat {machine['photomat']}, Python {machine['python']}, {machine['system']}, "
        f"{machine['cores']} cores, load average {machine['load_average']}, "
        f"a fixed loop takes {machine['loop_ms']} ms\n"
        f"{_pairs(packages)}\nPostgreSQL: {_pairs(settings)}"
    ) + (f"\nOther engines: {_pairs(engines)}" if engines else "")


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
        table.add_row(result.name, _measured(result), _wanted(result), _verdict(result))
    return table


def _verdict(result: TargetResult) -> str:
    if result.value is not None and result.fault:
        return f"✗ not met: {result.fault}"
    return f"– {result.beyond}" if result.value is not None and result.met is None else SIGNS[result.met]


def change_table(changed: Sequence[Change]) -> Table:
    table = _table("figure", "committed", "now", "")
    for change in changed:
        table.add_row(change.name, _short(change.before), _short(change.now), change.verdict)
    return table


def caveats(
    before_machine: Mapping[str, object],
    machine: Mapping[str, object],
    before: Sequence[Figure],
    now: Sequence[Figure],
) -> list[str]:
    """What makes a comparison with the committed figures less sure."""
    lines = []
    if any(len(figure.values) == 1 for figure in (*before, *now)):
        share = f"{LEAST_CHANGE_OF_ONE:.0%}"
        lines.append(
            f"A figure that was measured once here or there has no spread: below {share} it counts as the same."
        )
    if before_machine.get("short") != machine.get("short"):
        lines.append("One of the two runs is of the short form, whose loads last for fewer seconds.")
    lines += [
        f"The committed figures had another {fact}: {before_machine.get(fact)}, now {machine.get(fact)}."
        for fact in ("cores", "python", "load_average", "loop_ms")
        if before_machine.get(fact) != machine.get(fact)
    ]
    return lines


FLOW_COLUMNS: Final = (
    "flows/s",
    "commits per flow",
    "transactions per flow",
    "WAL kB per flow",
    "CPU ms per flow",
    "PostgreSQL CPU ms per flow",
    "both CPU ms per flow",
    "cores busy",
    "vendors and driver CPU ms per flow",
)


def markdown_of(machine: Mapping[str, object], figures: Sequence[Figure], results: Sequence[TargetResult]) -> str:
    """A run for docs/performance.md: the machine, the targets, what carries flows side by side, and the rest."""
    medians = {figure.name: figure for figure in figures}
    rows = list(dict.fromkeys(name.partition(": ")[0] for name in medians if name.endswith(FLOW_COLUMNS)))
    columns = [column for column in FLOW_COLUMNS if any(f"{row}: {column}" in medians for row in rows)]
    in_flows = {f"{row}: {column}" for row in rows for column in FLOW_COLUMNS}
    flows = [[row, *(_cell(medians.get(f"{row}: {column}")) for column in columns)] for row in rows]
    others = [[figure.name, _cell(figure)] for figure in figures if figure.name not in in_flows]
    targets = [[result.name, _measured(result), _wanted(result), _verdict(result)] for result in results]
    parts = (
        machine_lines(machine).replace("\n", "\n\n"),
        *fault_lines(machine),
        _markdown(["target", "measured", "wanted", ""], targets),
        _markdown(["", *columns], flows),
        _markdown(["other figures", ""], others),
    )
    return "\n\n".join(parts) + "\n"


def _measured(result: TargetResult) -> str:
    """With a digit more than other figures: what just misses its target must not look as if it met it."""
    return "" if result.value is None else f"{result.value:.4g}"


def _wanted(result: TargetResult) -> str:
    return f"{'≥' if result.better == 'more' else '≤'} {result.limit:g}"


def _cell(figure: Figure | None) -> str:
    """The median, with the least and the most where there are several values."""
    if figure is None:
        return ""
    if len(figure.values) == 1:
        return _short(figure.median)
    return f"{_short(figure.median)} ({_short(min(figure.values))} to {_short(max(figure.values))})"


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _table(*columns: str) -> Table:
    table = Table(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    return table


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"  # noqa: PLR2004  three digits are enough
