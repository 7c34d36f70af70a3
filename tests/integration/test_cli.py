"""The commands as an operator meets them: real processes, their words, their exit codes."""

import json
import re
from pathlib import Path

import pytest

from photomat.kernel.failpoint import FAILPOINTS
from support.command import answer, photomat
from support.database import connection_of, pool_of
from support.jobs import PRICE, a_done_job, a_running_job, a_user, row_of

ONLY_UNHURRIED = """
    CREATE FUNCTION unhurried() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
    BEGIN
        IF current_setting('statement_timeout') <> '0' OR current_setting('enable_seqscan') <> 'on'
           OR current_setting('default_transaction_read_only') <> 'on' THEN
            RAISE 'canceling statement due to statement timeout';
        END IF;
        RETURN true;
    END $$;
    ALTER TABLE {table} RENAME TO large_table;
    CREATE VIEW {table} AS SELECT * FROM large_table WHERE unhurried();
"""
"""A table so large that only a session without a time limit reads it to its end."""
OLD_UPDATES = """
    INSERT INTO inbox (bot_id, update_id, lane, body, received_at, handled_at)
    SELECT 1, i, 'user:1', '{}', now() - interval '9 days', now() - interval '9 days' FROM generate_series(1, 10) AS i
"""
NO_COUNTING = """
    CREATE OR REPLACE FUNCTION photomat_now() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
    BEGIN
        IF current_query() LIKE 'SELECT count(*)%' THEN
            RAISE 'canceling statement due to statement timeout';
        END IF;
        RETURN statement_timestamp();
    END $$
"""
KEYS = {"BOT_TOKEN": "123456:ABC-def", "KIE_API_KEY": "key"}


def test_migrate_builds_an_empty_database_and_the_second_time_there_is_nothing_to_do(
    empty_database: str, tmp_path: Path
) -> None:
    first, second = (photomat("migrate", folder=tmp_path, DATABASE_URL=empty_database) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout.startswith("Applied: 0001")
    assert second.stdout == "The database is up to date.\n"
    assert "[MIGRATION]" in first.stderr
    assert photomat("audit", folder=tmp_path, DATABASE_URL=empty_database).returncode == 0


@pytest.mark.parametrize("command", [("jobs", "list"), ("audit",), ("incidents",), ("wallet", "show", "1")])
def test_a_database_without_our_tables_is_one_sentence(
    empty_database: str, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ended = photomat(*command, folder=tmp_path, DATABASE_URL=empty_database)
    assert ended.returncode == 2
    assert "run `photomat migrate` first" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["for people", "for machines"])
def test_a_check_without_a_database_fails_in_its_first_phase(tmp_path: Path, options: tuple[str, ...]) -> None:
    nowhere = "postgresql://photomat@/photomat?host=/nowhere"
    ended = photomat("check", *options, folder=tmp_path, DATABASE_URL=nowhere, **KEYS)
    assert ended.returncode == 1
    assert "cannot be reached; start the database" in ended.stdout
    if options:
        (phase,) = json.loads(ended.stdout)
        assert (phase["name"], phase["level"]) == ("storage", "failure")


@pytest.mark.breaks_invariants
async def test_audit_names_the_offenders_and_exits_with_1(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await pool.execute("DELETE FROM job_outputs")
    ended = photomat("audit", folder=tmp_path, DATABASE_URL=database)
    assert ended.returncode == 1
    assert "✗ done-job-has-a-result" in ended.stdout
    assert str(job_id) in ended.stdout
    ended = photomat("audit", "--json", folder=tmp_path, DATABASE_URL=database)
    assert ended.returncode == 1
    (found,) = json.loads(ended.stdout)
    assert found["name"] == "done-job-has-a-result"
    assert len(found["offenders"]) == 1


@pytest.mark.breaks_invariants
@pytest.mark.parametrize(
    ("table", "command"),
    [
        ("inbox", ("prune", "--dry-run")),
        ("job_outputs", ("results", "show")),
        ("job_outputs", ("results", "move", "--dry-run")),
    ],
)
async def test_a_command_that_counts_everything_has_the_time_it_needs(
    database: str, tmp_path: Path, table: str, command: tuple[str, ...]
) -> None:
    async with connection_of(database) as connection:
        await connection.execute(ONLY_UNHURRIED.format(table=table))
    ended = photomat(*command, "--json", folder=tmp_path, DATABASE_URL=database)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.breaks_invariants
async def test_prune_deletes_what_it_has_no_time_to_count(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        await connection.execute(OLD_UPDATES)
        await connection.execute(NO_COUNTING)
        ended = photomat("prune", "--json", folder=tmp_path, DATABASE_URL=database)
        assert ended.returncode == 0, ended.stderr
        (updates,) = [one for one in json.loads(ended.stdout) if one["kind"] == "updates"]
        assert (updates["deleted"], updates["would_delete"], updates["bytes"]) == (10, None, None)
        assert await pool.fetchval("SELECT count(*) FROM inbox") == 0


async def test_prune_shows_sizes_only_before_it_deletes(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection:
        await connection.execute(OLD_UPDATES)
        await connection.execute("ANALYZE inbox")
    before, after = (
        photomat("prune", *options, folder=tmp_path, DATABASE_URL=database).stdout for options in (("--dry-run",), ())
    )
    assert re.search(r"because of +│ would be deleted │ estimated size", before.replace("┃", "│")), before
    assert re.search(r"updates .* 10 .* 0\.\d MB", before), before
    assert re.search(r"because of +│ deleted +│\n", after.replace("┃", "│")), after
    assert re.search(r"updates .*=\d+ +│ 10 +│\n", after), after


def test_failpoints_are_printed_one_a_line(tmp_path: Path) -> None:
    assert photomat("failpoints", folder=tmp_path).stdout.splitlines() == list(FAILPOINTS)


async def test_jobs_are_listed_and_shown_without_prompts_and_addresses(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        running = await a_running_job(pool, user, task_id="t-running")
        done = await a_done_job(pool, user)
        row = await row_of(pool, done)
    listed = answer("jobs", "list", folder=tmp_path, database=database)
    assert [(job["job_id"], job["status"]) for job in listed] == [(done, "done"), (running, "running")]
    assert listed[0]["corr"] == row["corr"]
    undelivered = answer("jobs", "list", "--undelivered", folder=tmp_path, database=database)
    assert [job["job_id"] for job in undelivered] == [done]
    shown = answer("jobs", "show", "t-running", folder=tmp_path, database=database)
    assert (shown["job_id"], shown["external_task_id"], shown["price"]) == (running, "t-running", PRICE)
    for said in (json.dumps(listed), json.dumps(shown, ensure_ascii=False)):
        assert "кот-космонавт" not in said
        assert "files.example" not in said


async def test_a_job_is_shown_with_its_story_and_the_sentence(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        done = await a_done_job(pool, await a_user(pool))
    shown = answer("jobs", "show", str(done), folder=tmp_path, database=database)
    assert "no instance is running: start one" in shown["why"]
    assert [event["tag"] for event in shown["timeline"]] == ["created", "intent", "submitted", "settled"]
    assert [hold["closed_as"] for hold in shown["holds"]] == ["charge"]
    told = photomat("jobs", "show", str(done), folder=tmp_path, DATABASE_URL=database)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("Not delivered yet: the result is there;")
    assert "money: charge" in told.stdout
    assert "files.example" not in told.stdout


async def test_operators_act_by_command_and_are_in_the_journal(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool), task_id="t-1")
        for action in (("retry", "t-1"), ("redeliver", "t-1"), ("cancel", "t-1", "--reason", "Kie lost it")):
            assert answer("jobs", *action, folder=tmp_path, database=database)["done"], action
        again = photomat("jobs", "cancel", str(job_id), "--reason", "x", folder=tmp_path, DATABASE_URL=database)
        assert (again.returncode, "canceled already" in again.stdout) == (1, True)
        assert answer("jobs", "reconcile", folder=tmp_path, database=database) == {"matched": [], "waiting": []}
        assert answer("jobs", "list", "--orphans", folder=tmp_path, database=database) == []
        assert answer("jobs", "list", "--stuck", folder=tmp_path, database=database) == []
        rows = await pool.fetch("SELECT operator, action, done FROM operator_journal ORDER BY entry_id")
        expected = [("retry", True), ("redeliver", True), ("cancel", True), ("cancel", False), ("reconcile", True)]
        assert [(row["action"], row["done"]) for row in rows] == expected
        assert all(row["operator"].startswith("cli:") for row in rows)
    shown = answer("jobs", "show", "t-1", folder=tmp_path, database=database)
    assert shown["operators"][2]["reason"] == "Kie lost it"


def test_a_cancel_wants_its_reason(tmp_path: Path) -> None:
    ended = photomat("jobs", "cancel", "1", folder=tmp_path)
    assert ended.returncode == 2
    assert "--reason" in ended.stderr


async def test_a_job_nobody_knows_is_said_so_with_exit_1(database: str, tmp_path: Path) -> None:
    ended = photomat("jobs", "show", "12345", folder=tmp_path, DATABASE_URL=database)
    assert (ended.returncode, ended.stderr) == (1, "No job and no task is called 12345.\n")


async def test_a_wallet_is_shown_with_its_moves(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, user_id=77, balance=1000)
        await a_done_job(pool, user)
        await a_running_job(pool, user, task_id="t-2")
    shown = answer("wallet", "show", "77", folder=tmp_path, database=database)
    assert (shown["available"], shown["held"], shown["posted"]) == (1000 - 2 * PRICE, PRICE, 1000 - PRICE)
    assert sorted((move["reason"], move["amount"]) for move in shown["moves"]) == [
        ("charge", -PRICE),
        ("welcome", 1000),
    ]
    missing = photomat("wallet", "show", "78", folder=tmp_path, DATABASE_URL=database)
    assert missing.returncode == 1
    assert "user 78 has no wallet: no user with this id has written to the bot" in missing.stderr
    unheard_of = photomat("wallet", "explain", "9" * 24, folder=tmp_path, DATABASE_URL=database)
    assert (unheard_of.returncode, "There is no move and no job" in unheard_of.stderr) == (1, True)


async def test_a_hold_of_a_live_job_is_not_released_and_a_loose_one_is_with_a_reason(
    database: str, tmp_path: Path
) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, user_id=77, balance=1000)
        job_id = await a_running_job(pool, user)
        refused = photomat(
            "wallet", "release", f"job:{job_id}", "--reason", "?", folder=tmp_path, DATABASE_URL=database
        )
        assert (refused.returncode, "jobs cancel" in refused.stdout) == (1, True)
        await pool.execute("UPDATE generation_jobs SET status = 'failed', settled_at = photomat_now(), due_at = NULL")
    assert "--reason" in photomat("wallet", "release", "job:1", folder=tmp_path, DATABASE_URL=database).stderr
    done = answer("wallet", "release", f"job:{job_id}", "--reason", "ticket 7", folder=tmp_path, database=database)
    assert done["done"]
    assert answer("wallet", "show", "77", folder=tmp_path, database=database)["held"] == 0


def test_the_catalog_is_an_array_with_prices_by_the_settings(tmp_path: Path) -> None:
    ended = photomat("catalog", "list", "--json", folder=tmp_path, USD_RATE="100", MARKUP="3")
    prices = {model["model"]: (model["price"], model["currency"]) for model in json.loads(ended.stdout)}
    assert prices["z-image"] == (120, "RUB")


@pytest.mark.parametrize("missing", ["BOT_TOKEN", "KIE_API_KEY"])
def test_a_missing_setting_is_named_with_exit_2(tmp_path: Path, missing: str) -> None:
    given = {name: value for name, value in KEYS.items() if name != missing}
    ended = photomat("run", folder=tmp_path, **given)
    assert ended.returncode == 2
    assert f"{missing} is missing" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_all_bad_settings_are_named_at_once_with_exit_2(tmp_path: Path) -> None:
    ended = photomat("run", folder=tmp_path, PORT="x", MARKUP="-1", LOG_FORMAT="xml")
    assert ended.returncode == 2
    assert all(name in ended.stderr for name in ("PORT", "MARKUP", "LOG_FORMAT"))


def test_an_unknown_failpoint_is_refused_with_exit_2(tmp_path: Path) -> None:
    ended = photomat("run", folder=tmp_path, FAILPOINT="no.such.place", **KEYS)
    assert ended.returncode == 2
    assert "no.such.place" in ended.stderr


def test_money_is_not_kept_on_a_disk_that_does_not_last(tmp_path: Path) -> None:
    ended = photomat("run", folder=tmp_path, RENDER="1", **KEYS)
    assert ended.returncode == 2
    assert "set DATABASE_URL to a PostgreSQL" in ended.stderr
    assert "EMBEDDED_OK=1" in ended.stderr
    assert not (tmp_path / "var").exists()


def test_an_operator_who_knows_better_is_believed(tmp_path: Path) -> None:
    ended = photomat("migrate", folder=tmp_path, RENDER="1", EMBEDDED_OK="1", **KEYS)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("Applied: 0001")


def test_a_database_that_cannot_be_reached_is_one_sentence_without_its_password(tmp_path: Path) -> None:
    address = f"postgresql://anna:hush@/photomat?host={tmp_path}"
    ended = photomat("audit", folder=tmp_path, DATABASE_URL=address)
    assert ended.returncode == 2
    assert "cannot be reached" in ended.stderr
    assert "hush" not in ended.stderr + ended.stdout
    assert "Traceback" not in ended.stderr
