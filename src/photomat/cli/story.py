"""A job's story for people (a sentence, the facts, one time line) and for machines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

import typer

from photomat.cli.screen import folding, print_found
from photomat.jobs.quote import in_operators_words
from photomat.jobs.story import Story
from photomat.kernel.money import Money
from photomat.operators.journal import Entry

Line = tuple[datetime, str, str, str]
"""When, what, by whom, details."""

SUMS: Final = frozenset({"price", "cost", "amount"})
"""Names of facts that are minor units in rows and events."""


def story_as_json(story: Story, acts: Sequence[Entry]) -> dict[str, Any]:
    """The row's facts at the top level, everything around it beside them."""
    return {
        **story.row,
        "why": story.why,
        "money": in_operators_words(story.row),
        "taps": [asdict(one) for one in story.taps],
        "holds": [asdict(one) for one in story.holds],
        "callbacks": [asdict(one) for one in story.callbacks],
        "outputs_kept": [asdict(one) for one in story.outputs],
        "timeline": [asdict(one) for one in story.events],
        "operators": [asdict(one) for one in acts],
    }


def print_story(story: Story, acts: Sequence[Entry]) -> None:
    """The sentence first, then the time line, then the facts."""
    typer.secho(story.why, bold=True)
    typer.echo(f"Money: {'; '.join(in_operators_words(story.row))}.")
    lines = folding("when (UTC)", "what", "by", "details")
    for at, what, who, details in sorted(_lines(story, acts), key=lambda line: line[0]):
        lines.add_row(f"{at:%Y-%m-%d %H:%M:%S.%f}"[:-3], what, who, details)
    print_found(lines if lines.rows else "Nothing is recorded about it.")
    for name, value in _facts(story.row).items():
        typer.echo(f"{name:<24}{value}")


def _lines(story: Story, acts: Sequence[Entry]) -> Iterator[Line]:
    for tap in story.taps:
        yield tap.received_at, "tap stored", "", f"update {tap.update_id}, attempts {tap.attempts}"
    for hold in story.holds:
        yield hold.held_at, "money held", "", f"{hold.amount} {hold.reference}"
        if hold.closed_at is not None:
            yield hold.closed_at, f"money: {hold.closed_as}", "", f"{hold.amount} {hold.reference}"
    for heard in story.callbacks:
        yield heard.received_at, "callback stored", "Kie", f"says {heard.state} of {heard.task_id}"
    for output in story.outputs:
        if output.kept_at is not None:
            yield output.kept_at, "output copied", "", f"{output.position}: {output.mime}, {output.size_bytes} bytes"
    for event in story.events:
        yield event.at, event.tag, event.instance, _words(event.detail, story.row["currency"])
    for act in acts:
        yield act.at, f"operator: {act.action}", act.operator, f"{act.outcome} {act.reason or ''}".strip()


def _words(detail: Mapping[str, Any], currency: str) -> str:
    return " ".join(f"{name}={_value(name, value, currency)}" for name, value in detail.items())


def _facts(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: _value(name, value, row["currency"])
        for name, value in row.items()
        if value is not None and name not in {"quote", "currency"}
    }


def _value(name: str, value: object, currency: str) -> str:
    """A fact in words: sums with their currency."""
    return str(Money(value, currency)) if name in SUMS and isinstance(value, int) else str(value)
