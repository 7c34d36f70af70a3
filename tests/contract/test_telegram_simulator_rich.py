"""The simulated Telegram keeps the rules of rich messages: text ↔ rich, many files on one message, and the way to media."""

import io
from typing import Any

import pytest
from aiogram import Bot
from aiogram.types import (
    BufferedInputFile,
    InputMediaAudio,
    InputMediaPhoto,
    InputRichBlockAudio,
    InputRichBlockParagraph,
    InputRichBlockPhoto,
    InputRichMessage,
    Message,
    RichBlockAudio,
    RichBlockCaption,
    RichBlockPhoto,
    RichTextBold,
)
from PIL import Image

from support.telegram_media import picture, running_files
from support.telegram_sim import running_telegram

MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + (b"\xff\xfb\x90\x00" + bytes(413)) * 40


def photo(source: Any, caption: str | None = None) -> InputRichBlockPhoto:
    words = RichBlockCaption(text=caption) if caption else None
    return InputRichBlockPhoto(photo=InputMediaPhoto(media=source), caption=words)


def paragraph(text: str) -> InputRichBlockParagraph:
    return InputRichBlockParagraph(text=[RichTextBold(text=text), "!"])


async def edited(bot: Bot, card: Message, *blocks: Any) -> Message:
    answer = await bot.edit_message_text(
        chat_id=card.chat.id, message_id=card.message_id, rich_message=InputRichMessage(blocks=list(blocks))
    )
    assert isinstance(answer, Message)
    return answer


async def refused(telegram: Any, card: Message, rich: dict[str, Any]) -> str:
    status, answer = await telegram.raw(
        "editMessageText", chat_id=card.chat.id, message_id=card.message_id, rich_message=rich
    )
    assert status == 400
    return str(answer["description"])


async def test_a_text_becomes_a_page_with_files_by_upload_and_by_address_and_a_text_again() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, running_files() as files:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        url = files.add("b.png", picture("blue"), "image/png")
        upload = BufferedInputFile(picture("red"), "a.png")
        page = await edited(bot, card, photo(upload, "первая"), photo(url), paragraph("Готово"))
        assert page.rich_message is not None
        assert [block.type for block in page.rich_message.blocks] == ["photo", "photo", "paragraph"]
        (seen,) = telegram.seen(anna)
        assert (seen["kind"], [block["type"] for block in seen["rich"]]) == ("rich", ["photo", "photo", "paragraph"])
        assert (seen["rich"][0]["text"], seen["rich"][2]["text"]) == ("первая", "Готово!")
        assert seen["rich"][2]["entities"] == [{"type": "bold", "offset": 0, "length": 6}]
        await bot.edit_message_text("снова текст", chat_id=anna.user_id, message_id=card.message_id)
        (seen,) = telegram.seen(anna)
        assert (seen["kind"], seen["text"], seen["rich"]) == ("text", "снова текст", None)


async def test_the_same_page_by_its_own_files_is_not_modified() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        card = await bot.send_message(telegram.person().user_id, "карточка")
        page = await edited(bot, card, photo(BufferedInputFile(picture(), "a.png")), paragraph("Готово"))
        assert page.rich_message is not None
        shown = page.rich_message.blocks[0]
        assert isinstance(shown, RichBlockPhoto)
        same: list[dict[str, Any]] = [{"type": "photo", "photo": {"type": "photo", "media": shown.photo[-1].file_id}}]
        same.append({"type": "paragraph", "text": [{"type": "bold", "text": "Готово"}, "!"]})
        assert "message is not modified" in await refused(telegram, card, {"blocks": same})


async def test_a_page_becomes_media_and_media_never_a_page() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        await edited(bot, card, paragraph("Готово"))
        media = InputMediaPhoto(media=BufferedInputFile(picture(), "a.png"), caption="фото")
        await bot.edit_message_media(media, chat_id=anna.user_id, message_id=card.message_id)
        (seen,) = telegram.seen(anna)
        assert (seen["kind"], seen["caption"], seen["rich"]) == ("photo", "фото", None)
        said = await refused(telegram, card, {"blocks": [{"type": "paragraph", "text": "x"}]})
        assert said == "Bad Request: there is no text in the message to edit"


@pytest.mark.parametrize(
    ("rich", "reason"),
    [
        ({"blocks": [{"type": "paragraph", "text": "щ" * 32_769}]}, "message is too long"),
        ({"blocks": [{"type": "photo", "photo": {"media": "x"}}] * 51}, "too many media"),
        ({"blocks": [{"type": "divider"}] * 501}, "too many blocks"),
        ({"blocks": [{"type": "sticker"}]}, 'type "sticker" is unsupported'),
        ({"blocks": [], "html": ""}, "exactly one of the fields"),
        ({"blocks": [{"type": "photo", "photo": {"media": "https://127.0.0.1:1/x.png"}}]}, "HTTP URL"),
    ],
    ids=["too long", "too many files", "too many blocks", "an unknown block", "nothing", "a file that is not there"],
)
async def test_what_breaks_the_rules_is_refused_and_changes_nothing(rich: dict[str, Any], reason: str) -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        assert reason in await refused(telegram, card, rich)
        assert [message["text"] for message in telegram.seen(anna)] == ["карточка"]


async def test_music_has_its_title_and_a_small_picture_that_keeps_the_rules() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        for side, kept in ((320, True), (321, False)):
            song = InputMediaAudio(
                media=BufferedInputFile(MP3, "s.mp3"),
                thumbnail=BufferedInputFile(_jpeg(side), "c.jpg"),
                title="Дорога",
                performer="Suno",
            )
            page = await edited(bot, card, InputRichBlockAudio(audio=song))
            assert page.rich_message is not None
            shown = page.rich_message.blocks[0]
            assert isinstance(shown, RichBlockAudio)
            told = shown.audio
            assert (told.title, told.performer, told.thumbnail is not None) == ("Дорога", "Suno", kept)


def _jpeg(side: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(buffer, "JPEG")
    return buffer.getvalue()
