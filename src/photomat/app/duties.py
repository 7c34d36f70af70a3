"""The duties of the ACTIVE instance: receiving updates, sweeps, readings, cleaning up. Two ACTIVE instances do no harm.

What every instance does for its own disk stands beside them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.app.polled import PolledState
from photomat.app.result_store import result_places
from photomat.app.retention import kinds_of
from photomat.app.wiring import Program, bot_profile_of, stars_reader
from photomat.audit.proofs import prove_the_night
from photomat.backup.history import is_backup_due
from photomat.backup.make import copy_forgotten
from photomat.backup.schedule import run_by_itself
from photomat.bot.profile import parts_of, read_picture
from photomat.bot.updates import Poller, use_polling, use_webhook
from photomat.cluster.instances import alive_instances, forget_dead_instances
from photomat.db.installation import is_ours
from photomat.db.pool import Pool
from photomat.delivery.leftovers import sweep_stores
from photomat.delivery.lock import free_locks_of_dead_instances, rearm_stuck_cards
from photomat.delivery.waiting import refresh_places
from photomat.fiscal.compare import compare_if_due
from photomat.fiscal.compare_shop import compare_shops_if_due
from photomat.inbox.lanes import free_lanes_of_dead_instances
from photomat.jobs.kie_balance import read_kie_balance
from photomat.jobs.orphans import reconcile_orphans
from photomat.jobs.partitions import keep_ranges_ahead
from photomat.jobs.refunds import refund_undelivered
from photomat.jobs.sweep import free_claims_of_dead_instances, rearm_stuck_jobs, report_loose_holds
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger
from photomat.operators.access import operators_reached
from photomat.operators.restores import note_payments_read, open_restore
from photomat.payments.fiscal_sweep import want_missing_receipts
from photomat.payments.reconcile import read_again, reconcile_providers
from photomat.payments.stars import STARS
from photomat.payments.stars_reader import StarsReader
from photomat.storage.places import ResultPlaces
from photomat.storage.store import FileStore
from photomat.telegram.profile import keep_profile
from photomat.work.budget import forget_unused
from photomat.work.duties import Duty, first_of, until_it_works
from photomat.work.duties import every as at_intervals
from photomat.work.retention import prune

ORPHANS_EVERY_S: Final = 60.0
SWEEP_EVERY_S: Final = 3.0
MAX_SKIPPED: Final = 9
"""With all instances alive, one sweep in ten is done; leases run out meanwhile anyway."""
PLACES_EVERY_S: Final = 10.0
PROFILE_EVERY_S: Final = 60.0
FORGOTTEN_EVERY_S: Final = 60.0
TIDY_EVERY_S: Final = 600.0
RESULTS_FIRST_S: Final = 900.0
RESULTS_EVERY_S: Final = 86400.0
RECONCILE_EVERY_S: Final = 300.0
HOURLY_S: Final = 3600.0
RESTORE_EVERY_S: Final = 20.0
BACKUP_LOOK_S: Final = 60.0
BACKUP_RETRY: Final = timedelta(minutes=30)
log = get_logger()


def duties_of(program: Program) -> list[Duty]:
    """All duties; those that write run only while our bot owns the database."""
    every = _while_ours(program)
    stars = program.live.following(lambda: stars_reader(program.pool, program.bot, program.settings))
    return [
        *_receive_updates(program),
        every(PROFILE_EVERY_S, "profile", lambda: _keep_profile(program)),
        at_intervals(SWEEP_EVERY_S, "claims", ClaimSweep(pool=program.pool, polled=program.polled).sweep_if_due),
        every(PLACES_EVERY_S, "places", lambda: refresh_places(program.pool, creates=program.claims.creates)),
        every(ORPHANS_EVERY_S, "orphans", lambda: reconcile_orphans(program.pool)),
        every(FORGOTTEN_EVERY_S, "forgotten", lambda: _rearm_stuck(program.pool)),
        every(program.settings.stars_reconcile_s, "stars", lambda: stars().read_once()),
        every(TIDY_EVERY_S, "holds", lambda: report_loose_holds(program.pool)),
        every(TIDY_EVERY_S, "budgets", lambda: forget_unused(program.pool)),
        every(TIDY_EVERY_S, "instances", lambda: forget_dead_instances(program.pool)),
        every(TIDY_EVERY_S, "partitions", lambda: keep_ranges_ahead(program.pool)),
        _retention_duty(program),
        _daily_sweep(program, "results", lambda places: [each for each in places.stores if each is not places.folder]),
        every(TIDY_EVERY_S, "proof", lambda: prove_the_night(program.pool)),
        every(RECONCILE_EVERY_S, "providers", lambda: reconcile_providers(program.invoice_poller)),
        every(FORGOTTEN_EVERY_S, "fiscal receipts", lambda: want_missing_receipts(program.pool)),
        every(TIDY_EVERY_S, "fiscal comparison", lambda: _compare_fiscal(program)),
        every(HOURLY_S, "kie balance", lambda: read_kie_balance(program.pool, program.kie)),
        every(HOURLY_S, "undelivered", lambda: _refund_undelivered(program)),
        every(RESTORE_EVERY_S, "restore", lambda: _read_payments_again(program, stars())),
        *([_backup_duty(program)] if program.settings.backup_dir and program.settings.backup_every_h else []),
    ]


def duties_of_each(program: Program) -> list[Duty]:
    """The duties of every instance, ACTIVE or not: its disk is reached by no other."""
    return [_daily_sweep(program, "own results", lambda places: [places.folder])]


@dataclass(slots=True, kw_only=True)
class ClaimSweep:
    """Frees the lanes, claims and delivery locks of dead instances: as soon as one is gone, and now and then in any case."""

    pool: Pool
    polled: PolledState
    _alive: frozenset[str] | None = None
    _skipped: int = 0

    async def sweep_if_due(self) -> None:
        alive = self.polled.alive
        if alive is None:
            alive = await alive_instances(self.pool)
        is_one_gone = self._alive is None or not self._alive <= alive
        if not is_one_gone and self._skipped < MAX_SKIPPED:
            self._skipped += 1
            return
        if await is_ours(self.pool):
            await free_lanes_of_dead_instances(self.pool)
            await free_claims_of_dead_instances(self.pool)
            await free_locks_of_dead_instances(self.pool)
        self._alive, self._skipped = alive, 0


async def _compare_fiscal(program: Program) -> None:
    """Compare with the issuers of fiscal receipts, once a day each; one that does not answer leaves the other alone."""
    try:
        await compare_shops_if_due(program.pool, program.fiscal_policy.readers)
    finally:
        await compare_if_due(program.pool, program.tax)


async def _read_payments_again(program: Program, stars: StarsReader) -> None:
    """After a restore, until it is resumed: what was paid and refunded since the backup, from every source that knows it."""
    restore = await open_restore(program.pool)
    if restore is None:
        return
    _, unread = await read_again(program.invoice_poller, since=restore.read_since)
    try:
        await stars.read_once()
    except PhotomatError as error:
        log.error("PAYMENTS_NOT_COMPARED", provider=STARS, error=str(error))
        unread.append(STARS)
    await note_payments_read(program.pool, restore, unread=unread)


def _backup_duty(program: Program) -> Duty:
    """Make a backup in a process of its own when one is due; a stopping instance does not wait for it."""
    every = timedelta(hours=program.settings.backup_every_h)

    async def run_if_due() -> None:
        folder = program.settings.backup_dir
        if folder is not None and folder.is_dir():
            await asyncio.to_thread(copy_forgotten, program.settings.forgotten_file, folder)
        if await is_ours(program.pool) and await is_backup_due(program.pool, every=every, retry=BACKUP_RETRY):
            await run_by_itself()

    return at_intervals(BACKUP_LOOK_S, "backup", run_if_due)


async def _keep_profile(program: Program) -> None:
    """Again and again: settings change and operators are added while the program runs, or start the bot later."""
    profile = bot_profile_of(program.settings)
    operators = await operators_reached(program.pool, program.settings.admins)
    parts = parts_of(
        program.bot,
        profile,
        program.texts,
        operators=[each for each in operators if each > 0],
        picture=await read_picture(profile.picture),
    )
    await keep_profile(program.pool, bot_id=program.bot_id, parts=parts)


async def _rearm_stuck(pool: Pool) -> None:
    await rearm_stuck_jobs(pool)
    await rearm_stuck_cards(pool)


def _daily_sweep(program: Program, name: str, stores_of: Callable[[ResultPlaces], list[FileStore]]) -> Duty:
    """Sweep stores of results once a day, first some minutes after the start.

    Not while a restored database waits, which knows less than the stores.
    """

    async def sweep() -> None:
        if await is_ours(program.pool) and await open_restore(program.pool) is None:
            places = result_places(program.settings)
            await sweep_stores(program.pool, places, stores_of(places))

    async def run(stop: asyncio.Event) -> None:
        if not await sleep_until_set(stop, RESULTS_FIRST_S):
            await at_intervals(RESULTS_EVERY_S, name, sweep)(stop)

    return run


def _retention_duty(program: Program) -> Duty:
    """Delete old rows; a running pass stops between two batches."""
    every = _while_ours(program)

    async def run(stop: asyncio.Event) -> None:
        await every(TIDY_EVERY_S, "retention", lambda: prune(program.pool, kinds_of(program.settings), stop=stop))(stop)

    return run


def _while_ours(program: Program) -> Callable[[float, str, Callable[[], Awaitable[object]]], Duty]:
    """Repeat a duty, only while the pool's bot owns the database."""

    def every(seconds: float, name: str, do: Callable[[], Awaitable[object]]) -> Duty:
        async def do_if_ours() -> None:
            if program.polled.owner == program.bot_id or await is_ours(program.pool):
                await do()

        return at_intervals(seconds, name, do_if_ours)

    return every


async def _refund_undelivered(program: Program) -> None:
    """Refund undelivered results after some days, unless switched off."""
    after = timedelta(days=program.settings.refund_undelivered_days)
    if after:
        await refund_undelivered(program.pool, after=after)


def _receive_updates(program: Program) -> list[Duty]:
    """By webhook if there is a public URL, else by long polling."""
    url = program.settings.webhook_url
    if url is not None:
        return [until_it_works("webhook", lambda: _start_webhook(program, url))]
    poller = Poller(
        pool=program.pool,
        bot=program.bot,
        wake=program.wakes.here,
        guard=program.guard,
        limit=lambda: program.update_limit,
    )
    return [
        until_it_works("no webhook", lambda: _start_polling(program)),
        lambda over: first_of(lambda: poller.run(over), over.wait),
    ]


async def _start_polling(program: Program) -> None:
    await use_polling(program.bot)
    program.receiving.set()


async def _start_webhook(program: Program, url: str) -> None:
    await use_webhook(program.bot, url=url, secret=program.settings.webhook_secret)
    program.receiving.set()
