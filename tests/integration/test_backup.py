"""A backup of a shop that works: proved, refused where it must be, and missed when it is not made."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from photomat.alerts.incident import ProbeContext
from photomat.alerts.rules import backup_old
from photomat.backup import proof
from photomat.backup.file import NotABackup, finished, require_whole, seal
from photomat.backup.history import is_backup_due
from photomat.backup.make import BackupOrder, prove_beside, scratch_name
from photomat.db.migrate import read_migrations
from support.alerts import ToldAccount
from support.backups import a_backup, command
from support.busy_shop import BOT, a_busy_shop
from support.database import connection_of, pool_of, shift_clock


async def test_what_must_not_be_restored_is_refused_in_words(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    file = await a_backup(database, tmp_path, "--no-verify")
    async with connection_of(empty_database) as connection:
        await connection.execute("CREATE TABLE of_somebody ()")
    code, said = await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database)
    assert (code, "is not empty" in said) == (2, True), said
    stranger = {"BOT_TOKEN": "7000000002:token"}
    code, said = await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database, **stranger)
    assert (code, "--adopt" in said) == (2, True), said
    async with connection_of(empty_database):
        code, said = await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database)
        assert (code, "is in use" in said) == (2, True), said
    whole, damaged = file.read_bytes(), tmp_path / "damaged.photomat"
    for content in (whole[:-1], whole[1:], b"", whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:]):
        damaged.write_bytes(content)
        with pytest.raises(NotABackup):
            require_whole(damaged)
    code, said = await command("restore", str(damaged), "--yes", folder=tmp_path, database=empty_database)
    assert (code, "is damaged" in said, "cannot start" in said) == (2, True, False), said
    with damaged.open("w+b") as stream:
        seal(stream, replace(require_whole(file), server="devel", size_bytes=0))
    with pytest.raises(NotABackup, match="not made by"):
        require_whole(damaged)
    async with connection_of(empty_database) as connection:
        assert await connection.fetchval("SELECT array_agg(tablename) FROM pg_tables WHERE schemaname = 'public'") == [
            "of_somebody"
        ]


@pytest.mark.prove
async def test_a_scratch_database_that_a_killed_proof_left_is_removed_by_the_next(
    database: str, tmp_path: Path
) -> None:
    """Where the shop's server is newer than ours the proof is a database beside the shop's."""
    file = await a_backup(database, tmp_path, "--no-verify")
    order = BackupOrder(
        dsn=database, folder=tmp_path, name=None, data_dir=tmp_path, made_by="test", verify=True, keep=None
    )
    async with connection_of(database) as connection:
        name = await scratch_name(connection)
        await connection.execute(f"CREATE DATABASE {name}")
        proved = await prove_beside(order, file, require_whole(file))
        assert proved.problems == ()
        assert await connection.fetchval("SELECT count(*) FROM pg_database WHERE datname = $1", name) == 0


async def test_a_backup_is_proved(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        out = str(tmp_path / "out")
        code, said = await command("backup", "--out", out, "--json", folder=tmp_path, database=database)
        made = json.loads(said.splitlines()[0])
        assert (code, made["proved"], made["identity"]) == (0, True, str(BOT)), said
        assert await pool.fetchval("SELECT proved_at IS NOT NULL FROM backups")


@pytest.mark.prove
async def test_a_backup_is_proved_and_a_broken_shop_is_not(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        out = str(tmp_path / "out")
        code, said = await command("backup", "--out", out, "--json", folder=tmp_path, database=database)
        made = json.loads(said.splitlines()[0])
        assert (code, made["proved"], made["identity"]) == (0, True, str(BOT)), said
        code, _ = await command(
            "backup", "--out", out, folder=tmp_path, database=database, FAILPOINT="backup.after_dump"
        )
        assert (code, len(list(finished(tmp_path / "out")))) == (-9, 1), "one that was killed is no backup"
        await pool.execute(
            "SET session_replication_role = replica; UPDATE wallets SET posted = posted + 1 WHERE posted > 0"
        )
        code, said = await command("backup", "--out", out, "--keep", "1", folder=tmp_path, database=database)
        assert (code, "Not proved" in said) == (1, True), said
        assert len(list(finished(tmp_path / "out"))) == 2, "the good one is not deleted for a bad one"
        assert not list((tmp_path / "out").glob("*.unfinished"))
        assert await pool.fetchval("SELECT array_agg(proved_at IS NOT NULL ORDER BY backup_id) FROM backups") == [
            True, False, False,
        ]  # fmt: skip
        await pool.execute(
            "SET session_replication_role = replica; UPDATE wallets SET posted = posted - 1 WHERE posted > 0"
        )


async def test_the_last_proved_backup_too_old_is_an_incident(database: str) -> None:
    async with pool_of(database) as pool:
        context = ProbeContext(pool=pool, account=ToldAccount(), backup_every=timedelta(hours=24))
        assert await backup_old(context) is None, "a new shop has time for its first"
        await pool.execute(
            "INSERT INTO backups (made_by, ended_at, proved_at) VALUES ('olga', photomat_now(), photomat_now());"
            "INSERT INTO backups (made_by, ended_at, error, started_at)"
            " VALUES ('by itself', photomat_now(), 'no room', photomat_now() + interval '1 second')"
        )
        await shift_clock(pool, 25 * 3600)
        assert await backup_old(context) is None
        await shift_clock(pool, 2 * 3600)
        assert await backup_old(context) == {"hours": 27, "wanted": 24, "error": "no room"}
        assert await backup_old(replace(context, backup_every=timedelta(0))) is None, "nobody asked for backups"
        assert await is_backup_due(pool, every=timedelta(hours=24), retry=timedelta(minutes=30))


async def test_an_upgrade_is_checked_before_it_is_started(database: str, tmp_path: Path) -> None:
    code, said = await command("upgrade", "--check", "--json", folder=tmp_path, database=database)
    found = {one["name"]: one["verdict"] for one in json.loads(said.splitlines()[0])}
    assert (code, found["backup"], found["migrations"], found["schema"]) == (1, "fail", "ok", "ok"), said
    async with connection_of(database) as connection:
        await connection.execute("DELETE FROM schema_migrations WHERE number = $1", len(read_migrations()))
        await connection.execute("INSERT INTO backups (made_by, ended_at, proved_at) VALUES ('x', now(), now())")
        (tmp_path / ".env").write_text("KIE_CREATS_PER_10S=5\n")
        options = ("upgrade", "--check", "--no-dry-run")
        code, said = await command(*options, folder=tmp_path, database=database)
        assert code == 0, said
        assert f"{read_migrations()[-1].name} would run" in said
        assert "! settings: KIE_CREATS_PER_10S in .env" in said
        await connection.execute("UPDATE schema_migrations SET checksum = 'edited' WHERE number = 1")
        code, said = await command(*options, folder=tmp_path, database=database)
        assert (code, "were edited after they ran" in said) == (1, True), said


@pytest.mark.prove
async def test_a_dump_made_for_a_check_is_no_backup(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        code, said = await command("upgrade", "--check", "--fresh", "--json", folder=tmp_path, database=database)
        found = {one["name"]: one["verdict"] for one in json.loads(said.splitlines()[0])}
        assert (found["dry run"], found["backup"], code) == ("ok", "fail", 1), said
        assert await pool.fetchval("SELECT count(*) FROM backups") == 0, (
            "its file is deleted: the nightly one is still due"
        )


def test_a_proof_under_way_is_not_removed_by_the_next_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "photomat.backup.proof.Embedded.start", lambda _folder, **_settings: SimpleNamespace(dsn="", stop=lambda: None)
    )
    killed = tmp_path / "scratch" / "scratch-killed"
    killed.mkdir(parents=True)
    with proof.scratch_server(tmp_path):
        proof.remove_scratch(tmp_path)
        assert not killed.exists()
        assert len(list((tmp_path / "scratch").iterdir())) == 1
    assert list((tmp_path / "scratch").iterdir()) == []
