"""One folder, of one installation: under two addresses nothing deletes the only copy, and another installation is refused."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from photomat.app.result_store import result_places
from photomat.app.settings import Settings
from photomat.checks.context import CheckContext
from photomat.checks.findings import Level
from photomat.checks.results import results_store
from photomat.db.pool import transaction
from photomat.delivery import leftovers
from photomat.delivery.archive import OldCopies, ResultArchive, ResultFiles
from photomat.delivery.forget import CopiesOfUser
from photomat.delivery.leftovers import move_copies, sweep_stores
from photomat.delivery.outputs import outputs_of
from photomat.kernel.clock import epoch
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId
from photomat.storage.address import parse_address
from photomat.storage.errors import StoreUnavailable
from photomat.storage.places import MARK, ResultPlaces
from photomat.storage.store import PARTS, FileStore
from support.database import pool_of, shift_clock
from support.delivery import Desk, delivery_desk
from support.logs import logged
from support.telegram_media import picture, video


def by_a_link(data: Path, shared: Path) -> None:
    data.mkdir()
    (data / "results").symlink_to(shared, target_is_directory=True)


def mounted_twice(data: Path, shared: Path) -> None:
    """As a network folder under two mounts: other folders, the same files."""
    for path in shared.rglob("*"):
        there = data / "results" / path.relative_to(shared)
        there.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            os.link(path, there)


SECOND_WAYS = pytest.mark.parametrize("second_way", [by_a_link, mounted_twice])


async def a_copy_in(desk: Desk, data: Path, shared: Path, second_way: Callable[[Path, Path], None]) -> JobId:
    """A result that was copied when the folder below DATA_DIR was all there was; Kie's file is gone."""
    job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
    await desk.deliver()
    desk.files.files.clear()
    second_way(data, shared)
    return job_id


def places_of_both(data: Path, shared: Path) -> ResultPlaces:
    settings = Settings(_env_file=None, data_dir=data, results_store=str(shared))
    return result_places(settings)


async def swept_in_two_days(desk: Desk, places: ResultPlaces) -> None:
    with pytest.MonkeyPatch.context() as patch:
        now = epoch()
        patch.setattr(leftovers, "epoch", lambda: now + 2 * 86400)
        await sweep_stores(desk.pool, places, places.stores)


async def read_by(desk: Desk, places: ResultPlaces, job_id: JobId) -> bytes:
    (output,) = await outputs_of(desk.pool, job_id)
    copy = await places.find(output.copy)
    assert copy is not None, "the only copy is gone"
    async with copy.local() as path:
        return path.read_bytes()


@SECOND_WAYS
async def test_the_sweep_keeps_the_only_copy_of_a_folder_with_two_addresses(
    database: str, tmp_path: Path, second_way: Callable[[Path, Path], None]
) -> None:
    data, shared = tmp_path / "data", tmp_path / "shared"
    async with delivery_desk(database, shared) as desk:
        job_id = await a_copy_in(desk, data, shared, second_way)
        places = places_of_both(data, shared)
        await swept_in_two_days(desk, places)
        assert await read_by(desk, places, job_id) == picture()
        assert (shared / f"{job_id}/0.png").exists()
        assert (data / f"results/{job_id}/0.png").exists()


@SECOND_WAYS
async def test_a_move_between_two_addresses_of_one_folder_only_names_the_copies_anew(
    database: str, tmp_path: Path, second_way: Callable[[Path, Path], None]
) -> None:
    data, shared = tmp_path / "data", tmp_path / "shared"
    async with delivery_desk(database, shared) as desk:
        job_id = await a_copy_in(desk, data, shared, second_way)
        places = places_of_both(data, shared)
        report = await move_copies(desk.pool, places, to=places.current)
        assert (report.moved, report.missing, report.is_complete) == (0, 0, True)
        assert await desk.pool.fetchval("SELECT kept_in FROM job_outputs") == shared.as_uri()
        assert await read_by(desk, places, job_id) == picture()
        assert (data / f"results/{job_id}/0.png").exists()


@SECOND_WAYS
async def test_a_copy_that_waits_is_not_brought_from_a_folder_into_itself(
    database: str, tmp_path: Path, second_way: Callable[[Path, Path], None]
) -> None:
    data, shared = tmp_path / "data", tmp_path / "shared"
    async with delivery_desk(database, shared) as desk:
        job_id = await a_copy_in(desk, data, shared, second_way)
        await desk.pool.execute("UPDATE job_outputs SET keep_at = photomat_now()")
        places = places_of_both(data, shared)
        archive = ResultArchive(pool=desk.pool, files=ResultFiles(folder=shared, fetcher=Fetcher(), stores=places))
        (output,) = await outputs_of(desk.pool, job_id)
        await archive.keep(output)
        assert await read_by(desk, places, job_id) == picture()
        assert await desk.pool.fetchval("SELECT keep_at FROM job_outputs") is None


async def test_a_folder_has_one_address_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    expected = parse_address(str(tmp_path / "shared"))
    for written in ("other/../shared", "./shared", "shared/", "/shared"):
        assert parse_address(f"{tmp_path}/{written}") == expected, written
    assert parse_address(f"/{tmp_path}/shared") == expected
    assert parse_address(f"{tmp_path.as_uri()}/other/../shared") == expected
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    assert parse_address(f"{tmp_path}/link/../shared") == parse_address(f"{tmp_path}/far/shared")
    assert FileStore(expected).is_same_place(FileStore(parse_address(f"{tmp_path}/far/../shared")))


def archive_of(desk: Desk, places: ResultPlaces) -> ResultArchive:
    folder = places.current.folder
    assert folder is not None
    files = ResultFiles(folder=folder, fetcher=Fetcher(trusted_host="127.0.0.1"), stores=places)
    return ResultArchive(pool=desk.pool, files=files)


def with_places(desk: Desk, places: ResultPlaces) -> None:
    sender = replace(desk.coordinator.sender, archive=archive_of(desk, places))
    desk.coordinator = replace(desk.coordinator, sender=sender)


async def test_a_folder_without_a_mark_is_taken_and_marked(database: str, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    async with delivery_desk(database, shared) as desk:
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        assert not (shared / MARK).exists(), "as a folder of an earlier version"
        with_places(desk, places_of_both(tmp_path / "data", shared))
        job_id = await desk.done_job(desk.files.add("dog.png", picture("blue"), "image/png"))
        await desk.deliver()
        owner = await desk.pool.fetchval("SELECT store_id FROM installation")
        assert str(owner) in (shared / MARK).read_text()
        assert (shared / f"{job_id}/0.png").exists()
        assert list((shared / PARTS).iterdir()) == []


@pytest.mark.parametrize("bytes_more", [0, 5_000_000], ids=["small", "large"])
async def test_a_folder_of_another_installation_is_neither_written_nor_swept(
    database: str, tmp_path: Path, bytes_more: int
) -> None:
    shared, film = tmp_path / "shared", video(padding=bytes_more)
    async with delivery_desk(database, tmp_path / "desk") as desk:
        job_id = await desk.done_job(desk.files.add("film", film, "video/mp4"))
        theirs = [shared / name for name in (f"{job_id}/0.mp4", f"{job_id}/1.png", f"{PARTS}/0a1b")]
        for path in (shared / MARK, *theirs):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"theirs")
            os.utime(path, (0, 0))
        places = places_of_both(tmp_path / "data", shared)
        with_places(desk, places)
        with logged() as lines:
            await desk.deliver()
            await swept_in_two_days(desk, places)
        assert desk.kinds() == ["video"]
        assert (tmp_path / f"data/results/{job_id}/0.mp4").read_bytes() == film
        said = [str(line["error"]) for line in lines if line["event"] == "RESULT_STORE_FAILED"]
        assert said
        assert all("belongs to another installation" in each for each in said), said
        with pytest.raises(StoreUnavailable, match="another installation"):
            await move_copies(desk.pool, places, to=places.current)
        async with transaction(desk.pool) as tx:
            await shift_clock(tx, 86400)
        await OldCopies(places=places).delete(desk.pool, timedelta(hours=1), 10)
        await CopiesOfUser(places=places).delete(desk.pool, desk.user)
        assert list((tmp_path / "data").rglob("*.mp4")) == [], "ours is deleted"
        assert [path.read_bytes() for path in theirs] == [b"theirs"] * len(theirs)


async def test_the_check_refuses_a_folder_of_another_installation_in_words(database: str, tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, results_store=str(tmp_path / "shared"))
    async with pool_of(database) as pool:
        context = CheckContext(settings=settings, dsn=database, pool=pool, bot=None, account=None)
        assert Level.FAILURE not in {finding.level for finding in await results_store(context)}
        (tmp_path / "shared" / MARK).write_text("theirs")
        (finding,) = await results_store(context)
        assert finding.level is Level.FAILURE
        assert "belongs to another installation" in finding.what


async def test_of_two_that_mark_a_folder_at_once_one_wins(tmp_path: Path) -> None:
    places = [places_of_both(tmp_path / name, tmp_path / "shared") for name in ("one", "two")]
    tried = [each.require_ours(each.current, owner=f"owner-{n}") for n, each in enumerate(places)]
    outcomes = await asyncio.gather(*tried, return_exceptions=True)
    assert [type(each) for each in outcomes if each is not None] == [StoreUnavailable]
