"""A job's story for people (a sentence, the facts, one time line) and for machines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from photomat.jobs.quote import in_operators_words
from photomat.jobs.story import Story
from photomat.operators.journal import Entry

Line = tuple[datetime, str, str, str]
"""When, what, by whom, details."""


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
    console = Console(emoji=False, markup=False)
    console.print(story.why, style="bold", highlight=False)
    console.print(f"Money: {'; '.join(in_operators_words(story.row))}.", highlight=False)
    lines = Table("when (UTC)", "what", "by", "details", title="Timeline", title_justify="left")
    for at, what, who, details in sorted(_lines(story, acts), key=lambda line: line[0]):
        lines.add_row(f"{at:%Y-%m-%d %H:%M:%S.%f}"[:-3], what, who, details)
    console.print(lines)
    console.print(_facts(story.row))


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
        yield event.at, event.tag, event.instance, _words(event.detail)
    for act in acts:
        yield act.at, f"operator: {act.action}", act.operator, f"{act.outcome} {act.reason or ''}".strip()


def _words(detail: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in detail.items())


def _facts(row: Mapping[str, Any]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in row.items():
        if value is not None and name != "quote":
            table.add_row(name, str(value))
    return table
