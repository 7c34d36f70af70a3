"""`photomat run`: everything in one process, migrations first. `photomat sandbox`, or `run` without keys: the same, simulated.

The simulators of Telegram, Kie.ai and payment providers share no code with the bot and run as a separate process; the bot talks
to them over real HTTP, by webhook and with signed callbacks, as in production. There the bot is a process of its own too, which
the chat page can kill: we start it again, tend its database and the simulators, and everything ends with us, however we end.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Final, NoReturn

import uvloop

from photomat.app.crash_reports import require_sentry
from photomat.app.settings import SANDBOX_WELCOME, Settings, load
from photomat.app.tracing import require_otel
from photomat.cli.database import Database, owned_database
from photomat.cli.drawn_examples import draw_examples
from photomat.cli.screen import show_box
from photomat.cli.supervisor import BotSupervisor
from photomat.db.installation import SANDBOX_BOT
from photomat.kernel import failpoint, logs
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger
from photomat.kernel.private_files import tighten

TOKEN: Final = f"{SANDBOX_BOT}:sandbox-token-of-no-value"
KIE_KEY: Final = "sandbox-key-of-no-value"
WEBHOOK_KEY: Final = "sandbox-webhook-key"
SHOP_ID: Final = "100500"
SHOP_KEY: Final = "test_sandbox-shop"
TAX_INN, TAX_PASSWORD = "770000000000", "sandbox"
CRYPTO_TOKEN: Final = "1000:sandbox-token-of-no-value"  # noqa: S105  opens nothing but the simulator
OPERATOR_ID: Final = 4_900_001
"""The operator «Оператор» of the simulated Telegram if ADMIN_IDS is empty."""
REAL_BOT_SETTINGS: Final = (
    "database_url",
    "direct_database_url",
    "public_url",
    "render_external_url",
    "telegram_webhook_url",
    "callback_secret",
)
"""Settings of a real bot that the sandbox ignores."""
TRANSFER_DETAILS: Final = "Карта 0000 0000 0000 0000 (песочница, денег здесь нет)\nПолучатель: Фотомат Ф."
SUBSCRIPTION_STARS: Final = 300
START_TIMEOUT_S: Final = 20.0
LAST_PORT: Final = 65533
OVERDUE_S: Final = 45.0
TIMEOUT_S: Final = 300.0
"""Short, so that a visitor sees what becomes of a task that never ends."""
log = get_logger()


def sandbox() -> None:
    """Run the bot with a simulated outside world; keys and database of a real bot are not used."""
    settings = load()
    run_sandbox(settings if settings.sandboxed else settings.in_sandbox())


def run_sandbox(settings: Settings) -> None:
    prepare(settings)
    if not 0 < settings.port <= LAST_PORT:
        raise Startup(f"The sandbox needs three ports in a row: set PORT to a number from 1 to {LAST_PORT}.")
    ports = (settings.port, settings.port + 1, settings.port + 2)
    for port in ports:
        refuse_taken_port(settings.host, port)
    if settings.database_url is not None:
        log.warning("DATABASE_URL_IGNORED", reason="the sandbox has a database of its own", data=str(settings.data_dir))
    settings = settings.model_copy(update=dict.fromkeys(REAL_BOT_SETTINGS))
    inside = _against_simulators(settings)
    with owned_database(settings) as database, simulators(settings) as outside:
        code = _supervised(settings, inside, database, outside).run()
    if code:
        raise SystemExit(code)


def _supervised(settings: Settings, inside: Settings, database: Database, outside: "Simulators") -> BotSupervisor:
    """Prepare to run the bot `inside`; what it needs is loaded here, once for all its starts."""
    load_instance()
    untended = Database(dsn=database.dsn, tend=lambda: None)

    def be_bot(is_first: bool) -> None:  # noqa: FBT001  the supervisor's only word to it
        def ready() -> None:
            if is_first:
                show_box(_sandbox_urls(settings), first="Chat page", settings=settings)

        serve(inside, untended, ready, beside=lambda: draw_examples(inside, database.dsn))

    def tend() -> None:
        try:
            database.tend()
            outside.tend()
        except Startup as error:
            log.error("DATABASE_DOWN", error=str(error))

    return BotSupervisor(serve=be_bot, tend=tend, announce=outside.announce)


class Simulators:
    """All simulators in one process; it ends with us, even if we are killed, because its standard input closes."""

    def __init__(self, command: Sequence[str], *, ports: tuple[int, int]) -> None:
        self._command = command
        self._ports = ports
        self._bot = 0
        self._process = self._started()

    def announce(self, bot: int) -> None:
        """Send them the bot's process id, 0 for none; they kill it when a visitor asks for it."""
        self._bot = bot
        pipe = self._process.stdin
        with suppress(BrokenPipeError):
            if pipe is not None:
                pipe.write(f"bot {bot}\n".encode())
                pipe.flush()

    def tend(self) -> None:
        """Start them again if they died; they keep their chats and tasks on disk."""
        if self._process.poll() is not None:
            code, self._process = self._process.returncode, self._started()
            self.announce(self._bot)
            log.warning("SIMULATORS_RESTARTED", exit_code=code)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, start_new_session=True)  # noqa: S603  a fixed list
        try:
            for port in self._ports:
                _wait_for(process, port)
        except BaseException:
            process.kill()
            process.wait()
            raise
        return process


@contextmanager
def simulators(settings: Settings) -> Iterator[Simulators]:
    state, kie_state = (Path(settings.data_dir) / name for name in ("telegram.json", "kie.db"))
    state.parent.mkdir(parents=True, exist_ok=True)
    tighten(state.with_name(f"{state.name}.files"))
    command = [
        *(sys.executable, "-P", "-m", "photomat_sandbox.cli", "serve"),
        *("--host", "127.0.0.1", "--telegram-port", str(settings.port + 1), "--kie-port", str(settings.port + 2)),
        *("--token", TOKEN, "--kie-key", KIE_KEY, "--webhook-key", WEBHOOK_KEY, "--with-stdin"),
        *("--state", str(state), "--kie-state", str(kie_state)),
        *("--shop-id", SHOP_ID, "--shop-key", SHOP_KEY, "--shop-currency", settings.currency),
        *("--crypto-token", CRYPTO_TOKEN, "--pay-to", f"http://127.0.0.1:{settings.port}"),
        *(("--shop-receipts",) if settings.yookassa_receipts else ()),
        *(("--shop-self-employed",) if settings.yookassa_receipts == "self-employed" else ()),
        *(("--shop-email-only",) if settings.yookassa_email_only else ()),
        *(
            "--tax-inn",
            TAX_INN,
            "--tax-password",
            TAX_PASSWORD,
            "--tax-state",
            str(kie_state.with_name("my_tax.jsonl")),
        ),
        *(() if settings.admins else ("--operator", str(OPERATOR_ID))),
        *(() if settings.telegram_local_dir is None else ("--local", str(_bot_api_folder(settings)))),
    ]
    running = Simulators(command, ports=(settings.port + 1, settings.port + 2))
    try:
        yield running
    finally:
        running.stop()


def _bot_api_folder(settings: Settings) -> Path:
    """The working folder of the simulated Bot API server; a real one's is never used here."""
    return Path(settings.data_dir) / "bot-api"


def refuse_taken_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Startup(
                f"Port {port} on {host} cannot be used ({error.strerror}). The sandbox needs three in a row: stop what uses it,"
                " or choose others, for example: PORT=9000 make run"
            ) from None


def _against_simulators(settings: Settings) -> Settings:
    prepared = settings.with_defaults(
        transfer_details=TRANSFER_DETAILS, subscription_stars=SUBSCRIPTION_STARS, welcome_credit=SANDBOX_WELCOME
    )
    return prepared.model_copy(
        update={
            "bot_token": TOKEN,
            "kie_api_key": KIE_KEY,
            "kie_webhook_key": WEBHOOK_KEY,
            "public_url": f"http://127.0.0.1:{settings.port}",
            "telegram_api_url": f"http://127.0.0.1:{settings.port + 1}",
            "telegram_local_dir": None if settings.telegram_local_dir is None else _bot_api_folder(settings),
            "kie_api_url": f"http://127.0.0.1:{settings.port + 2}",
            "kie_upload_url": f"http://127.0.0.1:{settings.port + 2}",
            "yookassa_shop_id": SHOP_ID,
            "yookassa_secret_key": SHOP_KEY,
            "yookassa_api_url": f"http://127.0.0.1:{settings.port + 2}/yookassa",
            "yookassa_sources": "127.0.0.1,::1",
            **_simulated_tax(settings),
            "crypto_pay_token": CRYPTO_TOKEN,
            "crypto_pay_api_url": f"http://127.0.0.1:{settings.port + 2}/cryptopay",
            "admin_ids": settings.admin_ids if settings.admins else str(OPERATOR_ID),
            "job_overdue_s": settings.job_overdue_s or OVERDUE_S,
            "job_timeout_s": TIMEOUT_S if "job_timeout_s" not in settings.model_fields_set else settings.job_timeout_s,
        }
    )


def _simulated_tax(settings: Settings) -> dict[str, str]:
    """The simulated tax service, in roubles; MY_TAX_PROVIDERS says for which payments."""
    return {
        "my_tax_inn": TAX_INN,
        "my_tax_password": TAX_PASSWORD,
        "my_tax_api_url": f"http://127.0.0.1:{settings.port + 2}/my_tax/api/v1",
    }


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Startup("The simulators stopped right after their start; see their output above.")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Startup("The simulators did not start in time.")


def _sandbox_urls(settings: Settings) -> dict[str, str]:
    base = "http://127.0.0.1"
    return {
        "Chat page": f"{base}:{settings.port + 1}/",
        "Console": f"{base}:{settings.port}/console/  ·  sign in: photomat console link",
        "Bot": f"{base}:{settings.port}/health  ·  /ready  ·  /metrics",
        "Simulated Telegram": f"{base}:{settings.port + 1}",
        "Simulated Kie.ai": f"{base}:{settings.port + 2}",
        "Simulated payments": f"{base}:{settings.port + 2}/yookassa  ·  /cryptopay  ·  /my_tax",
        "Data": f"{Path(settings.data_dir).resolve()}",
    }


def run() -> None:
    """Start the bot (or, without keys, the sandbox) and run until stopped."""
    settings = load()
    if settings.sandboxed:
        run_sandbox(settings)
    else:
        prepare(settings)
        with owned_database(settings) as database:
            serve(settings, database, lambda: show_box(_urls(settings), settings=settings))
    _leave()


def _leave() -> NoReturn:
    """Exit without interpreter shutdown, which costs a second of CPU time: everything is closed already."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def prepare(settings: Settings) -> None:
    require_sentry(settings)
    require_otel(settings)
    logs.configure(settings.log_format, sys.stdout)
    failpoint.arm(settings.failpoint)


def serve(
    settings: Settings,
    database: Database,
    ready: Callable[[], None],
    *,
    beside: Callable[[], Coroutine[None, None, None]] | None = None,
) -> None:
    """Run the program on this database until SIGINT or SIGTERM; `beside` runs next to it once it works."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, database, ready) if beside is None else _both(settings, database, ready, beside))


async def _both(
    settings: Settings,
    database: Database,
    ready: Callable[[], None],
    beside: Callable[[], Coroutine[None, None, None]],
) -> None:
    works = asyncio.Event()

    async def wait_and_run() -> None:
        await works.wait()
        await beside()

    def now_ready() -> None:
        ready()
        works.set()

    try:
        async with asyncio.TaskGroup() as group:
            helper = group.create_task(wait_and_run())
            await _serve(settings, database, now_ready)
            helper.cancel()
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


async def _serve(settings: Settings, database: Database, ready: Callable[[], None]) -> None:
    instance = load_instance()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await instance.run(settings, dsn=database.dsn, tend=database.tend, stop=stop, ready=ready)


def load_instance() -> ModuleType:
    """Import what an instance consists of: a second or two, most of it aiogram, which other commands do not need."""
    from photomat.telegram.deferred_types import import_aiogram  # noqa: PLC0415

    import_aiogram()
    from photomat.app import instance  # noqa: PLC0415  after aiogram

    return instance


def _urls(settings: Settings) -> dict[str, str]:
    local = f"http://{'127.0.0.1' if settings.host in {'0.0.0.0', '::'} else settings.host}:{settings.port}"  # noqa: S104  compared, not bound
    updates = f"webhook at {settings.base_url}" if settings.base_url else "long polling (set PUBLIC_URL for webhooks)"
    return {
        "Bot": f"id {(settings.bot_token or '').partition(':')[0]}",
        "Updates": updates,
        "Console": f"{settings.base_url or local}/console/",
        "Health": f"{local}/health",
        "Metrics": f"{local}/metrics",
    }
