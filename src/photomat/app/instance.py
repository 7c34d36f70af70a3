"""One running instance from start to stop: web server, loops and the duties of the ACTIVE instance in one process.

It stops within ten seconds: it claims nothing more, finishes or returns its claims (an intent is never returned), and releases
the ACTIVE lock. A draining one does the same and goes on answering HTTP. What a killed instance had claimed is freed by the
sweeps when its leases expire.
"""

import asyncio
import gc
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, Final

from aiohttp import web

from photomat import __version__
from photomat.app.crash_reports import report_crashes
from photomat.app.duties import duties_of, duties_of_each
from photomat.app.flow import DUE
from photomat.app.settings import Settings
from photomat.app.tracing import send_traces
from photomat.app.wiring import Program, build
from photomat.cluster.instances import ALIVE, Heartbeat
from photomat.cluster.leader import Leader
from photomat.db import installation
from photomat.db.listen import WakeSender, listen, require_session
from photomat.db.migrate import migrate
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import begin
from photomat.operators.settings import VALUES_BY_NAME
from photomat.work.due_poller import DuePoller, WatchedValue
from photomat.work.duties import Duty, first_of, run_while_active
from photomat.work.loop import Loop, LoopStep

DRAIN_S: Final = 8.0
TEND_EVERY_S: Final = 2.0
RECEIVING_PATIENCE_S: Final = 3.0
BACKLOG: Final = 1024
"""Connections that may wait to be accepted: what a burst of callbacks opens beyond it waits a second to be tried again."""
COLLECT_EVERY: Final = 10_000
"""New objects between two garbage collections; with Python's default, 700, a busy instance collects all the time."""
log = get_logger()


async def run(
    settings: Settings,
    *,
    dsn: str,
    tend: Callable[[], object],
    stop: asyncio.Event,
    ready: Callable[[], None],
) -> None:
    """Run on this database until `stop`; call `ready` when the instance works.

    `tend` is called now and then in this thread; it restarts an embedded database that died.
    """
    direct = settings.direct_database_url or dsn
    bot_id = settings.bot_id
    if bot_id is None:
        raise Startup("BOT_TOKEN is missing.")
    await require_session(direct)
    await installation.require_ours(direct, bot_id)
    await migrate(direct)
    await installation.stamp(direct, bot_id=bot_id, currency=settings.currency)
    async with AsyncExitStack() as stack:
        program = await build(stack, settings, dsn, stop=stop)
        report_crashes(stack, settings, instance=program.instance)
        send_traces(stack, settings, instance=program.instance)
        begin(
            version=__version__,
            currency=settings.currency,
            kinds={model.kind for model in program.catalog.models.values()},
            providers=("stars", "transfer", *program.providers),
        )
        heartbeat = program.heartbeat()
        await heartbeat.beat()
        await _serve_web(stack, program)
        gc.freeze()  # what was loaded so far stays: no collection looks at it again
        gc.set_threshold(COLLECT_EVERY)
        log.info("STARTED", instance=program.instance, version=__version__, port=settings.port)
        lost_to_other_bot = await _run_until(program, heartbeat, direct=direct, tend=tend, stop=stop, ready=ready)
        await heartbeat.leave()
    if lost_to_other_bot is not None:
        raise Startup(lost_to_other_bot)
    log.info("STOPPED")


async def _serve_web(stack: AsyncExitStack, program: Program) -> None:
    runner = web.AppRunner(program.web_app(), access_log=None, shutdown_timeout=2)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    settings = program.settings
    try:
        await web.TCPSite(runner, settings.host, settings.port, reuse_address=True, backlog=BACKLOG).start()
    except OSError as error:
        raise Startup(
            f"Port {settings.port} on {settings.host} cannot be used ({error.strerror}):"
            " stop what uses it, or set PORT to a free one."
        ) from error


async def _run_until(
    program: Program,
    heartbeat: Heartbeat,
    *,
    direct: str,
    tend: Callable[[], object],
    stop: asyncio.Event,
    ready: Callable[[], None],
) -> str | None:
    """Run until `stop`; return the reason if the database was given to another bot."""
    notifier = WakeSender(direct)

    def notify_others(name: str) -> None:
        if not program.polled.is_alone(program.instance):
            notifier.hint(name)

    program.wakes.notify_others = notify_others
    steps = program.instance_steps()
    updates = program.update_steps()
    everywhere = program.settings.update_workers == "all"
    suspect = asyncio.Event()
    duties = duties_of(program) + ([] if everywhere else [_loop_duty(program, step) for step in updates])
    async with asyncio.TaskGroup() as group:
        helpers: list[asyncio.Task[Any]] = [
            group.create_task(listen(direct, program.wakes.here)),
            group.create_task(notifier.run()),
            group.create_task(_call_ready(program, ready)),
        ]
        workers = [
            group.create_task(Leader(direct, program.state, drain=program.drain).run(stop)),
            group.create_task(heartbeat.run(stop)),
            group.create_task(_due_poller(program, suspect).run(stop)),
            group.create_task(_be_active(program, duties, stop)),
            group.create_task(_tend(tend, stop)),
            (watch := group.create_task(_watch_installation(program, suspect, stop))),
            group.create_task(program.guard.run(stop)),
            group.create_task(program.disk.run(stop)),
            *(group.create_task(duty(stop)) for duty in duties_of_each(program)),
            *(group.create_task(_loop(program, step).run(stop)) for step in [*steps, *(updates if everywhere else [])]),
        ]
        await stop.wait()
        program.wakes.here(*program.wakes.names())
        _, late = await asyncio.wait(workers, timeout=DRAIN_S)
        for task in (*late, *helpers):
            task.cancel()
    return None if watch.cancelled() else watch.result()


def _loop(program: Program, step: LoopStep[Any]) -> Loop[Any]:
    return Loop(program.drain.guarded(step), wake=program.wakes.event(step.name))


def _loop_duty(program: Program, step: LoopStep[Any]) -> Duty:
    async def run_loop(stop: asyncio.Event) -> None:
        await _loop(program, step).run(stop)

    return run_loop


async def _be_active(program: Program, duties: list[Duty], stop: asyncio.Event) -> None:
    """Do the duties whenever this instance is ACTIVE."""
    while not stop.is_set():
        await first_of(program.state.wait_active, stop.wait)
        if stop.is_set():
            return
        log.info("ACTIVE_ENTER", active=True)
        await run_while_active(duties, passive=program.state.wait_passive, stop=stop, drain_s=DRAIN_S - 1)


async def _tend(tend: Callable[[], object], stop: asyncio.Event) -> None:
    while not await sleep_until_set(stop, TEND_EVERY_S):
        try:
            tend()
        except Startup as error:
            log.error("DATABASE_DOWN", error=str(error))


def _due_poller(program: Program, suspect: asyncio.Event) -> DuePoller:
    """Reads with every poll also the operators' settings, the living instances and the owner; `suspect`: not our bot."""

    def tell_owner(bot_id: int | None) -> None:
        program.polled.tell_owner(bot_id)
        if bot_id != program.bot_id:
            suspect.set()

    watched = {
        "setting values": WatchedValue(select=VALUES_BY_NAME, tell=program.live.take_over),
        "alive instances": WatchedValue(select=ALIVE, tell=program.polled.tell_alive),
        "owner": WatchedValue(select=installation.OWNER, tell=tell_owner),
    }
    return DuePoller(program.pool, program.wakes, DUE, watched=watched)


async def _watch_installation(program: Program, suspect: asyncio.Event, stop: asyncio.Event) -> str | None:
    """Stop when the database is given to another bot, and return the reason; claims are refused already."""
    while not stop.is_set():
        await first_of(suspect.wait, stop.wait)
        if stop.is_set():
            break
        suspect.clear()
        try:
            async with program.heartbeat_pool.acquire() as connection:
                problem = installation.refusal(await installation.read_owner(connection), program.bot_id)
        except Exception as error:  # noqa: BLE001  the due poller reports a lost database
            log.debug("INSTALLATION_UNREAD", error=describe(error))
            continue
        if problem is not None:
            log.error("INSTALLATION_LOST", bot_id=program.bot_id)
            stop.set()
            return problem
    return None


async def _call_ready(program: Program, ready: Callable[[], None]) -> None:
    """Ready means ACTIVE and receiving updates, or PASSIVE after a moment."""
    await sleep_until_set(program.receiving, RECEIVING_PATIENCE_S)
    ready()
