"""Phase 4, delivery: Telegram knows the bot and where to bring updates, the lock holds, and nothing waits to be shown.

The lock is proved on the real server by two sessions in the check's own schema: they race for a test job, a stale lock is
taken over, the zombie's mark is refused.

Part of phase 4: who is told of incidents, and whether Telegram lets the bot write to them.
"""

import asyncio
from datetime import timedelta
from typing import Final

import asyncpg
from aiogram import Bot
from aiogram.exceptions import TelegramAPIError, TelegramBadRequest, TelegramForbiddenError, TelegramUnauthorizedError

from photomat.checks import trial
from photomat.checks.ground import (
    TRIAL_BOT,
    AnotherCheckRuns,
    Finding,
    Ground,
    Level,
    broken,
    doubtful,
    fine,
    own_schema,
    proved,
    rolled_back,
)
from photomat.checks.migrations import CANNOT_MAKE
from photomat.db.installation import stamp
from photomat.db.pool import Pool, connect_pool, transaction
from photomat.db.rows import require_row
from photomat.delivery.lock import mark_delivered, release, try_acquire_delivery_lock
from photomat.delivery.render import LockedCard
from photomat.jobs.settle import Success
from photomat.kernel.clock import epoch
from photomat.kernel.ids import ChatId, InstanceId, JobId
from photomat.orders.outcome import Created

ADMINS_TIMEOUT_S = 10
RACES: Final = 25
CALL_TIMEOUT_S: Final = 10
MANY_WAITING: Final = 100
RECENT_S: Final = 3600
AT_ONCE: Final = timedelta(0)
MEND: Final = "do not go live: a result could be shown by two instances. Compare the schema with `photomat migrate`."


async def admins(ground: Ground) -> list[Finding]:
    """A warning where nobody would hear of an incident."""
    told = ground.settings.admins
    if not told:
        return [
            doubtful(
                "Nobody is told of incidents: ADMIN_IDS is empty.",
                "set it to your Telegram id and start the bot once from there; until then watch the log for INCIDENT_OPEN.",
            )
        ]
    if ground.bot is None:
        return []
    strangers = [str(admin) for admin in told if not await _knows(ground.bot, admin)]
    if strangers:
        return [
            doubtful(
                f"Telegram does not let the bot write to {', '.join(strangers)} of ADMIN_IDS.",
                "each operator sends /start to the bot once; correct a mistyped id.",
            )
        ]
    return [fine(f"{len(told)} of ADMIN_IDS {'is' if len(told) == 1 else 'are'} told of incidents.")]


async def _knows(bot: Bot, admin: ChatId) -> bool:
    """Whether there is a chat with this operator; a Telegram in trouble is told of elsewhere and counts as yes."""
    try:
        await bot.get_chat(admin, request_timeout=ADMINS_TIMEOUT_S)
    except (TelegramBadRequest, TelegramForbiddenError):
        return False
    except TelegramAPIError:
        return True
    return True


async def delivery(ground: Ground) -> list[Finding]:
    """Ask Telegram, race for the lock, look for what waits."""
    return [
        *await _telegram(ground),
        *await admins(ground),
        *await _lock(ground),
        await _on_the_real_table(ground),
        *await _waiting(ground.pool),
    ]


async def _telegram(ground: Ground) -> list[Finding]:
    if ground.bot is None:
        return [doubtful("Telegram was not asked: without keys this is the sandbox.", "set BOT_TOKEN to go live.")]
    try:
        me = await ground.bot.get_me(request_timeout=CALL_TIMEOUT_S)
        return [fine(f"Telegram knows the bot: @{me.username}."), *await _webhook(ground, ground.bot)]
    except TelegramUnauthorizedError:
        return [broken("Telegram refuses the token.", "correct BOT_TOKEN; @BotFather shows it under /mybots.")]
    except TelegramAPIError as error:
        return [
            broken(
                f"Telegram does not answer as it should: {error.message}.", "is TELEGRAM_API_URL reachable from here?"
            )
        ]


async def _webhook(ground: Ground, bot: Bot) -> list[Finding]:
    info = await bot.get_webhook_info(request_timeout=CALL_TIMEOUT_S)
    address = ground.settings.address
    wanted = "" if address is None else f"{address}/telegram/webhook"
    found = [fine(f"Updates come by {'webhook' if wanted else 'long polling'}.")]
    if info.url != wanted:
        now = f"to {info.url}" if info.url else "nowhere (long polling)"
        found = [
            doubtful(
                f"Telegram brings updates {now}.", "an instance that becomes ACTIVE sets it right; is one running?"
            )
        ]
    failed_at = info.last_error_date
    if failed_at is not None and epoch() - failed_at.timestamp() < RECENT_S:
        found.append(
            doubtful(
                f"Telegram could not bring an update lately: {info.last_error_message}.",
                "is PUBLIC_URL reachable by https?",
            )
        )
    if info.pending_update_count >= MANY_WAITING:
        found.append(
            doubtful(f"{info.pending_update_count} updates wait at Telegram.", "start an instance, look at its log.")
        )
    return found


async def _lock(ground: Ground) -> list[Finding]:
    try:
        async with own_schema(ground.direct) as inside:
            await stamp(inside, bot_id=TRIAL_BOT, currency=ground.settings.currency)
            one, two = [
                await connect_pool(inside, name=f"photomat check {who}", size=2, bot_id=TRIAL_BOT)
                for who in ("one", "two")
            ]
            try:
                return await prove_the_lock(
                    one,
                    two,
                    lease=timedelta(seconds=ground.settings.delivery_lease_s),
                    currency=ground.settings.currency,
                )
            finally:
                await one.close()
                await two.close()
    except asyncpg.InsufficientPrivilegeError:
        return [doubtful("The delivery lock was not raced for: the role may not make a schema.", CANNOT_MAKE)]
    except AnotherCheckRuns:
        return [doubtful("The delivery lock was not raced for: another check runs.", "wait for it and check again.")]


async def prove_the_lock(one: Pool, two: Pool, *, lease: timedelta, currency: str) -> list[Finding]:
    """Two sessions and one test job."""
    job_id = await _test_job(one, currency)
    if job_id is None:
        return [broken("No test job could be made.", MEND)]
    winners = [await _race(one, two, job_id, lease=lease) for _ in range(RACES)]
    raced = proved(winners == [1] * RACES, f"Of two sessions one got the lock, {RACES} times out of {RACES}.", MEND)
    return [raced, *await _take_over(one, two, job_id, lease=lease)]


async def _on_the_real_table(ground: Ground) -> Finding:
    """The same take-over in one session on the table of the shop, rolled back."""
    async with rolled_back(ground.direct) as pool:
        job_id = await _test_job(pool, ground.settings.currency)
        if job_id is None:
            return broken("No test job could be made.", MEND)
        lease = timedelta(seconds=ground.settings.delivery_lease_s)
        found = await _take_over(pool, pool, job_id, lease=lease)
    holds = all(finding.level is Level.OK for finding in found)
    return proved(holds, "Lock, take-over and fence work on the real table too.", MEND)


async def _test_job(pool: Pool, currency: str) -> JobId | None:
    """A job with a result nobody has shown yet."""
    await trial.a_customer(pool, currency)
    created = await trial.tap(pool, await trial.a_draft(pool, currency))
    if not isinstance(created, Created):
        return None
    await trial.end(pool, created.job_id, Success(urls=(trial.RESULT,)))
    return created.job_id


async def _take_over(one: Pool, two: Pool, job_id: JobId, *, lease: timedelta) -> list[Finding]:
    """One locks and stalls, two takes over, and one comes back as a zombie."""
    zombie = await _take(one, job_id, lease=lease, who="one")
    kept_out = await _take(two, job_id, lease=lease, who="two") is None
    owner = await _take(two, job_id, lease=AT_ONCE, who="two")
    if zombie is None or owner is None:
        return [broken("A stale lock was not taken over.", MEND)]
    refused = not await _mark(one, zombie)
    marked = await _mark(two, owner)
    shown = await one.fetchval("SELECT delivered_at IS NOT NULL FROM generation_jobs WHERE job_id = $1", job_id)
    return [
        proved(kept_out, "A lock that is held keeps the other out until its lease is over.", MEND),
        proved(
            owner.doubtful and owner.fence == zombie.fence + 1, "A stale lock is taken over, with a new fence.", MEND
        ),
        proved(refused and marked and shown, "The zombie's mark is refused, the owner's is taken.", MEND),
    ]


async def _race(one: Pool, two: Pool, job_id: JobId, *, lease: timedelta) -> int:
    """Both try at once; say how many won, and give the lock back."""
    tries = await asyncio.gather(
        *(_take(pool, job_id, lease=lease, who=who) for pool, who in ((one, "one"), (two, "two")))
    )
    won = [card for card in tries if card is not None]
    for card in won:
        async with transaction(one) as tx:
            await release(tx, card, after=AT_ONCE, error="the check's race", counted=True, unknown=False)
    return len(won)


async def _take(pool: Pool, job_id: JobId, *, lease: timedelta, who: str) -> LockedCard | None:
    name = InstanceId(f"photomat check {who}")
    cards = await try_acquire_delivery_lock(pool, limit=1, lease=lease, instance=name, job_id=job_id)
    return cards[0] if cards else None


async def _mark(pool: Pool, card: LockedCard) -> bool:
    async with transaction(pool) as tx:
        return await mark_delivered(tx, card, ring_kind=None, once_more=False)


async def _waiting(pool: Pool) -> list[Finding]:
    row = await require_row(
        pool,
        """
        SELECT count(*) FILTER (WHERE parked_at IS NOT NULL) AS parked,
               count(*) FILTER (WHERE parked_at IS NULL AND undeliverable_at IS NULL
                                  AND deliver_at < photomat_now() - interval '10 minutes') AS late
          FROM generation_jobs WHERE card_shown < card_wanted
        """,
    )
    found = []
    if row["parked"]:
        found.append(
            doubtful(f"{row['parked']} cards are parked.", "`photomat jobs list --stuck`, then `jobs redeliver`.")
        )
    if row["late"]:
        found.append(
            doubtful(f"{row['late']} cards have been due for ten minutes.", "is an instance running? See its log.")
        )
    return found or [fine("No card waits longer than it should.")]
