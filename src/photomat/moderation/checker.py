"""An external checker of the operator's own: asked about an order before its purchase, with a deadline.

One POST with everything that was written; the answer is `{"allow": true}` or `{"allow": false, "reason": "…"}`
(docs/operations/content.md). No transaction is open meanwhile. The verdict is stored for this very revision of the draft, and
the purchase demands it: killed in between, no money has moved, and the next tap finds the verdict or asks again. Without an
answer in time the setting decides; a refusal for that reason is not stored, so the next tap asks again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from photomat.db.pool import Transaction
from photomat.kernel.calls import provider_call
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.http import HttpClient
from photomat.kernel.ids import DraftId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.text import cut
from photomat.moderation.order_texts import OrderText

MAX_REASON: Final = 300
OK: Final = 200
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the checker is asked. The user is named by number alone, files by the input they are in."""

    user_id: UserId
    draft_id: DraftId
    revision: int
    model: str
    kind: str
    texts: Sequence[OrderText]
    files: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        return {
            "user": self.user_id,
            "order": f"{self.draft_id}.{self.revision}",
            "model": self.model,
            "kind": self.kind,
            "texts": [{"input": each.name, "text": each.text, "negative": each.is_negative} for each in self.texts],
            "files": list(self.files),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentVerdict:
    """What the checker said; `reason` is what the customer reads."""

    is_allowed: bool
    reason: str | None = None
    is_strike: bool = False


ALLOWED: Final = ContentVerdict(is_allowed=True)


class ContentChecker:
    """`allows_without`: an order goes on where the checker did not answer in time."""

    def __init__(self, *, url: str, token: str | None, deadline_s: float, allows_without: bool) -> None:
        self._url = url
        self._deadline = aiohttp.ClientTimeout(total=deadline_s)
        self.allows_without = allows_without
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = HttpClient(name="the content checker", headers=headers)

    async def ask(self, question: Question) -> ContentVerdict | None:
        """The verdict; None if there was no usable answer in time. Asking has no effect and may be repeated."""
        try:
            with provider_call("content_checker", "ask"):
                answer = await self._http.post(self._url, question.as_json(), within=self._deadline)
        except (Transient, OutcomeUnknown) as error:
            log.warning("CONTENT_CHECK_FAILED", draft_id=question.draft_id, reason=str(error))
            return None
        verdict = read_verdict(answer.body) if answer.status == OK else None
        if verdict is None:
            log.warning("CONTENT_CHECK_FAILED", draft_id=question.draft_id, reason=f"answer {answer.status}")
        return verdict


def read_verdict(body: bytes) -> ContentVerdict | None:
    """The answer of the checker; None for anything that is not one."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(said.get("allow"), bool):
        return None
    reason = said.get("reason")
    words = cut(" ".join(reason.split()), MAX_REASON) if isinstance(reason, str) else ""
    return ContentVerdict(is_allowed=said["allow"], reason=words or None, is_strike=said.get("strike") is True)


async def store_verdict(
    tx: Transaction, verdict: ContentVerdict, *, draft_id: DraftId, revision: int, user_id: UserId, order_hash: bytes
) -> None:
    """Keep a verdict for this revision; the first one holds."""
    await tx.execute(
        """
        INSERT INTO content_verdicts (draft_id, revision, user_id, order_hash, is_allowed, is_strike, reason)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT ON CONSTRAINT content_verdicts_once_per_revision DO NOTHING
        """,
        draft_id,
        revision,
        user_id,
        order_hash,
        verdict.is_allowed,
        verdict.is_strike,
        verdict.reason,
    )


async def read_stored(tx: Transaction, *, draft_id: DraftId, revision: int, order_hash: bytes) -> ContentVerdict | None:
    """The verdict about exactly this order at this revision."""
    row = await tx.fetchrow(
        """
        SELECT is_allowed, is_strike, reason FROM content_verdicts
         WHERE draft_id = $1 AND revision = $2 AND order_hash = $3
        """,
        draft_id,
        revision,
        order_hash,
    )
    return None if row is None else ContentVerdict(**dict(row))
