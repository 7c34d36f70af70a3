"""pgbench, which comes with the embedded PostgreSQL: one-row commits per second of the same server."""

import asyncio
import re
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from photomat.db.pool import connect
from photomat.db.postgres.release import binary

CLIENTS: Final = 16
TABLE: Final = "CREATE TABLE IF NOT EXISTS bench_rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)"
INSERT: Final = "INSERT INTO bench_rows (body) VALUES ('one row of a benchmark');\n"


async def commits_per_s(dsn: str, seconds: float, *, folder: Path) -> float:
    """Raise RuntimeError where pgbench cannot run."""
    connection = await connect(dsn, name="bench meter")
    try:
        await connection.execute(TABLE)
    finally:
        await connection.close(timeout=5)
    script = folder / "one_row.sql"
    await asyncio.to_thread(_write, script)
    command, environment = _command(dsn, script, seconds)
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    found = re.search(rb"tps = ([0-9.]+)", output)
    if found is None:
        raise RuntimeError(f"pgbench failed: {output.decode(errors='replace')[-500:]}")
    return round(float(found[1]), 1)


def _write(script: Path) -> None:
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(INSERT, encoding="utf-8")


def _command(dsn: str, script: Path, seconds: float) -> tuple[list[str], dict[str, str]]:
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    command = [
        str(binary("pgbench")),
        "--no-vacuum",
        f"--client={CLIENTS}",
        "--jobs=2",
        f"--time={max(1, round(seconds))}",
    ]
    command += [f"--file={script}", "--protocol=prepared"]
    environment = {
        "PGHOST": query["host"][0],
        "PGPORT": query["port"][0],
        "PGUSER": parts.username or "",
        "PGPASSWORD": unquote(parts.password or ""),
        "PGDATABASE": parts.path.removeprefix("/"),
    }
    return command, environment
