"""How often a running job is looked at, and how far it seems to be. Pure.

Quick while most results come, then slower and slower, for hours: a real task may take a quarter of an hour, and "not yet"
is never "no". Films take minutes, so they are asked about half as often from the start.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

PACE: Final = (
    (timedelta(seconds=30), timedelta(seconds=2)),
    (timedelta(minutes=2), timedelta(seconds=5)),
    (timedelta(minutes=15), timedelta(seconds=15)),
    (timedelta(hours=1), timedelta(minutes=1)),
)
"""Younger than this: a look every so often. The age is the task's: it begins when the request leaves for Kie."""

SLOWEST: Final = timedelta(minutes=5)
SLOWER: Final[Mapping[str, int]] = {"video": 2}
VISIBLE_WITHIN: Final = timedelta(seconds=70)
"""A task may be unknown to Kie for a minute after its creation, and the creation itself may take some seconds of it."""

LOST: Final = timedelta(minutes=1)
"""A task Kie does not know after that is looked at no more often than this."""

USUAL_S: Final = {"image": 25.0, "audio": 30.0, "video": 180.0}
USUAL_OTHERWISE_S: Final = 60.0
MOST_SHOWN: Final = 90


def next_look(age: timedelta, kind: str, first: timedelta, *, lost: bool = False) -> timedelta:
    """When to look again at a task of this age and kind; never before `first`, the operator's own pace."""
    pace = next((every for until, every in PACE if age < until), SLOWEST) * SLOWER.get(kind, 1)
    return max(first, pace, LOST) if lost else max(first, pace)


def progress_of(age: timedelta, kind: str, told: int | None = None) -> int:
    """How far a job is: as Kie told, else as its kind usually is at this age. In steps of ten, never quite there."""
    percent = 90 * age.total_seconds() / USUAL_S.get(kind, USUAL_OTHERWISE_S) if told is None else told
    return min(MOST_SHOWN, 10 * int(percent / 10))
