"""The production check: green on a fit installation, red with the cure named on a broken one, and nothing of it remains."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from photomat.app.settings import Settings
from photomat.checks.context import LOCK_KEY, SCHEMA
from photomat.checks.delivery import prove_the_lock
from photomat.checks.findings import PHASES, Finding, Level
from photomat.checks.production import check
from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import Connection, Pool
from photomat.db.postgres.release import NEWEST_ON
from photomat.db.rows import require_row
from photomat_sandbox.telegram.person_acts import send_file
from support.command import photomat
from support.database import connection_of, pool_of, shift_clock
from support.jobs import DELIVERY_LEASE, a_done_job, a_user
from support.kie_sim import RunningKie, running_kie
from support.telegram_sim import RunningTelegram, running_telegram

FIXED_FENCE = """
    CREATE FUNCTION forget_the_fence() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.delivery_fence := 1; RETURN NEW; END $$;
    CREATE TRIGGER forget_the_fence BEFORE UPDATE ON generation_jobs
        FOR EACH ROW EXECUTE FUNCTION forget_the_fence();
"""
BREAKAGES = {
    "history can be changed": ("DROP TRIGGER entries_append_only ON entries", {"balance", "migrations"}),
    "wallets can be negative": (
        "ALTER TABLE wallets DROP CONSTRAINT wallets_available_not_negative",
        {"balance", "migrations"},
    ),
    "half a booking": ("DROP TRIGGER ledger_transactions_balance ON ledger_transactions", {"balance", "migrations"}),
    "a column is missing": ("ALTER TABLE generation_jobs DROP COLUMN parked_at CASCADE", {"delivery", "migrations"}),
    "callbacks are not unique": ("ALTER TABLE callbacks DROP CONSTRAINT callbacks_once", {"idempotency", "migrations"}),
    "a fence that stays": (FIXED_FENCE, {"delivery"}),
    "an edited migration": ("UPDATE schema_migrations SET checksum = 'x' WHERE number = 3", {"migrations"}),
    "a migration not applied": ("DELETE FROM schema_migrations WHERE number = 8", {"migrations"}),
    "a schema older programs cannot bear": (
        "INSERT INTO schema_migrations (number, name, checksum) VALUES (9001, '9001_breaks_it', 'x')",
        {"migrations"},
    ),
    "a shifted clock": ("UPDATE clock_shift SET shift = '1 hour'", {"storage"}),
}


@asynccontextmanager
async def worlds(
    folder: Path, *, local_dir: Path | None = None, **changes: Any
) -> AsyncIterator[tuple[Settings, RunningTelegram, RunningKie]]:
    """Both simulators, and the settings of an installation between them; `local_dir` as in `running_telegram`."""
    async with running_telegram(local_dir=local_dir) as telegram, running_kie() as kie:
        values = {
            "bot_token": telegram.world.token,
            "kie_api_key": kie.world.key,
            "telegram_api_url": telegram.url,
            "kie_api_url": kie.url,
            "data_dir": folder / "data",
            "admin_ids": str(telegram.person("Оператор").user_id),
        }
        yield Settings.model_validate(values | changes), telegram, kie


async def findings(settings: Settings, database: str, *, only: str | None = None) -> dict[str, list[Finding]]:
    return {phase.name: list(phase.findings) async for phase in check(settings, database, only=only)}


async def reds(settings: Settings, database: str) -> set[str]:
    """The phases that failed."""
    return {phase.name async for phase in check(settings, database) if phase.level is Level.FAILURE}


async def contents(pool: Pool) -> dict[str, int]:
    """How many rows every table has; budgets are spent by asking Telegram."""
    tables = await pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    names = sorted(row["tablename"] for row in tables if row["tablename"] != "budgets")
    return {name: await pool.fetchval(f"SELECT count(*) FROM {name}") for name in names}  # noqa: S608  our tables


async def job_numbers(pool: Pool) -> tuple[int | None, bool]:
    """Where the numbers of jobs stand."""
    return tuple(await require_row(pool, "SELECT last_value, is_called FROM generation_jobs_job_id_seq"))


def only_one(found: dict[str, list[Finding]], level: Level) -> Finding:
    (one,) = [finding for each in found.values() for finding in each if finding.level is level]
    return one


async def test_a_fit_installation_is_green_and_nothing_of_the_check_remains(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, worlds(tmp_path) as (settings, _telegram, _kie):
        await a_done_job(pool, await a_user(pool))
        before, numbers = await contents(pool), await job_numbers(pool)
        found = await findings(settings, database)
        assert tuple(found) == PHASES
        assert [finding for each in found.values() for finding in each if finding.level is not Level.OK] == []
        assert await contents(pool) == before
        assert await job_numbers(pool) == numbers
        assert not await pool.fetchval("SELECT true FROM pg_namespace WHERE nspname = $1", SCHEMA)
        assert sum(len(each) for each in found.values()) > 25


@pytest.mark.breaks_invariants
@pytest.mark.parametrize(("breakage", "red"), BREAKAGES.values(), ids=BREAKAGES.keys())
async def test_what_is_broken_is_found(database: str, tmp_path: Path, breakage: str, red: set[str]) -> None:
    async with worlds(tmp_path) as (settings, _telegram, _kie):
        async with connection_of(database) as connection:
            await connection.execute(breakage)
        assert red <= await reds(settings, database)


@pytest.mark.breaks_invariants
async def test_one_amount_changed_by_hand_is_found(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, worlds(tmp_path) as (settings, _telegram, _kie):
        await a_done_job(pool, await a_user(pool))
        await pool.execute("UPDATE wallets SET posted = posted + 1")
        found = await findings(settings, database, only="balance")
        assert "wallet-is-its-entries" in only_one(found, Level.FAILURE).what


async def test_a_fence_that_is_not_raised_is_found(database: str) -> None:
    async with pool_of(database) as one, pool_of(database) as two:
        await one.execute(FIXED_FENCE)
        found = await prove_the_lock(one, two, lease=DELIVERY_LEASE, currency="RUB")
        said = [finding.what for finding in found if finding.level is Level.FAILURE]
        assert any("zombie" in what for what in said)
        assert any("new fence" in what for what in said)


async def test_a_refused_token_names_its_cure(database: str, tmp_path: Path) -> None:
    async with worlds(tmp_path, bot_token="1:wrong") as (settings, _telegram, _kie):
        found = await findings(settings, database, only="delivery")
        assert "BOT_TOKEN" in str(only_one(found, Level.FAILURE).fix)


async def test_a_webhook_that_leads_elsewhere_is_a_warning(database: str, tmp_path: Path) -> None:
    async with worlds(tmp_path) as (settings, telegram, _kie):
        async with telegram.bot() as bot:
            await bot.set_webhook("https://old.example/telegram/webhook")
        found = await findings(settings, database, only="delivery")
        assert "https://old.example" in only_one(found, Level.WARNING).what


@pytest.mark.parametrize(
    ("folders", "level", "said"),
    [
        (("bot-api", "bot-api"), Level.OK, "It runs in local mode, and its files can be read."),
        ((None, "bot-api"), Level.FAILURE, "The Bot API server does not run in local mode."),
        (
            ("bot-api", "other"),
            Level.FAILURE,
            "A file of the Bot API server could not be read below TELEGRAM_LOCAL_DIR.",
        ),
        (("bot-api", "missing"), Level.FAILURE, "TELEGRAM_LOCAL_DIR is no folder here"),
    ],
)
async def test_a_local_bot_api_server_is_proved_by_a_file(
    database: str, tmp_path: Path, folders: tuple[str | None, str], level: Level, said: str
) -> None:
    of_server, mounted = folders
    for name in ("bot-api", "other"):
        (tmp_path / name).mkdir()
    folder = None if of_server is None else tmp_path / of_server
    changes = {"telegram_local_dir": tmp_path / mounted}
    async with pool_of(database) as pool, worlds(tmp_path, local_dir=folder, **changes) as (settings, telegram, _kie):
        user_id = await a_user(pool)
        sent = await send_file(telegram.world, telegram.person(), b"%PDF-1.7 a file", kind="document", name="a.pdf")
        file_id = telegram.world.api(sent)["document"]["file_id"]
        await pool.execute(
            """
            INSERT INTO input_files (user_id, origin, source, telegram_id, kind, format, mime, size_bytes, sha256)
            VALUES ($1, 'a', 'telegram', $2, 'document', 'pdf', 'application/pdf', 15, repeat('0', 64))
            """,
            user_id,
            file_id,
        )
        found = (await findings(settings, database, only="delivery"))["delivery"]
    assert [each.level for each in found if each.what.startswith(said)] == [level]


async def test_a_profile_that_could_not_be_set_is_a_warning(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, worlds(tmp_path) as (settings, _telegram, _kie):
        await pool.execute(
            """
            INSERT INTO bot_profile (part, tried, tried_at, next_try_at, is_flood, error)
            VALUES ('name', 'x', photomat_now(), photomat_now() + interval '1 day', true, 'Telegram asks to slow down')
            """
        )
        warned = only_one(await findings(settings, database, only="delivery"), Level.WARNING)
    assert "name could not be set: Telegram asks to slow down" in warned.what


@pytest.mark.parametrize(
    ("credits_left", "level", "cure"),
    [(0.0, Level.FAILURE, "top up"), (12.5, Level.WARNING, "top up")],
    ids=["none", "few"],
)
async def test_credits_that_run_out_are_said(
    database: str, tmp_path: Path, credits_left: float, level: Level, cure: str
) -> None:
    async with worlds(tmp_path) as (settings, _telegram, kie):
        kie.world.credits = credits_left
        found = await findings(settings, database, only="callback handler")
        assert cure in str(only_one(found, level).fix)


async def test_a_refused_key_and_a_kie_that_is_gone_are_told_apart(database: str, tmp_path: Path) -> None:
    async with worlds(tmp_path, kie_api_key="wrong") as (settings, _telegram, _kie):
        found = await findings(settings, database, only="callback handler")
        assert "KIE_API_KEY" in str(only_one(found, Level.FAILURE).fix)
    async with worlds(tmp_path, kie_api_url="http://127.0.0.1:9") as (settings, _telegram, _kie):
        found = await findings(settings, database, only="callback handler")
        assert "KIE_API_URL" in str(only_one(found, Level.FAILURE).fix)


async def test_signed_callbacks_are_proved_with_kies_signature_too(database: str, tmp_path: Path) -> None:
    async with worlds(tmp_path, kie_webhook_key="key", callback_secret="new,old") as (settings, _telegram, _kie):
        found = await findings(settings, database, only="callback handler")
        assert {finding.level for finding in found["callback handler"]} == {Level.OK}


async def test_a_public_address_nobody_answers_at_is_a_warning(database: str, tmp_path: Path) -> None:
    async with worlds(tmp_path, public_url="http://127.0.0.1:9") as (settings, _telegram, _kie):
        found = await findings(settings, database, only="callback handler")
        assert "http://127.0.0.1:9" in only_one(found, Level.WARNING).what


async def test_a_parked_card_and_a_late_one_are_warnings(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, worlds(tmp_path) as (settings, _telegram, _kie):
        user = await a_user(pool)
        parked = await a_done_job(pool, user)
        await pool.execute("UPDATE generation_jobs SET parked_at = photomat_now() WHERE job_id = $1", parked)
        await a_done_job(pool, user)
        await shift_clock(pool, 700)
        found = await findings(settings, database, only="delivery")
        warned = [finding.what for finding in found["delivery"] if finding.level is Level.WARNING]
        assert warned == ["1 cards are parked.", "1 cards have been due for ten minutes."]


@pytest.mark.parametrize(("admin_ids", "words"), [("", "ADMIN_IDS is empty"), ("404404", "404404 of ADMIN_IDS")])
async def test_nobody_who_would_be_told_of_incidents_is_a_warning(
    database: str, tmp_path: Path, admin_ids: str, words: str
) -> None:
    async with worlds(tmp_path, admin_ids=admin_ids) as (settings, _telegram, _kie):
        found = await findings(settings, database, only="delivery")
        assert words in only_one(found, Level.WARNING).what


async def test_a_second_check_beside_the_first_says_so(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as other, worlds(tmp_path) as (settings, _telegram, _kie):
        await other.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)
        found = await findings(settings, database, only="delivery")
        assert "another check runs" in only_one(found, Level.WARNING).what


async def test_a_check_that_was_killed_leaves_nothing_the_next_one_minds(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection, worlds(tmp_path) as (settings, _telegram, _kie):
        await connection.execute(f"CREATE SCHEMA {SCHEMA}; CREATE TABLE {SCHEMA}.users ()")
        found = await findings(settings, database, only="migrations")
        assert {finding.level for finding in found["migrations"]} == {Level.OK}


def test_a_database_without_tables_is_red_and_says_migrate(empty_database: str, tmp_path: Path) -> None:
    ended = photomat("check", folder=tmp_path, DATABASE_URL=empty_database)
    assert ended.returncode == 1
    assert "photomat migrate" in ended.stdout
    assert "Not fit for customers." in ended.stdout
    assert "Traceback" not in ended.stderr


async def test_the_command_prints_an_array_and_ends_well_with_warnings_alone(database: str, tmp_path: Path) -> None:
    ended = photomat("check", "--only", "delivery", "--json", folder=tmp_path, DATABASE_URL=database)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (phase,) = json.loads(ended.stdout)
    assert (phase["phase"], phase["name"], phase["level"]) == (4, "delivery", "warning")
    assert any("25 times out of 25" in finding["what"] for finding in phase["findings"])


def test_a_phase_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    ended = photomat("check", "--only", "weather", folder=tmp_path)
    assert ended.returncode == 2
    assert "idempotency" in ended.stderr


async def test_a_newer_schema_is_a_warning(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection:
        await connection.execute(
            "INSERT INTO schema_migrations (number, name, checksum) VALUES (9001, '9001_more', 'x')"
        )
    async with worlds(tmp_path) as (settings, _, _):
        warning = only_one(await findings(settings, database, only="migrations"), Level.WARNING)
    assert "newer than this program (9001_more)" in warning.what


async def test_an_outdated_embedded_postgresql_is_named_with_the_way_to_a_newer_one(tmp_path: Path) -> None:
    server = Embedded.start(tmp_path)
    settings = Settings.model_validate({"data_dir": tmp_path})
    try:
        await migrate(server.dsn)
        async with connection_of(server.dsn) as connection:
            await shift_clock(connection, await seconds_until(connection, NEWEST_ON))
            fine = await embedded_release(settings, server.dsn)
            await shift_clock(connection, 366 * 86400)
            outdated = await embedded_release(settings, server.dsn)
    finally:
        server.stop()
    assert fine.level is Level.OK
    assert outdated.level is Level.WARNING
    assert "was planned for" in outdated.what
    assert "make setup" in str(outdated.fix)


async def test_a_server_of_somebody_else_is_theirs_to_update(database: str, tmp_path: Path) -> None:
    async with worlds(tmp_path) as (settings, _telegram, _kie):
        found = await findings(settings, database, only="storage")
    assert not any("embedded" in finding.what for finding in found["storage"])


async def seconds_until(connection: Connection, day: date) -> float:
    return float(await connection.fetchval("SELECT extract(epoch FROM $1::date - photomat_now())", day)) + 3600


async def embedded_release(settings: Settings, dsn: str) -> Finding:
    found = await findings(settings, dsn, only="storage")
    (finding,) = [finding for finding in found["storage"] if "embedded PostgreSQL" in finding.what]
    return finding
