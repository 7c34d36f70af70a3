"""Load a dump into a server older than 17: what pg_restore would send to it, without the one line such a server refuses.

pg_restore begins with `SET transaction_timeout`, which came with PostgreSQL 17, and cannot leave it out; so it writes the
script to us, and psql sends it. psql commits at the end of what it is given: it is killed unless pg_restore ended well.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import DEVNULL, PIPE, Process
from tempfile import TemporaryFile
from typing import IO, Final, cast

from photomat.backup.programs import Target, failure, program

FIRST_WITH_TIMEOUT: Final = 17
REFUSED: Final = b"\nSET transaction_timeout = 0;\n"
HEAD_BYTES: Final = 1 << 16
"""The settings of a script are in its beginning."""
PSQL_OPTIONS: Final = ("--no-psqlrc", "--quiet", "--no-password", "--single-transaction", "--set=ON_ERROR_STOP=1")


async def load_into_older(options: tuple[str, ...], *, server_major: int, stdin: IO[bytes], target: Target) -> None:
    """Load all of it or nothing; raise `ProgramFailed`."""
    environment = dict(target.environment)
    restore, psql = (program(name, server_major=server_major) for name in ("pg_restore", "psql"))
    with TemporaryFile() as wrong, TemporaryFile() as refused:
        writer = await asyncio.create_subprocess_exec(
            restore, *options, "--file=-", stdin=stdin, stdout=PIPE, stderr=wrong, env=environment
        )
        sender = await asyncio.create_subprocess_exec(
            psql, *PSQL_OPTIONS, f"--dbname={target.url}", stdin=PIPE, stdout=DEVNULL, stderr=refused, env=environment
        )
        try:
            if await _copy(writer, sender) and await writer.wait() != 0:
                raise failure(restore, _words(wrong))
            if not await _is_committed(writer, sender):
                raise failure(psql, _words(refused))
        finally:
            await _end(writer, sender)


async def _is_committed(writer: Process, sender: Process) -> bool:
    """End the script, which commits it; one that was not written to its end was not taken either."""
    cast("StreamWriter", sender.stdin).close()
    return await sender.wait() == 0 and writer.returncode == 0


async def _end(*processes: Process) -> None:
    for process in processes:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _copy(writer: Process, sender: Process) -> bool:
    """Pass the script on; False if the receiver ended before it."""
    script, taken = cast("StreamReader", writer.stdout), cast("StreamWriter", sender.stdin)
    part = (await _head(script)).replace(REFUSED, b"\n", 1)
    try:
        while part:
            taken.write(part)
            await taken.drain()
            part = await script.read(HEAD_BYTES)
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


async def _head(script: StreamReader) -> bytes:
    try:
        return await script.readexactly(HEAD_BYTES)
    except asyncio.IncompleteReadError as error:
        return error.partial


def _words(said: IO[bytes]) -> bytes:
    said.seek(0)
    return said.read()
