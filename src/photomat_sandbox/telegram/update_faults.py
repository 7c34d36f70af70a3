"""Updates that meet a misfortune before they are queued, so that polling and webhook feel it alike.

A fault is aimed at an update by its kind, `update.callback_query`, or by what a message brings, such as
`update.successful_payment`; patterns do not reach here. `never` (or a drop) loses it for good, `duplicate` queues it
twice under two numbers, `reorder` holds it back until the next update has been queued.
"""

from collections.abc import Mapping
from typing import Final

from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.updates_queue import Fate
from photomat_sandbox.telegram.world import TelegramWorld

FATES: Final[Mapping[str, Fate]] = {
    "never": "lost",
    "drop_before": "lost",
    "drop_after": "lost",
    "duplicate": "twice",
    "reorder": "late",
}
NAMED_CONTENTS: Final = ("successful_payment", "refunded_payment")


def let_updates_fail(world: TelegramWorld, faults: Faults) -> None:
    """Ask the faults before every update of this world."""

    def fate_of(kind: str, body: JsonObject) -> Fate:
        names = {f"update.{kind}"} | {f"update.{name}" for name in NAMED_CONTENTS if name in body}
        fault = faults.take_aimed("telegram", names, actions=FATES.keys())
        if fault is None:
            return "arrives"
        said = f"{fault.action} strikes an update: {kind}"
        world.transcript.add(world="telegram", kind="fault", name=fault.method, summary=said)
        return FATES[fault.action]

    world.updates.fate_of = fate_of
