"""The chat page shows every kind of result a bot can bring: music with its cover, films, files, albums, rich messages."""

from typing import Any

from aiogram.types import (
    BufferedInputFile,
    InputMediaAudio,
    InputMediaPhoto,
    InputRichBlockAudio,
    InputRichBlockParagraph,
    InputRichBlockPhoto,
    InputRichMessage,
    RichBlockCaption,
    RichTextBold,
)
from playwright.async_api import expect

from support.chat_page import bubble, chat, picture
from support.telegram_media import picture as drawn
from support.telegram_media import video

MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + (b"\xff\xfb\x90\x00" + bytes(413)) * 200


def song(title: str) -> dict[str, Any]:
    cover = BufferedInputFile(drawn("purple", width=300, height=300, form="JPEG"), "cover.jpg")
    return {"title": title, "performer": "Suno V5", "thumbnail": cover}


async def test_music_shows_its_title_its_maker_and_its_cover() -> None:
    async with chat() as (telegram, page, anna), telegram.bot() as bot:
        sent = await bot.send_audio(anna.user_id, BufferedInputFile(MP3, "song.mp3"), **song("Дорога домой"))
        shown = bubble(page, sent.message_id)
        await expect(shown.locator(".player-title")).to_have_text("Дорога домой")
        await expect(shown.locator(".player-performer")).to_have_text("Suno V5")
        width = "image => image.decode().then(() => image.naturalWidth)"
        assert await shown.locator("img.player-cover").evaluate(width) == 300


async def test_a_gif_moves_a_film_has_controls_and_a_document_its_name() -> None:
    async with chat() as (telegram, page, anna), telegram.bot() as bot:
        gif = await bot.send_animation(anna.user_id, BufferedInputFile(drawn(form="GIF"), "a.gif"))
        film = await bot.send_video(anna.user_id, BufferedInputFile(video(), "a.mp4"))
        file = await bot.send_document(anna.user_id, BufferedInputFile(b"%PDF-1.7\n", "отчёт.pdf"))
        width = "image => image.decode().then(() => image.naturalWidth)"
        assert await bubble(page, gif.message_id).locator(".picture img").evaluate(width) == 640
        await expect(bubble(page, film.message_id).locator("video")).to_have_attribute("controls", "")
        await expect(bubble(page, file.message_id).locator(".file b")).to_have_text("отчёт.pdf")


async def test_a_rich_message_shows_all_its_files_and_its_words_in_place_of_the_text() -> None:
    async with chat() as (telegram, page, anna), telegram.bot() as bot:
        card = await bot.send_message(anna.user_id, "🎨 Генерация идёт")
        await expect(bubble(page, card.message_id)).to_contain_text("Генерация идёт")
        blocks: list[Any] = [
            *(
                InputRichBlockPhoto(
                    photo=InputMediaPhoto(media=BufferedInputFile(picture(colour=colour), "a.png")),
                    caption=RichBlockCaption(text=f"вариант {number}"),
                )
                for number, colour in enumerate(("teal", "salmon"), start=1)
            ),
            InputRichBlockAudio(audio=InputMediaAudio(media=BufferedInputFile(MP3, "s.mp3"), **song("Дорога"))),
            InputRichBlockParagraph(text=["✅ ", RichTextBold(text="Z-Image"), " · 0,64 ₽"]),
        ]
        await bot.edit_message_text(
            chat_id=anna.user_id, message_id=card.message_id, rich_message=InputRichMessage(blocks=blocks)
        )
        shown = bubble(page, card.message_id)
        await expect(shown.locator(".rich .picture img")).to_have_count(2)
        await expect(shown.locator("figcaption")).to_have_text(["вариант 1", "вариант 2"])
        await expect(shown.locator(".rich .player-title")).to_have_text("Дорога")
        await expect(shown.locator(".rich .words strong")).to_have_text("Z-Image")
        await expect(shown).not_to_contain_text("Генерация идёт")


async def test_an_album_is_one_block_of_its_pictures() -> None:
    async with chat() as (telegram, page, anna), telegram.bot() as bot:
        media = [InputMediaPhoto(media=BufferedInputFile(picture(), f"{n}.png")) for n in range(3)]
        await bot.send_media_group(anna.user_id, list(media))
        await expect(page.locator(".album .picture")).to_have_count(3)
