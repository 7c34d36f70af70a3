"""A real PostgreSQL that needs no installation: the default where DATABASE_URL is not set.

Promises: the data in DATA_DIR/postgres outlives every crash; one owner at a time, a second one is refused by name;
nobody but us reaches the socket; a server whose owner was killed stops by itself, and the next start waits for it; no
permission outside DATA_DIR is touched; whatever prevents a start is said in one sentence (`Startup`).

Call `Embedded.start` in the main thread, before the event loop: the kernel ties the server to the thread that started
it. The parts are in `postgres/`.

One owner for a data folder: an exclusive lock on `photomat.lock`, held as long as the owner lives.

The kernel gives the lock back when its holder dies, however it dies; the file itself stays and its content, the
owner's process id, is only for people.
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
from photomat.db.postgres.trouble import told_to_people
from photomat.kernel.errors import Startup

FILE_NAME: Final = "photomat.lock"
PATIENCE_S: Final = 1.0
"""Longer than anybody's glance at the lock (`is_owned`), and enough for an owner that is just leaving."""
RETRY_PAUSE_S: Final = 0.02
NO_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({})
FIND_PATIENCE_S: Final = 10


class OwnerLock:
    """The right to run the server of one data folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, data_dir: Path) -> "OwnerLock":
        """Become the owner, or name the one who is."""
        descriptor = os.open(data_dir / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
        with suppress(OSError):  # a full disk is for the server to report; the lock holds without its note
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        """Let the next owner in."""
        os.close(self._descriptor)


def is_owned(data_dir: Path) -> bool:
    """Whether some process owns the folder right now."""
    try:
        descriptor = os.open(data_dir / FILE_NAME, os.O_RDWR | os.O_CLOEXEC)
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
    """The server we own, from `start` to `stop`."""

    def __init__(self, *, data_dir: Path, lock: OwnerLock, server: Server, settings: Mapping[str, str]) -> None:
        self.dsn = _dsn(data_dir)
        self._data_dir = data_dir
        self._lock = lock
        self._server: Server | None = server
        self._settings = settings

    @classmethod
    def start(cls, data_dir: Path, *, settings: Mapping[str, str] = NO_SETTINGS) -> "Embedded":
        """Own the folder, make its database if there is none, and serve it; `settings` go over our own."""
        data_dir = data_dir.absolute()
        with told_to_people(data_dir):
            data_dir.mkdir(parents=True, exist_ok=True)
            data_dir = data_dir.resolve()
            lock = OwnerLock.acquire(data_dir)
            try:
                server = _first_start(data_dir, settings)
                return cls(data_dir=data_dir, lock=lock, server=server, settings=settings)
            except BaseException:
                lock.release()
                raise

    def tend(self) -> bool:
        """Serve again at the same address if the server died by itself (say, for want of memory); True when it had.

        For the main thread, now and then; it blocks only when there is no database to work with.
        """
        if self._server is None or self._server.process.poll() is None:
            return False
        with told_to_people(self._data_dir):
            self._server = _start_again(self._data_dir, self._settings)
        return True

    def stop(self) -> None:
        """Shut down, remove the socket, let the next owner in; a second call does nothing."""
        if self._server is None:
            return
        server, self._server = self._server, None
        try:
            server.stop()
            remove_socket_folder(self._data_dir)
        finally:
            self._lock.release()


def find_running(data_dir: Path) -> str | None:
    """The address of the server that another process of ours runs in this folder, for tools beside a running bot."""
    data_dir = data_dir.resolve()
    deadline = time.monotonic() + FIND_PATIENCE_S
    with told_to_people(data_dir):
        while is_owned(data_dir) and time.monotonic() < deadline:
            if running_pid(data_dir) is not None and is_ready(data_dir):
                return _dsn(data_dir)
            time.sleep(0.05)
    return None


def is_embedded(dsn: str, data_dir: Path) -> bool:
    """Whether this address leads to the server that lives in this folder."""
    return dsn.endswith(_place(data_dir.resolve()))


def _first_start(data_dir: Path, settings: Mapping[str, str]) -> Server:
    stop_leftover(data_dir)
    user = choose_user(cluster_folder(data_dir))
    prepare_cluster(data_dir, user)
    return start_server(data_dir, user, socket_folder=make_socket_folder(data_dir, user), settings=settings)


def _start_again(data_dir: Path, settings: Mapping[str, str]) -> Server:
    stop_leftover(data_dir)
    user = choose_user(cluster_folder(data_dir))
    return start_server(data_dir, user, socket_folder=find_socket_folder(data_dir), settings=settings)


def _dsn(data_dir: Path) -> str:
    password = password_file(data_dir).read_text().strip()
    return f"postgresql://{USER}:{password}{_place(data_dir)}"


def _place(data_dir: Path) -> str:
    return f"@/{DATABASE}?host={find_socket_folder(data_dir)}&port={PORT}"
