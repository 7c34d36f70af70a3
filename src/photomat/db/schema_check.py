"""What a live database lacks of the schema this program needs.

`schema.txt` has one line for each column, key, check, index, function and trigger that the migrations make. A test compares it
with a freshly migrated database, so its diff shows what a migration does. Whatever a database has in addition is ignored: old
code runs on a newer schema.

`python -m photomat.db.schema_check > src/photomat/db/schema.txt` regenerates it.
"""

import asyncio
import sys
import tempfile
from collections.abc import Collection
from importlib import resources
from pathlib import Path
from typing import Final

import structlog

from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import Connection, connect
from photomat.kernel.errors import Startup

SHOWN_AT_MOST: Final = 12

DESCRIBE: Final = """
    WITH tables AS (
        SELECT c.oid, c.relname AS name
          FROM pg_class c
         WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    )
    SELECT 'column ' || t.name || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid
     WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 'constraint ' || t.name || '.' || k.conname
      FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid
     WHERE k.contype IN ('c', 'f', 'p', 'u', 'x')
    UNION ALL
    SELECT 'index ' || t.name || '.' || i.relname
      FROM tables t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid
     WHERE x.indisvalid
    UNION ALL
    SELECT 'trigger ' || t.name || '.' || g.tgname
      FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid
     WHERE NOT g.tgisinternal
    UNION ALL
    SELECT 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'
      FROM pg_proc p
     WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    UNION ALL
    SELECT 'view ' || c.relname
      FROM pg_class c
     WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('v', 'm')
    UNION ALL
    SELECT 'value ' || y.typname || '.' || e.enumlabel
      FROM pg_enum e JOIN pg_type y ON y.oid = e.enumtypid
     WHERE y.typnamespace = quote_ident(current_schema())::regnamespace
"""


async def require_schema(connection: Connection) -> None:
    """Refuse to start on a database that lacks something; the error names it."""
    lacking = await missing(connection, needed())
    if lacking:
        more = f" and {len(lacking) - SHOWN_AT_MOST} more" if len(lacking) > SHOWN_AT_MOST else ""
        raise Startup(
            f"The database lacks {', '.join(lacking[:SHOWN_AT_MOST])}{more}, although every migration has run; "
            "it was changed by hand: restore what is missing, or a backup."
        )


async def missing(connection: Connection, needed: Collection[str]) -> list[str]:
    """The needed lines that the live schema lacks, sorted."""
    return sorted(set(needed) - set(await describe_schema(connection)))


def needed() -> list[str]:
    return resources.files("photomat.db").joinpath("schema.txt").read_text(encoding="utf-8").splitlines()


async def describe_schema(connection: Connection) -> list[str]:
    """The live schema as sorted lines, like `schema.txt`."""
    return sorted(row[0] for row in await connection.fetch(DESCRIBE))


async def describe_fresh(dsn: str) -> list[str]:
    await migrate(dsn)
    connection = await connect(dsn, name="photomat schema check")
    try:
        return await describe_schema(connection)
    finally:
        await connection.close(timeout=5)


def main() -> None:
    """Print the schema that the migrations make in a temporary database."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    with tempfile.TemporaryDirectory(prefix="photomat-schema-") as folder:
        server = Embedded.start(Path(folder))
        try:
            lines = asyncio.run(describe_fresh(server.dsn))
        finally:
            server.stop()
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
