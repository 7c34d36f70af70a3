"""A database with a long history for flows: finished jobs with their ledger, events and callbacks, and what never ends.

In the history of `photomat_chaos.lab.long_history` the newest tenth of the results cannot be delivered; beside it one chat has
ten thousand updates waiting, which Telegram's limits put off. Nothing of it is work for the instance that is measured: the
audit of the night is done, and nothing is deleted because of its age (`KEPT`).
"""

import shutil
from typing import Final

from photomat.db.migrate import migrate
from photomat.db.pool import Connection, connect
from photomat_bench.server import BenchServer, new_database
from photomat_bench.vendors import BOT_ID
from photomat_chaos.lab.long_history import fill

DATABASE: Final = "bench_history"
BYTES_A_JOB: Final = 12_000
"""With indexes and while they are made."""
SPARED: Final = 5 << 30
"""What must stay free of the disk."""
DEEP_CHAT: Final = 10_000
KEPT: Final = {
    f"KEEP_{name}_DAYS": "0"
    for name in (
        *("CALLBACKS", "ORPHANS", "DRAFTS", "EVENTS", "INPUT_FILES", "RESENDS", "NOTICES", "INCIDENTS", "PROOFS"),
        *("ASSISTANT_CALLS", "TICKETS", "READINGS", "REFUSED_TEXTS", "REFUSALS", "RESULT_COPIES", "EXPORTS"),
    )
}
"""Settings of an instance on it."""
DEEP: Final = (
    """
    INSERT INTO inbox (bot_id, update_id, lane, body)
    SELECT $1, 1000000000 + number, 'u4000000', jsonb_build_object('update_id', 1000000000 + number)
      FROM generate_series(1, $2::int) AS number
    """,
    """
    INSERT INTO lanes (bot_id, lane, pending, due_at)
    VALUES ($1, 'u4000000', $2::int, photomat_now() + interval '1 day')
    """,
)
ENDED: Final = (
    "UPDATE broadcast_sends SET due_at = NULL, left_at = photomat_now(), outcome = 'sent' WHERE due_at IS NOT NULL",
    "UPDATE broadcasts SET state = 'done', ended_at = photomat_now(), counts = '{}' WHERE state = 'sending'",
    "TRUNCATE inbox",
    "DELETE FROM lanes",
    "UPDATE assistant_calls SET answer = NULL",
    """
    INSERT INTO audit_runs (night, seconds, invariants, violations, figures)
    SELECT (photomat_now() AT TIME ZONE 'UTC')::date - day, 0, 0, '[]', '{}' FROM generate_series(0, 1) AS day
    """,
)
"""What would take part of what is measured: a broadcast under way, what is deleted after days, the audit."""


def jobs_that_fit(server: BenchServer, wanted: int) -> int:
    """As many of the wanted jobs as the disk has room for."""
    free = shutil.disk_usage(server.folder).free - SPARED
    return max(0, min(wanted, free // BYTES_A_JOB))


async def make_history(server: BenchServer, *, jobs: int) -> str:
    """Make the database; return its URL."""
    dsn = await new_database(server, DATABASE)
    await migrate(dsn)
    connection = await connect(dsn, name="bench history")
    try:
        await connection.execute("SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'")
        await fill(connection, jobs=jobs, live=0, undeliverable=jobs // 10, bot_id=BOT_ID)
        await _end_broadcasts_and_add_the_rest(connection)
    finally:
        await connection.close(timeout=5)
    return dsn


async def _end_broadcasts_and_add_the_rest(connection: Connection) -> None:
    await connection.execute("SET statement_timeout = 0")
    for statement in ENDED:
        await connection.execute(statement, timeout=3600)
    for statement in DEEP:
        await connection.execute(statement, BOT_ID, DEEP_CHAT)
    await connection.execute("VACUUM ANALYZE", timeout=3600)
    await connection.execute("CHECKPOINT")
