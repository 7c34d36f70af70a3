"""Phase 5, migrations: all are applied, the live schema lacks nothing, and they build a complete schema from scratch."""

from typing import Final

import asyncpg

from photomat.checks.context import SESSION, AnotherCheckRuns, CheckContext, own_schema
from photomat.checks.findings import Finding, failure, ok, verify, warning
from photomat.db.migrate import BREAKING_PATTERN, read_migrations
from photomat.db.pool import connect
from photomat.db.schema_check import describe_schema, missing, needed

MIGRATE: Final = "run `photomat migrate`, or start the program, which does it first."
MOST_NAMED: Final = 6
CANNOT_MAKE: Final = "let the role make schemas in this database (GRANT CREATE ON DATABASE …) to have this proved too."


async def migrations(context: CheckContext) -> list[Finding]:
    return [await _applied(context), await _nothing_missing(context), await _builds_fresh(context)]


async def _applied(context: CheckContext) -> Finding:
    ours = {file.number: file for file in read_migrations()}
    rows = await context.pool.fetch("SELECT number, name, checksum FROM schema_migrations ORDER BY number")
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
        return failure(f"Edited after they ran: {', '.join(edited)}.", "restore the files of this version.")
    if pending:
        return failure(f"Not applied yet: {', '.join(pending)}.", MIGRATE)
    if breaking:
        return failure(
            f"The database is newer than this program supports ({breaking[0]}).",
            "start the newer program, or restore a backup from before it.",
        )
    if newer:
        return warning(
            f"The database is newer than this program ({newer[-1]}).",
            "old code runs on a newer schema, so this may go on; upgrade when you can.",
        )
    return ok(f"All {len(ours)} migrations are applied and unedited.")


async def _nothing_missing(context: CheckContext) -> Finding:
    connection = await connect(context.direct, name=SESSION)
    try:
        lacking = await missing(connection, needed())
    finally:
        await connection.close(timeout=5)
    named = ", ".join(lacking[:MOST_NAMED])
    return verify(
        not lacking,
        "No column, key, index, function or trigger is missing." if not lacking else f"the schema lacks {named}.",
        "if every migration has run, somebody changed it by hand: restore what is missing, or a backup.",
    )


async def _builds_fresh(context: CheckContext) -> Finding:
    try:
        async with own_schema(context.direct) as inside:
            connection = await connect(inside, name=SESSION)
            try:
                built = await describe_schema(connection)
            finally:
                await connection.close(timeout=5)
    except asyncpg.InsufficientPrivilegeError:
        return warning("A fresh schema could not be tried: the role may not make one.", CANNOT_MAKE)
    except AnotherCheckRuns:
        return warning("A fresh schema could not be tried: another check runs.", "wait for it and check again.")
    return verify(
        built == needed(),
        "The migrations build a complete database from nothing, on this server.",
        "the migrations and schema.txt of this version disagree: reinstall it.",
    )
