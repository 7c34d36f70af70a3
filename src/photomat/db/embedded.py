"""The embedded PostgreSQL, used where DATABASE_URL is not set. Its parts are in `postgres/`.

The data in DATA_DIR/postgres survives every crash. One process owns the folder, by a lock on `photomat.lock` that the
kernel releases when the owner dies; a second one is refused by name. Only we reach the socket. A server whose owner was killed
stops on its own, and the next start waits for it. No permission outside DATA_DIR is touched. Whatever prevents a start is a
`Startup` error of one sentence.

Call `Embedded.start` in the main thread, before the event loop: the kernel ties the server to the thread that started it.
"""

import fcntl
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

from photomat.db.postgres.cluster import DATABASE, USER, cluster_folder, password_file, prepare_cluster
from photomat.db.postgres.failures import as_startup_errors
from photomat.db.postgres.privileges import choose_user
from photomat.db.postgres.server import (
    PORT,
    Server,
    find_socket_folder,
    is_ready,
    make_socket_folder,
    remove_socket_folder,
    running_pid,
    start_server,
    stop_leftover,
)
from photomat.kernel.errors import Startup

LOCK_FILE: Final = "photomat.lock"
PATIENCE_S: Final = 1.0
"""Longer than a check of the lock takes (`is_owned`), and enough for an owner that is just stopping."""
RETRY_PAUSE_S: Final = 0.02
NO_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({})
FIND_PATIENCE_S: Final = 10


class OwnerLock:
    """The right to run the server of one data folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, data_dir: Path) -> "OwnerLock":
        """Become the owner; raise `Startup` with the current owner's process id."""
        descriptor = os.open(data_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + PATIENCE_S
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
                os.close(descriptor)
                raise Startup(
                    f"{data_dir} is in use by another Photomat, process {owner}; stop it (kill {owner}), "
                    "or give this one its own DATA_DIR, or set DATABASE_URL for both."
                )
            time.sleep(RETRY_PAUSE_S)
        with suppress(OSError):  # the server reports a full disk; the lock holds without the process id
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


def is_owned(data_dir: Path) -> bool:
    try:
        descriptor = os.open(data_dir / LOCK_FILE, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Embedded:
    def __init__(self, *, data_dir: Path, lock: OwnerLock, server: Server, settings: Mapping[str, str]) -> None:
        self.dsn = _dsn(data_dir)
        self._data_dir = data_dir
        self._lock = lock
        self._server: Server | None = server
        self._settings = settings

    @classmethod
    def start(cls, data_dir: Path, *, settings: Mapping[str, str] = NO_SETTINGS) -> "Embedded":
        """Own the folder, make its database if there is none, and start the server; `settings` override ours."""
        data_dir = data_dir.absolute()
        with as_startup_errors(data_dir):
            data_dir.mkdir(parents=True, exist_ok=True)
            data_dir = data_dir.resolve()
            lock = OwnerLock.acquire(data_dir)
            try:
                server = _start(data_dir, settings)
                return cls(data_dir=data_dir, lock=lock, server=server, settings=settings)
            except BaseException:
                lock.release()
                raise

    def tend(self) -> bool:
        """Restart the server if it died (out of memory, say); return whether it had.

        Call it in the main thread; it blocks only while there is no database to work with.
        """
        if self._server is None or self._server.process.poll() is None:
            return False
        with as_startup_errors(self._data_dir):
            self._server = _restart(self._data_dir, self._settings)
        return True

    def stop(self) -> None:
        """Shut down, remove the socket, release the folder; a second call does nothing."""
        if self._server is None:
            return
        server, self._server = self._server, None
        try:
            server.stop()
            remove_socket_folder(self._data_dir)
        finally:
            self._lock.release()


def find_running(data_dir: Path) -> str | None:
    """The URL of the server that another process runs in this folder, for commands beside a running bot."""
    data_dir = data_dir.resolve()
    deadline = time.monotonic() + FIND_PATIENCE_S
    with as_startup_errors(data_dir):
        while is_owned(data_dir) and time.monotonic() < deadline:
            if running_pid(data_dir) is not None and is_ready(data_dir):
                return _dsn(data_dir)
            time.sleep(0.05)
    return None


def is_embedded(dsn: str, data_dir: Path) -> bool:
    """Whether this URL is that of the server in this folder."""
    return dsn.endswith(_place(data_dir.resolve()))


def _start(data_dir: Path, settings: Mapping[str, str]) -> Server:
    stop_leftover(data_dir)
    user = choose_user(cluster_folder(data_dir))
    prepare_cluster(data_dir, user)
    return start_server(data_dir, user, socket_folder=make_socket_folder(data_dir, user), settings=settings)


def _restart(data_dir: Path, settings: Mapping[str, str]) -> Server:
    stop_leftover(data_dir)
    user = choose_user(cluster_folder(data_dir))
    return start_server(data_dir, user, socket_folder=find_socket_folder(data_dir), settings=settings)


def _dsn(data_dir: Path) -> str:
    password = password_file(data_dir).read_text().strip()
    return f"postgresql://{USER}:{password}{_place(data_dir)}"


def _place(data_dir: Path) -> str:
    return f"@/{DATABASE}?host={find_socket_folder(data_dir)}&port={PORT}"
