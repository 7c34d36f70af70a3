"""What a check reports: phases of findings, each with its level and how to fix it.

Apart from `context.py`, because every command imports it and aiogram takes seconds to load.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PHASES: Final = ("storage", "atomic operations", "callback handler", "delivery", "migrations", "idempotency", "balance")
"""The phases of the production check, in order."""


class Level(StrEnum):
    """Only a failure makes the command fail."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`fix` says what to do about a warning or a failure."""

    level: Level
    what: str
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    number: int
    name: str
    findings: Sequence[Finding]

    @property
    def level(self) -> Level:
        levels = {finding.level for finding in self.findings}
        return next((level for level in (Level.FAILURE, Level.WARNING) if level in levels), Level.OK)


def ok(what: str) -> Finding:
    return Finding(level=Level.OK, what=what)


def warning(what: str, fix: str) -> Finding:
    return Finding(level=Level.WARNING, what=what, fix=fix)


def failure(what: str, fix: str) -> Finding:
    return Finding(level=Level.FAILURE, what=what, fix=fix)


def verify(holds: object, what: str, fix: str) -> Finding:
    return ok(what) if holds else failure(f"Not so: {what}", fix)
