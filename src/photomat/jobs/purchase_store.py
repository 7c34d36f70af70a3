"""Buying as statements: the job of a draft is made once, and found again by its key."""

from collections.abc import Mapping
from typing import Any

from photomat.db.pool import Transaction
from photomat.jobs.request import Request
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, MessageId, UserId


async def insert_job(
    tx: Transaction,
    *,
    key: str,
    corr: str,
    draft_id: DraftId,
    card: tuple[BotId, ChatId, MessageId],
    user_id: UserId,
    kind: str,
    language: str,
    quote: Mapping[str, Any],
    request: Request | None,
    title: str | None,
    current_turn: int,
    needs_files: bool,
    job_id: JobId | None = None,
) -> JobId | None:
    """Make the job of a draft; None when it (or another job of this card) exists already. Without `job_id`: the next number.

    Its turn to be submitted comes in the round after the current one, or after the last waiting job of its user.
    """
    made = await tx.fetchval(
        """
        INSERT INTO generation_jobs (job_id, idempotency_key, corr, draft_id, bot_id, chat_id, card_message_id, user_id, model,
                                     kind, inputs, language, price, currency, quote, request, title, submit_turn, needs_files)
        OVERRIDING SYSTEM VALUE
        SELECT coalesce($15, nextval(pg_get_serial_sequence('generation_jobs', 'job_id'))), $1, $2, draft.draft_id, $4, $5, $6,
               $7, draft.model, $8, draft.inputs, $9, draft.price, draft.currency, $10, $11, $12,
               1 + greatest($13::bigint, (SELECT max(submit_turn) FROM generation_jobs
                                   WHERE user_id = $7 AND settled_at IS NULL AND status = 'pending')), $14
          FROM drafts AS draft WHERE draft.draft_id = $3
            ON CONFLICT DO NOTHING
        RETURNING job_id
        """,
        key,
        corr,
        draft_id,
        *card,
        user_id,
        kind,
        language,
        dict(quote),
        None if request is None else request.as_json(),
        title,
        current_turn,
        needs_files,
        job_id,
    )
    return None if made is None else JobId(made)


async def find_by_key(tx: Transaction, key: str) -> tuple[JobId, str, MessageId] | None:
    """The job made before under this key: its id, its correlation id, its card."""
    row = await tx.fetchrow("SELECT job_id, corr, card_message_id FROM generation_jobs WHERE idempotency_key = $1", key)
    return None if row is None else (JobId(row["job_id"]), row["corr"], MessageId(row["card_message_id"]))
