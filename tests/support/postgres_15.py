"""A PostgreSQL 15 of the distribution, the oldest that is supported, in a folder of its own and without TCP."""

import os
import pwd
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

PROGRAMS: Final = Path(os.environ.get("PG15", "/usr/lib/postgresql/15/bin"))
PATIENCE_S: Final = 300.0
SETTINGS: Final = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "listen_addresses=",
    "max_connections=100",
)

needs_postgres_15 = pytest.mark.skipif(
    not (PROGRAMS / "postgres").exists() and not os.environ.get("CI"),
    reason="no PostgreSQL 15 is installed; scripts/need_tools gets it",
)


@contextmanager
def running_postgres_15() -> Iterator[str]:
    """Make a cluster and serve it on a socket; yield the DSN of its first database."""
    with tempfile.TemporaryDirectory(prefix="photomat-pg15-") as name:
        folder, user = Path(name), _unprivileged(Path(name))
        _run([PROGRAMS / "initdb", "-D", folder / "data", "-U", "shop", "-A", "trust", "-E", "UTF8", "--no-sync"], user)
        options = [word for setting in SETTINGS for word in ("-c", setting)]
        with (folder / "log").open("wb") as log:
            command = [str(PROGRAMS / "postgres"), "-D", str(folder / "data"), "-k", name, *options]
            server: subprocess.Popen[bytes] = subprocess.Popen(command, stdout=log, stderr=log, **user)
        try:
            _wait_until_ready(folder, server)
            yield f"postgresql://shop@/postgres?host={folder}"
        finally:
            server.terminate()
            server.wait(timeout=PATIENCE_S)


def _unprivileged(folder: Path) -> dict[str, Any]:
    """Return how to start a program as a user that PostgreSQL accepts, who owns the folder."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _run(command: list[str | Path], user: dict[str, Any]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S, cwd="/", **user)
    assert done.returncode == 0, done.stdout + done.stderr


def _wait_until_ready(folder: Path, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_S
    asking = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(folder)]
    while subprocess.run(asking, check=False).returncode != 0:
        assert server.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < end, (folder / "log").read_text()
        time.sleep(0.05)
