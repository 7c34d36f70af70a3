"""The simulated Telegram keeps the rules of edits, on which delivery exactly once rests."""

import asyncio
from typing import Any

import pytest
from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import (
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaAudio,
    InputMediaPhoto,
    InputMediaVideo,
    KeyboardButton,
    Message,
    ReplyKeyboardMarkup,
)

from support.telegram_media import picture, running_files, video
from support.telegram_sim import ShiftedClock, outcome_of, running_telegram, until

BUTTON = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="Создать", callback_data="create")]])


async def test_a_text_is_edited_in_place_and_loses_buttons_that_are_not_repeated() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка", reply_markup=BUTTON)
        clock.advance(5)
        edited = await bot.edit_message_text("в работе", chat_id=anna.user_id, message_id=card.message_id)
        assert isinstance(edited, Message)
        assert (edited.text, edited.reply_markup) == ("в работе", None)
        assert edited.edit_date == int(clock())
        assert edited.date == card.date
        assert [message["text"] for message in telegram.seen(anna)] == ["в работе"]


async def test_the_same_edit_twice_is_not_modified_but_other_buttons_are() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "<b>карточка</b>", parse_mode="HTML", reply_markup=BUTTON)
        same: dict[str, Any] = {"chat_id": anna.user_id, "message_id": card.message_id, "text": "карточка"}
        entities = [{"type": "bold", "offset": 0, "length": 8}]
        status, answer = await telegram.raw(
            "editMessageText", **same, entities=entities, reply_markup=BUTTON.model_dump(exclude_none=True)
        )
        assert status == 400
        assert answer["description"] == (
            "Bad Request: message is not modified: specified new message content and reply markup are exactly"
            " the same as a current content and reply markup of the message"
        )
        status, _ = await telegram.raw("editMessageText", **same, entities=entities)
        assert status == 200
        status, _ = await telegram.raw("editMessageText", **same)
        assert status == 200


async def test_a_card_becomes_a_photo_by_bytes_and_stays_where_it_is() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка", reply_markup=BUTTON)
        await bot.send_message(anna.user_id, "ниже")
        shown = await edit_photo(bot, card, BufferedInputFile(picture(), "a.png"), caption="готово")
        assert shown.photo is not None
        assert (shown.photo[-1].width, shown.photo[-1].height) == (640, 480)
        assert (shown.text, shown.caption) == (None, "готово")
        assert [message["kind"] for message in telegram.seen(anna)] == ["photo", "text"]
        assert "message 1 edited: text → photo" in [event.summary for event in telegram.transcript.since(0)]


async def test_the_same_bytes_again_are_a_new_edit_but_the_same_file_id_is_not() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        first = await edit_photo(bot, card, BufferedInputFile(picture(), "a.png"))
        second = await edit_photo(bot, card, BufferedInputFile(picture(), "a.png"))
        assert first.photo is not None
        assert second.photo is not None
        assert first.photo[-1].file_unique_id != second.photo[-1].file_unique_id
        with pytest.raises(TelegramBadRequest, match="message is not modified"):
            await edit_photo(bot, card, second.photo[-1].file_id)
        back = await edit_photo(bot, card, first.photo[0].file_id)
        assert back.photo is not None
        assert back.photo[-1].file_unique_id == first.photo[-1].file_unique_id


async def test_a_card_becomes_a_video_by_url_and_the_same_url_again_is_not_modified() -> None:
    async with running_files() as files, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        url = files.add("clip.mp4", video(width=640, height=360, seconds=5), "video/mp4")
        shown = await bot.edit_message_media(
            InputMediaVideo(media=url), chat_id=anna.user_id, message_id=card.message_id
        )
        assert isinstance(shown, Message)
        assert shown.video is not None
        assert (shown.video.width, shown.video.height, shown.video.duration) == (640, 360, 5)
        with pytest.raises(TelegramBadRequest, match="message is not modified"):
            await bot.edit_message_media(InputMediaVideo(media=url), chat_id=anna.user_id, message_id=card.message_id)
        assert files.asked == ["clip.mp4"]


async def test_media_never_becomes_text_again() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        with pytest.raises(TelegramBadRequest, match="there is no caption in the message to edit"):
            await bot.edit_message_caption(chat_id=anna.user_id, message_id=card.message_id, caption="a")
        await edit_photo(bot, card, BufferedInputFile(picture(), "a.png"))
        with pytest.raises(TelegramBadRequest, match="there is no text in the message to edit"):
            await bot.edit_message_text("текст", chat_id=anna.user_id, message_id=card.message_id)
        probe = await bot.edit_message_reply_markup(
            chat_id=anna.user_id, message_id=card.message_id, reply_markup=BUTTON
        )
        assert isinstance(probe, Message)
        assert probe.photo
        assert telegram.seen(anna)[0]["kind"] == "photo"


async def test_what_cannot_be_edited_says_so() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        theirs = telegram.writes(anna, "/start")
        keys = ReplyKeyboardMarkup(keyboard=[[KeyboardButton(text="Меню")]], resize_keyboard=True)
        with_keys = await bot.send_message(anna.user_id, "меню", reply_markup=keys)
        forwarded = await bot.forward_message(anna.user_id, anna.user_id, theirs.message_id)
        for message_id in (theirs.message_id, with_keys.message_id, forwarded.message_id):
            with pytest.raises(TelegramBadRequest, match="message can't be edited"):
                await bot.edit_message_text("x", chat_id=anna.user_id, message_id=message_id)
        with pytest.raises(TelegramBadRequest, match="message to edit not found"):
            await bot.edit_message_text("x", chat_id=anna.user_id, message_id=999)
        voice = await bot.send_voice(anna.user_id, BufferedInputFile(b"OggS" + bytes(60), "v.ogg"))
        with pytest.raises(TelegramBadRequest, match="message media can't be edited"):
            await edit_photo(bot, voice, BufferedInputFile(picture(), "a.png"))
        status, answer = await telegram.raw(
            "editMessageMedia", chat_id=anna.user_id, message_id=1, media={"type": "voice", "media": "x"}
        )
        assert status == 400
        assert answer["description"] == 'Bad Request: can\'t parse InputMedia: type "voice" is unsupported'


async def test_an_edit_of_a_message_deleted_for_both_fails_and_for_self_succeeds_unseen() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        both = await bot.send_message(anna.user_id, "для обоих")
        self_only = await bot.send_message(anna.user_id, "у себя")
        telegram.deletes(anna, both.message_id, for_both=True)
        telegram.deletes(anna, self_only.message_id, for_both=False)
        with pytest.raises(TelegramBadRequest, match="message to edit not found"):
            await edit_photo(bot, both, BufferedInputFile(picture(), "a.png"))
        await edit_photo(bot, self_only, BufferedInputFile(picture(), "a.png"))
        assert telegram.seen(anna) == []


async def test_a_newer_media_edit_cancels_the_older_one() -> None:
    async with running_files() as files, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        slow = files.add("slow.png", picture("blue"), "image/png")
        files.pause.clear()
        async with asyncio.TaskGroup() as group:
            older = group.create_task(outcome_of(edit_photo(bot, card, slow)))
            await until(lambda: files.asked)
            newer = await edit_photo(bot, card, BufferedInputFile(picture(), "a.png"), caption="новее")
            files.pause.set()
        assert "canceled by new edit message request" in str(older.result())
        assert newer.caption == "новее"
        assert telegram.seen(anna)[0]["caption"] == "новее"


async def test_an_edit_goes_through_while_the_bot_is_blocked() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        telegram.blocks(anna)
        await edit_photo(bot, card, BufferedInputFile(picture(), "a.png"))
        assert telegram.seen(anna)[0]["kind"] == "photo"


async def test_audio_can_stand_in_a_card_and_its_caption_can_change() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        song = InputMediaAudio(
            media=BufferedInputFile(b"ID3" + bytes(500), "song.mp3"), title="Песня", duration=12, caption="v1"
        )
        shown = await bot.edit_message_media(song, chat_id=anna.user_id, message_id=card.message_id)
        assert isinstance(shown, Message)
        assert shown.audio is not None
        assert (shown.audio.title, shown.audio.duration, shown.audio.file_name) == ("Песня", 12, "song.mp3")
        await bot.edit_message_caption(chat_id=anna.user_id, message_id=card.message_id, caption="v2")
        assert telegram.seen(anna)[0]["caption"] == "v2"
        with pytest.raises(TelegramBadRequest, match="MEDIA_CAPTION_TOO_LONG"):
            await bot.edit_message_caption(chat_id=anna.user_id, message_id=card.message_id, caption="я" * 1025)


async def edit_photo(
    bot: Bot, card: Message, source: BufferedInputFile | str, *, caption: str | None = None
) -> Message:
    edited = await bot.edit_message_media(
        InputMediaPhoto(media=source, caption=caption), chat_id=card.chat.id, message_id=card.message_id
    )
    assert isinstance(edited, Message)
    return edited
