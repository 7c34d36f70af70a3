"""What a storm does, and when: decided by the seed alone, so that the same seed blows the same way again.

The blows repeat themselves; how the processes meet them does not, for they are real. Nothing in here does anything.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from photomat_sandbox.faults import Action
from photomat_sandbox.transcript import World

Kind = Literal[
    "kill",
    "freeze",
    "deploy",
    "clock",
    "terminate",
    "restart",
    "forget_commit",
    "lose_commit",
    "forget_answer",
    "latency",
    "sever",
    "black_hole",
    "burst",
    "forge",
    "fault",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A misfortune of the simulators; `times` of them in a row."""

    world: World
    method: str
    action: Action
    times: int = 1
    delay_s: float = 0.0
    status: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """One thing that happens `after_s` after the one before.

    `pick` chooses whom it meets, `how` which of several ways, `for_s` how long it lasts.
    """

    after_s: float
    kind: Kind
    pick: float
    how: float
    for_s: float
    trouble: Trouble | None


KINDS: Final[tuple[tuple[Kind, int], ...]] = (
    ("kill", 3),
    ("freeze", 3),
    ("deploy", 4),
    ("clock", 3),
    ("terminate", 3),
    ("restart", 1),
    ("forget_commit", 6),
    ("lose_commit", 3),
    ("forget_answer", 4),
    ("latency", 2),
    ("sever", 2),
    ("black_hole", 1),
    ("burst", 3),
    ("forge", 4),
    ("fault", 25),
)
"""What can happen, and how often it does beside the rest."""

TROUBLES: Final = (
    Trouble(world="kie", method="createTask", action="drop_after", times=2),
    Trouble(world="kie", method="createTask", action="drop_after"),
    Trouble(world="kie", method="createTask", action="drop_before"),
    Trouble(world="kie", method="createTask", action="error", status=502),
    Trouble(world="kie", method="createTask", action="too_many"),
    Trouble(world="kie", method="createTask", action="delay", delay_s=1.5),
    Trouble(world="kie", method="recordInfo", action="error", status=502),
    Trouble(world="kie", method="recordInfo", action="too_many", times=2),
    Trouble(world="kie", method="recordInfo", action="delay", delay_s=2.5),
    Trouble(world="kie", method="callback", action="duplicate", times=3),
    Trouble(world="kie", method="callback", action="reorder"),
    Trouble(world="kie", method="callback", action="drop_after", times=2),
    Trouble(world="kie", method="callback", action="never", times=2),
    Trouble(world="kie", method="callback", action="error"),
    Trouble(world="telegram", method="editMessageMedia", action="drop_after"),
    Trouble(world="telegram", method="editMessageMedia", action="drop_before"),
    Trouble(world="telegram", method="editMessageMedia", action="error", status=502),
    Trouble(world="telegram", method="editMessageMedia", action="too_many"),
    Trouble(world="telegram", method="editMessageMedia", action="delay", delay_s=2.0),
    Trouble(world="telegram", method="editMessageText", action="drop_after", times=2),
    Trouble(world="telegram", method="editMessageText", action="too_many"),
    Trouble(world="telegram", method="sendMessage.reply", action="drop_after", times=2),
    Trouble(world="telegram", method="sendMessage.reply", action="drop_after"),
    Trouble(world="telegram", method="sendMessage.reply", action="drop_before"),
    Trouble(world="telegram", method="sendMessage", action="drop_after"),
    Trouble(world="telegram", method="sendMessage", action="error", status=502),
    Trouble(world="telegram", method="webhook", action="duplicate", times=2),
    Trouble(world="telegram", method="webhook", action="reorder"),
    Trouble(world="telegram", method="webhook", action="drop_after", times=2),
)
"""What Telegram and Kie do by themselves on a bad day. A request that takes effect twice is not among them.

A sendMessage that answers a message is a ring. A create that was carried out and never answered is what tempts a program to
order twice, a ring that rang and was never answered to ring twice: both come more often than by chance.
"""

PAUSES_S: Final = (0.2, 1.0)
LASTING_S: Final = (0.5, 6.0)
"""Shorter and longer than the leases of a storm."""


def blows(
    seed: int, *, kinds: Sequence[tuple[Kind, int]] = KINDS, troubles: Sequence[Trouble] = TROUBLES
) -> Iterator[Blow]:
    """The blows of this seed, without end."""
    chance = random.Random(seed)  # noqa: S311  repeatable on purpose
    names, weights = zip(*kinds, strict=True)
    while True:
        kind: Kind = chance.choices(names, weights)[0]
        yield Blow(
            after_s=chance.uniform(*PAUSES_S),
            kind=kind,
            pick=chance.random(),
            how=chance.random(),
            for_s=chance.uniform(*LASTING_S),
            trouble=chance.choice(troubles) if kind == "fault" else None,
        )
