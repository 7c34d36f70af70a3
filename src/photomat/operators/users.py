"""What an operator may do to a user: ban and unban, limits of their own, a message, cancel what is queued.

A ban and what follows from it are one transaction with the journal: queued jobs are canceled and their money is back, jobs at
Kie go on and are delivered. An order that is being bought at that moment either comes first, and is canceled with the others,
or finds the ban. A message is written once per reference.
"""

from collections.abc import Sequence
from datetime import timedelta
from html import escape
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.jobs.actions import cancel_queued
from photomat.kernel.ids import ChatId, JobId, UserId
from photomat.messages.notices import notify
from photomat.operators.actions import ActionResult, journaled
from photomat.users import standing
from photomat.users.standing import Ban, OwnLimits
from photomat.users.user import find_user

LONGEST_BAN: Final = timedelta(days=3650)
LARGEST_LIMIT: Final = 1000
MAX_MESSAGE: Final = 4096
"""Telegram's limit for one message."""
QUOTED: Final = 200
NO_SUCH_USER: Final = ActionResult(done=False, sentence="There is no such user.")


async def ban_user(
    pool: Pool, user_id: UserId, *, operator: str, reason: str, lasts: timedelta | None = None
) -> ActionResult:
    """Ban a user for a while, or for good; the user reads the reason. Repeated, it changes the reason and the end."""

    async def act(tx: Transaction) -> ActionResult:
        if lasts is not None and not timedelta(0) < lasts <= LONGEST_BAN:
            return ActionResult(done=False, sentence=f"A ban lasts up to {LONGEST_BAN.days} days, or for good.")
        ban = await standing.ban(tx, user_id, lasts=lasts, reason=reason, by=operator)
        if ban is None:
            return NO_SUCH_USER
        canceled = await cancel_queued(tx, user_id)
        if canceled:
            await _tell_canceled(tx, user_id, ban, canceled)
        return ActionResult(done=True, sentence=f"User {user_id} is banned {_until(ban)}. {_canceled(canceled)}")

    return await journaled(pool, act, action="ban", operator=operator, reason=reason, user_id=user_id)


async def unban_user(pool: Pool, user_id: UserId, *, operator: str, reason: str) -> ActionResult:
    async def act(tx: Transaction) -> ActionResult:
        if not await standing.unban(tx, user_id):
            return ActionResult(done=False, sentence=f"User {user_id} is not banned.")
        return ActionResult(done=True, sentence=f"User {user_id} is no longer banned.")

    return await journaled(pool, act, action="unban", operator=operator, reason=reason, user_id=user_id)


async def limit_user(pool: Pool, user_id: UserId, limits: OwnLimits, *, operator: str, reason: str) -> ActionResult:
    """Give a user limits of their own; a limit that is None becomes the usual one again."""

    async def act(tx: Transaction) -> ActionResult:
        given = (limits.running, limits.a_minute, limits.free_a_day)
        if not all(each is None or 0 <= each <= LARGEST_LIMIT for each in given):
            return ActionResult(done=False, sentence=f"A limit is a number from 0 (none) to {LARGEST_LIMIT}.")
        if not await standing.set_limits(tx, user_id, limits):
            return NO_SUCH_USER
        words = ("running at once", "orders a minute", "free a day")
        said = ", ".join(f"{word} {_limit(each)}" for word, each in zip(words, given, strict=True))
        return ActionResult(done=True, sentence=f"Limits of user {user_id}: {said}.")

    return await journaled(pool, act, action="limit", operator=operator, reason=reason, user_id=user_id)


async def message_user(
    pool: Pool, user_id: UserId, text: str, *, reference: str, operator: str, reason: str
) -> ActionResult:
    """Send a user a message in the bot's name, once per reference."""

    async def act(tx: Transaction) -> ActionResult:
        said = text.strip()
        if not 0 < len(said) <= MAX_MESSAGE:
            return ActionResult(
                done=False, sentence=f"A message has 1 to {MAX_MESSAGE} characters; this has {len(said)}."
            )
        if await find_user(tx, user_id) is None:
            return NO_SUCH_USER
        is_new = await notify(
            tx,
            key=f"operator-message:{reference}",
            chat_id=ChatId(user_id),
            text_key="operator-message",
            facts={"text": escape(said, quote=False)},
        )
        if not is_new:
            return ActionResult(done=True, sentence="It was sent before with this reference; nothing was sent again.")
        return ActionResult(done=True, sentence=f"The message is on its way: “{_quoted(said)}”")

    return await journaled(
        pool, act, action="message", operator=operator, reason=reason, user_id=user_id, reference=reference
    )


async def cancel_queued_jobs(pool: Pool, user_id: UserId, *, operator: str, reason: str) -> ActionResult:
    """Cancel what a user has queued, without a ban; the money is back."""

    async def act(tx: Transaction) -> ActionResult:
        canceled = await cancel_queued(tx, user_id)
        return ActionResult(done=bool(canceled), sentence=_canceled(canceled))

    return await journaled(pool, act, action="cancel queued", operator=operator, reason=reason, user_id=user_id)


async def _tell_canceled(tx: Transaction, user_id: UserId, ban: Ban, canceled: Sequence[JobId]) -> None:
    """What was canceled is said at once; anything else when the user writes."""
    facts: dict[str, str | int] = {"jobs": len(canceled), "reason": escape(ban.reason, quote=False)}
    if ban.until is not None:
        facts["until"] = f"{ban.until:%d.%m.%Y %H:%M} UTC"
    await notify(
        tx,
        key=f"banned:{user_id}:{canceled[-1]}",
        chat_id=ChatId(user_id),
        text_key="ban-canceled-jobs" if ban.until is None else "ban-canceled-jobs-until",
        facts=facts,
    )


def _until(ban: Ban) -> str:
    return "for good" if ban.until is None else f"until {ban.until:%Y-%m-%d %H:%M} UTC"


def _canceled(jobs: Sequence[JobId]) -> str:
    if not jobs:
        return "Nothing was queued."
    numbers = ", ".join(str(job_id) for job_id in jobs[: QUOTED // 10])
    more = " and more" if len(jobs) > QUOTED // 10 else ""
    return f"Canceled, with the money back: {numbers}{more}."


def _limit(limit: int | None) -> str:
    return "as usual" if limit is None else str(limit or "without limit")


def _quoted(text: str) -> str:
    return text if len(text) <= QUOTED else text[:QUOTED] + "…"
