"""The server process: started, waited for, stopped, and found again after its owner died.

It runs in its own session, so that Ctrl-C in a terminal reaches us and not the server: we stop it last. The launcher ties it to
us, so that it shuts down when we are killed. Statements and their values, prompts among them, are never logged.

Only the server's user and we can enter the folder of its socket. That is `socket` in the data folder if the path fits into a
Unix socket address and needs no quoting; otherwise `socket` links to a private temporary folder, which the next start finds
and removes even after a crash.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from photomat.db.postgres.cluster import cluster_folder, server_environment
from photomat.db.postgres.failures import explain
from photomat.db.postgres.privileges import ServerUser, command_line
from photomat.db.postgres.release import binary
from photomat.kernel.errors import Startup

PORT: Final = 5432
MAX_ADDRESS_BYTES: Final = 100
PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9_./+-]+")
TEMPORARY_PREFIX: Final = "photomat-socket-"
SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "fsync": "on",
    "max_wal_size": "512MB",
    "max_parallel_workers_per_gather": "0",
    "idle_in_transaction_session_timeout": "60s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}
LOG_LIMIT_BYTES: Final = 10 << 20
START_TIMEOUT_S: Final = 300
"""Long, because a server that was killed first replays its log."""
FAST_STOP_S: Final = 30
IMMEDIATE_STOP_S: Final = 10
PAUSE_S: Final = 0.02
STILL_IN_USE: Final = "pre-existing shared memory block"
LEFTOVER_PATIENCE_S: Final = 10


def make_socket_folder(data_dir: Path, user: ServerUser) -> Path:
    """A fresh folder for the socket; what a dead owner left is removed first."""
    remove_socket_folder(data_dir)
    place = data_dir / "socket"
    address = f"{place}/.s.PGSQL.{PORT}"
    if len(address.encode()) <= MAX_ADDRESS_BYTES and PLAIN_PATH.fullmatch(address):
        folder = place
        folder.mkdir(mode=0o700)
    else:
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
        place.symlink_to(folder)
    user.own(folder)
    return folder


def find_socket_folder(data_dir: Path) -> Path:
    return (data_dir / "socket").resolve()


def remove_socket_folder(data_dir: Path) -> None:
    """Remove the folder, wherever it is; nothing is done when there is none."""
    place = data_dir / "socket"
    if place.is_symlink():
        target = place.readlink()
        if target.name.startswith(TEMPORARY_PREFIX):
            shutil.rmtree(target, ignore_errors=True)
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    process: subprocess.Popen[bytes]
    data_dir: Path

    def stop(self) -> None:
        """Fast shutdown, then harder; returns when the process is gone."""
        steps = ((signal.SIGINT, FAST_STOP_S), (signal.SIGQUIT, IMMEDIATE_STOP_S), (signal.SIGKILL, None))
        for number, patience_s in steps:
            if self.process.poll() is not None:
                return
            self.process.send_signal(number)
            try:
                self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                continue


def start_server(data_dir: Path, user: ServerUser, *, socket_folder: Path, settings: Mapping[str, str]) -> Server:
    deadline = time.monotonic() + LEFTOVER_PATIENCE_S
    while True:
        log_start = _trim_log(data_dir)
        server = _spawn(data_dir, user, SETTINGS | dict(settings) | {"unix_socket_directories": str(socket_folder)})
        try:
            if _wait_until_ready(server):
                return server
        except BaseException:
            server.stop()
            raise
        output = _log_since(data_dir, log_start)
        if STILL_IN_USE not in output or time.monotonic() > deadline:
            raise explain(data_dir, output)


def stop_leftover(data_dir: Path) -> None:
    """Stop the server of an owner that died; forget a noted process id that belongs to another program by now."""
    pid = running_pid(data_dir)
    if pid is None:
        _forget_stale_pid(data_dir)
        return
    for number, patience_s in ((signal.SIGINT, FAST_STOP_S), (signal.SIGQUIT, IMMEDIATE_STOP_S)):
        if _signal_and_wait(data_dir, pid, number, patience_s):
            return
    raise Startup(
        f"A PostgreSQL of an earlier run, process {pid}, does not stop; end it (kill -9 {pid}) and start again."
    )


def running_pid(data_dir: Path) -> int | None:
    pid = _noted_pid(data_dir)
    return pid if pid is not None and _serves(pid, data_dir) else None


def is_ready(data_dir: Path) -> bool:
    """Whether it accepts connections, as a replica too (the lab has one)."""
    return _notes(data_dir)[7:8] in (["ready"], ["standby"])


def log_file(data_dir: Path) -> Path:
    return data_dir / "postgres.log"


def _spawn(data_dir: Path, user: ServerUser, settings: Mapping[str, str]) -> Server:
    program, cluster = binary("postgres"), cluster_folder(data_dir)
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with _open_log(data_dir) as log:
        process = subprocess.Popen(  # noqa: S603 - a fixed command of ours
            command_line(user, [str(program), "-D", str(cluster), *options], data=cluster),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=server_environment(),
            start_new_session=True,
        )
    return Server(process=process, data_dir=data_dir)


def _wait_until_ready(server: Server) -> bool:
    deadline = time.monotonic() + START_TIMEOUT_S
    while server.process.poll() is None and time.monotonic() < deadline:
        if _noted_pid(server.data_dir) == server.process.pid and is_ready(server.data_dir):
            return True
        time.sleep(PAUSE_S)
    server.stop()
    return False


def _signal_and_wait(data_dir: Path, pid: int, number: signal.Signals, patience_s: float) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return True
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        if not _serves(pid, data_dir):
            return True
        time.sleep(PAUSE_S)
    return False


def _forget_stale_pid(data_dir: Path) -> None:
    """PostgreSQL would take any living process with the noted id for a second server and refuse to start."""
    if _noted_pid(data_dir) is not None:
        (cluster_folder(data_dir) / "postmaster.pid").unlink(missing_ok=True)


def _noted_pid(data_dir: Path) -> int | None:
    first = _notes(data_dir)[:1]
    return int(first[0]) if first and first[0].isdecimal() else None


def _notes(data_dir: Path) -> list[str]:
    try:
        text = (cluster_folder(data_dir) / "postmaster.pid").read_text(errors="replace")
    except FileNotFoundError:
        return []
    return [line.strip() for line in text.splitlines()]


def _serves(pid: int, data_dir: Path) -> bool:
    return str(cluster_folder(data_dir)) in _command_of(pid)


def _command_of(pid: int) -> list[str]:
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            return []
    listed = subprocess.run(  # noqa: S603 - a fixed command of ours
        ["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, timeout=10, check=False
    )
    return listed.stdout.split()


def _trim_log(data_dir: Path) -> int:
    """Keep at most one old log beside the present one; returns where new lines will start."""
    log = log_file(data_dir)
    if not log.exists():
        return 0
    if log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
        return 0
    return log.stat().st_size


def _log_since(data_dir: Path, start: int) -> str:
    with log_file(data_dir).open("rb") as log:
        log.seek(start)
        return log.read(LOG_LIMIT_BYTES).decode(errors="replace")


def _open_log(data_dir: Path) -> BinaryIO:
    return os.fdopen(os.open(log_file(data_dir), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")
