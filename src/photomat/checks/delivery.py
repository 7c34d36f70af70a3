"""Phase 4, delivery: Telegram accepts the bot, its webhook and its operators; the delivery lock works; no card is overdue.

The lock is tested on the real server by two sessions in the check's own schema: they race for a test job, a stale lock is taken
over, and the old holder's mark is refused.
"""

import asyncio
from datetime import timedelta
from typing import Final

import asyncpg
from aiogram import Bot
from aiogram.exceptions import TelegramAPIError, TelegramBadRequest, TelegramForbiddenError, TelegramUnauthorizedError

from photomat.checks import sample
from photomat.checks.bot_api import bot_api_server
from photomat.checks.context import CHECK_BOT, AnotherCheckRuns, CheckContext, own_schema, rolled_back
from photomat.checks.findings import Finding, Level, failure, ok, verify, warning
from photomat.checks.storage import CANNOT_MAKE
from photomat.db.installation import stamp
from photomat.db.pool import Pool, connect_pool, transaction
from photomat.db.rows import require_row
from photomat.delivery.lock import mark_delivered, release, try_acquire_delivery_lock
from photomat.delivery.render import LockedCard
from photomat.jobs.settle import Success
from photomat.kernel.clock import epoch
from photomat.kernel.ids import ChatId, InstanceId, JobId
from photomat.orders.outcome import Created
from photomat.telegram.profile import unset_parts

RACES: Final = 25
CALL_TIMEOUT_S: Final = 10
MANY_WAITING: Final = 100
RECENT_S: Final = 3600
AT_ONCE: Final = timedelta(0)
OF_OPERATOR: Final = " of "
"""A part of an operator, who has not started the bot: another finding says so."""
FIX: Final = "do not go live: a result could be shown by two instances. Compare the schema with `photomat migrate`."


async def delivery(context: CheckContext) -> list[Finding]:
    return [
        *await _telegram(context),
        *await _operators(context),
        *await _lock(context),
        await _take_over_on_real_table(context),
        *await _waiting(context.pool),
    ]


async def _telegram(context: CheckContext) -> list[Finding]:
    if context.bot is None:
        return [warning("Telegram was not asked: without keys this is the sandbox.", "set BOT_TOKEN to go live.")]
    try:
        me = await context.bot.get_me(request_timeout=CALL_TIMEOUT_S)
        return [
            ok(f"Telegram knows the bot: @{me.username}."),
            *await bot_api_server(context, context.bot),
            *await _profile(context.pool),
            *await _webhook(context, context.bot),
        ]
    except TelegramUnauthorizedError:
        return [failure("Telegram refuses the token.", "correct BOT_TOKEN; @BotFather shows it under /mybots.")]
    except TelegramAPIError as error:
        return [
            failure(
                f"Telegram does not answer as it should: {error.message}.", "is TELEGRAM_API_URL reachable from here?"
            )
        ]


async def _webhook(context: CheckContext, bot: Bot) -> list[Finding]:
    info = await bot.get_webhook_info(request_timeout=CALL_TIMEOUT_S)
    wanted = context.settings.webhook_url or ""
    found = [ok(f"Updates come by {'webhook' if wanted else 'long polling'}.")]
    if info.url != wanted:
        now = f"to {info.url}" if info.url else "nowhere (long polling)"
        found = [
            warning(f"Telegram sends updates {now}.", "an instance that becomes ACTIVE sets it right; is one running?")
        ]
    failed_at = info.last_error_date
    if failed_at is not None and epoch() - failed_at.timestamp() < RECENT_S:
        found.append(
            warning(
                f"Telegram could not deliver an update lately: {info.last_error_message}.",
                "is PUBLIC_URL reachable by https?",
            )
        )
    if info.pending_update_count >= MANY_WAITING:
        found.append(
            warning(f"{info.pending_update_count} updates wait at Telegram.", "start an instance, look at its log.")
        )
    return found


async def _profile(pool: Pool) -> list[Finding]:
    """What of the bot's name, descriptions, commands and picture could not be set."""
    unset = [each for each in await unset_parts(pool) if OF_OPERATOR not in each.part]
    return [
        warning(
            f"The bot's {each.part} could not be set: {each.error}.",
            f"it is tried again at {each.next_try_at:%Y-%m-%d %H:%M} UTC, a new value at once unless Telegram asks to wait.",
        )
        for each in unset
    ] or [ok("The bot's profile is as the settings want it.")]


async def _operators(context: CheckContext) -> list[Finding]:
    """Warn if no operator would be notified of an incident."""
    operators = context.settings.admins
    if not operators:
        return [
            warning(
                "No operator is notified of incidents: ADMIN_IDS is empty.",
                "set it to your Telegram id and start the bot once from there; until then watch the log for INCIDENT_OPEN.",
            )
        ]
    if context.bot is None:
        return []
    unreachable = [str(admin) for admin in operators if not await _can_write_to(context.bot, admin)]
    if unreachable:
        return [
            warning(
                f"Telegram does not let the bot write to {', '.join(unreachable)} of ADMIN_IDS.",
                "each operator sends /start to the bot once; correct a mistyped id.",
            )
        ]
    return [ok(f"{len(operators)} of ADMIN_IDS {'is' if len(operators) == 1 else 'are'} notified of incidents.")]


async def _can_write_to(bot: Bot, admin: ChatId) -> bool:
    """Whether there is a chat with this operator; also True if Telegram fails, which another finding reports."""
    try:
        await bot.get_chat(admin, request_timeout=CALL_TIMEOUT_S)
    except (TelegramBadRequest, TelegramForbiddenError):
        return False
    except TelegramAPIError:
        return True
    return True


async def _lock(context: CheckContext) -> list[Finding]:
    try:
        async with own_schema(context.direct) as inside:
            await stamp(inside, bot_id=CHECK_BOT, currency=context.settings.currency)
            one, two = [
                await connect_pool(inside, name=f"photomat check {who}", size=2, bot_id=CHECK_BOT)
                for who in ("one", "two")
            ]
            try:
                return await prove_the_lock(
                    one,
                    two,
                    lease=timedelta(seconds=context.settings.delivery_lease_s),
                    currency=context.settings.currency,
                )
            finally:
                await one.close()
                await two.close()
    except asyncpg.InsufficientPrivilegeError:
        return [warning("The delivery lock was not raced for: the role may not make a schema.", CANNOT_MAKE)]
    except AnotherCheckRuns:
        return [warning("The delivery lock was not raced for: another check runs.", "wait for it and check again.")]


async def prove_the_lock(one: Pool, two: Pool, *, lease: timedelta, currency: str) -> list[Finding]:
    """Race two sessions for the lock of one test job, then let one take it over."""
    job_id = await _test_job(one, currency)
    if job_id is None:
        return [failure("No test job could be made.", FIX)]
    winners = [await _race(one, two, job_id, lease=lease) for _ in range(RACES)]
    raced = verify(winners == [1] * RACES, f"Of two sessions one got the lock, {RACES} times out of {RACES}.", FIX)
    return [raced, *await _take_over(one, two, job_id, lease=lease)]


async def _take_over_on_real_table(context: CheckContext) -> Finding:
    """The same take-over in one session on the real table, rolled back."""
    async with rolled_back(context.direct) as pool:
        job_id = await _test_job(pool, context.settings.currency)
        if job_id is None:
            return failure("No test job could be made.", FIX)
        lease = timedelta(seconds=context.settings.delivery_lease_s)
        found = await _take_over(pool, pool, job_id, lease=lease)
    holds = all(finding.level is Level.OK for finding in found)
    return verify(holds, "Lock, take-over and fence work on the real table too.", FIX)


async def _test_job(pool: Pool, currency: str) -> JobId | None:
    """A job with a result that is not delivered yet."""
    await sample.create_customer(pool, currency)
    created = await sample.buy(pool, await sample.create_draft(pool, currency))
    if not isinstance(created, Created):
        return None
    await sample.settle_job(pool, created.job_id, Success(urls=(sample.RESULT,)))
    return created.job_id


async def _take_over(one: Pool, two: Pool, job_id: JobId, *, lease: timedelta) -> list[Finding]:
    """One locks and stalls, two takes over, and one comes back."""
    zombie = await _lock_card(one, job_id, lease=lease, who="one")
    kept_out = await _lock_card(two, job_id, lease=lease, who="two") is None
    owner = await _lock_card(two, job_id, lease=AT_ONCE, who="two")
    if zombie is None or owner is None:
        return [failure("A stale lock was not taken over.", FIX)]
    refused = not await _mark(one, zombie)
    marked = await _mark(two, owner)
    shown = await one.fetchval("SELECT delivered_at IS NOT NULL FROM generation_jobs WHERE job_id = $1", job_id)
    return [
        verify(kept_out, "A lock that is held keeps the other out until its lease is over.", FIX),
        verify(
            owner.doubtful and owner.fence == zombie.fence + 1, "A stale lock is taken over, with a new fence.", FIX
        ),
        verify(refused and marked and shown, "The zombie's mark is refused, the owner's is taken.", FIX),
    ]


async def _race(one: Pool, two: Pool, job_id: JobId, *, lease: timedelta) -> int:
    """Let both try at once; release the lock and return how many got it."""
    tries = await asyncio.gather(
        *(_lock_card(pool, job_id, lease=lease, who=who) for pool, who in ((one, "one"), (two, "two")))
    )
    won = [card for card in tries if card is not None]
    for card in won:
        async with transaction(one) as tx:
            await release(tx, card, after=AT_ONCE, error="the check's race", counted=True, unknown=False)
    return len(won)


async def _lock_card(pool: Pool, job_id: JobId, *, lease: timedelta, who: str) -> LockedCard | None:
    name = InstanceId(f"photomat check {who}")
    cards = await try_acquire_delivery_lock(pool, limit=1, lease=lease, instance=name, job_id=job_id)
    return cards[0] if cards else None


async def _mark(pool: Pool, card: LockedCard) -> bool:
    async with transaction(pool) as tx:
        return await mark_delivered(tx, card, ring_kind=None, repeat_later=False)


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
            warning(f"{row['parked']} cards are parked.", "`photomat jobs list --stuck`, then `jobs redeliver`.")
        )
    if row["late"]:
        found.append(
            warning(f"{row['late']} cards have been due for ten minutes.", "is an instance running? See its log.")
        )
    return found or [ok("No card waits longer than it should.")]
