"""What a server must be and allow before the first migration runs; each lack is one sentence that says what to do."""

from typing import Final

from photomat.db.address import quoted
from photomat.db.pool import Connection
from photomat.db.rows import require_row
from photomat.kernel.errors import Startup

OLDEST_VERSION: Final = 150_000
"""As the server itself reports it in server_version_num."""


async def require_server(connection: Connection, *, files: int) -> None:
    """Refuse a server that is too old, and a role that cannot apply the migrations that are not applied yet."""
    row = await require_row(
        connection,
        """
        SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS called,
               current_user AS role, current_schema() AS schema, current_setting('search_path') AS search_path,
               coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
               to_regclass('schema_migrations') IS NOT NULL AS has_journal
        """,
    )
    refuse_old_version(row["version"], called=row["called"])
    if row["schema"] is None:
        raise Startup(
            f"No schema of the search path {row['search_path']} can be used by the role {row['role']}: create it with"
            f" CREATE SCHEMA … AUTHORIZATION {quoted(row['role'])}, or correct `schema` in DATABASE_URL."
        )
    if row["may_create"]:
        return
    applied = await connection.fetchval("SELECT count(*) FROM schema_migrations") if row["has_journal"] else 0
    if applied < files:
        raise Startup(
            f"The role {row['role']} may not create tables in the schema {row['schema']}: run GRANT CREATE ON SCHEMA"
            f" {quoted(row['schema'])} TO {quoted(row['role'])} as the database's owner, then start again."
        )


def refuse_old_version(version: int, *, called: str) -> None:
    """Refuse a server older than we can use, by the number it reports."""
    if version < OLDEST_VERSION:
        raise Startup(
            f"The database is PostgreSQL {called}, and Photomat needs {OLDEST_VERSION // 10_000} or newer:"
            " upgrade the server, or set DATABASE_URL to a newer one."
        )
