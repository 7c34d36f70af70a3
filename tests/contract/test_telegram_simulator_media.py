"""The simulated Telegram takes media by bytes, by URL and by file id, within its limits."""

import pytest
from aiogram.exceptions import TelegramBadRequest, TelegramEntityTooLarge
from aiogram.types import (
    BufferedInputFile,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
    Message,
)

from support.telegram_media import picture, running_files, video
from support.telegram_sim import ShiftedClock, running_telegram

MEGABYTE = 1024 * 1024


async def test_a_photo_by_url_is_fetched_for_real_and_comes_in_several_sizes() -> None:
    async with running_files() as files, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        url = files.add("a.jpg", picture(width=1000, height=500, form="JPEG"), "image/jpeg")
        sent = await bot.send_photo(anna.user_id, url, caption="из сети")
        assert sent.photo is not None
        assert [size.width for size in sent.photo] == [90, 320, 800, 1000]
        assert files.asked == ["a.jpg"]


async def test_a_failed_url_stays_failed_for_days_but_a_new_address_works() -> None:
    clock = ShiftedClock()
    async with running_files() as files, running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        url = f"{files.url}/late.png"
        with pytest.raises(TelegramBadRequest, match="failed to get HTTP URL content"):
            await bot.send_photo(anna.user_id, url)
        files.add("late.png", picture(), "image/png")
        with pytest.raises(TelegramBadRequest, match="failed to get HTTP URL content"):
            await bot.send_photo(anna.user_id, url)
        assert (await bot.send_photo(anna.user_id, f"{url}?again=1")).photo
        clock.advance(4 * 86400)
        assert (await bot.send_photo(anna.user_id, url)).photo


async def test_urls_of_the_wrong_type_size_or_shape_are_refused() -> None:
    async with running_files() as files, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        page = files.add("page", b"<html>", "text/html")
        big = files.add("big.jpg", picture(form="JPEG") + bytes(5 * MEGABYTE), "image/jpeg")
        long = files.add("long.png", picture(width=2100, height=100), "image/png")
        clip = files.add("clip.mp4", video(padding=20 * MEGABYTE), "video/mp4")
        for url, why in (
            (page, "wrong type of the web page content"),
            (big, "failed to get HTTP URL content"),
            (long, "failed to get HTTP URL content"),
            ("https://nowhere/x.png", "wrong HTTP URL specified"),
            ("http://127.0.0.1:1/x.png", "failed to get HTTP URL content"),
            ("ftp://example.org/x.png", "invalid file HTTP URL specified: Unsupported URL protocol"),
        ):
            with pytest.raises(TelegramBadRequest, match=why):
                await bot.send_photo(anna.user_id, url)
        with pytest.raises(TelegramBadRequest, match="failed to get HTTP URL content"):
            await bot.send_video(anna.user_id, clip)
        with pytest.raises(TelegramBadRequest, match="wrong type of the web page content"):
            await bot.send_document(anna.user_id, files.add("a.png", picture(), "image/png"))
        assert (await bot.send_document(anna.user_id, files.add("a.pdf", b"%PDF-1.7", "application/pdf"))).document
        assert telegram.seen(anna)[0]["media"]["file_name"] == "a.pdf"
        assert len(telegram.seen(anna)) == 1


async def test_uploaded_photos_obey_the_rules_of_shape_and_size() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for data, why in (
            (picture(width=2100, height=100), "PHOTO_INVALID_DIMENSIONS"),
            (picture(width=6000, height=4001, form="JPEG"), "PHOTO_INVALID_DIMENSIONS"),
            (b"not a picture", "IMAGE_PROCESS_FAILED"),
            (picture(form="JPEG") + bytes(10 * MEGABYTE), "is too big for a photo; the maximum size is 10485760 bytes"),
        ):
            with pytest.raises(TelegramBadRequest, match=why):
                await bot.send_photo(anna.user_id, BufferedInputFile(data, "a.png"))
        with pytest.raises(TelegramBadRequest, match="file must be non-empty"):
            await bot.send_document(anna.user_id, BufferedInputFile(b"", "empty.txt"))
        with pytest.raises(TelegramEntityTooLarge):
            await bot.send_document(anna.user_id, BufferedInputFile(bytes(50 * MEGABYTE + 1), "big.bin"))
        status, answer = await telegram.raw("sendPhoto", chat_id=anna.user_id)
        assert (status, answer["description"]) == (400, "Bad Request: there is no photo in the request")
        assert telegram.seen(anna) == []


async def test_a_file_id_works_again_but_not_as_another_type_nor_for_another_bot() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        photo = await bot.send_photo(anna.user_id, BufferedInputFile(picture(), "a.png"))
        clip = await bot.send_video(anna.user_id, BufferedInputFile(video(), "a.mp4"))
        assert photo.photo is not None
        assert clip.video is not None
        again = await bot.send_photo(anna.user_id, photo.photo[0].file_id)
        assert again.photo == photo.photo
        assert (await bot.send_document(anna.user_id, clip.video.file_id)).video == clip.video
        with pytest.raises(TelegramBadRequest, match="can't use file of type Video as Photo"):
            await bot.send_photo(anna.user_id, clip.video.file_id)
        with pytest.raises(TelegramBadRequest, match="can't use file of type Photo as Document"):
            await bot.send_document(anna.user_id, photo.photo[0].file_id)
        with pytest.raises(TelegramBadRequest, match="wrong remote file identifier specified"):
            await bot.send_photo(anna.user_id, "garbage")
    async with running_telegram(token="42:another") as other, other.bot() as bot:
        boris = other.person("Борис")
        mine = await bot.send_photo(boris.user_id, BufferedInputFile(picture(), "b.png"))
        with pytest.raises(TelegramBadRequest, match="wrong file identifier/HTTP URL specified"):
            await bot.send_photo(boris.user_id, photo.photo[0].file_id)
        with pytest.raises(TelegramBadRequest, match="MEDIA_EMPTY"):
            await bot.edit_message_media(
                InputMediaPhoto(media=photo.photo[0].file_id),
                chat_id=boris.user_id,
                message_id=mine.message_id,
            )


async def test_a_file_can_be_fetched_for_an_hour_and_up_to_20_megabytes() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        data = bytes(range(256)) * 40
        sent = await bot.send_document(anna.user_id, BufferedInputFile(data, "данные.bin"))
        assert sent.document is not None
        assert (sent.document.file_name, sent.document.file_size) == ("данные.bin", len(data))
        file = await bot.get_file(sent.document.file_id)
        assert file.file_path is not None
        fetched = await bot.download_file(file.file_path)
        assert fetched is not None
        assert fetched.read() == data
        big = await bot.send_document(anna.user_id, BufferedInputFile(bytes(20 * MEGABYTE + 1), "big.bin"))
        assert big.document is not None
        with pytest.raises(TelegramBadRequest, match="file is too big"):
            await bot.get_file(big.document.file_id)
        with pytest.raises(TelegramBadRequest, match="invalid file_id"):
            await bot.get_file("garbage")
        clock.advance(3601)
        with pytest.raises(Exception, match="404"):
            await bot.download_file(file.file_path)


async def test_a_smaller_size_of_a_photo_can_be_fetched_too() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        sent = await bot.send_photo(anna.user_id, BufferedInputFile(picture(), "a.png"))
        assert sent.photo is not None
        fetched = await bot.download(sent.photo[0])
        assert fetched is not None
        assert fetched.read(3) == b"\xff\xd8\xff"


async def test_an_album_appears_whole_or_not_at_all() -> None:
    async with running_files() as files, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        good = BufferedInputFile(picture(), "a.png")
        clip = files.add("clip.mp4", video(), "video/mp4")
        sent = await bot.send_media_group(
            anna.user_id, [InputMediaPhoto(media=good, caption="альбом"), InputMediaVideo(media=clip)]
        )
        assert [type(message) for message in sent] == [Message, Message]
        assert sent[0].media_group_id == sent[1].media_group_id is not None
        assert sent[0].caption == "альбом"
        with pytest.raises(TelegramBadRequest, match="failed to send message #2 with the error message"):
            await bot.send_media_group(
                anna.user_id,
                [InputMediaPhoto(media=good), InputMediaPhoto(media=f"{files.url}/missing.png")],
            )
        with pytest.raises(TelegramBadRequest, match="document can't be mixed with other media types"):
            await bot.send_media_group(anna.user_id, [InputMediaPhoto(media=good), InputMediaDocument(media=good)])
        with pytest.raises(TelegramBadRequest, match="too many messages to send as an album"):
            await bot.send_media_group(anna.user_id, [InputMediaAudio(media="x")] * 11)
        assert len(telegram.seen(anna)) == 2
