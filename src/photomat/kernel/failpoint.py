"""Named places where a test lets the process die as hard as a machine can: SIGKILL, at that very line.

`FAILPOINT=name` kills at the first pass, `FAILPOINT=name:3` at the third. Unset, a failpoint costs one comparison.
Every name stands in `FAILPOINTS`; `photomat failpoints` prints them.
"""

import os
import signal
from collections import Counter
from typing import Final

FAILPOINTS: Final = (
    "inbox.before_store",
    "inbox.after_store",
    "update.before_handle",
    "update.after_handle",
    "update.after_commit",
    "draft.before_card",
    "draft.after_card",
    "create.before_commit",
    "create.after_commit",
    "submit.after_claim",
    "submit.before_intent",
    "submit.after_intent",
    "submit.after_create",
    "submit.after_record",
    "callback.before_store",
    "callback.after_store",
    "look.after_claim",
    "look.after_answer",
    "settle.before_commit",
    "settle.after_commit",
    "deliver.after_lock",
    "deliver.after_fetch",
    "deliver.before_edit",
    "deliver.after_edit",
    "deliver.after_mark",
    "ring.after_record",
    "ring.after_send",
    "orphan.after_match",
)

_passes: Counter[str] = Counter()


class UnknownFailpoint(ValueError):
    """FAILPOINT names a place that does not exist."""


def arm(setting: str | None) -> None:
    """Arm the failpoint of the setting FAILPOINT; an unknown name is refused, not ignored."""
    _passes.clear()
    _armed.clear()
    if not setting:
        return
    name, _, nth = setting.partition(":")
    if name not in FAILPOINTS or (nth and not nth.isdigit()):
        raise UnknownFailpoint(f"FAILPOINT={setting} is not a failpoint; `photomat failpoints` lists them")
    _armed[name] = int(nth or 1)


_armed: dict[str, int] = {}


def failpoint(name: str) -> None:
    """Die here if this pass of this place was asked for."""
    if not _armed:
        return
    _passes[name] += 1
    if _armed.get(name) == _passes[name]:
        os.kill(os.getpid(), signal.SIGKILL)
