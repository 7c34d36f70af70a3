"""The simulated Telegram refuses wrong files and albums, and quotes, in the words of the official server and of TDLib."""

from typing import Any

import pytest
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import BufferedInputFile, ReplyParameters

from support.telegram_media import picture, video
from support.telegram_sim import RunningTelegram, running_telegram

WRONG_IDS = {
    "AgACAgIAA": "Wrong string length",
    "AgACAgI!": "Wrong character in the string",
    "Привет": "Wrong character in the string",
    "AgACAgJ": "Wrong padding in the string",
    "AgACAgIAAx===": "Wrong string padding",
    "AgACAgIA=": "Wrong padding length",
    "AgACAgIAAxkB": "can't unserialize it. Wrong last symbol",
    "AgACAgIAAxkE": "can't unserialize it",
}


async def _files(telegram: RunningTelegram) -> dict[str, str]:
    """Send one file of each kind an album can have; return their ids."""
    anna = telegram.person()
    async with telegram.bot() as bot:
        photo = await bot.send_photo(anna.user_id, BufferedInputFile(picture(), "a.png"))
        clip = await bot.send_video(anna.user_id, BufferedInputFile(video(), "a.mp4"))
        sound = await bot.send_audio(anna.user_id, BufferedInputFile(b"ID3" + bytes(50), "a.mp3"))
        paper = await bot.send_document(anna.user_id, BufferedInputFile(b"%PDF-1.4", "a.pdf"))
    assert photo.photo
    assert clip.video
    assert sound.audio
    assert paper.document
    return {
        "photo": photo.photo[-1].file_id,
        "video": clip.video.file_id,
        "audio": sound.audio.file_id,
        "document": paper.document.file_id,
    }


@pytest.mark.parametrize("file_id", WRONG_IDS)
async def test_what_is_no_file_id_is_refused_in_the_words_of_tdlib(file_id: str) -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()
        refusal = f"Bad Request: wrong remote file identifier specified: {WRONG_IDS[file_id]}"
        _, sent = await telegram.raw("sendPhoto", chat_id=anna.user_id, photo=file_id)
        album = [{"type": "photo", "media": file_id}] * 2
        _, grouped = await telegram.raw("sendMediaGroup", chat_id=anna.user_id, media=album)
        _, asked = await telegram.raw("getFile", file_id=file_id)
        assert (sent["description"], grouped["description"]) == (refusal, refusal)
        assert asked["description"] == "Bad Request: invalid file_id"


@pytest.mark.parametrize(
    ("kinds", "refusal"),
    [
        (("photo", "document"), "document can't be mixed with other media types"),
        (("document", "video"), "document can't be mixed with other media types"),
        (("photo", "audio"), "audio can't be mixed with other media types"),
        (("photo", "sticker"), 'can\'t parse InputMedia: type "sticker" is unsupported'),
        (("photo", "animation"), "can't parse InputMedia: type \"animation\" can't be used in sendMediaGroup"),
    ],
)
async def test_an_album_of_kinds_that_do_not_go_together_is_refused(kinds: tuple[str, ...], refusal: str) -> None:
    async with running_telegram() as telegram:
        files = await _files(telegram)
        media = [{"type": kind, "media": files.get(kind, files["photo"])} for kind in kinds]
        person = next(iter(telegram.world.people))
        status, answer = await telegram.raw("sendMediaGroup", chat_id=person, media=media)
        assert (status, answer["description"]) == (400, f"Bad Request: {refusal}")


async def test_photos_and_videos_make_an_album_and_captions_stand_on_one_side() -> None:
    async with running_telegram() as telegram:
        files = await _files(telegram)
        person = next(iter(telegram.world.people))
        mixed: list[dict[str, Any]] = [{"type": kind, "media": files[kind]} for kind in ("photo", "video")]
        assert (await telegram.raw("sendMediaGroup", chat_id=person, media=mixed))[0] == 200
        mixed[1]["show_caption_above_media"] = True
        _, answer = await telegram.raw("sendMediaGroup", chat_id=person, media=mixed)
        same = "Bad Request: parameter show_caption_above_media must be the same for all messages"
        assert answer["description"] == same


async def test_a_file_that_is_named_and_not_sent_is_refused() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()
        item = {"type": "photo", "media": "attach://nothing"}
        _, album = await telegram.raw("sendMediaGroup", chat_id=anna.user_id, media=[item, item])
        _, alone = await telegram.raw("sendPhoto", chat_id=anna.user_id, photo="attach://nothing")
        assert album["description"] == "Bad Request: can't parse InputMedia: media not found"
        assert alone["description"] == "Bad Request: there is no photo in the request"


async def test_an_item_of_an_album_keeps_its_kind() -> None:
    async with running_telegram() as telegram:
        files = await _files(telegram)
        person = next(iter(telegram.world.people))
        papers = [{"type": "document", "media": files["document"]}] * 2
        _, sent = await telegram.raw("sendMediaGroup", chat_id=person, media=papers)
        place = {"chat_id": person, "message_id": sent["result"][0]["message_id"]}
        _, photo = await telegram.raw("editMessageMedia", **place, media={"type": "photo", "media": files["photo"]})
        moving = {"type": "animation", "media": files["video"]}
        _, animation = await telegram.raw("editMessageMedia", **place, media=moving)
        assert photo["description"] == "Bad Request: can't change media type in the album"
        assert animation["description"] == "Bad Request: message content type can't be used in an album"


async def test_a_text_file_has_the_type_of_its_name() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for name, kind in (
            ("a.txt", "text/plain"),
            ("a.json", "application/json"),
            ("a.bin", "application/octet-stream"),
        ):
            sent = await bot.send_document(anna.user_id, BufferedInputFile("Привет".encode(), name))
            assert sent.document is not None
            assert (sent.document.mime_type, sent.document.file_name) == (kind, name)


async def test_a_reply_quotes_a_part_of_the_message_exactly() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "🎨 кот и <b>ещё</b> один кот", parse_mode="HTML")

        async def reply(quote: str, **more: Any) -> Any:
            to = ReplyParameters(message_id=card.message_id, quote=quote, **more)
            return (await bot.send_message(anna.user_id, "ответ", reply_parameters=to)).quote

        first = await reply("кот")
        assert (first.text, first.position, first.is_manual) == ("кот", 3, True)
        assert (await reply("кот", quote_position=15)).position == 18
        bold = await reply("и <b>ещё</b>", quote_parse_mode="HTML")
        assert [(entity.type, entity.offset) for entity in bold.entities] == [("bold", 2)]
        for wrong in ("собака", "и ещё"):
            with pytest.raises(TelegramBadRequest, match="QUOTE_TEXT_INVALID"):
                await reply(wrong)
        answer = await bot.send_message(
            anna.user_id, "без", reply_parameters=ReplyParameters(message_id=card.message_id)
        )
        assert answer.quote is None
        assert answer.reply_to_message is not None
