"""The data folder of the embedded server: made once, complete or not at all.

`initdb` works in a folder of its own that is renamed into place when everything in it is ready, our database and
password included; a start killed half-way leaves only that folder, and the next one removes it. The password file is
written after the server knows the password: if the file is missing, a new password is simply set.
"""

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from photomat.db.postgres.failures import explain
from photomat.db.postgres.privileges import ServerUser, command_line
from photomat.db.postgres.release import MAJOR, binary
from photomat.kernel.errors import Startup

USER: Final = "photomat"
DATABASE: Final = "photomat"
UNFINISHED_PREFIX: Final = "postgres.unfinished-"
PROGRAM_TIMEOUT_S: Final = 120
REMOVE_PATIENCE_S: Final = 2

INITDB_OPTIONS: Final = (
    f"--username={USER}",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--auth-local=scram-sha-256",
    "--auth-host=reject",
    "--no-instructions",
)


def cluster_folder(data_dir: Path) -> Path:
    return data_dir / "postgres"


def password_file(data_dir: Path) -> Path:
    return data_dir / "postgres.password"


def prepare_cluster(data_dir: Path, user: ServerUser) -> None:
    """Make the data folder, or make sure that the existing one can be used."""
    for leftover in data_dir.glob(f"{UNFINISHED_PREFIX}*"):
        _remove_unfinished(leftover)
    cluster = cluster_folder(data_dir)
    if not cluster.exists():
        _make(data_dir, user)
        return
    _refuse_another_version(cluster)
    _own_again(cluster, user)
    if not password_file(data_dir).exists():
        _set_password(data_dir, cluster, user)


def _make(data_dir: Path, user: ServerUser) -> None:
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED_PREFIX, dir=data_dir))
    user.own(unfinished)
    try:
        _run(data_dir, user, [str(binary("initdb")), f"--pgdata={unfinished}", *INITDB_OPTIONS])
        _statement(data_dir, user, unfinished, f"CREATE DATABASE {DATABASE}")
        _set_password(data_dir, unfinished, user)
    except BaseException:
        _remove_unfinished(unfinished)
        raise
    unfinished.rename(cluster_folder(data_dir))
    _sync_folder(data_dir)


def _remove_unfinished(folder: Path) -> None:
    """Remove it, although an `initdb` whose owner died may still be cleaning up in it; what stays is harmless."""
    deadline = time.monotonic() + REMOVE_PATIENCE_S
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)


def _set_password(data_dir: Path, cluster: Path, user: ServerUser) -> None:
    file = password_file(data_dir)
    password = file.read_text().strip() if file.exists() else secrets.token_urlsafe(24)
    _statement(data_dir, user, cluster, f"ALTER ROLE {USER} PASSWORD '{password}'")
    _write_private(file, password)


def _statement(data_dir: Path, user: ServerUser, cluster: Path, statement: str) -> None:
    """Run one statement in PostgreSQL's single-user mode, passed by standard input."""
    options = ["--single", "-D", str(cluster), "-c", "exit_on_error=on", "-c", "log_min_error_statement=panic"]
    _run(data_dir, user, [str(binary("postgres")), *options, "postgres"], typed=f"{statement}\n")


def _run(data_dir: Path, user: ServerUser, command: list[str], *, typed: str = "") -> None:
    done = subprocess.run(  # noqa: S603 - a fixed command of ours
        command_line(user, command, data=cluster_folder(data_dir)),
        input=typed,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=server_environment(),
        timeout=PROGRAM_TIMEOUT_S,
        start_new_session=True,
        check=False,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        raise explain(data_dir, done.stderr)


def server_environment() -> dict[str, str]:
    """A clean environment: PostgreSQL reads PG… variables, and it needs no secrets of ours.

    LD_LIBRARY_PATH is kept because the launcher is Python.
    """
    libraries = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"} | libraries


def _refuse_another_version(cluster: Path) -> None:
    mark = cluster / "PG_VERSION"
    found = mark.read_text().strip() if mark.exists() else None
    if found is None:
        raise Startup(f"{cluster} does not hold a database; move it away, or restore it from a backup.")
    if found != MAJOR:
        raise Startup(
            f"{cluster} was made by PostgreSQL {found} and this program brings {MAJOR}; dump it with the program "
            f"that made it (pg_dump), move the folder away, start, and load the dump, or set DATABASE_URL."
        )


def _own_again(cluster: Path, user: ServerUser) -> None:
    """The server insists on owning its folder with mode 0700; one copied by root belongs to root."""
    if user.change and cluster.stat().st_uid != user.uid:
        for folder, _, files in os.walk(cluster):
            user.own(Path(folder))
            for name in files:
                user.own(Path(folder, name))
    cluster.chmod(0o700)


def _write_private(file: Path, text: str) -> None:
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
