"""A backup of a shop that works, and the restored shop: nothing that could happen twice happens by itself."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from photomat.alerts.incident import ProbeContext
from photomat.alerts.rules import backup_old
from photomat.backup import proof
from photomat.backup.file import NotABackup, finished, require_whole
from photomat.backup.history import is_backup_due
from photomat.db.migrate import read_migrations
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId, JobId
from photomat.messages.notices import notify
from photomat.operators import controls, restores
from photomat.payments.refunds import Refunder
from support.alerts import ToldAccount
from support.busy_shop import BOT, a_busy_shop
from support.command import photomat
from support.database import connection_of, pool_of, shift_clock
from support.jobs import a_job, a_user, claims_of, row_of
from support.updates import BOT_ID

KEYS = {"BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": "key"}
SEQUENCES = "SELECT sequencename, coalesce(last_value, 0) AS last FROM pg_sequences WHERE schemaname = current_schema()"


def run(*command: str, folder: Path, database: str, **settings: str) -> tuple[int, str]:
    ended = photomat(*command, folder=folder, DATABASE_URL=database, **{**KEYS, **settings})
    return ended.returncode, ended.stdout + ended.stderr


async def command(*words: str, folder: Path, database: str, **settings: str) -> tuple[int, str]:
    return await asyncio.to_thread(run, *words, folder=folder, database=database, **settings)


async def a_backup(database: str, folder: Path, *options: str) -> Path:
    code, said = await command("backup", "--out", str(folder / "out"), *options, folder=folder, database=database)
    assert code == 0, said
    return next(finished(folder / "out"))


async def numbers_of(connection: Any) -> dict[str, int]:
    return {row["sequencename"]: row["last"] for row in await connection.fetch(SEQUENCES)}


async def test_a_busy_shop_comes_back_paused_with_every_row_and_nothing_to_repeat(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        pending = [
            row["job_id"] for row in await pool.fetch("SELECT job_id FROM generation_jobs WHERE status = 'pending'")
        ]
        before = await numbers_of(pool)
    file = await a_backup(database, tmp_path, "--no-verify")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    code, said = await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database)
    assert code == 0, said
    async with pool_of(empty_database) as pool:
        after = await numbers_of(pool)
        assert all(after[name] >= before[name] + 1_000_000 for name in before), "a number could be given out twice"
        assert {(await row_of(pool, job))["status"] for job in pending} == {"submitting"}
        assert await claims_of(pool).submits(10) == []
        assert await claims_of(pool).uploads(10) == []
        assert await Refunder(pool=pool, calls={}).claim(10) == []
        due = """
            SELECT count(ring_due_at) + (SELECT count(due_at) FROM notices) + (SELECT count(due_at) FROM result_sends)
                 + (SELECT count(due_at) FROM broadcast_sends) + (SELECT count(*) FROM console_sessions)
                 + (SELECT sum(pending) FROM lanes) FROM generation_jobs"""
        assert await pool.fetchval(due) == 0
        state = await restores.read_state(pool)
        assert state is not None
        assert [one.job_id for one in state.uncertain] == pending
        assert not state.broken


async def test_the_operator_resumes_after_payments_were_read_and_decides_about_uncertain_jobs(
    database: str, empty_database: str, tmp_path: Path
) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        again, canceled = await a_job(pool, user), await a_job(pool, user)
    file = await a_backup(database, tmp_path, "--no-verify")
    assert (await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database))[0] == 0
    async with pool_of(empty_database) as pool:
        refused = await controls.resume(pool, "bot", operator="olga", reason="hurry")
        assert (refused.done, refused.says.key) == (False, "restore-resume-it")
        early = await restores.resume_restored(pool, operator="olga", reason="hurry")
        assert (early.done, early.says.key) == (False, "restore-payments-unread")
        async with transaction(pool) as tx:
            await notify(tx, key="payment:77", chat_id=ChatId(user), text_key="payment-received")
        restore = await restores.open_restore(pool)
        assert restore is not None
        await restores.note_payments_read(pool, restore, unread=["yookassa"])
        assert not (await restores.resume_restored(pool, operator="olga", reason="hurry")).done
        await restores.note_payments_read(pool, restore, unread=[])
        assert (await restores.submit_again(pool, JobId(again), operator="olga", reason="not in Kie's log")).done
        assert (await restores.resume_restored(pool, operator="olga", reason="all is well")).done
        assert [job.job_id for job in await claims_of(pool).submits(10)] == [again], "the other one is left alone"
        assert (await row_of(pool, canceled))["status"] == "submitting"
        assert await pool.fetchval("SELECT outcome FROM notices WHERE key = 'payment:77'") == "unknown"
        assert not (await restores.resume_restored(pool, operator="olga", reason="again")).done
        journal = await pool.fetch("SELECT action, done FROM operator_journal ORDER BY entry_id")
        assert [(row["action"], row["done"]) for row in journal][-3:] == [
            ("submit-again", True), ("resume", True), ("resume", False),
        ]  # fmt: skip


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
    assert (code, "is damaged" in said) == (2, True), said
    async with connection_of(empty_database) as connection:
        assert await connection.fetchval("SELECT array_agg(tablename) FROM pg_tables WHERE schemaname = 'public'") == [
            "of_somebody"
        ]


@pytest.mark.parametrize(
    "place",
    [
        "restore.before_commit",
        *(
            pytest.param(f"restore.{each}", marks=pytest.mark.prove)
            for each in ("after_mark", "after_load", "after_migrate")
        ),
    ],
)
async def test_a_restore_killed_half_way_sells_nothing_and_can_be_repeated(
    database: str, empty_database: str, tmp_path: Path, place: str
) -> None:
    file = await a_backup(database, tmp_path, "--no-verify")
    code, _ = await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database, FAILPOINT=place)
    assert code == -9
    code, said = await command("run", folder=tmp_path, database=empty_database, PORT="0")
    assert (code, "is not finished" in said) == (2, True), said
    assert (await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database))[0] == 0
    async with pool_of(empty_database) as pool:
        assert await restores.open_restore(pool) is not None


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
