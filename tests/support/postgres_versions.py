"""Servers of every supported PostgreSQL, each in a folder of its own and without TCP, and which one a run uses.

    POSTGRES=16 pytest …            that version: 15, 16, 17; 18 is the embedded one
    POSTGRES=pgbouncer pytest …     every pool leads through PgBouncer in transaction mode
    POSTGRES=partitioned pytest …   the core tables are partitioned by bot (`support/partitioned.py`)

`make core POSTGRES=…` runs the core suite so, `make prove` with each of them.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from photomat.db.postgres.cluster import server_environment
from photomat.db.postgres.privileges import choose_user, command_line

LAYOUT: Final = os.environ.get("POSTGRES", "18")
EMBEDDED: Final = frozenset({"18", "pgbouncer", "partitioned"})
OLDEST: Final = "15"
FETCHED: Final = Path(sys.prefix) / "postgres"
DEBIAN: Final = Path("/usr/lib/postgresql")
PATIENCE_S: Final = 300.0
SETTINGS: Final = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "listen_addresses=",
    "max_connections=100",
)


def programs_of(version: str) -> Path | None:
    """Where the programs of a version are: where PG15 says, as the distribution has them, or fetched; None if nowhere."""
    named = os.environ.get(f"PG{version}")
    places = [Path(named)] if named else [DEBIAN / version / "bin", FETCHED / version / "bin"]
    return next((place for place in places if (place / "postgres").exists()), None)


needs_postgres_15 = pytest.mark.skipif(
    programs_of(OLDEST) is None and not os.environ.get("CI"),
    reason="no PostgreSQL 15 is installed; scripts/need_tools gets it",
)


@contextmanager
def running_postgres(version: str, folder: Path) -> Iterator[str]:
    """Make a cluster in an empty folder and serve it on a socket; yield the DSN of its first database."""
    programs = programs_of(version)
    assert programs is not None, f"PostgreSQL {version} is not here; `make core POSTGRES={version}` gets it"
    data, user = folder / "data", choose_user(folder / "data")
    user.own(folder)
    folder.chmod(0o711)
    made = [
        str(programs / "initdb"),
        "-D",
        str(data),
        "-U",
        "shop",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
    ]
    done = subprocess.run(
        command_line(user, made, data=data),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env=server_environment(),
        cwd="/",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    options = [word for setting in SETTINGS for word in ("-c", setting)]
    with (folder / "log").open("wb") as log:
        command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), *options]
        server = subprocess.Popen(
            command_line(user, command, data=data), stdout=log, stderr=log, env=server_environment(), cwd="/"
        )
    try:
        _wait_until_ready(folder, server)
        yield f"postgresql://shop@/postgres?host={folder}&port=5432"
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE_S)


def _wait_until_ready(folder: Path, server: subprocess.Popen[bytes]) -> None:
    end, noted = time.monotonic() + PATIENCE_S, folder / "data" / "postmaster.pid"
    while not (noted.exists() and "ready" in noted.read_text()):
        assert server.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < end, (folder / "log").read_text()
        time.sleep(0.05)
