"""What a check found: a sentence, how bad it is, and how to mend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PHASES: Final = (
    "storage",
    "atomic operations",
    "callback handler",
    "delivery",
    "migrations",
    "idempotency",
    "balance",
)
"""The phases of the production check, in order."""


class Level(StrEnum):
    """How bad it is: only a failure makes the command fail."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was done and what came of it; `mend` says what to do where it is not well."""

    level: Level
    what: str
    mend: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase with everything it found."""

    number: int
    name: str
    findings: Sequence[Finding]

    @property
    def level(self) -> Level:
        """As bad as the worst of what was found."""
        levels = {finding.level for finding in self.findings}
        return next((level for level in (Level.FAILURE, Level.WARNING) if level in levels), Level.OK)


def fine(what: str) -> Finding:
    """It is as it should be."""
    return Finding(level=Level.OK, what=what)


def doubtful(what: str, mend: str) -> Finding:
    """It works, and somebody should look."""
    return Finding(level=Level.WARNING, what=what, mend=mend)


def broken(what: str, mend: str) -> Finding:
    """It does not work."""
    return Finding(level=Level.FAILURE, what=what, mend=mend)


def proved(holds: object, what: str, mend: str) -> Finding:
    """The thing was done: it holds, or it is broken."""
    return fine(what) if holds else broken(f"Not so: {what}", mend)
