"""A real PgBouncer in front of a real PostgreSQL, on a port of its own."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import parse_qs, urlsplit

import pytest

from photomat.checks.smoke_environment import reserve_port
from photomat.db.postgres.privileges import choose_user, command_line
from support.patience import until

PROGRAM: Final = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
Mode = Literal["session", "transaction"]

needs_pgbouncer = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="no pgbouncer on the PATH; scripts/need_tools gets it"
)


@asynccontextmanager
async def running_pgbouncer(database: str, folder: Path, mode: Mode) -> AsyncIterator[str]:
    """Yield the address by which PgBouncer, in this mode and with its own defaults otherwise, leads to the database."""
    assert PROGRAM is not None, "no pgbouncer on the PATH"
    parts = urlsplit(database)
    name, port = parts.path.removeprefix("/"), reserve_port()
    server = f"host={parse_qs(parts.query)['host'][0]} dbname={name} user={parts.username} password={parts.password}"
    settings = folder / f"pgbouncer-{mode}.ini"
    settings.write_text(
        f"[databases]\n{name} = {server}\n\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n"
        f"pool_mode = {mode}\nunix_socket_dir =\ndefault_pool_size = 40\n"
    )
    settings.chmod(0o644)
    log = folder / f"pgbouncer-{mode}.log"
    process = _start(_allowed([PROGRAM, str(settings)], folder), log)
    try:
        await until(lambda: "process up" in log.read_text(), about=log.read_text)
        yield f"postgresql://{parts.username}@127.0.0.1:{port}/{name}"
    finally:
        process.terminate()
        process.wait(timeout=120)


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out)


def _allowed(command: list[str], folder: Path) -> list[str]:
    """Like PostgreSQL it refuses to be root, and gets the same user and the same way to its files."""
    return command_line(choose_user(folder / "none"), command, data=folder / "none")
