"""The simulated Bot API server in local mode, and the bot's picture: as tdlib/telegram-bot-api does it."""

from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import BufferedInputFile, InputProfilePhotoStatic
from aiohttp import ClientSession, FormData

from photomat_sandbox.telegram.file_on_disk import content_at, sha256_of
from support.telegram_media import picture, video
from support.telegram_sim import running_telegram

MIB = 2**20


async def test_local_mode_names_absolute_paths_and_takes_files_of_its_own_disk(tmp_path: Path) -> None:
    film = video(padding=21 * MIB)
    (tmp_path / "own.mp4").write_bytes(film)
    async with running_telegram(local_dir=tmp_path / "server") as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for source in (BufferedInputFile(film, filename="a.mp4"), f"file://{tmp_path}/own.mp4"):
            sent = await bot.send_video(anna.user_id, source)
            assert sent.video is not None
            path = (await bot.get_file(sent.video.file_id)).file_path or ""
            assert path.startswith(f"{tmp_path}/server/{bot.token}/videos/")
            assert content_at(Path(path)) == film
        await bot.set_webhook("http://127.0.0.1:12345/hook", max_connections=100_000)
        assert (await bot.get_webhook_info()).max_connections == 100_000


async def test_a_large_file_of_a_person_outlives_its_request(tmp_path: Path) -> None:
    film = video(padding=40 * MIB)
    async with running_telegram(local_dir=tmp_path) as telegram, telegram.bot() as bot, ClientSession() as session:
        form = FormData({"kind": "video"})
        form.add_field("file", BytesIO(film), filename="a.mp4")
        url = f"{telegram.url}/sandbox/chats/{telegram.person().user_id}/file"
        async with session.post(url, data=form) as answer:
            assert answer.status == 200
        (update,) = await bot.get_updates()
        assert update.message is not None
        assert update.message.video is not None
        path = (await bot.get_file(update.message.video.file_id)).file_path or ""
        content = content_at(Path(path))
        assert not isinstance(content, bytes)
        assert sha256_of(content) == sha256(film).hexdigest()


async def test_the_cloud_refuses_all_of_that(tmp_path: Path) -> None:
    (tmp_path / "own.mp4").write_bytes(video())
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        sent = await bot.send_video(anna.user_id, BufferedInputFile(video(padding=21 * MIB), filename="a.mp4"))
        assert sent.video is not None
        with pytest.raises(TelegramBadRequest, match="file is too big"):
            await bot.get_file(sent.video.file_id)
        with pytest.raises(TelegramBadRequest, match="invalid file HTTP URL specified"):
            await bot.send_video(anna.user_id, f"file://{tmp_path}/own.mp4")
        await bot.set_webhook("https://shop.example/hook", max_connections=100_000)
        assert (await bot.get_webhook_info()).max_connections == 100


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (picture(form="PNG"), "PHOTO_EXT_INVALID"),
        (picture(width=100, height=100, form="JPEG"), "PHOTO_CROP_SIZE_SMALL"),
        (b"no picture", "IMAGE_PROCESS_FAILED"),
    ],
)
async def test_a_picture_of_the_bot_is_a_jpeg_of_160_pixels_or_more(data: bytes, refusal: str) -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        good = BufferedInputFile(picture(form="JPEG"), filename="a.jpg")
        assert await bot.set_my_profile_photo(InputProfilePhotoStatic(photo=good))
        with pytest.raises(TelegramBadRequest, match=refusal):
            await bot.set_my_profile_photo(InputProfilePhotoStatic(photo=BufferedInputFile(data, filename="a.jpg")))
        assert await bot.remove_my_profile_photo()
        status, answer = await telegram.raw("setMyProfilePhoto", photo={"type": "static", "photo": "AgAC"})
        assert (status, answer["description"]) == (400, "Bad Request: photo must be uploaded as a file")
