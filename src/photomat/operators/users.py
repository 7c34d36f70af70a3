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
from photomat.texts.sentence import Sentence
from photomat.users import standing
from photomat.users.standing import Ban, OwnLimits
from photomat.users.user import find_user

LONGEST_BAN: Final = timedelta(days=3650)
LARGEST_LIMIT: Final = 1000
MAX_MESSAGE: Final = 4096
"""Telegram's limit for one message."""
QUOTED: Final = 200
NO_SUCH_USER: Final = ActionResult(done=False, says=Sentence("user-unknown"))


async def ban_user(
    pool: Pool, user_id: UserId, *, operator: str, reason: str, lasts: timedelta | None = None
) -> ActionResult:
    """Ban a user for a while, or for good; the user reads the reason. Repeated, it changes the reason and the end."""

    async def act(tx: Transaction) -> ActionResult:
        if lasts is not None and not timedelta(0) < lasts <= LONGEST_BAN:
            return ActionResult(done=False, says=Sentence("user-ban-too-long", days=LONGEST_BAN.days))
        ban = await standing.ban(tx, user_id, lasts=lasts, reason=reason, by=operator)
        if ban is None:
            return NO_SUCH_USER
        canceled = await cancel_queued(tx, user_id)
        if canceled:
            await _tell_canceled(tx, user_id, ban, canceled)
        return ActionResult(done=True, says=_banned(user_id, ban, canceled))

    return await journaled(pool, act, action="ban", operator=operator, reason=reason, user_id=user_id)


async def unban_user(pool: Pool, user_id: UserId, *, operator: str, reason: str) -> ActionResult:
    async def act(tx: Transaction) -> ActionResult:
        if not await standing.unban(tx, user_id):
            return ActionResult(done=False, says=Sentence("user-not-banned", user=user_id))
        return ActionResult(done=True, says=Sentence("user-unbanned", user=user_id))

    return await journaled(pool, act, action="unban", operator=operator, reason=reason, user_id=user_id)


async def limit_user(pool: Pool, user_id: UserId, limits: OwnLimits, *, operator: str, reason: str) -> ActionResult:
    """Give a user limits of their own; a limit that is None becomes the usual one again."""

    async def act(tx: Transaction) -> ActionResult:
        given = (limits.running, limits.a_minute, limits.free_a_day)
        if not all(each is None or 0 <= each <= LARGEST_LIMIT for each in given):
            return ActionResult(done=False, says=Sentence("user-limit-wrong", most=LARGEST_LIMIT))
        if not await standing.set_limits(tx, user_id, limits):
            return NO_SUCH_USER
        running, a_minute, free = map(_limit, given)
        said = Sentence("user-limited", user=user_id, running=running, minute=a_minute, free=free)
        return ActionResult(done=True, says=said)

    return await journaled(pool, act, action="limit", operator=operator, reason=reason, user_id=user_id)


async def message_user(
    pool: Pool, user_id: UserId, text: str, *, reference: str, operator: str, reason: str
) -> ActionResult:
    """Send a user a message in the bot's name, once per reference."""

    async def act(tx: Transaction) -> ActionResult:
        said = text.strip()
        if not 0 < len(said) <= MAX_MESSAGE:
            return ActionResult(done=False, says=Sentence("user-message-wrong", most=MAX_MESSAGE, has=len(said)))
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
            return ActionResult(done=True, says=Sentence("user-message-before"))
        return ActionResult(done=True, says=Sentence("user-message-sent", text=_quoted(said)))

    return await journaled(
        pool, act, action="message", operator=operator, reason=reason, user_id=user_id, reference=reference
    )


async def cancel_queued_jobs(pool: Pool, user_id: UserId, *, operator: str, reason: str) -> ActionResult:
    """Cancel what a user has queued, without a ban; the money is back."""

    async def act(tx: Transaction) -> ActionResult:
        canceled = await cancel_queued(tx, user_id)
        return ActionResult(done=bool(canceled), says=_canceled(canceled))

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


def _banned(user_id: UserId, ban: Ban, canceled: Sequence[JobId]) -> Sentence:
    if ban.until is None:
        return Sentence("user-banned-for-good", user=user_id, canceled=_canceled(canceled))
    return Sentence(
        "user-banned-until", user=user_id, until=f"{ban.until:%Y-%m-%d %H:%M} UTC", canceled=_canceled(canceled)
    )


def _canceled(jobs: Sequence[JobId]) -> Sentence:
    if not jobs:
        return Sentence("user-nothing-queued")
    numbers = ", ".join(str(job_id) for job_id in jobs[: QUOTED // 10])
    more = ", …" if len(jobs) > QUOTED // 10 else ""
    return Sentence("user-jobs-canceled", jobs=f"{numbers}{more}")


def _limit(limit: int | None) -> Sentence:
    if limit is None:
        return Sentence("user-limit-usual")
    return Sentence("user-limit-none") if limit == 0 else Sentence("user-limit-number", count=limit)


def _quoted(text: str) -> str:
    return text if len(text) <= QUOTED else text[:QUOTED] + "…"
