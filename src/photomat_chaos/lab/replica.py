"""A primary and its streaming replica, of which one is killed and the other promoted.

Synchronous: a commit is answered when the replica has it on its disk, so a promotion loses nothing that was answered.
Asynchronous: the replica is behind; `Pair.fall_behind` cuts the stream, so that a test loses something for certain.
"""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal
from urllib.parse import parse_qs, urlsplit

from photomat.db.embedded import Embedded
from photomat.db.pool import connect
from photomat.db.postgres.cluster import USER, cluster_folder, password_file, server_environment
from photomat.db.postgres.privileges import choose_user, command_line
from photomat.db.postgres.release import binary
from photomat.db.postgres.server import find_socket_folder, running_pid
from photomat_chaos.lab.arena import SURVIVES_ITS_OWN_DEATH, until, until_true

Replication = Literal["sync", "async"]
COPY_LIMIT_S: Final = 120
ATTACH_LIMIT_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two servers; `dsn` names both, the primary first."""

    primary: Embedded
    replica: Embedded
    primary_dir: Path
    replica_dir: Path

    @property
    def dsn(self) -> str:
        second = parse_qs(urlsplit(self.replica.dsn).query)["host"][0]
        return self.primary.dsn.replace("&port=", f",{second}&port=")

    async def kill_primary(self) -> None:
        """SIGKILL; its sessions end with it."""
        pid = running_pid(self.primary_dir.resolve())
        if pid is None:
            raise RuntimeError("the primary is not running")
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not Path(f"/proc/{pid}/exe").exists(), within_s=ATTACH_LIMIT_S, what="the primary's end")

    async def promote(self) -> None:
        """Make the replica the primary; returns when it accepts writes."""
        await _execute(self.replica.dsn, "SELECT pg_promote()")

    async def now(self) -> datetime:
        """The time of the replica, which can be asked all along."""
        connection = await connect(self.replica.dsn, name="lab")
        try:
            at: datetime = await connection.fetchval("SELECT clock_timestamp()")
        finally:
            await connection.close(timeout=5)
        return at

    async def fall_behind(self) -> None:
        """Cut the stream: from now on the replica gets nothing."""
        await _execute(self.replica.dsn, "ALTER SYSTEM SET primary_conninfo = ''")
        await _execute(self.replica.dsn, "SELECT pg_reload_conf()")
        await _until_row(self.primary.dsn, "SELECT NOT EXISTS (SELECT FROM pg_stat_replication)")


@asynccontextmanager
async def open_pair(folder: Path, replication: Replication) -> AsyncIterator[Pair]:
    """Start a primary and a replica that streams from it, in two folders below an empty one; neither is migrated."""
    first, second = folder / "primary", folder / "replica"
    primary = await asyncio.to_thread(Embedded.start, first, settings=SURVIVES_ITS_OWN_DEATH)
    try:
        await asyncio.to_thread(_copy, first.resolve(), second)
        replica = await asyncio.to_thread(Embedded.start, second, settings=SURVIVES_ITS_OWN_DEATH)
        try:
            await _attach(primary, replication)
            yield Pair(primary=primary, replica=replica, primary_dir=first, replica_dir=second)
        finally:
            await asyncio.to_thread(replica.stop)
    finally:
        await asyncio.to_thread(primary.stop)


def _copy(primary: Path, replica: Path) -> None:
    """Copy a running server as a replica of it (pg_basebackup), owned by the same user and with the same password."""
    user, target = choose_user(cluster_folder(primary)), cluster_folder(replica)
    target.mkdir(parents=True, mode=0o700)
    user.own(target)
    shutil.copy2(password_file(primary), password_file(replica))
    place = ["-h", str(find_socket_folder(primary)), "-U", USER, "-D", str(target)]
    command = [str(binary("pg_basebackup")), *place, "--checkpoint=fast", "--write-recovery-conf", "--no-sync"]
    subprocess.run(  # noqa: S603  a fixed command of ours
        command_line(user, command, data=target),
        env=server_environment() | {"PGPASSWORD": password_file(primary).read_text(encoding="ascii").strip()},
        timeout=COPY_LIMIT_S,
        check=True,
    )


async def _attach(primary: Embedded, replication: Replication) -> None:
    """Wait for the stream; only then commits may wait for the replica."""
    await _until_row(primary.dsn, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')")
    if replication == "sync":
        await _execute(primary.dsn, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        await _execute(primary.dsn, "SELECT pg_reload_conf()")
        await _until_row(primary.dsn, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")


async def _until_row(dsn: str, question: str) -> None:
    connection = await connect(dsn, name="lab")

    async def ask() -> bool:
        return bool(await connection.fetchval(question))

    try:
        if not await until_true(ask, within_s=ATTACH_LIMIT_S):
            raise TimeoutError(f"waited {ATTACH_LIMIT_S:g} s for: {question}")
    finally:
        await connection.close(timeout=5)


async def _execute(dsn: str, statement: str) -> None:
    connection = await connect(dsn, name="lab")
    try:
        await connection.execute(statement)
    finally:
        await connection.close(timeout=5)
