"""What a stored update is and which lane it waits in. Pure.

A lane is the updates of one user, wherever they wrote or tapped: a tap in a group is its user's, not the group's. What
has no user waits in the lane of its chat. A pre-checkout query, which must be answered in ten seconds, has its own.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.kernel.errors import Rejected
from photomat.kernel.ids import BotId, Fence, ReceivedId

MAX_FAILURES: Final = 3
MAX_SILENT_CLAIMS: Final = 10
"""After so many claims without a recorded failure the update itself is assumed to kill the process."""

PRE_CHECKOUT: Final = "pre_checkout_query"
PRE_CHECKOUT_LANES: Final = "p"
"""The first letter of the lanes that are served by a slot of their own."""
USER_LANES: Final = "u"

NEVER_SKIPPED: Final = frozenset({PRE_CHECKOUT, "my_chat_member", "subscription"})
PAYMENTS: Final = ("successful_payment", "refunded_payment")

_NO_LANE: Final = "other"
_MAX_ID: Final = 2**63 - 1
_ZERO_BYTE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One claimed update; no other worker has its lane while the fence is unchanged.

    `attempts` counts its claims, this one included; `failures` those whose failure was recorded.
    """

    received_id: ReceivedId
    bot_id: BotId
    update_id: int
    update: Mapping[str, Any]
    lane: str
    fence: Fence
    attempts: int
    failures: int
    age_s: float

    @property
    def tried_too_often(self) -> bool:
        return self.attempts - self.failures > MAX_SILENT_CLAIMS

    @property
    def is_last_attempt(self) -> bool:
        return self.failures + 1 >= MAX_FAILURES


def update_id_of(update: Mapping[str, Any]) -> int:
    update_id = update.get("update_id")
    if not isinstance(update_id, int) or isinstance(update_id, bool):
        raise Rejected("not-an-update")
    return update_id


def kind_of(update: Mapping[str, Any]) -> str:
    """The name of the one thing the update carries: message, callback_query and so on."""
    return next((str(name) for name in update if name != "update_id"), "empty")


def lane_of(update: Mapping[str, Any]) -> str:
    kind = kind_of(update)
    if kind == PRE_CHECKOUT:
        return f"{PRE_CHECKOUT_LANES}{update_id_of(update)}"
    for letter, number in _owners(update.get(kind)):
        if isinstance(number, int) and not isinstance(number, bool) and abs(number) <= _MAX_ID:
            return f"{letter}{number}"
    return _NO_LANE


def is_limited(update: Mapping[str, Any]) -> bool:
    """Whether it counts towards what a user may send in a minute. What is about money never does."""
    kind = kind_of(update)
    content = update.get(kind)
    is_payment = isinstance(content, Mapping) and any(name in content for name in PAYMENTS)
    return lane_of(update).startswith(USER_LANES) and kind not in NEVER_SKIPPED and not is_payment


def private_chat_of(update: Mapping[str, Any]) -> int | None:
    """The chat of a message or a tapped message, if it is a private one."""
    content = update.get(kind_of(update))
    for holder in (content, content.get("message") if isinstance(content, Mapping) else None):
        chat = holder.get("chat") if isinstance(holder, Mapping) else None
        if isinstance(chat, Mapping) and chat.get("type") == "private" and isinstance(chat.get("id"), int):
            return int(chat["id"])
    return None


def body_of(update: Mapping[str, Any]) -> str:
    """The update as text PostgreSQL can keep: zero bytes and broken halves of a character are replaced."""
    text = _ZERO_BYTE.sub(r"\1\\ufffd", json.dumps(update, ensure_ascii=False))
    return text.encode("utf-8", "replace").decode("utf-8")


def _owners(content: object) -> Iterator[tuple[str, object]]:
    if isinstance(content, Mapping):
        for letter, name in ((USER_LANES, "from"), (USER_LANES, "user"), ("c", "chat")):
            owner = content.get(name)
            if isinstance(owner, Mapping):
                yield letter, owner.get("id")
