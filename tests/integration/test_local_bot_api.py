"""A local Bot API server: files far beyond the cloud's limits come in and go out, streamed, and the words name its limits."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from aiohttp import web

from photomat.catalog.answers import Refused
from photomat.catalog.input import FileLimits, Input
from photomat.files.accept import accept_file
from photomat.files.file import FromTelegram, InputFile
from photomat.files.sources import FileLost
from photomat.kernel.errors import Transient
from photomat.telegram.files import BotFiles
from photomat.texts.load import load_texts
from photomat_sandbox.telegram.file_on_disk import content_at
from support import media_bytes as made
from support.delivery import delivery_desk
from support.files import Sender, a_sender
from support.telegram_sim import served

MIB: Final = 2**20
VIDEO: Final = Input(name="video", type="file", required=True, files=FileLimits(kind="video", max_bytes=2000 * MIB))
MOST_MEMORY: Final = 150 * MIB


def sparse_film(path: Path, size_bytes: int) -> str:
    """A film of this size whose pictures are a hole; gives its hash."""
    small = made.film(padding=0)
    at = small.index(b"mdat") - 4
    with path.open("wb") as file:
        file.write(small[:at] + (size_bytes - len(small) + 8).to_bytes(4, "big") + b"mdat")
        file.truncate(size_bytes - len(small) + at + 8)
        file.seek(0, 2)
        file.write(small[at + 8 :])
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def given(sender: Sender, path: Path) -> InputFile | Refused:
    content = await asyncio.to_thread(content_at, path)
    message = await sender.sends(content, "video", "a.mp4")
    assert message.video is not None
    return await accept_file(
        sender.desk,
        user_id=sender.user_id,
        origin="a",
        source=FromTelegram(message.video.file_id),
        asked=VIDEO,
        declared_bytes=message.video.file_size,
    )


@asynccontextmanager
async def one_file(path: Path) -> AsyncIterator[str]:
    async def give(_request: web.Request) -> web.StreamResponse:
        return web.FileResponse(path, headers={"Content-Type": "video/mp4"})

    app = web.Application()
    app.router.add_get("/a.mp4", give)
    async with served(app) as url:
        yield f"{url}/a.mp4"


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def comes_in(database: str, tmp_path: Path, size_bytes: int) -> None:
    film = tmp_path / "film.mp4"
    sha256 = await asyncio.to_thread(sparse_film, film, size_bytes)
    async with a_sender(database, tmp_path / "data", local_dir=tmp_path / "bot-api") as sender:
        before = resident_bytes()
        forget_peak()
        file = await given(sender, film)
        assert isinstance(file, InputFile)
        assert file.content.sha256 == sha256
        assert peak_bytes() - before < MOST_MEMORY


async def goes_out(database: str, tmp_path: Path, size_bytes: int) -> None:
    film, results = tmp_path / "film.mp4", tmp_path / "results"
    sha256 = await asyncio.to_thread(sparse_film, film, size_bytes)
    async with delivery_desk(database, results, local_dir=tmp_path / "bot-api") as desk, one_file(film) as url:
        before = resident_bytes()
        forget_peak()
        job_id = await desk.done_job(url)
        await desk.deliver()
        assert await desk.delivered(job_id)
        (card,) = desk.seen()
        assert card["kind"] == "video"
        assert card["media"]["source_sha256"] == sha256
        assert peak_bytes() - before < MOST_MEMORY


async def test_a_video_of_60_mb_comes_in(database: str, tmp_path: Path) -> None:
    await comes_in(database, tmp_path, 60 * MIB)


async def test_a_video_of_60_mb_goes_out(database: str, tmp_path: Path) -> None:
    await goes_out(database, tmp_path, 60 * MIB)


@pytest.mark.prove
@pytest.mark.parametrize("way", [comes_in, goes_out])
async def test_a_video_of_1900_mb_takes_little_memory(
    database: str, tmp_path: Path, way: Callable[[str, Path, int], Awaitable[None]]
) -> None:
    await way(database, tmp_path, 1900 * MIB)


async def test_the_cloud_gives_out_no_such_file_and_the_customer_reads_its_limit(database: str, tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    await asyncio.to_thread(sparse_film, film, 60 * MIB)
    async with a_sender(database, tmp_path / "data") as sender:
        refused = await given(sender, film)
        assert isinstance(refused, Refused)
        assert (refused.key, refused.facts["limit"]) == ("file-beyond-telegram", 20)


async def test_the_cloud_takes_no_such_file_and_the_customer_reads_its_limit(database: str, tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    await asyncio.to_thread(sparse_film, film, 60 * MIB)
    async with delivery_desk(database, tmp_path / "results") as desk, one_file(film) as url:
        await desk.done_job(url)
        await desk.deliver()
        (card,) = desk.seen()
        assert card["kind"] == "text"
        assert load_texts().say("ru", "why-file-too-big", photo_mb=10, file_mb=50) in card["text"]


async def test_a_link_to_a_secret_is_a_lost_file_and_a_missing_mount_is_tried_again(
    database: str, tmp_path: Path
) -> None:
    film = tmp_path / "film.mp4"
    await asyncio.to_thread(sparse_film, film, MIB)
    async with a_sender(database, tmp_path / "data", local_dir=tmp_path / "bot-api") as sender:
        message = await sender.sends(film.read_bytes(), "video", "a.mp4")
        assert message.video is not None
        named = (await sender.bot.get_file(message.video.file_id)).file_path
        replace_by_link(Path(named or ""), film)
        with pytest.raises(FileLost):
            async with sender.desk.opened(FromTelegram(message.video.file_id), user_id=sender.user_id, most_bytes=MIB):
                pass
        sender.telegram.world.local_dir = tmp_path / "another-server"
        replace_by_link(Path(named or ""), None)
        with pytest.raises(Transient) as trouble:
            async with BotFiles(sender.bot).opened(message.video.file_id):
                pass
        assert sender.bot.token not in str(trouble.value)


def replace_by_link(path: Path, target: Path | None) -> None:
    path.unlink()
    if target is not None:
        path.symlink_to(target)
