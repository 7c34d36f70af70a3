"""A real PgBouncer in front of a real PostgreSQL, on a port of its own."""

import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import parse_qs, urlsplit

import pytest

from photomat.checks.smoke_environment import reserve_port
from photomat.db.postgres.privileges import choose_user, command_line
from support.database import POOLER
from support.patience import until

PROGRAM: Final = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
Mode = Literal["session", "transaction"]

needs_pgbouncer = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="no pgbouncer on the PATH; scripts/need_tools gets it"
)


@asynccontextmanager
async def running_pgbouncer(database: str, folder: Path, mode: Mode) -> AsyncIterator[str]:
    """Yield the address by which PgBouncer, in this mode and with its own defaults otherwise, leads to the database."""
    parts = urlsplit(database)
    name = parts.path.removeprefix("/")
    process, log, port = _start(database, folder, mode, name=name)
    try:
        await until(lambda: "process up" in log.read_text(), about=log.read_text)
        yield f"postgresql://{parts.username}@127.0.0.1:{port}/{name}"
    finally:
        process.terminate()
        process.wait(timeout=120)


@contextmanager
def pooler_for_every_pool(server: str, folder: Path) -> Iterator[None]:
    """While it runs, `pool_of` leads through it to every database of the server, in transaction mode."""
    process, log, port = _start(server, folder, "transaction", name="*")
    try:
        while "process up" not in log.read_text():
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
        os.environ[POOLER] = f"127.0.0.1:{port}"
        yield
    finally:
        os.environ.pop(POOLER, None)
        process.terminate()
        process.wait(timeout=120)


def _start(server: str, folder: Path, mode: Mode, *, name: str) -> tuple[subprocess.Popen[bytes], Path, int]:
    """Start it for one database of the server, or for all of them (`*`); return its log and its port too."""
    assert PROGRAM is not None, "no pgbouncer on the PATH"
    parts, port = urlsplit(server), reserve_port()
    behind = f"host={parse_qs(parts.query)['host'][0]} user={parts.username} password={parts.password}"
    settings, log = folder / f"pgbouncer-{mode}.ini", folder / f"pgbouncer-{mode}.log"
    settings.write_text(
        f"[databases]\n{name} = {behind}{'' if name == '*' else f' dbname={name}'}\n\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\npool_mode = {mode}\nunix_socket_dir =\n"
        f"default_pool_size = 40\nmax_client_conn = 400\n"
    )
    settings.chmod(0o644)
    with log.open("wb") as out:
        command = _allowed([PROGRAM, str(settings)], folder)
        return subprocess.Popen(command, stdout=out, stderr=out), log, port


def _allowed(command: list[str], folder: Path) -> list[str]:
    """Like PostgreSQL it refuses to be root, and gets the same user and the same way to its files."""
    return command_line(choose_user(folder / "none"), command, data=folder / "none")
