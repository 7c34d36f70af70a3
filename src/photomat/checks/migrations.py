"""Phase 5, migrations: the database is where this program is, nothing is missing in it, and a fresh one could be built."""

from typing import Final

import asyncpg

from photomat.checks.ground import (
    SESSION,
    AnotherCheckRuns,
    Finding,
    Ground,
    broken,
    doubtful,
    fine,
    own_schema,
    proved,
)
from photomat.db.migrate import BREAKING_PATTERN, read_migrations
from photomat.db.pool import connect
from photomat.db.schema_check import describe_schema, missing, needed

MIGRATE: Final = "run `photomat migrate`, or start the program, which does it first."
MOST_NAMED: Final = 6
CANNOT_MAKE: Final = "let the role make schemas in this database (GRANT CREATE ON DATABASE …) to have this proved too."


async def migrations(ground: Ground) -> list[Finding]:
    """Compare what is applied with what we have, the live schema with the one needed, and build one anew."""
    return [await _applied(ground), await _nothing_missing(ground), await _builds_fresh(ground)]


async def _applied(ground: Ground) -> Finding:
    ours = {file.number: file for file in read_migrations()}
    rows = await ground.pool.fetch("SELECT number, name, checksum FROM schema_migrations ORDER BY number")
    applied = {row["number"]: row for row in rows}
    edited = [
        ours[number].name
        for number in ours
        if number in applied and applied[number]["checksum"] != ours[number].checksum
    ]
    pending = [file.name for number, file in ours.items() if number not in applied]
    newer = [row["name"] for number, row in applied.items() if number not in ours]
    breaking = [name for name in newer if BREAKING_PATTERN.match(name)]
    if edited:
        return broken(f"Edited after they ran: {', '.join(edited)}.", "restore the files of this version.")
    if pending:
        return broken(f"Not applied yet: {', '.join(pending)}.", MIGRATE)
    if breaking:
        return broken(
            f"The database is newer than this program can bear ({breaking[0]}).",
            "start the newer program, or restore a backup from before it.",
        )
    if newer:
        return doubtful(
            f"The database is newer than this program ({newer[-1]}).",
            "old code runs on a newer schema, so this may go on; upgrade when you can.",
        )
    return fine(f"All {len(ours)} migrations are applied and unedited.")


async def _nothing_missing(ground: Ground) -> Finding:
    connection = await connect(ground.direct, name=SESSION)
    try:
        lacking = await missing(connection, needed())
    finally:
        await connection.close(timeout=5)
    named = ", ".join(lacking[:MOST_NAMED])
    return proved(
        not lacking,
        "No column, key, index, function or trigger is missing." if not lacking else f"the schema lacks {named}.",
        "if every migration has run, somebody changed it by hand: restore what is missing, or a backup.",
    )


async def _builds_fresh(ground: Ground) -> Finding:
    try:
        async with own_schema(ground.direct) as inside:
            connection = await connect(inside, name=SESSION)
            try:
                built = await describe_schema(connection)
            finally:
                await connection.close(timeout=5)
    except asyncpg.InsufficientPrivilegeError:
        return doubtful("A fresh schema could not be tried: the role may not make one.", CANNOT_MAKE)
    except AnotherCheckRuns:
        return doubtful("A fresh schema could not be tried: another check runs.", "wait for it and check again.")
    return proved(
        built == needed(),
        "The migrations build a complete database from nothing, on this server.",
        "the migrations and schema.txt of this version disagree: reinstall it.",
    )
