"""Copies of results in a bucket: any instance reaches them, nothing damaged leaves it, and no key is ever seen."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest

from photomat.alerts.incident import ProbeContext
from photomat.alerts.rules import results_store as store_alert
from photomat.app.settings import Settings
from photomat.db.pool import Pool, transaction
from photomat.delivery import leftovers
from photomat.delivery.archive import OldCopies, ResultArchive, ResultFiles
from photomat.delivery.fallbacks import sign_result
from photomat.delivery.forget import CopiesOfUser
from photomat.delivery.leftovers import sweep_store
from photomat.delivery.outputs import MAX_TRIES, Output, claim_unkept, outputs_of, record_damage
from photomat.kernel.clock import epoch
from photomat.kernel.errors import Transient
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId
from photomat.storage import store as store_module
from photomat.storage.errors import CopyLost, StoreTrouble, StoreUnavailable
from photomat.storage.places import ResultPlaces
from photomat.storage.store import PARTS, BucketAccess, FileStore
from photomat.web.result_file import ResultDownload
from support import history
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.logs import logged
from support.media_bytes import mp3
from support.ports import free_ports_in_a_row
from support.s3_server import KEY_ID, SECRET, RunningS3, answering, places_of, spoiled_way
from support.telegram_media import picture, video
from support.telegram_sim import served

SECRETS = (b"secret",)
ADDRESS = "s3://results/shop"


def archive_of(pool: Pool, folder: Path, places: ResultPlaces) -> ResultArchive:
    files = ResultFiles(folder=folder / "results", fetcher=Fetcher(trusted_host="127.0.0.1"), stores=places)
    return ResultArchive(pool=pool, files=files)


def with_archive(desk: Desk, archive: ResultArchive) -> None:
    desk.coordinator = replace(desk.coordinator, sender=replace(desk.coordinator.sender, archive=archive))


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def only_output(pool: Pool, job_id: JobId) -> Output:
    (output,) = await outputs_of(pool, job_id)
    return output


def door_of(pool: Pool, archive: ResultArchive) -> aiohttp.web.Application:
    app = aiohttp.web.Application()
    app.router.add_get("/result/{token}", ResultDownload(pool=pool, archive=archive, secrets=SECRETS).handle)
    return app


async def keep_later(pool: Pool, archive: ResultArchive, *, after_s: float = 400) -> None:
    async with transaction(pool) as tx:
        await shift_clock(tx, after_s)
    for output in await claim_unkept(pool, limit=10, lease=timedelta(seconds=30)):
        await archive.keep(output)


async def test_one_instance_fetches_and_another_gives_the_link_out(
    database: str, tmp_path: Path, s3: RunningS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PIECE_BYTES", 65_536)
    film = video(padding=300_000)
    one, two = tmp_path / "one", tmp_path / "two"
    with logged() as lines:
        async with delivery_desk(database, tmp_path / "desk") as desk:
            with_archive(desk, archive_of(desk.pool, one, places_of(s3.url, one)))
            job_id = await desk.done_job(desk.files.add("film", film, "video/mp4"))
            await desk.deliver()
            assert desk.kinds() == ["video"]
            desk.files.files.clear()
            output = await only_output(desk.pool, job_id)
            assert (output.kept_as, output.kept_in) == (f"{job_id}/0.mp4", "s3://results/shop")
            other = archive_of(desk.pool, two, places_of(s3.url, two))
            async with served(door_of(desk.pool, other)) as address, aiohttp.ClientSession() as session:
                link = f"{address}/result/{sign_result(job_id, 0, SECRETS)}"
                async with session.get(link) as answer:
                    assert (answer.status, answer.content_type) == (200, "video/mp4")
                    assert answer.headers["Content-Disposition"] == f'attachment; filename="photomat-{job_id}-1.mp4"'
                    assert await answer.read() == film
                for asked, status, expected in [
                    ("bytes=4-7", 206, b"ftyp"),
                    ("bytes=-3", 206, film[-3:]),
                    (f"bytes={len(film) - 2}-", 206, film[-2:]),
                    (f"bytes={65_536 - 2}-{65_536 + 1}", 206, film[65_536 - 2 : 65_536 + 2]),
                    (f"bytes={len(film)}-", 416, None),
                ]:
                    async with session.get(link, headers={"Range": asked}) as part:
                        assert part.status == status, asked
                        assert expected is None or await part.read() == expected
                async with session.head(link) as head:
                    assert (head.status, head.content_length, await head.read()) == (200, len(film), b"")
            assert files_in(one) == files_in(two) == [], "nothing stays on the disk of an instance"
            rows = await desk.pool.fetch("SELECT job_outputs::text FROM job_outputs")
    assert SECRET not in str(lines) + str(rows)
    assert KEY_ID not in str(lines) + str(rows)


@pytest.mark.parametrize("address", [ADDRESS, None], ids=["bucket", "shared folder"])
async def test_one_instance_fetches_and_another_sends_the_result_again(
    database: str, tmp_path: Path, s3: RunningS3, address: str | None
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    async with history.archive(database, tmp_path / "chat") as past:
        pool = past.chat.pool
        fetching, sending = (
            archive_of(pool, disk, places_of(s3.url, disk, address=address or str(tmp_path / "shared")))
            for disk in (one, two)
        )
        sender = replace(past.coordinator.sender, archive=fetching)
        past.coordinator = replace(past.coordinator, sender=sender)
        past.resender = replace(past.resender, archive=sending)
        await past.done_job()
        await past.deliver()
        past.files.files.clear()
        await past.chat.taps("📎 Оригинал")
        assert await past.send_all() == 1
        await pool.execute("UPDATE job_outputs SET file_id = NULL")
        await past.chat.taps("ℹ️")
        await past.chat.taps(history.RESEND)
        async with transaction(pool) as tx:
            await shift_clock(tx, 5)
        assert await past.send_all() == 1
        card, original, again = past.media()
        assert [each["kind"] for each in (card, original, again)] == ["photo", "document", "photo"]
        world = past.chat.telegram.world
        media = world.messages[original["message_id"]].media
        assert media is not None
        assert world.files.read(world.files.files[media.number]) == picture("red")
        assert files_in(one) == files_in(two) == [], "nothing stays on the disk of an instance"


async def test_a_song_is_uploaded_to_the_chat_from_the_bucket(database: str, tmp_path: Path, s3: RunningS3) -> None:
    async with delivery_desk(database, tmp_path / "desk") as desk:
        with_archive(desk, archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path)))
        song = mp3()
        await desk.done_job(desk.files.add("song.mp3", song, "audio/mpeg"))
        await desk.deliver()
        (message,) = desk.seen()
        assert (message["kind"], desk.shown_bytes(message)) == ("audio", song)
        assert files_in(tmp_path / "tmp") == []


async def test_a_store_that_fails_delays_no_customer_and_gets_its_copy_later(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    gone = f"http://127.0.0.1:{free_ports_in_a_row(1)}"
    with logged() as lines:
        async with delivery_desk(database, tmp_path / "desk") as desk:
            down = archive_of(desk.pool, tmp_path, places_of(gone, tmp_path))
            with_archive(desk, down)
            job_id = await desk.done_job(desk.files.add("song.mp3", mp3(), "audio/mpeg"))
            await desk.deliver()
            assert desk.kinds() == ["audio"], "shown from the disk of this instance"
            output = await only_output(desk.pool, job_id)
            assert (output.kept_in, len(files_in(tmp_path / "results"))) == (None, 1)
            async with transaction(desk.pool) as tx:
                await shift_clock(tx, 130)
            alert = await store_alert(ProbeContext(pool=desk.pool, account=cast("Any", None)))
            assert alert is not None
            assert alert["count"] == 1
            await keep_later(desk.pool, down)
            assert (await only_output(desk.pool, job_id)).kept_in is None, "still there, and due again"
            desk.files.files.clear()
            await keep_later(desk.pool, archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path)))
            assert (await only_output(desk.pool, job_id)).kept_in == "s3://results/shop"
            assert (files_in(tmp_path / "results"), s3.read(f"shop/{job_id}/0.mp3")) == ([], mp3())
            assert await store_alert(ProbeContext(pool=desk.pool, account=cast("Any", None))) is None
    assert {"RESULT_STORE_FAILED"} <= {str(line["event"]) for line in lines}
    assert SECRET not in str(lines)


async def test_a_copy_on_the_disk_of_a_dead_instance_is_fetched_again(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    gone = f"http://127.0.0.1:{free_ports_in_a_row(1)}"
    async with delivery_desk(database, tmp_path / "desk") as desk:
        dead, alive = tmp_path / "dead", tmp_path / "alive"
        with_archive(desk, archive_of(desk.pool, dead, places_of(gone, dead)))
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        await keep_later(desk.pool, archive_of(desk.pool, alive, places_of(s3.url, alive)))
        assert s3.read(f"shop/{job_id}/0.png") == picture()


async def test_a_copy_on_the_disk_of_one_instance_is_not_given_up_by_the_others(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    gone = f"http://127.0.0.1:{free_ports_in_a_row(1)}"
    async with delivery_desk(database, tmp_path / "desk") as desk:
        holder, other = tmp_path / "holder", tmp_path / "other"
        down = archive_of(desk.pool, holder, places_of(gone, holder))
        with_archive(desk, down)
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        desk.files.files.clear()
        for archive in (down, archive_of(desk.pool, other, places_of(s3.url, other))):
            for _ in range(MAX_TRIES + 1):
                await keep_later(desk.pool, archive, after_s=7200)
            assert (await only_output(desk.pool, job_id)).kept_in is None
            alert = await store_alert(ProbeContext(pool=desk.pool, account=cast("Any", None)))
            assert alert is not None, "the copy is not in the store"
        await keep_later(desk.pool, archive_of(desk.pool, holder, places_of(s3.url, holder)))
        assert s3.read(f"shop/{job_id}/0.png") == picture()
        assert (await only_output(desk.pool, job_id)).kept_in == "s3://results/shop"
        assert await store_alert(ProbeContext(pool=desk.pool, account=cast("Any", None))) is None


async def test_a_copy_that_was_damaged_while_it_waited_for_the_store_is_fetched_again(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    gone = f"http://127.0.0.1:{free_ports_in_a_row(1)}"
    async with delivery_desk(database, tmp_path / "desk") as desk:
        with_archive(desk, archive_of(desk.pool, tmp_path, places_of(gone, tmp_path)))
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        (tmp_path / f"results/{job_id}/0.png").write_bytes(picture()[:-1] + b"?")
        archive = archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path))
        await keep_later(desk.pool, archive)
        await keep_later(desk.pool, archive)
        assert s3.read(f"shop/{job_id}/0.png") == picture()


async def test_a_damaged_copy_is_neither_given_out_nor_sent_and_is_fetched_again(
    database: str, tmp_path: Path, s3: RunningS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PIECE_BYTES", 65_536)
    film = video(padding=300_000)
    async with delivery_desk(database, tmp_path / "desk") as desk:
        archive = archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path))
        with_archive(desk, archive)
        job_id = await desk.done_job(desk.files.add("film", film, "video/mp4"))
        await desk.deliver()
        s3.replace(f"shop/{job_id}/0.mp4", film[:-1] + b"?")
        output = await only_output(desk.pool, job_id)
        copy = await archive.find(output)
        assert copy is not None
        with pytest.raises(Transient, match="damaged"):
            async with archive.noticing_damage(output), copy.local():
                raise AssertionError("a damaged file was opened")
        assert (await only_output(desk.pool, job_id)).kept_as is None
        await keep_later(desk.pool, archive)
        assert s3.read(f"shop/{job_id}/0.mp4") == film
        s3.replace(f"shop/{job_id}/0.mp4", film[:-1] + b"?")
        async with served(door_of(desk.pool, archive)) as address, aiohttp.ClientSession() as session:
            link = f"{address}/result/{sign_result(job_id, 0, SECRETS)}"
            async with session.get(link, headers={"Range": "bytes=0-3"}, allow_redirects=False) as answer:
                assert answer.status == 302, "compared before the first byte: the way leads to Kie's file"
            await keep_later(desk.pool, archive)
            s3.replace(f"shop/{job_id}/0.mp4", film[:-1] + b"?")
            with pytest.raises(aiohttp.ClientError):
                async with session.get(link) as answer:
                    await answer.read()


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data[:-1] + b"?"], ids=["short", "wrong"])
async def test_one_bad_read_condemns_no_copy(
    database: str, tmp_path: Path, s3: RunningS3, spoil: Callable[[bytes], bytes]
) -> None:
    async with delivery_desk(database, tmp_path / "desk") as desk, spoiled_way(s3, spoil) as url:
        with_archive(desk, archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path)))
        job_id = await desk.done_job(desk.files.add("film", video(), "video/mp4"))
        await desk.deliver()
        output = await only_output(desk.pool, job_id)
        archive = archive_of(desk.pool, tmp_path, places_of(url, tmp_path))
        copy = await archive.find(output)
        assert copy is not None
        async with archive.noticing_damage(output), copy.local() as path:
            assert path.read_bytes() == video()
        assert await only_output(desk.pool, job_id) == output


async def test_a_link_breaks_off_at_a_bad_read_and_works_the_next_time(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    async with delivery_desk(database, tmp_path / "desk") as desk, spoiled_way(s3, lambda data: b"?" + data[1:]) as url:
        with_archive(desk, archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path)))
        job_id = await desk.done_job(desk.files.add("film", video(), "video/mp4"))
        await desk.deliver()
        archive = archive_of(desk.pool, tmp_path, places_of(url, tmp_path))
        async with served(door_of(desk.pool, archive)) as address, aiohttp.ClientSession() as session:
            link = f"{address}/result/{sign_result(job_id, 0, SECRETS)}"
            with suppress(aiohttp.ClientError):
                async with session.get(link, allow_redirects=False) as answer:
                    assert await answer.read() != video()
            async with session.get(link, allow_redirects=False) as answer:
                assert await answer.read() == video()


async def test_the_same_bytes_written_again_while_they_are_read_are_read_on(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PIECE_BYTES", 65_536)
    film = video(padding=300_000)
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("film", film, "video/mp4"))
        await desk.deliver()
        archive, output = desk.coordinator.sender.archive, await only_output(desk.pool, job_id)
        for start in (0, 1):
            copy, read = await archive.find(output), b""
            assert copy is not None
            async with archive.noticing_damage(output):
                async for piece in copy.pieces(start=start):
                    if not read:
                        await copy.store.put_bytes(f"{job_id}/0.mp4", film, mime="video/mp4")
                    read += piece
            assert read == film[start:]
        assert await only_output(desk.pool, job_id) == output


async def test_the_sweep_keeps_a_damaged_copy_while_there_is_no_other(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    async with delivery_desk(database, tmp_path / "desk") as desk:
        archive = archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path))
        with_archive(desk, archive)
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        desk.files.files.clear()
        await record_damage(desk.pool, await only_output(desk.pool, job_id))
        await desk.pool.execute("UPDATE job_outputs SET keep_tries = $1, keep_at = NULL", MAX_TRIES)
        assert await sweep_in_two_days(desk.pool, archive.files.places) == 0
        assert s3.read(f"shop/{job_id}/0.png") == picture()


async def test_the_sweep_keeps_a_copy_while_the_one_the_row_names_is_damaged(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    async with delivery_desk(database, tmp_path / "results") as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        s3.replace(f"shop/{job_id}/0.png", picture())
        places = places_of(s3.url, tmp_path)
        named = tmp_path / f"results/{job_id}/0.png"
        named.write_bytes(picture()[:-1] + b"?")
        assert await sweep_in_two_days(desk.pool, places) == 0
        named.write_bytes(picture())
        assert await sweep_in_two_days(desk.pool, places) == 1


async def test_a_damaged_file_of_the_folder_is_not_given_out_either(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        (tmp_path / f"{job_id}/0.png").write_bytes(picture()[:-1] + b"?")
        async with (
            served(door_of(desk.pool, desk.coordinator.sender.archive)) as address,
            aiohttp.ClientSession() as session,
            session.get(f"{address}/result/{sign_result(job_id, 0, SECRETS)}", allow_redirects=False) as answer,
        ):
            assert answer.status == 302


async def test_a_copy_made_just_now_is_compared_at_every_use(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        (output,) = await outputs_of(desk.pool, job_id)
        _, copy = await desk.coordinator.sender.archive.ensure_copy(output)
        async with copy.local() as path:
            assert path.read_bytes() == picture()
        (tmp_path / f"{job_id}/0.png").write_bytes(picture()[:-1] + b"?")
        with pytest.raises(CopyLost):
            async with copy.local():
                raise AssertionError("a damaged file was opened")


@pytest.mark.parametrize(
    ("status", "code", "trouble"),
    [
        (403, "InvalidAccessKeyId", StoreTrouble.WRONG_KEYS),
        (403, "SignatureDoesNotMatch", StoreTrouble.WRONG_KEYS),
        (403, "AccessDenied", StoreTrouble.NOT_ALLOWED),
        (404, "NoSuchBucket", StoreTrouble.NO_BUCKET),
        (500, "InternalError", StoreTrouble.SERVER_ERROR),
    ],
)
async def test_what_is_wrong_is_said_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, code: str, trouble: StoreTrouble
) -> None:
    monkeypatch.setattr(store_module, "RETRIES", 0)
    async with answering(status, code) as url:
        with pytest.raises(StoreUnavailable) as caught:
            await places_of(url, tmp_path).current.put_bytes("1/0.png", b"x", mime="image/png")
    assert caught.value.trouble is trouble
    assert KEY_ID not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None, "a traceback shows no message of the library either"


async def test_a_machine_without_a_role_is_said_in_our_words_when_a_plain_url_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "RETRIES", 0)
    async with answering(500, "InternalError") as url:
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", url)
        store = FileStore(places_of(url, tmp_path).current.address, access=BucketAccess(endpoint=url))
        with pytest.raises(StoreUnavailable) as caught:
            await store.plain_url("1/0.png")
    assert KEY_ID not in str(caught.value)


def test_no_part_of_a_key_is_in_the_settings_as_text() -> None:
    settings = Settings(
        _env_file=None, aws_access_key_id=KEY_ID, aws_secret_access_key=SECRET, aws_session_token=SECRET
    )
    assert KEY_ID not in repr(settings)
    assert SECRET not in repr(settings)


async def test_a_store_that_does_not_answer_in_time_is_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "ANSWER_WITHIN_S", 0.2)
    async with answering(200, "", after_s=2) as url:
        with pytest.raises(StoreUnavailable) as caught:
            await places_of(url, tmp_path).current.find("1/0.png")
    assert caught.value.trouble is StoreTrouble.UNREACHABLE


async def test_a_bucket_of_another_installation_is_refused(database: str, tmp_path: Path, s3: RunningS3) -> None:
    s3.replace("shop/photomat-store.json", b'{"photomat": "somebody else"}\n')
    async with delivery_desk(database, tmp_path / "desk") as desk:
        archive = archive_of(desk.pool, tmp_path, places_of(s3.url, tmp_path))
        with_archive(desk, archive)
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert (s3.names(), len(files_in(tmp_path / "results"))) == (["shop/photomat-store.json"], 1)
        with pytest.raises(StoreUnavailable):
            await sweep_store(desk.pool, archive.files.places, archive.files.places.current)


async def test_retention_forgetting_and_the_sweep_delete_from_the_bucket(
    database: str, tmp_path: Path, s3: RunningS3
) -> None:
    async with delivery_desk(database, tmp_path / "desk") as desk:
        places = places_of(s3.url, tmp_path)
        with_archive(desk, archive_of(desk.pool, tmp_path, places))
        old = await desk.done_job(desk.files.add("film", video(), "video/mp4"))
        own = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        s3.replace(f"shop/{own}/1.png", b"left behind")
        s3.replace("shop/notes/of-the-operator.txt", b"not ours")
        swept = await sweep_store(desk.pool, places, places.current)
        assert swept.deleted == 0, "it may be one whose row is being written"
        monday = await sweep_in_two_days(desk.pool, places)
        assert monday == 1
        assert {f"shop/{old}/0.mp4", f"shop/{own}/0.png", "shop/notes/of-the-operator.txt"} <= set(s3.names())
        async with transaction(desk.pool) as tx:
            await shift_clock(tx, 86400)
        await OldCopies(places=places).delete(desk.pool, timedelta(hours=1), 10)
        assert f"shop/{old}/0.mp4" not in s3.names(), "Telegram has the same bytes"
        assert f"shop/{own}/0.png" in s3.names()
        await CopiesOfUser(places=places).delete(desk.pool, desk.user)
        assert s3.names() == ["shop/notes/of-the-operator.txt", "shop/photomat-store.json"]


async def test_the_sweep_deletes_an_incomplete_file_that_a_killed_process_left(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path / "desk") as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        places = desk.coordinator.sender.archive.files.places
        assert places.folder.folder is not None
        left = places.folder.folder / str(job_id) / ".0.png.0a1b2c3d.part"
        left.write_bytes(b"half of it")
        large = places.folder.folder / PARTS / f"{job_id}.0.0a1b2c3d"
        large.parent.mkdir()
        large.write_bytes(b"half of a film")
        assert (await sweep_store(desk.pool, places, places.current)).deleted == 0, "it may be written right now"
        assert await sweep_in_two_days(desk.pool, places) == 2
        assert [file.name for file in left.parent.iterdir()] == ["0.png"]
        assert not large.exists()


async def sweep_in_two_days(pool: Pool, places: ResultPlaces) -> int:
    with pytest.MonkeyPatch.context() as patch:
        now = epoch()
        patch.setattr(leftovers, "epoch", lambda: now + 2 * 86400)
        return (await sweep_store(pool, places, places.current)).deleted
