"""Figures of a run: several values each, their median and spread, compared with targets and with an earlier run."""

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

FULL: Final = 0.9
"""The share of all cores from which they count as full."""
LEAST_CHANGE: Final = 0.10
"""Below that a difference says nothing, however small the spread."""
LEAST_CHANGE_OF_ONE: Final = 0.20
"""The same where a run has one value of a figure, whose spread is unknown."""
Better = Literal["more", "less"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """`name` is `what: figure`, such as `one instance: flows/s`; `fault` is what went wrong while it was measured."""

    name: str
    unit: str
    better: Better
    values: tuple[float, ...]
    fault: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """The range of the values as a share of the median."""
        return (max(self.values) - min(self.values)) / abs(self.median) if self.median else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """`ratio` computes what is compared from the medians; None where a figure is missing."""

    name: str
    ratio: Callable[[Mapping[str, float]], float]
    limit: float
    better: Better
    beyond: Callable[[Mapping[str, float]], str] = lambda _medians: ""
    """Why the machine does not let the target be met; empty where it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetResult:
    name: str
    value: float | None
    limit: float
    better: Better
    beyond: str = ""
    fault: str = ""
    """Of a figure it is computed from; then it is not met, whatever the value."""

    @property
    def met(self) -> bool | None:
        if self.value is None:
            return None
        if self.fault:
            return False
        is_met = self.value >= self.limit if self.better == "more" else self.value <= self.limit
        return None if self.beyond and not is_met else is_met


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A figure now and before; `verdict` is "same" within the spread of both runs."""

    name: str
    before: float
    now: float
    verdict: Literal["better", "worse", "same"]


def quotient(above: str, below: str) -> Callable[[Mapping[str, float]], float]:
    return lambda medians: medians[above] / medians[below]


def difference(first: str, second: str) -> Callable[[Mapping[str, float]], float]:
    return lambda medians: medians[first] - medians[second]


def value(name: str) -> Callable[[Mapping[str, float]], float]:
    return lambda medians: medians[name]


def cores_full(medians: Mapping[str, float]) -> str:
    """Two instances with their database and the driver use all cores: there is nothing left from which to be faster."""
    busy, rate = medians.get("two instances: cores busy", 0.0), medians.get("two instances: flows/s", 0.0)
    return f"two instances fill all cores ({busy:.0%} busy) at {rate:.3g} flows/s" if busy >= FULL else ""


TARGETS: Final = (
    Target(
        name="flows/s of one instance / the baseline",
        ratio=quotient("one instance: flows/s", "baseline: flows/s"),
        limit=4.0,
        better="more",
    ),
    Target(
        name="flows/s by the menu / the previous release",
        ratio=quotient("one instance by the menu: flows/s", "previous release: flows/s"),
        limit=4.0,
        better="more",
    ),
    Target(
        name="flows/s of one instance / the floor (aim)",
        ratio=quotient("one instance: flows/s", "floor: flows/s"),
        limit=0.5,
        better="more",
    ),
    Target(name="commits per flow", ratio=value("one instance: commits per flow"), limit=12, better="less"),
    Target(name="CPU ms per flow", ratio=value("one instance: CPU ms per flow"), limit=7, better="less"),
    Target(name="callbacks/s / bare echo", ratio=quotient("callbacks: per s", "echo: per s"), limit=0.4, better="more"),
    Target(name="callback p99 ms at half capacity", ratio=value("callbacks: p99 ms at half"), limit=25, better="less"),
    Target(
        name="callback → card p50 ms at 16 flows/s",
        ratio=value("16 flows/s: callback → card p50 ms"),
        limit=40,
        better="less",
    ),
    Target(
        name="callback → card p99 ms at 16 flows/s",
        ratio=value("16 flows/s: callback → card p99 ms"),
        limit=150,
        better="less",
    ),
    Target(
        name="two instances / one",
        ratio=quotient("two instances: flows/s", "one instance: flows/s"),
        limit=1.6,
        better="more",
        beyond=cores_full,
    ),
    Target(
        name="two instances / one with slow vendors",
        ratio=quotient("two instances with slow vendors: flows/s", "one instance with slow vendors: flows/s"),
        limit=1.6,
        better="more",
    ),
    Target(
        name="flows/s on a history / on an empty database",
        ratio=quotient("one instance on a history: flows/s", "one instance: flows/s"),
        limit=0.9,
        better="more",
    ),
    Target(
        name="flows/s beside an open transaction / without",
        ratio=quotient("one instance beside an open transaction: flows/s", "one instance: flows/s"),
        limit=0.5,
        better="more",
    ),
    Target(
        name="others' p99 beside one user at 50×",
        ratio=quotient("beside a heavy user: p99 ms", "without a heavy user: p99 ms"),
        limit=2.0,
        better="less",
    ),
    Target(
        name="s to ready above import aiogram",
        ratio=difference("start: ready s", "start: import aiogram s"),
        limit=1.5,
        better="less",
    ),
    Target(
        name="MB above import aiogram",
        ratio=difference("start: memory MB", "start: import aiogram MB"),
        limit=60,
        better="less",
    ),
    Target(name="commits/s when idle", ratio=value("idle: commits/s"), limit=3, better="less"),
)


def target_results(figures: Sequence[Figure]) -> list[TargetResult]:
    return [_result(target, {figure.name: figure for figure in figures}) for target in TARGETS]


def _result(target: Target, figures: Mapping[str, Figure]) -> TargetResult:
    medians = ReadMedians({name: figure.median for name, figure in figures.items()})
    found = _computed(target, medians)
    faults = [figures[name].fault for name in medians.read if name in figures and figures[name].fault]
    return TargetResult(
        name=target.name,
        value=found,
        limit=target.limit,
        better=target.better,
        beyond=target.beyond(medians),
        fault="; ".join(dict.fromkeys(faults)),
    )


class ReadMedians(dict[str, float]):
    """Medians that know which of them were read."""

    def __init__(self, medians: Mapping[str, float]) -> None:
        super().__init__(medians)
        self.read: list[str] = []

    def __getitem__(self, name: str) -> float:
        self.read.append(name)
        return super().__getitem__(name)


def unmet(required: Iterable[str], results: Iterable[TargetResult]) -> list[str]:
    """The required targets that were missed, or not measured."""
    met = {result.name for result in results if result.met}
    return [name for name in required if name not in met]


def _computed(target: Target, medians: Mapping[str, float]) -> float | None:
    try:
        return round(target.ratio(medians), 3)
    except (KeyError, ZeroDivisionError):
        return None


def changes(before: Sequence[Figure], now: Sequence[Figure]) -> list[Change]:
    """The figures both runs have; a change counts beyond both spreads and a tenth, or a fifth where a run has one value."""
    earlier = {figure.name: figure for figure in before}
    return [_change(earlier[figure.name], figure) for figure in now if figure.name in earlier]


def _change(before: Figure, now: Figure) -> Change:
    least = LEAST_CHANGE_OF_ONE if 1 in {len(before.values), len(now.values)} else LEAST_CHANGE
    allowed = max(before.spread, now.spread, least)
    grown = (now.median - before.median) / abs(before.median) if before.median else 0.0
    verdict: Literal["better", "worse", "same"] = "same"
    if abs(grown) > allowed:
        verdict = "better" if (grown > 0) == (now.better == "more") else "worse"
    return Change(name=now.name, before=before.median, now=now.median, verdict=verdict)


def lines_of(machine: Mapping[str, object], figures: Sequence[Figure], results: Sequence[TargetResult]) -> str:
    """The run as JSON lines: the machine, the figures, the targets."""
    rows: list[Mapping[str, object]] = [{"kind": "machine", **machine}]
    rows += [
        {"kind": "figure", **asdict(figure), "median": round(figure.median, 4), "spread": round(figure.spread, 3)}
        for figure in figures
    ]
    rows += [{"kind": "target", **asdict(result), "met": result.met} for result in results]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_lines(file: Path, lines: str) -> None:
    """Replace the file as a whole: who is interrupted leaves the lines before or these."""
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_name(f"{file.name}.new")
    written.write_text(lines, encoding="utf-8")
    written.replace(file)


def read_lines(file: Path) -> tuple[Mapping[str, object], list[Figure]]:
    """The machine and the figures of an earlier run; nothing where there is no file."""
    if not file.exists():
        return {}, []
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    machine: Mapping[str, object] = next((row for row in rows if row["kind"] == "machine"), {})
    figures = [
        Figure(
            name=row["name"],
            unit=row["unit"],
            better=row["better"],
            values=tuple(row["values"]),
            fault=row.get("fault", ""),
        )
        for row in rows
        if row["kind"] == "figure"
    ]
    return machine, figures
