"""PostgreSQL's own pg_dump and pg_restore, and how they are given a database.

The password is in the environment of the child alone: other users cannot read that of a process, whereas its arguments are
public, and a password file would stay on the disk of a machine that was switched off.
"""

import asyncio
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from photomat.db.postgres.release import MAJOR, binary
from photomat.db.url import parse_url
from photomat.kernel.errors import Startup

PLACES: Final = "/usr/lib/postgresql"
"""Where Debian keeps the programs of every version."""
NAMES: Final[Mapping[str, str]] = {"database": "dbname"}
"""What asyncpg calls differently."""
SAID_AT_MOST: Final = 600


class ProgramFailed(Startup):
    """A program of PostgreSQL ended with an error; its words without connection details."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A database as libpq's programs take it: a URL without its password, and their environment."""

    url: str
    environment: Mapping[str, str]


def target_of(dsn: str) -> Target:
    url = parse_url(dsn)
    parts = urlsplit(url.dsn)
    options = {NAMES.get(name, name): value for name, value in parse_qsl(parts.query)}
    password = options.pop("password", None) or (unquote(parts.password) if parts.password else None)
    options["application_name"] = "photomat backup"
    if url.tls is not None:
        options |= {"sslmode": "verify-full", "sslrootcert": "system"}
    if url.search_path:
        options["options"] = f"-csearch_path={url.search_path}".replace(" ", "")
    place = parts.netloc.rpartition("@")
    user = place[0].partition(":")[0]
    netloc = f"{user}@{place[2]}" if user else place[2]
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "HOME") if name in os.environ}
    secret = {} if password is None else {"PGPASSWORD": password}
    return Target(
        url=f"postgresql://{netloc}{parts.path}?{urlencode(options)}", environment={**kept, "LC_ALL": "C", **secret}
    )


def program(name: str, *, server_major: int) -> Path:
    """Our own program, or one found here that is at least as new as the server: an older one cannot dump it."""
    if server_major <= int(MAJOR):
        return binary(name)
    found = shutil.which(name)
    places = sorted(Path(PLACES).glob(f"*/bin/{name}"), key=lambda path: _number(path.parts[-3]), reverse=True)
    for path in [*places, *([Path(found)] if found else [])]:
        if _number(path.parts[-3]) >= server_major:
            return path
    raise Startup(
        f"The database is PostgreSQL {server_major}, and the {name} that comes with Photomat is of version {MAJOR}:"
        f" install the client programs of PostgreSQL {server_major} (postgresql-client-{server_major}) on this machine."
    )


async def run(
    path: Path, *arguments: str, target: Target, stdin: IO[bytes] | None = None, stdout: IO[bytes] | None = None
) -> None:
    """Run a program to its end; raise `ProgramFailed` with the end of its error output."""
    process = await asyncio.create_subprocess_exec(
        path,
        *arguments,
        f"--dbname={target.url}",
        stdin=asyncio.subprocess.DEVNULL if stdin is None else stdin,
        stdout=asyncio.subprocess.DEVNULL if stdout is None else stdout,
        stderr=asyncio.subprocess.PIPE,
        env=dict(target.environment),
    )
    try:
        _, said = await process.communicate()
    except BaseException:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        raise failure(path, said)


def failure(path: Path, said: bytes) -> ProgramFailed:
    """The error of a program that said this."""
    return ProgramFailed(f"{path.name} failed: {_without_details(said.decode(errors='replace'))}")


def _without_details(said: str) -> str:
    """The last lines, without COPY's context, which quotes rows."""
    lines = [line for line in said.splitlines() if line.strip() and not re.match(r"(CONTEXT|DETAIL|COPY)\b", line)]
    return " ".join(lines)[-SAID_AT_MOST:] or "it said nothing"


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
