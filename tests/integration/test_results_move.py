"""Moving copies of results between a folder and a bucket: killed anywhere, nothing is lost, and every copy stays readable."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from photomat.delivery import archive, leftovers
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.leftovers import move_copies, sweep_store
from photomat.delivery.outputs import Output, outputs_of
from photomat.kernel.clock import epoch
from photomat.kernel.http import Fetcher
from photomat.storage import store
from photomat.storage.address import FolderAddress
from photomat.storage.places import ResultPlaces, StoredFile, one_folder
from support.command import photomat
from support.database import pool_of
from support.delivery import Desk, delivery_desk
from support.s3_server import BUCKET, SECRET, RunningS3, environment_of, places_of, running_s3, spoiled_way
from support.telegram_media import picture
from support.telegram_sim import served
from support.updates import BOT_ID

ADDRESS = f"s3://{BUCKET}/shop"
COLOURS = ("red", "green", "blue", "white")
POINTS = ("store.before_put", "store.after_put", "results.after_copy", "results.after_record")
MIB = 2**20
LARGE_IN_LITTLE_MEMORY = """
import asyncio, resource, sys
from pathlib import Path
from support.s3_server import places_of

async def main():
    import obstore.store
    folder, url = Path(sys.argv[1]), sys.argv[2]
    store = places_of(url, folder).current
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await store.put_file("1/0.mp4", folder / "film", mime="video/mp4")
    found = await store.find("1/0.mp4")
    size = 0
    async for piece in store.pieces(found):
        size += len(piece)
    assert size == (folder / "film").stat().st_size == found.size_bytes
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)

asyncio.run(main())
"""


@asynccontextmanager
async def a_full_folder(database: str, folder: Path) -> AsyncIterator[tuple[Desk, list[Output]]]:
    """Four results in the folder below DATA_DIR, the first as version 0.4 recorded it."""
    results = folder / "var" / "results"
    async with delivery_desk(database, results) as desk:
        for colour in COLOURS:
            await desk.done_job(desk.files.add(f"{colour}.png", picture(colour), "image/png"))
        await desk.deliver()
        desk.files.files.clear()
        jobs = await desk.pool.fetch("SELECT job_id FROM generation_jobs ORDER BY job_id")
        await desk.pool.execute("UPDATE job_outputs SET sha256 = NULL WHERE job_id = $1", jobs[0]["job_id"])
        yield desk, [output for row in jobs for output in await outputs_of(desk.pool, row["job_id"])]


async def command(*arguments: str, folder: Path, database: str, **settings: str) -> tuple[int, str]:
    keys = {"BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": "key", "DATABASE_URL": database}
    ended = await asyncio.to_thread(photomat, "results", *arguments, folder=folder, **keys, **settings)
    assert SECRET not in ended.stdout + ended.stderr
    return ended.returncode, ended.stdout + ended.stderr


async def readable(desk: Desk, places: ResultPlaces) -> list[bytes]:
    """Every copy as any instance reads it now."""
    found = []
    finder = ResultArchive(pool=desk.pool, files=ResultFiles(folder=Path(), fetcher=Fetcher(), stores=places))
    for row in await desk.pool.fetch("SELECT job_id FROM generation_jobs ORDER BY job_id"):
        for output in await outputs_of(desk.pool, row["job_id"]):
            copy = await finder.find(output)
            assert copy is not None
            async with copy.local() as path:
                found.append(await asyncio.to_thread(path.read_bytes))
    return found


class Killed(BaseException):
    """As if the process ended here."""


@pytest.mark.parametrize("point", POINTS)
async def test_a_move_that_ends_at_any_point_is_taken_up_again(
    database: str, tmp_path: Path, s3: RunningS3, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    every, passed = [picture(colour) for colour in COLOURS], []

    def die(name: str) -> None:
        passed.append(name)
        if passed.count(point) == 2:
            raise Killed

    async with a_full_folder(database, tmp_path) as (desk, _):
        places = places_of(s3.url, tmp_path / "var", address=ADDRESS)
        with monkeypatch.context() as patch:
            patch.setattr(archive, "failpoint", die)
            patch.setattr(store, "failpoint", die)
            with pytest.raises(Killed):
                await move_copies(desk.pool, places, to=places.current)
        assert await readable(desk, places) == every
        assert (await move_copies(desk.pool, places, to=places.current)).is_complete
        assert await readable(desk, places) == every
        await swept_clean(desk, places, tmp_path)
        assert len([name for name in s3.names() if name.endswith(".png")]) == len(every)


@pytest.mark.prove
async def test_a_move_killed_at_every_point_loses_nothing_and_goes_on(database: str, tmp_path: Path) -> None:
    every = [picture(colour) for colour in COLOURS]
    with running_s3() as s3:
        settings = environment_of(s3.url, address=ADDRESS)
        async with a_full_folder(database, tmp_path) as (desk, _):
            places = places_of(s3.url, tmp_path / "var", address=ADDRESS)
            code, said = await command("move", "--dry-run", folder=tmp_path, database=database, **settings)
            assert (code, "4 copies" in said, s3.names()) == (0, True, []), said
            for point in POINTS:
                code, said = await command("move", folder=tmp_path, database=database, FAILPOINT=point, **settings)
                assert code == -9, said
                assert await readable(desk, places) == every, point
            code, said = await command("move", "--json", folder=tmp_path, database=database, **settings)
            moved = json.loads(said.splitlines()[0])
            assert (code, moved["moved"], moved["missing"], moved["failed"]) == (0, 3, 0, 0), said
            assert await readable(desk, places) == every
            assert await desk.pool.fetchval("SELECT count(*) FROM job_outputs WHERE sha256 IS NULL") == 0
            await swept_clean(desk, places, tmp_path)
            code, said = await command(
                "move", "--to", str(tmp_path / "var" / "results"), folder=tmp_path, database=database, **settings
            )
            assert (code, "set RESULTS_STORE=" in said) == (0, True), said
            assert await readable(desk, one_folder(tmp_path / "var" / "results")) == every
            assert [name for name in s3.names() if name.endswith(".png")] == []
            acts = await desk.pool.fetch("SELECT action FROM operator_journal ORDER BY entry_id")
            assert [row["action"] for row in acts] == ["move results", "move results"]


async def swept_clean(desk: Desk, places: ResultPlaces, folder: Path) -> None:
    """What the killed runs left in the folder goes with the next sweep."""
    with pytest.MonkeyPatch.context() as patch:
        now = epoch()
        patch.setattr(leftovers, "epoch", lambda: now + 2 * 86400)
        await sweep_store(desk.pool, places, places.folder)
    assert list((folder / "var" / "results").rglob("*.png")) == []


async def test_a_copy_that_arrives_changed_is_not_taken_for_moved(database: str, tmp_path: Path, s3: RunningS3) -> None:
    async with (
        a_full_folder(database, tmp_path) as (desk, _),
        spoiled_way(s3, lambda data: data[:-1] + b"?", method="PUT") as url,
    ):
        places = places_of(url, tmp_path / "var", address=ADDRESS)
        report = await move_copies(desk.pool, places, to=places.current)
        assert (report.moved, report.failed, report.damaged) == (len(COLOURS) - 1, 1, 0)
        assert await readable(desk, places) == [picture(colour) for colour in COLOURS]
        assert (await move_copies(desk.pool, places, to=places.current)).moved == 1
        assert await readable(desk, places) == [picture(colour) for colour in COLOURS]


async def test_a_copy_is_on_the_disk_before_it_is_deleted_where_it_was(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_full_folder(database, tmp_path) as (desk, outputs):
        places = one_folder(tmp_path / "var" / "results")
        to, name, fsync, synced = tmp_path / "srv" / "results", outputs[0].kept_as, os.fsync, list[Path]()
        assert name is not None

        def watched(file: int) -> None:
            fsync(file)
            if (tmp_path / "var" / "results" / name).exists():
                synced.append(Path(f"/proc/self/fd/{file}").readlink())

        monkeypatch.setattr(os, "fsync", watched)
        assert (await move_copies(desk.pool, places, to=places.at(FolderAddress(to)))).moved == len(COLOURS)
        assert synced == [to / name, (to / name).parent, to, to.parent]


@pytest.mark.parametrize("point", ["results.after_record", "results.after_copy"])
async def test_what_a_killed_move_left_in_an_earlier_store_goes_with_the_next_run(
    database: str, tmp_path: Path, s3: RunningS3, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = []

    def die(name: str) -> None:
        passed.append(name)
        if passed.count(point) == len(COLOURS):
            raise Killed

    async with a_full_folder(database, tmp_path) as (desk, _):
        earlier, places = tmp_path / "var" / "results", places_of(s3.url, tmp_path / "new", address=ADDRESS)
        await desk.pool.execute("UPDATE job_outputs SET kept_in = $1", earlier.as_uri())
        (earlier / "notes.txt").write_text("of the operator")
        with monkeypatch.context() as patch:
            patch.setattr(archive, "failpoint", die)
            with pytest.raises(Killed):
                await move_copies(desk.pool, places, to=places.current)
        now = epoch()
        monkeypatch.setattr(leftovers, "epoch", lambda: now + 2 * 86400)
        assert (await move_copies(desk.pool, places, to=places.current)).is_complete
        assert list(earlier.rglob("*.png")) == []
        assert (earlier / "notes.txt").exists()
        assert await readable(desk, places) == [picture(colour) for colour in COLOURS]
        assert "shop/photomat-moved-from.json" not in s3.names()


def write_again(path: Path) -> None:
    """As a move into this place does."""
    part = path.with_suffix(".new")
    part.write_bytes(path.read_bytes())
    part.replace(path)


async def test_a_copy_that_is_moved_back_at_the_same_time_is_not_deleted(
    database: str, tmp_path: Path, s3: RunningS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_full_folder(database, tmp_path) as (desk, outputs):
        places, results = places_of(s3.url, tmp_path / "var", address=ADDRESS), tmp_path / "var" / "results"

        def bring_back(name: str) -> None:
            if name == "results.after_record":
                write_again(results / str(outputs[-1].kept_as))

        monkeypatch.setattr(archive, "failpoint", bring_back)
        assert (await move_copies(desk.pool, places, to=places.current)).moved == len(COLOURS)
        assert [path.name for path in results.rglob("*.png")] == ["0.png"]


async def test_a_copy_that_is_brought_back_while_the_sweep_looks_at_it_is_not_deleted(
    database: str, tmp_path: Path, s3: RunningS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_full_folder(database, tmp_path) as (desk, outputs):
        places, results = places_of(s3.url, tmp_path / "var", address=ADDRESS), tmp_path / "var" / "results"
        names = [str(output.kept_as) for output in outputs]
        left = {name: (results / name).read_bytes() for name in names}
        await move_copies(desk.pool, places, to=places.current)
        for name, data in left.items():
            (results / name).parent.mkdir()
            (results / name).write_bytes(data)
        verify = StoredFile.verify

        async def verified(copy: StoredFile) -> None:
            await verify(copy)
            if copy.found.name == names[-1]:
                write_again(results / names[-1])

        monkeypatch.setattr(StoredFile, "verify", verified)
        now = epoch()
        monkeypatch.setattr(leftovers, "epoch", lambda: now + 2 * 86400)
        assert (await sweep_store(desk.pool, places, places.folder)).deleted == len(COLOURS) - 1
        assert (results / names[-1]).exists()


async def test_two_moves_at_once_lose_nothing(database: str, tmp_path: Path, s3: RunningS3) -> None:
    async with a_full_folder(database, tmp_path) as (desk, _):
        one, two = (places_of(s3.url, tmp_path / "var", address=ADDRESS) for _ in range(2))
        reports = await asyncio.gather(*(move_copies(desk.pool, each, to=each.current) for each in (one, two)))
        assert sum(report.moved for report in reports) == len(COLOURS)
        assert all(report.is_complete for report in reports)
        assert await readable(desk, one) == [picture(colour) for colour in COLOURS]


@pytest.mark.prove
async def test_a_wrong_target_is_refused_in_words(database: str, tmp_path: Path) -> None:
    async with pool_of(database):
        settings = environment_of("http://127.0.0.1:9")
        for target, words in [
            (f"s3://key:{SECRET}@bucket", "must hold no keys"),
            ("s3://Bucket", "must name a bucket"),
            ("ftp://somewhere", "must be a folder"),
        ]:
            code, said = await command("move", "--to", target, folder=tmp_path, database=database, **settings)
            assert (code, words in " ".join(said.split())) == (2, True), said


@pytest.mark.prove
async def test_200_mb_go_in_and_out_in_little_memory(tmp_path: Path) -> None:
    with (tmp_path / "film").open("wb") as file:
        for _ in range(200):
            file.write(os.urandom(MIB))
    with running_s3() as s3:
        child = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", LARGE_IN_LITTLE_MEMORY, str(tmp_path), s3.url],
            env={**os.environ, "PYTHONPATH": "tests"},
            capture_output=True,
            check=False,
            text=True,
        )
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) < 64, f"{child.stdout} MB"


@pytest.mark.prove
async def test_a_server_killed_in_the_middle_of_an_upload_costs_a_retry_and_nothing_else(
    database: str, tmp_path: Path
) -> None:
    film = os.urandom(30 * MIB)
    async with delivery_desk(database, tmp_path / "var" / "results") as desk:
        job_id = await desk.done_job(desk.files.add("film", film, "video/mp4"))
        await desk.deliver()
        desk.files.files.clear()
        with running_s3() as s3:
            async with dying(s3, at_part=3) as url:
                places = places_of(url, tmp_path / "var", address=ADDRESS)
                report = await move_copies(desk.pool, places, to=places.current)
            assert (report.moved, report.failed, report.is_complete) == (0, 1, False)
            (output,) = await outputs_of(desk.pool, job_id)
            assert output.kept_in is None
            port = int(s3.url.rpartition(":")[2])
        with running_s3(port) as s3:
            assert s3.names() == []
            places = places_of(s3.url, tmp_path / "var", address=ADDRESS)
            assert (await move_copies(desk.pool, places, to=places.current)).moved == 1
            assert await readable(desk, places) == [film]


@asynccontextmanager
async def dying(s3: RunningS3, *, at_part: int) -> AsyncIterator[str]:
    """A way to the server that kills it when this part of an upload is on its way."""

    async def forward(request: web.Request) -> web.StreamResponse:
        if request.query.get("partNumber") == str(at_part):
            await asyncio.to_thread(s3.kill)
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() != "transfer-encoding"}
        try:
            async with (
                aiohttp.ClientSession(auto_decompress=False) as session,
                session.request(request.method, f"{s3.url}{request.path_qs}", data=body, headers=headers) as answer,
            ):
                kept = {name: value for name, value in answer.headers.items() if name.lower() == "etag"}
                return web.Response(status=answer.status, body=await answer.read(), headers=kept)
        except aiohttp.ClientError:
            raise web.HTTPBadGateway from None

    app = web.Application(client_max_size=64 * MIB)
    app.router.add_route("*", "/{anything:.*}", forward)
    async with served(app) as url:
        yield url
