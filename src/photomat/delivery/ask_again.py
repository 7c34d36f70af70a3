"""«Не пришло? Прислать ещё раз» and «📎 Оригиналы»: a customer asks for a result once more, free.

A result that was never shown is not sent: its card becomes due again, and an edit cannot double it. One that was shown, or
whose card stands in another chat that takes nothing (the bot was thrown out of the group), is sent as new messages, one
recorded intent for each file, unique by the tap: the same tap handled again asks for nothing more.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Transaction
from photomat.delivery.rearm import rearm_job
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import ChatId, JobId, UserId

NOT_SOONER_THAN: Final = timedelta(minutes=1)
BETWEEN_FILES: Final = timedelta(milliseconds=1100)
"""Telegram takes about a message a second for a chat; so they also arrive in order."""


class Asked(StrEnum):
    """What came of it."""

    SENDING = "sending"
    SHOWING = "showing"
    TOO_SOON = "too-soon"
    NO_RESULT = "no-result"
    NOT_YOURS = "not-yours"


async def ask_again(
    tx: Transaction,
    *,
    job_id: JobId,
    user_id: UserId,
    chat_id: ChatId,
    origin: str,
    language: str,
    as_file: bool = False,
) -> Asked:
    """Let a result come once more into this chat, as the files it is where that is asked for; `origin` names the tap."""
    job = await tx.fetchrow(
        """
        SELECT status, delivered_at IS NULL AND (undeliverable_at IS NULL OR chat_id = $3) AS may_be_shown
          FROM generation_jobs WHERE job_id = $1 AND user_id = $2 FOR UPDATE
        """,
        job_id,
        user_id,
        chat_id,
    )
    if job is None:
        return Asked.NOT_YOURS
    if job["status"] != "done":
        return Asked.NO_RESULT
    earlier = await _earlier(tx, job_id, origin, as_file=as_file)
    if earlier is not None:
        return earlier
    if job["may_be_shown"]:
        await rearm_job(tx, job_id, by="customer")
        await _record(tx, job_id, chat_id, origin, language, positions=[None], as_file=as_file)
        return Asked.SHOWING
    positions = await _positions(tx, job_id)
    await _record(tx, job_id, chat_id, origin, language, positions=positions, as_file=as_file)
    await timeline.record(tx, job_id, Tag.ASKED, files=len(positions))
    return Asked.SENDING


async def _earlier(tx: Transaction, job_id: JobId, origin: str, *, as_file: bool) -> Asked | None:
    """What this very tap has led to before, or that another one has just asked."""
    row = await tx.fetchrow(
        """
        SELECT origin = $2 AS is_same, position IS NULL AS is_card FROM result_sends
         WHERE job_id = $1 AND (origin = $2 OR as_file = $4 AND asked_at > photomat_now() - $3::interval)
         ORDER BY origin = $2 DESC LIMIT 1
        """,
        job_id,
        origin,
        NOT_SOONER_THAN,
        as_file,
    )
    if row is None:
        return None
    if not row["is_same"]:
        return Asked.TOO_SOON
    return Asked.SHOWING if row["is_card"] else Asked.SENDING


async def _positions(tx: Transaction, job_id: JobId) -> list[int | None]:
    """The places of all outputs; a result without a file is one message of text."""
    rows = await tx.fetch("SELECT position FROM job_outputs WHERE job_id = $1 ORDER BY position", job_id)
    return [row["position"] for row in rows] or [0]


async def _record(
    tx: Transaction,
    job_id: JobId,
    chat_id: ChatId,
    origin: str,
    language: str,
    *,
    positions: list[int | None],
    as_file: bool,
) -> None:
    await tx.execute(
        """
        INSERT INTO result_sends (job_id, chat_id, origin, language, as_file, position, due_at)
        SELECT $1, $2, $3, $4, $7, position, CASE WHEN position IS NOT NULL THEN photomat_now() + (place - 1) * $6::interval END
          FROM unnest($5::integer[]) WITH ORDINALITY AS asked (position, place)
        """,
        job_id,
        chat_id,
        origin,
        language,
        positions,
        BETWEEN_FILES,
        as_file,
    )
