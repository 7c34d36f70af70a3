"""What is kept for a limited time goes, in batches that keep up; what exists only here stays, and what is left still works."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from photomat.app.retention import kinds_of
from photomat.app.settings import Settings
from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.delivery import outputs
from photomat.files.file import FromOutput
from photomat.files.store import own_output
from photomat.inbox.lanes import HANDLED
from photomat.jobs import timeline
from photomat.jobs.callback import update_from_callback
from photomat.jobs.listing import read_job_report, read_surroundings
from photomat.jobs.partitions import LEAST_JOBS
from photomat.jobs.settle import Failure
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import BotId, JobId
from photomat.operators.installation import adopt
from photomat.telegram.port import MediaKind
from photomat.work.retention import forecast, prune
from support.callbacks import callback
from support.database import connection_of, pool_of, shift_clock
from support.jobs import a_done_job, a_draft, a_job, a_running_job, a_user, is_shown, settle_now
from support.long_history import fill
from support.plans import judge_for, recorded
from support.updates import BOT_ID

DAY_S = 86400.0
AGES = {"job_events": "at", "callbacks": "received_at"}
FOR_EVER = {
    name: 0
    for name in Settings.model_fields
    if name.startswith("keep_") and name.endswith("_days") and "updates" not in name
}


def kinds(folder: Path, **settings: Any) -> list[Any]:
    return kinds_of(Settings(data_dir=folder, **settings))


async def pruned(pool: Pool, folder: Path, **settings: Any) -> Mapping[str, int]:
    """What went; a second pass finds nothing, and a dry run has said so before."""
    chosen = kinds(folder, **settings)
    said = await forecast(pool, chosen)
    went = await prune(pool, chosen)
    assert went == {one.kind.name: one.rows for one in said}
    assert not any((await prune(pool, chosen)).values())
    return {name: count for name, count in went.items() if count}


async def kept_copy(
    pool: Pool, folder: Path, job_id: JobId, *, file_id: str | None, media: str = "video", mime: str = "video/mp4"
) -> Path:
    """A copy of the job's one output, known to Telegram as such a file or not."""
    path = folder / "results" / str(job_id) / "0.png"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"a picture")
    await pool.execute(
        """
        UPDATE job_outputs SET kept_as = $2, kept_at = photomat_now(), keep_at = NULL, file_id = $3, media = $4, mime = $5
         WHERE job_id = $1
        """,
        job_id,
        f"{job_id}/0.png",
        file_id,
        media,
        mime,
    )
    return path


async def test_a_long_history_is_pruned_to_what_the_settings_say_and_nothing_else_is_touched(
    database: str, tmp_path: Path
) -> None:
    everything = "SELECT (SELECT count(*) FROM {0})".format
    stays = (
        "users",
        "generation_jobs",
        "job_outputs",
        "holds",
        "hold_closings",
        "ledger_transactions",
        "entries",
        "payments",
    )
    async with connection_of(database) as connection, pool_of(database) as pool:
        await fill(connection, jobs=2_000)
        before = {table: await pool.fetchval(everything(table)) for table in stays}
        went = await pruned(pool, tmp_path)
        assert {table: await pool.fetchval(everything(table)) for table in stays} == before
        assert set(went) >= {
            "result copies",
            "updates",
            "callbacks",
            "matched orphans",
            "unbought drafts",
            "resends",
            "notices",
        }
        assert (
            await pool.fetchval("SELECT count(*) FROM drafts WHERE bought_at IS NOT NULL") == before["generation_jobs"]
        )
        assert await pool.fetchval("SELECT count(*) FROM orphan_callbacks WHERE processed_at IS NULL") > 0
        assert await pool.fetchval("SELECT count(*) FROM inbox WHERE parked_at IS NOT NULL") > 0
        assert await pool.fetchval("SELECT min(handled_at) > now() - interval '49 hours' FROM inbox")
        assert (await pruned(pool, tmp_path, keep_events_days=30))["job events"] > 10_000
        assert await pool.fetchval("SELECT min(at) > now() - interval '31 days' FROM job_events")


async def test_what_would_go_is_said_with_its_bytes_and_with_nothing_of_what_is_kept_for_ever(
    database: str, tmp_path: Path
) -> None:
    size = """
        SELECT (sum(pg_total_relation_size(oid)) * {0} / (SELECT count(*) FROM inbox))::float8 FROM pg_class
         WHERE reltuples > 0 AND (oid = 'inbox'::regclass OR oid IN (SELECT relid FROM pg_partition_tree('inbox')))
    """.format
    async with connection_of(database) as connection, pool_of(database) as pool:
        await fill(connection, jobs=2_000)
        said = {
            one.kind.name: one for one in await forecast(pool, kinds(tmp_path, keep_updates_days=2, keep_drafts_days=0))
        }
        updates, drafts = said["updates"], said["unbought drafts"]
        assert updates.rows > 900
        assert updates.size_bytes == pytest.approx(await pool.fetchval(size(updates.rows)), rel=0.05)
        assert (drafts.before, drafts.rows, drafts.size_bytes, drafts.partitions) == (None, 0, 0, ())


async def test_the_partitions_that_would_go_are_those_that_go_with_their_rows_and_bytes(
    database: str, tmp_path: Path
) -> None:
    chosen = kinds(tmp_path, keep_events_days=30, keep_callbacks_days=30)
    async with pool_of(database) as pool:
        for number in (LEAST_JOBS // 2, 2 * LEAST_JOBS, 3 * LEAST_JOBS):
            await _a_job_with_history(pool, number)
        assert not any(one.partitions for one in await forecast(pool, chosen))
        await shift_clock(pool, 33 * DAY_S)
        said = [one for one in await forecast(pool, chosen) if one.partitions]
        assert [one.kind.name for one in said] == ["callbacks", "job events"]
        for one in said:
            table = one.kind.table
            assert [part.name for part in one.partitions] == [f"{table}_past", f"{table}_from_{2 * LEAST_JOBS}"]
            for part in one.partitions:
                is_so = f"SELECT pg_total_relation_size('{part.name}'), count(*), max({AGES[table]}) FROM {part.name}"  # noqa: S608
                assert tuple(await require_row(pool, is_so)) == (part.size_bytes, part.rows, part.newest)
            assert one.size_bytes >= sum(part.size_bytes for part in one.partitions) > 0
            assert one.rows > sum(part.rows for part in one.partitions) > 0, (
                "rows of the range that is being filled go too"
            )
        await pruned(pool, tmp_path, keep_events_days=30, keep_callbacks_days=30)
        for name in (part.name for one in said for part in one.partitions):
            assert await pool.fetchval("SELECT to_regclass($1)", name) is None


async def _a_job_with_history(pool: Pool, number: int) -> None:
    await pool.execute("SELECT setval(pg_get_serial_sequence('generation_jobs', 'job_id'), $1, false)", number)
    job_id = await a_done_job(pool, await a_user(pool, user_id=number))
    async with transaction(pool) as tx:
        await timeline.record(tx, job_id, Tag.SHOWN)
        await update_from_callback(tx, [callback(job_id, "another-task")])


async def test_with_zero_everything_is_kept_for_ever(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection, pool_of(database) as pool:
        await fill(connection, jobs=200)
        went = await pruned(pool, tmp_path, **FOR_EVER)
        assert set(went) == {"updates", "quiet lanes", "transcripts"}


async def test_a_busy_day_of_updates_is_gone_after_one_pass(database: str, tmp_path: Path) -> None:
    """Eight updates a second for ten minutes were what one pass of old could take."""
    async with pool_of(database) as pool:
        await pool.execute(
            """
            INSERT INTO inbox (bot_id, update_id, lane, body, received_at, handled_at)
            SELECT 1, i, 'user:1', '{}', photomat_now() - interval '3 days', photomat_now() - interval '3 days'
              FROM generate_series(1, 12000) AS i
            """
        )
        first = await HANDLED.delete(pool, timedelta(days=2), 1000)
        assert (first.deleted, first.more) == (1000, True)
        assert (await pruned(pool, tmp_path))["updates"] == 11_000


async def test_two_actives_prune_together_and_wait_for_nobody(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        await pool.execute(
            """
            INSERT INTO inbox (bot_id, update_id, lane, body, received_at, handled_at)
            SELECT 1, i, 'user:1', '{}', photomat_now(), photomat_now() - interval '3 days' FROM generate_series(1, 10) AS i
            """
        )
        async with other.transaction():
            await other.execute("SELECT FROM inbox WHERE update_id <= 4 FOR UPDATE")
            assert (await prune(pool, kinds(tmp_path)))["updates"] == 6
        assert (await prune(pool, kinds(tmp_path)))["updates"] == 4


async def test_a_copy_goes_only_when_telegram_keeps_the_file(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        shown, linked = [await a_done_job(pool, user) for _ in range(2)]
        copy, only_copy = (
            await kept_copy(pool, tmp_path, shown, file_id="AgAC"),
            await kept_copy(pool, tmp_path, linked, file_id=None),
        )
        await shift_clock(pool, 89 * DAY_S)
        assert "result copies" not in await pruned(pool, tmp_path)
        await shift_clock(pool, 2 * DAY_S)
        assert (await pruned(pool, tmp_path))["result copies"] == 1
        assert not copy.parent.exists()
        assert only_copy.read_bytes() == b"a picture"
        (gone,), (kept,) = await outputs.outputs_of(pool, shown), await outputs.outputs_of(pool, linked)
        assert (gone.kept_as, gone.file_id, kept.kept_as) == (None, "AgAC", f"{linked}/0.png")


@pytest.mark.parametrize(
    ("media", "mime", "gone"),
    [
        (MediaKind.PHOTO, "image/png", 0),
        (MediaKind.ANIMATION, "image/gif", 0),
        (MediaKind.DOCUMENT, "image/gif", 0),
        (MediaKind.DOCUMENT, "image/png", 1),
        (MediaKind.DOCUMENT, None, 1),
        (MediaKind.VIDEO, "video/mp4", 1),
        (MediaKind.AUDIO, "audio/mpeg", 1),
    ],
)
async def test_the_original_of_what_telegram_changes_is_never_deleted(
    database: str, tmp_path: Path, media: MediaKind, mime: str, gone: int
) -> None:
    """Telegram compresses photos and makes videos of GIFs, and Kie deletes its own file: the original is nowhere else."""
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        copy = await kept_copy(pool, tmp_path, job_id, file_id="AgAC", media=media, mime=mime)
        await shift_clock(pool, 3000 * DAY_S)
        assert (await pruned(pool, tmp_path)).get("result copies", 0) == gone
        assert copy.exists() == (not gone)


async def test_a_copy_stays_when_telegram_keeps_the_file_for_another_bot(database: str, tmp_path: Path) -> None:
    """After `installation adopt` no file id of the bot before is of any use, nor is one of ours to the bot before."""
    async with pool_of(database) as before, pool_of(database, bot_id=BOT_ID + 1) as pool:
        user = await a_user(before)
        job_id = await a_done_job(before, user)
        await is_shown(before, job_id)
        copy = await kept_copy(before, tmp_path, job_id, file_id="of the bot before")
        await adopt(pool, bot_id=BotId(BOT_ID + 1), currency="RUB", operator="olga", reason="another bot")
        await shift_clock(pool, 3000 * DAY_S)
        assert "result copies" not in await pruned(pool, tmp_path)
        assert copy.exists()
        (output,) = await outputs.outputs_of(pool, job_id)
        made = await own_output(pool, FromOutput(job_id, 0), user_id=user)
        assert (output.file_id, output.kept_as) == (None, f"{job_id}/0.png")
        assert made is not None
        assert (made.telegram_id, made.copy.kept_as) == (None, f"{job_id}/0.png")
        await outputs.record_file_id(pool, output, media="video", file_id="of the new bot")
        await adopt(before, bot_id=BotId(BOT_ID), currency="RUB", operator="olga", reason="back again")
        (output,) = await outputs.outputs_of(before, job_id)
        assert output.file_id == "of the bot before"
        assert (await pruned(before, tmp_path))["result copies"] == 1


async def test_copies_that_must_stay_are_not_looked_at_in_every_pass(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        user, gifs = await a_user(pool), 300
        for _ in range(2):
            job_id = await a_done_job(pool, user)
            await kept_copy(pool, tmp_path, job_id, file_id="AgAC")
        await pool.execute(
            """
            INSERT INTO job_outputs (job_id, position, url, media, mime, kept_as, kept_at, file_id)
            SELECT $1, n, 'https://kie.example/cat.gif', 'document', 'image/gif', 'cat.gif',
                   photomat_now() - interval '1 day', 'gif'
              FROM generate_series(1, $2) AS n
            """,
            job_id,
            gifs,
        )
        await pool.execute("ANALYZE job_outputs")
        await shift_clock(pool, 3000 * DAY_S)
        async with recorded(pool) as recording:
            assert len(await outputs.old_copies(pool, older_than=timedelta(days=90), limit=10)) == 2
        await connection.execute("SET enable_seqscan = off")  # the table is small here
        (judged,) = await judge_for(connection, recording, growing={"job_outputs"})
        assert judged.rows < gifs


async def test_a_copy_whose_file_was_deleted_before_its_row_is_ended_by_the_next_pass(
    database: str, tmp_path: Path
) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        (await kept_copy(pool, tmp_path, job_id, file_id="AgAC")).unlink()
        await shift_clock(pool, 91 * DAY_S)
        assert (await pruned(pool, tmp_path))["result copies"] == 1


async def test_the_body_of_a_callback_stays_while_it_is_the_only_evidence(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        done = await a_done_job(pool, user)
        unreadable = await a_running_job(pool, user, task_id="unreadable")
        refused = await a_running_job(pool, user, task_id="refused")
        live = await a_job(pool, user)
        await settle_now(pool, unreadable, Failure(code="empty", reason="no result"))
        await settle_now(pool, refused, Failure(code="kie-422", reason="flagged"))
        await pool.execute(
            """
            INSERT INTO callbacks (job_id, task_id, digest, body)
            SELECT job_id, 'task', sha256(job_id::text::bytea), '{}' FROM unnest($1::bigint[]) AS job_id
            """,
            [done, unreadable, refused, live],
        )
        await shift_clock(pool, 31 * DAY_S)
        assert (await pruned(pool, tmp_path, keep_events_days=0))["callbacks"] == 2
        left = await pool.fetch("SELECT job_id FROM callbacks ORDER BY job_id")
        assert [row["job_id"] for row in left] == [unreadable, live]


async def test_a_pruned_job_is_still_readable_and_a_live_one_keeps_its_timeline(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        done, live = await a_done_job(pool, user), await a_job(pool, user)
        await a_draft(pool, user)
        await shift_clock(pool, 400 * DAY_S)
        went = await pruned(pool, tmp_path)
        assert went["job events"] > 0
        assert went["unbought drafts"] == 1
        assert await pool.fetchval("SELECT count(*) FROM job_events WHERE job_id = $1", done) == 0
        assert await pool.fetchval("SELECT count(*) FROM job_events WHERE job_id = $1", live) > 0
        around = await read_surroundings(pool, delivery_lease=timedelta(minutes=5), given_up_after=timedelta(days=1))
        assert await read_job_report(pool, str(done), around) is not None


async def test_events_that_were_too_young_or_of_a_live_job_are_deleted_later(database: str, tmp_path: Path) -> None:
    """A pass that cannot delete them yet does not pass them over for ever, nor do they hold up those of other jobs."""
    left = "SELECT coalesce(array_agg(DISTINCT job_id ORDER BY job_id), '{}') FROM job_events"
    async with pool_of(database) as pool:
        user = await a_user(pool)
        late = await a_running_job(pool, user, task_id="late")
        resent, done = [await a_done_job(pool, user) for _ in range(2)]
        await shift_clock(pool, 366 * DAY_S)
        async with transaction(pool) as tx:
            await timeline.record(tx, resent, Tag.RESENT)
        assert (await pruned(pool, tmp_path))["job events"] > 0
        assert await pool.fetchval(left) == [late, resent]
        await settle_now(pool, late, Failure(code="kie-422", reason="flagged"))
        await shift_clock(pool, 366 * DAY_S)
        assert (await pruned(pool, tmp_path))["job events"] > 1
        assert await pool.fetchval(left) == []
        async with transaction(pool) as tx:
            await timeline.record(tx, done, Tag.RESENT)
        await shift_clock(pool, 366 * DAY_S)
        assert (await pruned(pool, tmp_path))["job events"] == 1
