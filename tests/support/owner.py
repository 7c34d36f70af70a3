"""A real process that owns an embedded PostgreSQL, for tests that kill it."""

import os
import pwd
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from photomat.db.postgres.binaries import binary
from support.database import connection_of

BOUND_S: Final = 300.0

as_root: Final = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else or mount a disk")
needs_setpriv: Final = pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv changes who we are")
needs_open_programs: Final = pytest.mark.skipif(
    any(not folder.stat().st_mode & stat.S_IXOTH for folder in binary("postgres").resolve().parents),
    reason="PostgreSQL's programs lie below a folder that is closed to other users",
)

NOBODY_GID: Final = pwd.getpwnam("nobody").pw_gid
AS_NOBODY: Final = (
    *("setpriv", "--reuid=nobody", f"--regid={NOBODY_GID}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)
"""Runs a program as an ordinary user who may still read a Python that lies in root's home."""

DOCKER_CAPABILITIES: Final = (
    "chown,dac_override,fsetid,fowner,mknod,net_raw,setgid,setuid,setfcap,setpcap,"
    "net_bind_service,sys_chroot,kill,audit_write"
)
ROOT_OF_A_CONTAINER: Final = (
    "setpriv",
    "--bounding-set=-all," + ",".join(f"+{name}" for name in DOCKER_CAPABILITIES.split(",")),
)
"""Runs a program with the capabilities that Docker leaves to root."""

PROGRAM: Final = """
import pathlib, signal, sys
from photomat.db.embedded import Embedded
from photomat.kernel.errors import Startup
signal.signal(signal.SIGINT, signal.SIG_IGN)
try:
    server = Embedded.start(pathlib.Path(sys.argv[1]))
except Startup as refusal:
    print("refused:", refusal, flush=True)
    sys.exit(2)
print(server.dsn, flush=True)
sys.stdin.read()
server.stop()
print("stopped", flush=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The process; it serves until it is told to stop, and ignores Ctrl-C as a program busy draining does."""

    process: subprocess.Popen[str]

    def line(self) -> str:
        """The next line it prints: its address, its refusal, or `stopped`."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], BOUND_S)
        assert ready, "the owner said nothing in time"
        return self.process.stdout.readline().strip()

    def stop(self) -> None:
        """Let it stop its server and leave."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.line() == "stopped"
        self.process.wait(BOUND_S)

    def kill(self) -> None:
        """End it as a crash does, without a chance to stop anything."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(BOUND_S)


@contextmanager
def owner_of(data_dir: Path, *, prefix: Sequence[str] = (), python: Path = Path(sys.executable)) -> Iterator[Owner]:
    """Start an owner in a process group of its own, perhaps through another program or in another environment."""
    command = [*prefix, str(python), "-c", PROGRAM, str(data_dir)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    with process:
        try:
            yield Owner(process=process)
        finally:
            process.kill()


def wait_for(condition: Callable[[], object], *, what: str) -> None:
    """Look again and again until it is true, for a bounded time."""
    deadline = time.monotonic() + BOUND_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.01)


def server_pid(data_dir: Path) -> int:
    """The process number of the server, from its own note."""
    return int((data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be buried does not."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False


async def remember(dsn: str, word: str) -> None:
    """Write something that must not be lost."""
    async with connection_of(dsn) as connection:
        await connection.execute("CREATE TABLE IF NOT EXISTS words (word text)")
        await connection.execute("INSERT INTO words VALUES ($1)", word)


async def remembered(dsn: str) -> list[str]:
    """Read back what was written."""
    async with connection_of(dsn) as connection:
        return [row["word"] for row in await connection.fetch("SELECT word FROM words ORDER BY word")]
