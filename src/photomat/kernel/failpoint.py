"""Named places in the code where a test can crash the process.

`FAILPOINT=name` kills it with SIGKILL at the first pass, `name:3` at the third. `stop@name` freezes it with SIGSTOP until it
gets SIGCONT; `cut@name` shuts down every connection of the process (PostgreSQL, Telegram, Kie, callers) and continues.
`FAILPOINT=tell` only logs each pass. Unset, a failpoint costs one comparison. `FAILPOINTS` lists every name and `photomat
failpoints` prints them. A name that ends in `before_commit` lies inside a transaction.
"""

import os
import re
import signal
import socket
import stat
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.kernel.logs import get_logger

FAILPOINTS: Final = (
    "inbox.before_store",
    "inbox.before_commit",
    "inbox.after_store",
    "update.before_handle",
    "update.after_handle",
    "update.before_commit",
    "update.after_commit",
    "draft.before_save",
    "draft.before_card",
    "draft.after_card",
    "content.after_verdict",
    "create.before_commit",
    "create.after_commit",
    "submit.after_claim",
    "inputs.before_upload",
    "inputs.after_upload",
    "submit.before_intent",
    "submit.after_intent",
    "submit.after_create",
    "submit.before_unknown",
    "submit.before_commit",
    "submit.after_record",
    "callback.before_store",
    "callback.before_commit",
    "callback.after_store",
    "look.after_claim",
    "look.before_ask",
    "look.after_answer",
    "settle.before_commit",
    "settle.after_commit",
    "deliver.after_lock",
    "deliver.before_fetch",
    "deliver.before_keep",
    "deliver.after_fetch",
    "store.before_put",
    "store.after_put",
    "deliver.before_edit",
    "deliver.after_edit",
    "deliver.after_slot",
    "deliver.before_commit",
    "deliver.after_mark",
    "ring.after_record",
    "ring.after_send",
    "send.after_record",
    "send.after_send",
    "alert.after_claim",
    "alert.after_send",
    "notice.after_record",
    "notice.after_send",
    "broadcast.after_fill",
    "broadcast.after_record",
    "broadcast.after_send",
    "invoice.after_create",
    "payment.before_commit",
    "payment.after_commit",
    "refund.after_claim",
    "refund.after_call",
    "fiscal.after_claim",
    "fiscal.before_intent",
    "fiscal.after_intent",
    "fiscal.after_send",
    "fiscal.before_unknown",
    "fiscal.after_look_up",
    "fiscal.before_commit",
    "fiscal.after_record",
    "orphan.before_commit",
    "orphan.after_match",
    "assistant.before_ask",
    "assistant.after_ask",
    "assistant.before_apply",
    "assistant.after_apply",
    "export.before_build",
    "export.after_record",
    "export.after_send",
    "forget.after_claim",
    "forget.before_commit",
    "forget.after_batch",
    "forget.after_step",
    "forget.before_done",
    "results.after_copy",
    "results.after_record",
    "backup.after_dump",
    "restore.after_mark",
    "restore.after_load",
    "restore.after_migrate",
    "restore.before_commit",
)
LOG_ONLY: Final = "tell"
SETTING: Final = re.compile(r"(?:(?P<action>[a-z]+)@)?(?P<name>[a-z_.]+)(?::(?P<nth>[0-9]+))?", re.ASCII)
OPEN_FILES: Final = Path("/dev/fd")

log = get_logger()
_passes: Counter[str] = Counter()


class UnknownFailpoint(ValueError):
    """FAILPOINT names a failpoint or an action that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailpointAction:
    """What happens at the n-th pass of a failpoint; without a name, at every pass of every failpoint."""

    action: str
    name: str | None
    nth: int


_armed: list[FailpointAction] = []


def arm(setting: str | None) -> None:
    """Arm the failpoint of the setting FAILPOINT; an unknown name is refused, not ignored."""
    _passes.clear()
    _armed.clear()
    if setting:
        _armed.append(_parse(setting))


def _parse(setting: str) -> FailpointAction:
    if setting == LOG_ONLY:
        return FailpointAction(action=LOG_ONLY, name=None, nth=0)
    read = SETTING.fullmatch(setting)
    action = (read["action"] or "kill") if read else ""
    if read is None or read["name"] not in FAILPOINTS or action not in ACTIONS:
        raise UnknownFailpoint(f"FAILPOINT={setting} is not a failpoint; `photomat failpoints` lists them")
    return FailpointAction(action=action, name=read["name"], nth=int(read["nth"] or 1))


def failpoint(name: str) -> None:
    if not _armed:
        return
    _passes[name] += 1
    (armed,) = _armed
    if armed.name is None or (armed.name == name and armed.nth == _passes[name]):
        log.info("FAILPOINT", action=armed.action, name=name, nth=_passes[name])
        ACTIONS[armed.action]()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _cut() -> None:
    for entry in OPEN_FILES.iterdir():
        try:
            if stat.S_ISSOCK(os.fstat(int(entry.name)).st_mode):
                _shut(int(entry.name))
        except OSError:
            continue


def _shut(number: int) -> None:
    """Shut down a connection; a listening socket has no peer, and the peer of a socketpair has no name."""
    connection = socket.socket(fileno=number)
    try:
        if connection.getpeername():
            connection.shutdown(socket.SHUT_RDWR)
    finally:
        connection.detach()


def _log_only() -> None:
    """Do nothing: the pass is logged already."""


ACTIONS: Final[Mapping[str, Callable[[], None]]] = {"kill": _kill, "stop": _stop, "cut": _cut, LOG_ONLY: _log_only}
