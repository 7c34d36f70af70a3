"""Strikes and what follows from them: a ban for a while, what is queued canceled, and the user notified.

A strike is recorded with its cause: a refused order, or, by a setting, a job that the provider failed for its content. The
ban is decided under the lock of the user's row, after the cause is committed where that holds the wallet. An operator's ban is
never replaced. Killed in between, the next strike decides.
"""

from html import escape
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs.actions import cancel_queued
from photomat.jobs.job import Job
from photomat.jobs.settle import Failure, Settled
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.logs import get_logger
from photomat.messages.notices import notify
from photomat.moderation.refusal import BANNED_BY, StrikePolicy, count_strikes, record_provider
from photomat.users import standing
from photomat.users.standing import Ban
from photomat.users.user import DEFAULT_LANGUAGE, find_user

CONTENT_CODES: Final = frozenset({"400", "422", "451", "SENSITIVE_WORD_ERROR"})
"""Kie's codes for a request it refuses; 400 and 422 may also mean inputs that did not fit."""
log = get_logger()


def is_about_content(code: str | None) -> bool:
    """Whether a failure means that the provider refused the request itself, as far as its code says."""
    return (code or "").rpartition("-")[2] in CONTENT_CODES


async def note_provider_refusal(
    tx: Transaction, job: Job, outcome: object, settled: Settled, policy: StrikePolicy
) -> bool:
    """Record a job that the provider refused for its content, with its outcome; return whether that is a strike."""
    if settled is not Settled.RELEASED or not isinstance(outcome, Failure) or not is_about_content(outcome.code):
        return False
    return await record_provider(
        tx,
        user_id=job.user_id,
        chat_id=job.chat_id,
        job_id=job.job_id,
        model=job.model,
        code=outcome.code,
        is_strike=policy.counts_provider,
    )


async def ban_after_strike(pool: Pool, user_id: UserId, policy: StrikePolicy) -> None:
    async with transaction(pool) as tx:
        await ban_if_due(tx, user_id, policy)


async def ban_if_due(tx: Transaction, user_id: UserId, policy: StrikePolicy) -> Ban | None:
    """Ban a user who has reached the limit of strikes, unless they are banned already."""
    before = (await standing.lock_standing(tx, user_id)).ban
    if not policy.limit or before is not None:
        return before
    strikes = await count_strikes(tx, user_id, within=policy.within)
    if strikes < policy.limit:
        return None
    user = await find_user(tx, user_id)
    reason = policy.ban_reason[user.language if user else DEFAULT_LANGUAGE]
    ban = await standing.ban(tx, user_id, lasts=policy.ban, reason=reason, by=BANNED_BY)
    if ban is not None:
        await _tell(tx, user_id, ban, strikes=strikes, canceled=len(await cancel_queued(tx, user_id)))
        log.info("CONTENT_BAN", user_id=user_id, strikes=strikes)
    return ban


async def _tell(tx: Transaction, user_id: UserId, ban: Ban, *, strikes: int, canceled: int) -> None:
    await notify(
        tx,
        key=f"strikes:{user_id}:{ban.since.timestamp():.0f}",
        chat_id=ChatId(user_id),
        text_key="content-banned",
        facts={
            "strikes": strikes,
            "jobs": canceled,
            "until": f"{ban.until:%d.%m.%Y %H:%M} UTC",
            "reason": escape(ban.reason, quote=False),
        },
    )
