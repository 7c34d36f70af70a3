"""What a storm does, and when: decided by the seed alone, so that the same seed blows the same way again.

The blows repeat themselves; how the processes meet them does not, for they are real. Nothing in here does anything.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from photomat_sandbox.faults import Action
from photomat_sandbox.transcript import World

Kind = Literal["kill", "freeze", "stop", "cut", "fault"]


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
    """One thing that happens `after_s` after the one before; `pick` chooses whom it meets, `for_s` how long it lasts."""

    after_s: float
    kind: Kind
    pick: float
    for_s: float
    trouble: Trouble | None


KINDS: Final[tuple[tuple[Kind, int], ...]] = (("kill", 3), ("freeze", 3), ("stop", 1), ("cut", 2), ("fault", 9))
TROUBLES: Final = (
    Trouble(world="kie", method="createTask", action="drop_after"),
    Trouble(world="kie", method="createTask", action="drop_before"),
    Trouble(world="kie", method="createTask", action="too_many"),
    Trouble(world="kie", method="createTask", action="delay", delay_s=1.5),
    Trouble(world="kie", method="recordInfo", action="error", status=502),
    Trouble(world="kie", method="recordInfo", action="too_many", times=2),
    Trouble(world="kie", method="recordInfo", action="delay", delay_s=2.5),
    Trouble(world="kie", method="callback", action="duplicate", times=3),
    Trouble(world="kie", method="callback", action="reorder"),
    Trouble(world="kie", method="callback", action="drop_after", times=2),
    Trouble(world="kie", method="callback", action="never"),
    Trouble(world="kie", method="callback", action="error"),
    Trouble(world="telegram", method="editMessageMedia", action="drop_after"),
    Trouble(world="telegram", method="editMessageMedia", action="drop_before"),
    Trouble(world="telegram", method="editMessageMedia", action="error", status=502),
    Trouble(world="telegram", method="editMessageMedia", action="too_many"),
    Trouble(world="telegram", method="editMessageMedia", action="delay", delay_s=2.0),
    Trouble(world="telegram", method="editMessageText", action="drop_after", times=2),
    Trouble(world="telegram", method="editMessageText", action="too_many"),
    Trouble(world="telegram", method="sendMessage", action="drop_after"),
    Trouble(world="telegram", method="sendMessage", action="error", status=502),
    Trouble(world="telegram", method="webhook", action="duplicate", times=2),
    Trouble(world="telegram", method="webhook", action="reorder"),
    Trouble(world="telegram", method="webhook", action="drop_after", times=2),
)
"""What Telegram and Kie do by themselves on a bad day. A request that takes effect twice is not among them."""

PAUSES_S: Final = (0.2, 1.2)
FROZEN_S: Final = (0.5, 6.0)
"""Shorter and longer than the leases of a storm."""


def blows(seed: int) -> Iterator[Blow]:
    """The blows of this seed, without end."""
    chance = random.Random(seed)  # noqa: S311  repeatable on purpose
    kinds, weights = zip(*KINDS, strict=True)
    while True:
        kind: Kind = chance.choices(kinds, weights)[0]
        yield Blow(
            after_s=chance.uniform(*PAUSES_S),
            kind=kind,
            pick=chance.random(),
            for_s=chance.uniform(*FROZEN_S),
            trouble=chance.choice(TROUBLES) if kind == "fault" else None,
        )
