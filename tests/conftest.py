"""Async tests without a plugin, one PostgreSQL for the run, a database without rows for each test, the audit at its end."""

import asyncio
import inspect
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Coroutine, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, settings

from photomat.audit.run import Violation
from photomat.db.embedded import Embedded
from photomat.db.installation import stamp
from photomat.db.migrate import migrate
from photomat.kernel.ids import BotId
from support.audit import wrongs
from support.database import RUNNING_SERVER, SharedPostgres, connection_of, create_database, drop_database
from support.downloads import close_sessions, remember_sessions
from support.partitioned import LEFT_OUT, change_statements, partition
from support.pgbouncer import pooler_for_every_pool
from support.postgres_versions import EMBEDDED, LAYOUT, running_postgres
from support.reuse import ReusedDatabase
from support.updates import BOT_ID

if TYPE_CHECKING:
    from support.browser import BrowserLoop
    from support.s3_server import RunningS3

T = TypeVar("T")

TEST_LIMIT_S = 900
"""Bounds here and in the support catch a hang, so they are many times what a slow, busy machine needs."""
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
FAST_AND_FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
LONG_RUN_S = 300
LONGEST_FILES = 15
WITH_PROCESSES = {"acceptance", "browser", "faults"}
"""Folders whose tests start instances: one that outlives its test must not find the next test's rows."""

SHARED = pytest.StashKey[ReusedDatabase]()


def pytest_configure(config: pytest.Config) -> None:
    """Name our markers; unknown ones are errors."""
    config.addinivalue_line("markers", f"time_limit(seconds): another limit than {TEST_LIMIT_S} s for an async test")
    remember_sessions()
    config.addinivalue_line("markers", "breaks_invariants: the test breaks the books on purpose, no audit at its end")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what has no meaning on the layout of this run."""
    for item in items if LAYOUT == "partitioned" else []:
        why = LEFT_OUT.get(item.name.partition("[")[0]) or LEFT_OUT.get(item.path.stem)
        if why is not None:
            item.add_marker(pytest.mark.skip(reason=why))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the files that took longest, where the run was long enough for anybody to care."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for each in reports:
            if isinstance(each, pytest.TestReport):
                seconds[each.nodeid.partition("::")[0]] += each.duration
    if sum(seconds.values()) > LONG_RUN_S:
        terminalreporter.section("files that took longest")
        for file, took in sorted(seconds.items(), key=lambda each: -each[1])[:LONGEST_FILES]:
            terminalreporter.line(f"{took:7.1f} s  {file}")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test in an event loop of its own or of its folder, for a bounded time."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    marker = pyfuncitem.get_closest_marker("time_limit")
    loop = cast("BrowserLoop | None", pyfuncitem.funcargs.get("own_loop"))
    run_bounded(pyfuncitem.obj(**arguments), limit_s=marker.args[0] if marker else TEST_LIMIT_S, loop=loop)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """After a test that passed and used the database, the books must still be in order."""
    yield
    dsn = item.funcargs.get("database") if isinstance(item, pytest.Function) else None
    if isinstance(dsn, str) and item.get_closest_marker("breaks_invariants") is None:
        shared = item.config.stash.get(SHARED, None)
        found = shared.wrongs() if shared is not None and shared.holds(dsn) else run_bounded(wrongs_of(dsn))
        assert not found, f"the audit found: {found}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[SharedPostgres]:
    """One real server for the whole run, in a folder of its own, with a migrated template."""
    if running := os.environ.get(RUNNING_SERVER):
        dsn, template = running.split()
        yield SharedPostgres(dsn=dsn, template=template)
        return
    with (
        tempfile.TemporaryDirectory(prefix="photomat-test-", dir=fastest_place()) as folder,
        server_of_this_run(Path(folder)) as dsn,
    ):
        template = run_bounded(create_database(dsn, template="template0"))
        run_bounded(migrate(template))
        run_bounded(stamp(template, bot_id=BotId(BOT_ID), currency="RUB"))
        if LAYOUT == "partitioned":
            run_bounded(partition(template))
            change_statements()
        yield SharedPostgres(dsn=dsn, template=urlsplit(template).path.removeprefix("/"))


@contextmanager
def server_of_this_run(folder: Path) -> Iterator[str]:
    """The embedded server, or the one that POSTGRES names."""
    if LAYOUT not in EMBEDDED:
        with running_postgres(LAYOUT, folder) as dsn:
            yield dsn
        return
    server = Embedded.start(folder, settings=FAST_AND_FORGETFUL)
    try:
        with ExitStack() as around:
            if LAYOUT == "pgbouncer":
                around.enter_context(pooler_for_every_pool(server.dsn, folder))
            yield server.dsn
    finally:
        server.stop()


@pytest.fixture(scope="session")
def shared_database(postgres: SharedPostgres, request: pytest.FixtureRequest) -> Iterator[ReusedDatabase]:
    """The database that tests without processes of their own use in turn."""
    shared = request.config.stash[SHARED] = ReusedDatabase(postgres)
    yield shared
    shared.close()


@pytest.fixture
def database(
    postgres: SharedPostgres, shared_database: ReusedDatabase, request: pytest.FixtureRequest
) -> Iterator[str]:
    """The address of a migrated database of the tests' bot without a row; audited when the test has passed."""
    if WITH_PROCESSES & set(request.node.path.parts):
        dsn = run_bounded(create_database(postgres.dsn, template=postgres.template))
        yield dsn
        run_bounded(drop_database(postgres.dsn, dsn))
    else:
        yield shared_database.take()
        shared_database.give_back()


@pytest.fixture
def empty_database(postgres: SharedPostgres) -> Iterator[str]:
    """The address of a database without any schema, for tests of migrations."""
    dsn = run_bounded(create_database(postgres.dsn, template="template0"))
    yield dsn
    run_bounded(drop_database(postgres.dsn, dsn))


def fastest_place() -> str | None:
    """A disk in memory, where cloning a database takes a tenth of the time; the temporary folder where it is small."""
    memory = Path("/dev/shm")  # noqa: S108 - only a private folder below it is used
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30 else None


def run_bounded(work: Coroutine[Any, Any, T], *, limit_s: float = TEST_LIMIT_S, loop: "BrowserLoop | None" = None) -> T:
    """Run to the end in this event loop or a new one, or fail when it takes too long."""

    async def bounded() -> T:
        async with asyncio.timeout(limit_s):
            return await work

    if loop is not None:
        return loop.run(bounded())
    with asyncio.Runner(debug=False) as runner:
        try:
            return runner.run(bounded())
        finally:
            runner.run(close_sessions())


async def wrongs_of(dsn: str) -> list[Violation]:
    """What the audit finds in a database."""
    async with connection_of(dsn) as connection:
        return await wrongs(connection)


@pytest.fixture(scope="session")
def s3_server() -> Iterator["RunningS3"]:
    from support.s3_server import running_s3  # noqa: PLC0415  few tests need it

    with running_s3() as server:
        yield server


@pytest.fixture
def s3(s3_server: "RunningS3") -> "RunningS3":
    """The S3-speaking server with an empty bucket."""
    s3_server.empty()
    return s3_server
