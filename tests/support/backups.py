"""Backups for tests: the commands as an operator gives them, with the keys of the tests' bot."""

import asyncio
from pathlib import Path
from typing import Any, Final

from photomat.backup.file import finished
from support.command import photomat
from support.updates import BOT_ID

KEYS: Final = {"BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": "key"}
SEQUENCES: Final = (
    "SELECT sequencename, coalesce(last_value, 0) AS last FROM pg_sequences WHERE schemaname = current_schema()"
)


def run(*words: str, folder: Path, database: str, **settings: str) -> tuple[int, str]:
    """Run a command to its end: its code, and all it said."""
    ended = photomat(*words, folder=folder, DATABASE_URL=database, **{**KEYS, **settings})
    return ended.returncode, ended.stdout + ended.stderr


async def command(*words: str, folder: Path, database: str, **settings: str) -> tuple[int, str]:
    return await asyncio.to_thread(run, *words, folder=folder, database=database, **settings)


async def a_backup(database: str, folder: Path, *options: str) -> Path:
    code, said = await command("backup", "--out", str(folder / "out"), *options, folder=folder, database=database)
    assert code == 0, said
    return next(finished(folder / "out"))


async def numbers_of(connection: Any) -> dict[str, int]:
    """The last number each sequence gave out."""
    return {row["sequencename"]: row["last"] for row in await connection.fetch(SEQUENCES)}
