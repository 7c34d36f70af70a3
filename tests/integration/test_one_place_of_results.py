"""One folder under two addresses: nothing moves a copy onto itself, and nothing deletes the only one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from photomat.app.result_store import result_places
from photomat.app.settings import Settings
from photomat.delivery import leftovers
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.leftovers import move_copies, sweep_stores
from photomat.delivery.outputs import outputs_of
from photomat.kernel.clock import epoch
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId
from photomat.storage.address import parse_address
from photomat.storage.places import ResultPlaces
from photomat.storage.store import FileStore
from support.delivery import Desk, delivery_desk
from support.telegram_media import picture


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
