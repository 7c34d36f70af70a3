"""Our own copy of every output, also of those nobody has looked at yet."""

from datetime import timedelta
from pathlib import Path

from photomat.db.pool import Pool, transaction
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.outputs import MAX_TRIES, claim_unkept, outputs_of
from photomat.kernel.clock import monotonic
from photomat.kernel.http import Fetcher
from photomat.work.disk import Disk
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_user
from support.small_disk import small_disk
from support.telegram_media import picture, running_files

LEASE = timedelta(seconds=30)


async def pass_time(pool: Pool, seconds: float) -> None:
    async with transaction(pool) as tx:
        await shift_clock(tx, seconds)


async def keep_what_is_due(pool: Pool, folder: Path) -> int:
    archive = ResultArchive(pool=pool, files=ResultFiles(folder=folder, fetcher=Fetcher(trusted_host="127.0.0.1")))
    claimed = await claim_unkept(pool, limit=10, lease=LEASE)
    for output in claimed:
        await archive.keep(output)
    return len(claimed)


async def test_every_output_is_copied_soon_after_the_job_is_done(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, running_files() as files:
        urls = [files.add(f"{n}.png", picture(color), "image/png") for n, color in enumerate(("red", "blue"))]
        job_id = await a_done_job(pool, await a_user(pool), urls=urls)
        assert await keep_what_is_due(pool, tmp_path) == 0, "delivery goes first"
        await pass_time(pool, 30)
        assert await keep_what_is_due(pool, tmp_path) == 2
        kept = await outputs_of(pool, job_id)
        assert [(tmp_path / str(one.kept_as)).read_bytes() for one in kept] == [picture("red"), picture("blue")]
        await pass_time(pool, 10_000)
        assert await keep_what_is_due(pool, tmp_path) == 0, "once is enough"


async def test_an_output_that_cannot_be_had_is_tried_later_and_given_up_in_the_end(
    database: str, tmp_path: Path
) -> None:
    async with pool_of(database) as pool, running_files() as files:
        await a_done_job(pool, await a_user(pool), urls=[f"{files.url}/gone.png"])
        await pass_time(pool, 30)
        assert await keep_what_is_due(pool, tmp_path) == 1
        assert await keep_what_is_due(pool, tmp_path) == 0, "not at once again"
        tries = 1
        for _ in range(20):
            await pass_time(pool, 10_000)
            tries += await keep_what_is_due(pool, tmp_path)
        assert tries == MAX_TRIES


async def test_an_output_claimed_by_a_killed_instance_comes_due_again(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, running_files() as files:
        await a_done_job(pool, await a_user(pool), urls=[files.add("a.png", picture("red"), "image/png")])
        await pass_time(pool, 30)
        assert len(await claim_unkept(pool, limit=10, lease=LEASE)) == 1
        await pass_time(pool, LEASE.total_seconds() + 1)
        assert await keep_what_is_due(pool, tmp_path) == 1


async def test_a_copy_that_finds_no_room_is_made_when_there_is_some_however_long_that_takes(
    database: str, tmp_path: Path
) -> None:
    large = picture("red") + bytes(2 << 20)
    with small_disk(tmp_path / "results", megabytes=1) as disk:
        async with pool_of(database) as pool, running_files() as files:
            job_id = await a_done_job(pool, await a_user(pool), urls=[files.add("a.png", large, "image/png")])
            for _ in range(MAX_TRIES + 2):
                await pass_time(pool, 86400)
                assert await keep_what_is_due(pool, disk) == 1
                assert [one for one in disk.rglob("*") if one.is_file()] == [], "nothing half is left"
                assert [one.kept_as for one in await outputs_of(pool, job_id)] == [None]
            await pass_time(pool, 86400)
            assert await keep_what_is_due(pool, tmp_path / "larger") == 1
            (kept,) = await outputs_of(pool, job_id)
            assert (tmp_path / "larger" / str(kept.kept_as)).read_bytes() == large


async def test_the_disk_is_asked_for_its_room_at_most_once_a_second(tmp_path: Path) -> None:
    class CountingDisk(Disk):
        asked = 0

        def free_bytes(self) -> int:
            self.asked += 1
            return super().free_bytes()

    disk = CountingDisk(tmp_path)
    began = monotonic()
    found = [await disk.lately_free_bytes() for _ in range(100)]
    assert disk.asked <= 1 + (monotonic() - began)
    assert min(found) > 0


async def test_the_reserve_of_the_disk_is_left_to_the_database(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, running_files() as files:
        job_id = await a_done_job(pool, await a_user(pool), urls=[files.add("a.png", picture("red"), "image/png")])
        await pass_time(pool, 30)
        (output,) = await claim_unkept(pool, limit=10, lease=LEASE)
        reserved = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"), reserve_bytes=1 << 60)
        await ResultArchive(pool=pool, files=reserved).keep(output)
        assert [one.kept_as for one in await outputs_of(pool, job_id)] == [None]
        await pass_time(pool, 301)
        assert await keep_what_is_due(pool, tmp_path) == 1
        assert [one.kept_as for one in await outputs_of(pool, job_id)] == [f"{job_id}/0.png"]
