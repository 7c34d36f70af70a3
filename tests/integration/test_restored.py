"""The restored shop: nothing that could happen twice happens by itself. One backup and one restore serve all tests here."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from photomat.backup.file import finished, read_manifest, require_whole, seal
from photomat.db.pool import transaction
from photomat.kernel.clock import epoch
from photomat.kernel.ids import ChatId, JobId
from photomat.messages.notices import notify
from photomat.operators import controls, restores
from photomat.payments.refunds import Refunder
from photomat.storage.places import MARK
from support.backups import command, numbers_of, run
from support.busy_shop import a_busy_shop
from support.database import SharedPostgres, create_database, drop_database, pool_of
from support.jobs import claims_of, row_of
from support.my_tax import issue_all, issue_due, issuer_of, running_tax
from support.payments import ANNA, BORIS, pays
from support.privacy import forget_worker

STRANGER = {"BOT_TOKEN": "7000000002:token"}
GAP = 1_000_000
DUE = """
    SELECT count(ring_due_at) + (SELECT count(due_at) FROM notices) + (SELECT count(due_at) FROM result_sends)
         + (SELECT count(due_at) FROM broadcast_sends) + (SELECT count(*) FROM console_sessions)
         + (SELECT sum(pending) FROM lanes) FROM generation_jobs"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptShop:
    """A busy shop that was backed up, its file, and what it looked like at that moment."""

    database: str
    file: Path
    pending: list[int]
    numbers: dict[str, int]


@pytest.fixture(scope="module")
def kept(postgres: SharedPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeptShop]:
    """A shop with a copy of a result, two receipts on their way to the tax service, and Boris forgotten after the backup."""
    folder = tmp_path_factory.mktemp("kept")
    database = asyncio.run(create_database(postgres.dsn, template=postgres.template))
    pending, numbers = asyncio.run(_fill(database))
    (folder / "var" / "results" / "7").mkdir(parents=True)
    (folder / "var" / "results" / "7" / "0.png").write_bytes(b"a picture")
    (folder / "var" / "results" / MARK).write_bytes(b"of this store, not of the one that is restored to")
    options = ("--out", str(folder / "out"), "--no-verify", "--with-results")
    code, said = run("backup", *options, folder=folder, database=database)
    assert code == 0, said
    at = datetime.fromtimestamp(epoch(), UTC).isoformat()
    forgotten = json.dumps({"user_id": BORIS, "at": at})
    (folder / "out" / "forgotten.jsonl").write_text(f'{forgotten}\n{{"user_id": 4', encoding="utf-8")
    yield KeptShop(database=database, file=next(finished(folder / "out")), pending=pending, numbers=numbers)
    asyncio.run(drop_database(postgres.dsn, database))


async def _fill(database: str) -> tuple[list[int], dict[str, int]]:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        for name in ("sent-later", "never-sent"):
            await pays(pool, external_id=name)
        await pool.execute(
            "UPDATE fiscal_receipts SET issuer = 'my_tax' WHERE payment_external_id IN ('sent-later', 'never-sent')"
        )
        rows = await pool.fetch("SELECT job_id FROM generation_jobs WHERE status = 'pending' ORDER BY job_id")
        return [row["job_id"] for row in rows], await numbers_of(pool)


@pytest.fixture(scope="module")
def restored_once(
    kept: KeptShop, postgres: SharedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("restored")
    dsn = asyncio.run(create_database(postgres.dsn, template="template0"))
    code, said = run("restore", str(kept.file), "--yes", folder=folder, database=dsn)
    assert code == 0, said
    assert "users forgotten again: 1" in said
    assert "copies of results put back: 1" in said
    yield dsn, folder / "var"
    asyncio.run(drop_database(postgres.dsn, dsn))


@pytest.fixture
def restored(restored_once: tuple[str, Path], postgres: SharedPostgres) -> Iterator[str]:
    """The restored shop, for one test alone."""
    dsn = asyncio.run(create_database(postgres.dsn, template=urlsplit(restored_once[0]).path.removeprefix("/")))
    yield dsn
    asyncio.run(drop_database(postgres.dsn, dsn))


async def test_a_busy_shop_comes_back_paused_with_every_row_and_nothing_to_repeat(
    kept: KeptShop, restored: str
) -> None:
    async with pool_of(restored) as pool:
        after = await numbers_of(pool)
        assert all(after[name] >= kept.numbers[name] + GAP for name in kept.numbers), "a number could be used twice"
        assert {(await row_of(pool, JobId(job)))["status"] for job in kept.pending} == {"submitting"}
        assert await claims_of(pool).submits(10) == []
        assert await claims_of(pool).uploads(10) == []
        assert await Refunder(pool=pool, calls={}).claim(10) == []
        assert await pool.fetchval(DUE) == 0
        state = await restores.read_state(pool)
        assert state is not None
        assert [one.job_id for one in state.uncertain] == kept.pending
        assert not state.broken


async def test_the_operator_resumes_after_payments_were_read_and_decides_about_uncertain_jobs(
    kept: KeptShop, restored: str
) -> None:
    async with pool_of(restored) as pool:
        refused = await controls.resume(pool, "bot", operator="olga", reason="hurry")
        assert (refused.done, refused.says.key) == (False, "restore-resume-it")
        early = await restores.resume_restored(pool, operator="olga", reason="hurry")
        assert (early.done, early.says.key) == (False, "restore-payments-unasked")
        async with transaction(pool) as tx:
            await notify(tx, key="payment:77", chat_id=ChatId(ANNA), text_key="payment-received")
        restore = await restores.open_restore(pool)
        assert restore is not None
        await restores.note_payments_read(pool, restore, unread=["yookassa"])
        unread = await restores.resume_restored(pool, operator="olga", reason="hurry")
        assert (unread.done, unread.says.key) == (False, "restore-payments-unread")
        await restores.note_payments_read(pool, restore, unread=[])
        again, *others = map(JobId, kept.pending)
        assert (await restores.submit_again(pool, again, operator="olga", reason="not in Kie's log")).done
        assert (await restores.resume_restored(pool, operator="olga", reason="all is well")).done
        assert [job.job_id for job in await claims_of(pool).submits(10)] == [again], "the others are left alone"
        assert {(await row_of(pool, other))["status"] for other in others} == {"submitting"}
        assert await pool.fetchval("SELECT outcome FROM notices WHERE key = 'payment:77'") == "unknown"
        assert not (await restores.resume_restored(pool, operator="olga", reason="again")).done
        journal = await pool.fetch("SELECT action, done FROM operator_journal ORDER BY entry_id")
        assert [(row["action"], row["done"]) for row in journal][-3:] == [
            ("submit-again", True), ("resume", True), ("resume", False),
        ]  # fmt: skip


async def test_a_receipt_that_may_have_been_issued_after_the_backup_is_looked_up_before_it_is_sent(
    kept: KeptShop, restored: str
) -> None:
    async with running_tax() as tax, pool_of(kept.database) as lost, pool_of(restored) as pool:
        await lost.execute(
            """
            UPDATE fiscal_receipts SET due_at = CASE WHEN payment_external_id = 'sent-later' THEN photomat_now()
                                                     ELSE photomat_now() + interval '1 year' END
             WHERE due_at IS NOT NULL
            """
        )
        assert await issue_due(issuer_of(lost, tax.client)) == 1
        assert len(tax.incomes) == 1, "the lost shop sent it after the backup"
        issuer = issuer_of(pool, tax.client)
        await issue_due(issuer)
        assert len(tax.incomes) == 1, "nothing is sent before the list was read after the delay"
        await issue_all(issuer)
        rows = await pool.fetch("SELECT payment_external_id, state, error FROM fiscal_receipts ORDER BY fiscal_id")
        found = {row["payment_external_id"]: row["state"] for row in rows}
        assert found == {"ch-1": "blocked", "sent-later": "issued", "never-sent": "issued"}
        assert "may have been issued before" in rows[0]["error"], "nobody was to issue it yet: an operator decides"
        assert list(tax.per_reference().values()) == [1, 1]


async def test_whoever_was_forgotten_after_the_backup_is_forgotten_again_while_the_shop_is_paused(
    restored: str, tmp_path: Path
) -> None:
    async with pool_of(restored) as pool:
        asked = await pool.fetch("SELECT user_id FROM forget_requests WHERE asked_by = 'restore'")
        assert [row["user_id"] for row in asked] == [BORIS]
        await forget_worker(pool, tmp_path).forget_all()
        row = await pool.fetchrow("SELECT first_name, forgotten_at FROM users WHERE user_id = $1", BORIS)
        assert row is not None
        assert (row["first_name"], row["forgotten_at"] is None) == ("", False)


def test_copies_of_results_come_back_and_stay_private(kept: KeptShop, restored_once: tuple[str, Path]) -> None:
    picture = restored_once[1] / "results" / "7" / "0.png"
    assert picture.read_bytes() == b"a picture"
    archive = kept.file.with_suffix(".results.tar")
    assert [path.stat().st_mode & 0o777 for path in (picture, picture.parent, archive, kept.file, kept.file.parent)] == [
        0o600, 0o700, 0o600, 0o600, 0o700,
    ]  # fmt: skip


async def test_the_backup_of_a_newer_program_is_refused_by_name(
    kept: KeptShop, empty_database: str, tmp_path: Path
) -> None:
    manifest = read_manifest(kept.file)
    newer = replace(manifest, version="9.0.0", migrations=(*manifest.migrations, "9999_breaks_everything"))
    file = tmp_path / "photomat-newer.photomat"
    with file.open("w+b") as stream:
        stream.write(kept.file.read_bytes()[: manifest.size_bytes])
        seal(stream, newer)
    assert require_whole(file).version == "9.0.0"
    code, said = await command("restore", str(file), "--yes", folder=tmp_path, database=empty_database)
    assert (code, "made by Photomat 9.0.0, which is newer and breaks older ones" in said) == (2, True), said


async def test_a_shop_that_moves_to_another_bot_is_restored_and_waits_for_its_adoption(
    kept: KeptShop, empty_database: str, tmp_path: Path
) -> None:
    moved: dict[str, Any] = {"folder": tmp_path, "database": empty_database, **STRANGER}
    code, said = await command("restore", str(kept.file), "--yes", **moved)
    assert (code, "restore with --adopt" in said) == (2, True), said
    code, said = await command("restore", str(kept.file), "--yes", "--adopt", **moved)
    assert code == 0, said
    code, said = await command("run", **moved, PORT="0")
    assert (code, "belongs to bot" in said, "installation adopt" in said) == (2, True, True), said
    cancel = ("jobs", "cancel", str(kept.pending[0]), "--reason", "moves")
    code, said = await command(*cancel, folder=tmp_path, database=empty_database)
    assert code == 0, said
    code, said = await command("installation", "adopt", "--abandon", "--reason", "moves", **moved)
    assert (code, "Not yet: 3 jobs" in said, "jobs cancel" in said) == (1, True, True), said
    async with pool_of(empty_database) as pool:
        assert await restores.open_restore(pool) is not None, "it is still paused"


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
    kept: KeptShop, empty_database: str, tmp_path: Path, place: str
) -> None:
    restore = ("restore", str(kept.file), "--yes")
    code, _ = await command(*restore, folder=tmp_path, database=empty_database, FAILPOINT=place)
    assert code == -9
    code, said = await command("run", folder=tmp_path, database=empty_database, PORT="0")
    assert (code, "is not finished" in said) == (2, True), said
    assert (await command(*restore, folder=tmp_path, database=empty_database))[0] == 0
    async with pool_of(empty_database) as pool:
        assert await restores.open_restore(pool) is not None
        assert await pool.fetchval("SELECT count(*) FROM forget_requests WHERE asked_by = 'restore'") == 1
