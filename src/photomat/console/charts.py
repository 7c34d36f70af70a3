"""Charts as SVG, drawn on the server: bars, lines, sparklines and meters. Colours come from the style sheet by class.

A chart is drawn small and scaled to its place; on a phone the style sheet makes its words larger, so labels are short.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

WIDTH: Final = 560
HEIGHT: Final = 190
LEFT: Final = 50
BOTTOM: Final = 24
TOP: Final = 10
LINES: Final = 4
MOST_LABELS: Final = 8
SPARK_WIDTH: Final = 120
SPARK_HEIGHT: Final = 32
COLOURS: Final = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One place of the x axis with a value per series."""

    label: str
    values: Sequence[float]


def bars(
    points: Sequence[Point],
    *,
    title: str,
    written: Callable[[float], str] = str,
    axis: Callable[[float], str] | None = None,
    unit: int = 1,
    colours: Sequence[int] = COLOURS,
) -> Markup:
    """Stacked bars, a colour a series; `axis` writes the values of the axis shorter, `unit` is the least step between them."""
    top = _scale(max((sum(point.values) for point in points), default=0), unit)
    step = (WIDTH - LEFT) / max(len(points), 1)
    shapes = [
        _bar(point, x=LEFT + index * step, step=step, top=top, written=written, colours=colours)
        for index, point in enumerate(points)
    ]
    return _chart(points, title, top, axis or written, Markup("").join(shapes))


def lines(
    points: Sequence[Point],
    *,
    title: str,
    written: Callable[[float], str] = str,
    axis: Callable[[float], str] | None = None,
    unit: int = 1,
) -> Markup:
    """A line a series."""
    top = _scale(max((value for point in points for value in point.values), default=0), unit)
    step = (WIDTH - LEFT) / max(len(points), 1)
    series = len(points[0].values) if points else 0
    drawn = Markup("").join(
        Markup('<polyline class="line s{}" points="{}"/>').format(
            one + 1,
            " ".join(
                f"{LEFT + (index + 0.5) * step:.1f},{_y(point.values[one], top):.1f}"
                for index, point in enumerate(points)
            ),
        )
        for one in range(series)
    )
    dots = Markup("").join(
        Markup('<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}: {}</title></circle>').format(
            one + 1, LEFT + (index + 0.5) * step, _y(value, top), point.label, written(value)
        )
        for index, point in enumerate(points)
        for one, value in enumerate(point.values)
    )
    return _chart(points, title, top, axis or written, drawn + dots)


def compared(
    points: Sequence[Point],
    *,
    title: str,
    written: Callable[[float], str] = str,
    axis: Callable[[float], str] | None = None,
    unit: int = 1,
) -> Markup:
    """Bars in front of paler ones: the first value beside the second, what is now beside what was."""
    top = _scale(max((max(point.values) for point in points), default=0), unit)
    step = (WIDTH - LEFT) / max(len(points), 1)
    shapes = Markup("").join(
        Markup("<g><title>{}: {}</title>{}{}</g>").format(
            point.label,
            " / ".join(written(value) for value in point.values),
            _column("ghost", point.values[1], LEFT + index * step + step * 0.08, step * 0.84, top),
            _column("bar s1", point.values[0], LEFT + index * step + step * 0.24, step * 0.52, top),
        )
        for index, point in enumerate(points)
    )
    return _chart(points, title, top, axis or written, shapes)


def meter(share: float, *, title: str = "", series: int = 1) -> Markup:
    """A bar that is filled by a share from 0 to 1."""
    return Markup(
        '<svg class="meter" role="img" aria-label="{}"><rect class="rail" width="100%" height="100%" rx="4"/>'
        '<rect class="bar s{}" width="{:.1f}%" height="100%" rx="4"/></svg>'
    ).format(title, series, min(max(share, 0), 1) * 100)


def sparkline(values: Sequence[float], *, title: str) -> Markup:
    """A small line without axes, for a figure."""
    top = max(values, default=0) or 1
    step = SPARK_WIDTH / max(len(values) - 1, 1)
    points = " ".join(
        f"{index * step:.1f},{SPARK_HEIGHT - 2 - value / top * (SPARK_HEIGHT - 4):.1f}"
        for index, value in enumerate(values)
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><polyline class="line s1" points="{}"/></svg>'
    ).format(SPARK_WIDTH, SPARK_HEIGHT, title, points)


def _column(kind: str, value: float, x: float, width: float, top: float) -> Markup:
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"/>').format(
        kind, x, _y(value, top), max(width, 1), value / top * (HEIGHT - BOTTOM - TOP)
    )


def _bar(
    point: Point, *, x: float, step: float, top: float, written: Callable[[float], str], colours: Sequence[int]
) -> Markup:
    drawn, below = Markup(""), 0.0
    gap = min(4.0, step * 0.15)
    for one, value in enumerate(point.values):
        high = value / top * (HEIGHT - BOTTOM - TOP)
        y = HEIGHT - BOTTOM - below - high
        drawn += Markup('<rect class="bar s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="1.5"/>').format(
            colours[one], x + gap / 2, y, max(step - gap, 1), high
        )
        below += high
    said = " · ".join(written(value) for value in point.values)
    cover = Markup('<rect class="cover" x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>').format(
        x, TOP, step, HEIGHT - BOTTOM - TOP
    )
    return Markup("<g><title>{}: {}</title>{}{}</g>").format(point.label, said, drawn, cover)


def _chart(points: Sequence[Point], title: str, top: float, written: Callable[[float], str], inside: Markup) -> Markup:
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}</svg>').format(
        WIDTH, HEIGHT, title, _grid(top, written), inside, _labels(points)
    )


def _grid(top: float, written: Callable[[float], str]) -> Markup:
    drawn = Markup("")
    for index in range(LINES + 1):
        value = top * index / LINES
        y = _y(value, top)
        drawn += Markup(
            '<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/><text class="axis" x="{}" y="{:.1f}">{}</text>'
        ).format(LEFT, WIDTH, y, y, LEFT - 6, y + 4, escape(written(value)))
    return drawn


def _labels(points: Sequence[Point]) -> Markup:
    step = (WIDTH - LEFT) / max(len(points), 1)
    every = max(1, -(-len(points) // MOST_LABELS))
    return Markup("").join(
        Markup('<text class="label" x="{:.1f}" y="{}">{}</text>').format(
            LEFT + (index + 0.5) * step, HEIGHT - 6, point.label
        )
        for index, point in enumerate(points)
        if index % every == 0
    )


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - TOP)


def _scale(highest: float, unit: int) -> float:
    """The top of the axis, so that its lines are whole units apart: 1, 2, 3 or 5 times a power of ten."""
    step = unit
    while step * 10 * LINES < highest:
        step *= 10
    return next(step * factor * LINES for factor in (1, 2, 3, 5, 10) if step * factor * LINES >= highest)
