"""`photomat smoke` as an operator runs it: nine phases, real processes, and nothing left behind."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from photomat.checks.smoke_environment import SmokeFailed, open_environment
from support.database import connection_of

PHOTOMAT = Path(sys.executable).with_name("photomat")
PATIENCE_S = 900
NAMES = ["user", "balance", "job", "task", "callback", "charge", "delivery", "orphan", "undelivered"]


async def test_all_nine_phases_pass_and_nothing_is_left_behind(database: str, tmp_path: Path) -> None:
    """The operator's own settings are in the environment and must not be touched by it."""
    async with connection_of(database) as connection:
        await asyncio.to_thread(smoke_passes, database, tmp_path)
        used = await connection.fetch("SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL")
    assert [row["sequencename"] for row in used] == []


def smoke_passes(database: str, tmp_path: Path) -> None:
    keys = {"BOT_TOKEN": "1:a-real-token", "KIE_API_KEY": "a-real-key", "DATABASE_URL": database}
    with tempfile.TemporaryDirectory(prefix="smoke-") as scratch:
        ended = subprocess.run(
            [PHOTOMAT, "smoke", "--json"],
            env=os.environ | keys | {"TMPDIR": scratch},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        phases = json.loads(ended.stdout)
        assert [(phase["name"], phase["ok"]) for phase in phases] == [(name, True) for name in NAMES]
        assert list(Path(scratch).iterdir()) == []
    assert list(tmp_path.iterdir()) == []


async def test_a_shop_that_cannot_open_says_why(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection:
        await connection.execute("DELETE FROM installation")
        await connection.execute(
            "INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, '9999_breaks_it', 'x')"
        )
    with pytest.raises(SmokeFailed, match=r"exit code 2(.|\n)*newer than this program"):
        async with open_environment(database, tmp_path):
            pass
