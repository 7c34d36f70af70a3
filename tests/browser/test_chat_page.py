"""The chat page in a real browser: what a customer sees is what the bot did, and what they do reaches the bot."""

from aiogram.types import BufferedInputFile, InputMediaPhoto
from playwright.async_api import FilePayload, expect

from support.browser import FAKE_MICROPHONE
from support.chat_page import CREATE, bubble, chat, next_update, picture, said

SOUND_LENGTH = """async (address) => {
  const sound = new Audio(address);
  await new Promise((resolve, reject) => { sound.onloadedmetadata = resolve; sound.onerror = reject; });
  return sound.duration;
}"""


async def test_a_message_of_the_bot_appears_as_a_bubble_with_its_formatting() -> None:
    async with chat() as (telegram, page, anna):
        text = "<b>Готово</b> и <code>код</code>, <a href='https://example.org/'>ссылка</a>"
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text=text, parse_mode="HTML")
        shown = bubble(page, sent["message_id"])
        await expect(shown).to_have_attribute("data-from", "bot")
        await expect(shown.locator("strong")).to_have_text("Готово")
        await expect(shown.locator("code")).to_have_text("код")
        await expect(shown.get_by_role("link", name="ссылка")).to_have_attribute("href", "https://example.org/")


async def test_what_the_person_writes_reaches_the_bot_once_and_is_shown_once() -> None:
    async with chat() as (telegram, page, anna):
        await page.locator('[data-role="composer"]').fill("кот-космонавт")
        await page.locator('[data-role="send"]').click()
        assert (await next_update(telegram, "message"))["text"] == "кот-космонавт"
        await expect(page.locator('[data-from="person"]')).to_have_count(1)
        await expect(page.locator('[data-role="composer"]')).to_have_value("")
        assert len(telegram.seen(anna)) == 1


async def test_a_tapped_button_is_busy_until_the_answer_which_shows_as_a_toast() -> None:
    async with chat() as (telegram, page, anna):
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text="Карточка", reply_markup=CREATE)
        button = bubble(page, sent["message_id"]).get_by_role("button", name="✅ Создать", exact=True)
        await button.click()
        query = await next_update(telegram, "callback_query")
        assert query["data"] == "go"
        await expect(button).to_have_attribute("aria-busy", "true")
        await telegram.raw("answerCallbackQuery", callback_query_id=query["id"], text="Принято")
        toast = page.locator('[data-role="toasts"] [data-toast="answer"]')
        await expect(toast).to_have_text("Принято")
        await expect(button).not_to_have_attribute("aria-busy", "true")


async def test_an_answer_that_is_an_alert_wants_an_ok() -> None:
    async with chat() as (telegram, page, anna):
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text="Карточка", reply_markup=CREATE)
        await bubble(page, sent["message_id"]).get_by_role("button", name="Отмена", exact=True).click()
        query = await next_update(telegram, "callback_query")
        await telegram.raw("answerCallbackQuery", callback_query_id=query["id"], text="Деньги целы", show_alert=True)
        alert = page.locator('[data-role="alert"]')
        await expect(alert).to_contain_text("Деньги целы")
        await alert.get_by_role("button", name="ОК").click()
        await expect(alert).to_have_count(0)


async def test_a_text_becomes_a_picture_in_place() -> None:
    async with chat() as (telegram, page, anna), telegram.bot() as bot:
        card = await said(telegram, "sendMessage", chat_id=anna.user_id, text="Рисую…", reply_markup=CREATE)
        await expect(bubble(page, card["message_id"])).to_have_attribute("data-kind", "text")
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="ниже карточки")
        await bot.edit_message_media(
            InputMediaPhoto(media=BufferedInputFile(picture(640, 400), "result.png")),
            chat_id=anna.user_id,
            message_id=card["message_id"],
        )
        shown = bubble(page, card["message_id"])
        await expect(shown).to_have_count(1)
        await expect(shown).to_have_attribute("data-kind", "photo")
        await expect(shown).to_contain_text("изменено")
        await expect(shown).not_to_contain_text("Рисую…")
        assert await page.locator("[data-message-id]").first.get_attribute("data-kind") == "photo"
        box = await shown.locator(".picture").bounding_box()
        assert box is not None
        assert abs(box["width"] / box["height"] - 1.6) < 0.02
        await shown.get_by_role("button", name="Открыть фото").click()
        download = page.locator('[data-role="lightbox"] [data-role="download"]')
        await expect(download).to_have_attribute("href", telegram.seen(anna)[0]["media"]["url"])


async def test_an_album_is_one_bubble_with_every_picture_in_it() -> None:
    async with chat() as (telegram, page, anna), telegram.bot() as bot:
        files = [BufferedInputFile(picture(colour=colour), "p.png") for colour in ("teal", "gold", "navy")]
        sent = await bot.send_media_group(anna.user_id, [InputMediaPhoto(media=file) for file in files])
        album = page.locator('[data-kind="album"]')
        await expect(album).to_have_count(1)
        for message in sent:
            await expect(album.locator(f'[data-message-id="{message.message_id}"]')).to_be_visible()
        await expect(page.locator("[data-message-id]")).to_have_count(3)


async def test_the_reply_keyboard_sends_the_text_of_its_button() -> None:
    async with chat() as (telegram, page, anna):
        keyboard = {"keyboard": [["🎨 Создать", "💰 Баланс"]], "resize_keyboard": True, "one_time_keyboard": True}
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="Меню", reply_markup=keyboard)
        await page.get_by_role("button", name="💰 Баланс", exact=True).click()
        assert (await next_update(telegram, "message"))["text"] == "💰 Баланс"
        await expect(page.locator('[data-role="reply-keyboard"]')).to_be_hidden()
        await page.get_by_role("button", name="Показать кнопки").click()
        await expect(page.locator('[data-role="reply-keyboard"]')).to_be_visible()
        remove = {"remove_keyboard": True}
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="Убрал", reply_markup=remove)
        await expect(page.locator('[data-role="reply-keyboard"]')).to_have_count(0)


async def test_a_photo_of_the_person_reaches_the_bot_with_its_caption() -> None:
    async with chat() as (telegram, page, _anna):
        file = FilePayload(name="кот.png", mimeType="image/png", buffer=picture())
        await page.locator('[data-role="photo-input"]').set_input_files(file)
        await page.locator('[data-role="composer"]').fill("вот кот")
        await page.locator('[data-role="send"]').click()
        message = await next_update(telegram, "message")
        assert message["caption"] == "вот кот"
        assert (message["photo"][-1]["width"], message["photo"][-1]["height"]) == (320, 200)
        await expect(bubble(page, message["message_id"])).to_have_attribute("data-kind", "photo")


async def test_photos_sent_together_reach_the_bot_as_one_album() -> None:
    async with chat() as (telegram, page, _anna):
        files = [
            FilePayload(name=f"{each}.png", mimeType="image/png", buffer=picture(colour=each))
            for each in ("teal", "gold")
        ]
        await page.locator('[data-role="photo-input"]').set_input_files(files)
        await page.locator('[data-role="composer"]').fill("вот они")
        await page.locator('[data-role="send"]').click()
        await expect(page.locator(".album img")).to_have_count(2)
        first, second = telegram.world.messages.values()
        assert (first.text, second.text) == ("вот они", "")
        assert first.media_group_id == second.media_group_id
        assert first.media_group_id


async def test_a_recorded_voice_message_is_ogg_as_from_a_phone() -> None:
    async with chat(arguments=FAKE_MICROPHONE, permissions=["microphone"]) as (telegram, page, _anna):
        await page.locator('[data-role="voice"]').click()
        await expect(page.locator(".voice-clock")).to_have_text("0:01")
        await page.get_by_role("button", name="Отправить голосовое").click()
        message = await next_update(telegram, "message")
        assert message["voice"]["mime_type"] == "audio/ogg"
        seconds = await page.evaluate(SOUND_LENGTH, await page.locator("audio").get_attribute("src"))
        assert 0.8 < seconds < 8
