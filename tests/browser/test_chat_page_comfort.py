"""The chat page is comfortable: menus close, a sent message is seen, nothing covers the chat, every text is legible."""

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import FilePayload, Page, expect

from photomat_sandbox.bot_process import BotProcess
from photomat_sandbox.kie.sound import Tones, encode_mp3
from support.chat_page import CREATE, bubble, chat, column, next_update, picture, said
from support.contrast import faint_texts
from support.telegram_sim import RunningTelegram

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

STYLES = [
    [
        {"text": "Главное", "callback_data": "a", "style": "primary"},
        {"text": "Да", "callback_data": "b", "style": "success"},
    ],
    [{"text": "Удалить", "callback_data": "c", "style": "danger"}, {"text": "Готово", "disabled": {}}],
    [{"text": "Сайт", "url": "https://example.org/"}, {"text": "Копировать", "copy_text": {"text": "слово"}}],
]
SAMPLES = {"voice": b"OggS" + bytes(60), "audio": b"".join(encode_mp3([Tones(pitches_hz=(440.0,))] * 60))}
TEXT = (
    "<b>Карточка</b> <i>и</i> <code>код</code> <a href='https://example.org/'>ссылка</a> /balance @photomat\n"
    "<blockquote>цитата</blockquote><pre><code class='language-py'>1 + 1</code></pre>"
)


async def test_menus_close_by_escape_wherever_the_focus_is_and_by_a_click_outside() -> None:
    async with chat() as (telegram, page, anna):
        await telegram.raw("setMyCommands", commands=[{"command": "start", "description": "Начать"}])
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text="текст")
        openers: dict[str, Callable[[], Awaitable[None]]] = {
            "[role=menu]": lambda: page.locator('[data-role="attach"]').click(),
            "[role=menu] ": lambda: bubble(page, sent["message_id"]).click(button="right"),
            ".command-list": lambda: page.locator('[data-role="menu"]').click(),
        }
        for menu, opens in openers.items():
            await opens()
            await expect(page.locator(menu)).to_be_visible()
            await page.evaluate("document.activeElement.blur()")
            await page.keyboard.press("Escape")
            await expect(page.locator(f"{menu}:visible")).to_have_count(0)
            await opens()
            await expect(page.locator(menu)).to_be_visible()
            await page.locator(".chat-status").click()
            await expect(page.locator(f"{menu}:visible")).to_have_count(0)


async def test_the_backstage_of_a_phone_closes_by_escape_and_by_a_click_beside_it() -> None:
    async with chat(is_phone=True) as (_telegram, page, _anna):
        panel = page.locator('[data-role="panel"]')
        ways: list[Callable[[], Awaitable[None]]] = [
            lambda: page.keyboard.press("Escape"),
            lambda: page.mouse.click(8, 500),
        ]
        for closes in ways:
            await page.locator('[data-role="panel-toggle"]').click()
            await expect(panel).to_be_visible()
            await closes()
            await expect(panel).to_be_hidden()


async def test_a_sent_message_is_on_the_screen_even_for_a_reader_far_above() -> None:
    async with chat() as (telegram, page, anna):
        for number in range(40):
            await said(telegram, "sendMessage", chat_id=anna.user_id, text=f"сообщение {number}")
        await expect(page.locator("[data-message-id]")).to_have_count(40)
        await page.locator(".scroller").evaluate("(list) => list.scrollTo(0, 0)")
        await expect(page.locator('[data-role="down"]')).to_be_visible()
        await page.locator('[data-role="composer"]').fill("моё сообщение")
        await page.locator('[data-role="composer"]').press("Enter")
        await expect(page.locator('[data-from="person"]')).to_be_in_viewport()


@pytest.mark.parametrize("is_phone", [False, True])
async def test_nothing_pops_up_over_the_open_chat(*, is_phone: bool) -> None:
    async with chat(is_phone=is_phone) as (telegram, page, anna):
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text="Карточка", reply_markup=CREATE)
        await expect(bubble(page, sent["message_id"])).to_be_visible()
        await expect(page.locator("[data-toast]")).to_have_count(0)
        await bubble(page, sent["message_id"]).get_by_role("button", name="✅ Создать").click()
        query = await next_update(telegram, "callback_query")
        await telegram.raw("answerCallbackQuery", callback_query_id=query["id"], text="Очень длинный ответ. " * 9)
        toast = page.locator("[data-toast]")
        await expect(toast).to_be_visible()
        box, chats = await toast.bounding_box(), await column(page, anna).bounding_box()
        assert box is not None
        assert chats is not None
        assert box["y"] + box["height"] <= chats["y"] + 1


async def test_a_long_text_becomes_several_messages_in_order() -> None:
    async with chat() as (telegram, page, anna):
        words = " ".join(f"слово{number}" for number in range(900)) + " " + "🐈" * 3000
        await page.locator('[data-role="composer"]').fill(words)
        await page.locator('[data-role="send"]').click()
        await expect(page.locator('[data-from="person"]')).to_have_count(4)
        texts = [message["text"] for message in telegram.seen(anna)]
        assert all(len(text.encode("utf-16-le")) <= 2 * 4096 for text in texts)
        assert "".join(texts).replace(" ", "") == words.replace(" ", "")
        assert not any(text.startswith(("лово", "ово", "во")) for text in texts), "no word is cut that need not be"


async def test_tab_reaches_the_composer_first() -> None:
    async with chat() as (_telegram, page, _anna):
        await page.keyboard.press("Tab")
        await expect(page.locator('[data-role="composer"]')).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True])
async def test_every_text_is_legible(scheme: str, *, is_phone: bool) -> None:
    async with chat(color_scheme=scheme, is_phone=is_phone) as (telegram, page, anna):
        await _fill(telegram, page, anna.user_id)
        await _is_legible(page, at_least=20)
        await page.locator('[data-role="attach"]').click()
        await _is_legible(page, at_least=20)
        await page.keyboard.press("Escape")
        await page.locator('[data-role="menu"]').click()
        await _is_legible(page, at_least=20)
        await page.keyboard.press("Escape")
        if is_phone:
            await page.locator('[data-role="panel-toggle"]').click()
        await page.locator('[data-fault="too-many"]').click()
        await expect(page.locator(".armed-row")).to_be_visible()
        await _is_legible(page, at_least=40)
        if is_phone:
            await page.keyboard.press("Escape")
        await page.locator('[data-role="add-customer-button"]').click()
        await expect(page.locator('[data-role="add-customer"]')).to_be_visible()
        await _is_legible(page, at_least=20)


async def _fill(telegram: RunningTelegram, page: Page, user_id: int) -> None:
    """Put one of everything on the screen."""
    await telegram.raw("setMyCommands", commands=[{"command": "start", "description": "Начать"}])
    sent = await said(telegram, "sendMessage", chat_id=user_id, text=TEXT, parse_mode="HTML")
    await page.locator('[data-role="composer"]').fill("моё сообщение https://example.org/ и /start")
    await page.locator('[data-role="composer"]').press("Enter" if not await _is_touch(page) else "Shift+Enter")
    if await _is_touch(page):
        await page.locator('[data-role="send"]').click()
    photo: FilePayload = {"name": "cat.png", "mimeType": "image/png", "buffer": picture(300, 200)}
    other: FilePayload = {**photo, "name": "cat.bin"}
    await page.locator('[data-role="photo-input"]').set_input_files([photo])
    await page.locator('[data-role="composer"]').fill("подпись к фото")
    await page.locator('[data-role="send"]').click()
    await page.locator('[data-role="file-input"]').set_input_files([other])
    await page.locator('[data-role="send"]').click()
    await expect(page.locator('[data-from="person"]')).to_have_count(3)
    await said(
        telegram, "editMessageText", chat_id=user_id, message_id=sent["message_id"], text=TEXT + "!", parse_mode="HTML"
    )
    await said(
        telegram, "sendMessage", chat_id=user_id, text="Ответ", reply_parameters={"message_id": sent["message_id"]}
    )
    prices = [{"label": "Пополнение", "amount": 100}]
    bill = {"title": "Пополнение", "description": "На 100 ₽", "payload": "x", "currency": "XTR", "prices": prices}
    await said(telegram, "sendInvoice", chat_id=user_id, **bill)
    last = await said(telegram, "sendMessage", chat_id=user_id, text="Кнопки", reply_markup={"inline_keyboard": STYLES})
    await expect(bubble(page, last["message_id"])).to_be_visible()
    await telegram.raw("sendChatAction", chat_id=user_id, action="upload_photo")
    await expect(page.locator(".chat-status")).to_have_text("отправляет фото")


async def _is_touch(page: Page) -> bool:
    return bool(await page.evaluate("!matchMedia('(hover: hover)').matches"))


async def _is_legible(page: Page, *, at_least: int) -> None:
    faint, count = await faint_texts(page)
    assert faint == []
    assert count >= at_least


async def test_a_moment_is_shown_in_the_readers_own_time() -> None:
    async with chat(timezone_id="Asia/Vladivostok") as (telegram, page, anna):
        text = 'Куплено <tg-time unix="1794830400" format="dt">в полдень</tg-time>'
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text=text, parse_mode="HTML")
        await expect(bubble(page, sent["message_id"]).locator(".words time")).to_have_text("16.11.2026, 22:00")


async def test_a_disabled_button_cannot_be_tapped() -> None:
    async with chat() as (telegram, page, anna):
        keyboard = {"inline_keyboard": [[{"text": "Куплено", "disabled": {}}]]}
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="Карточка", reply_markup=keyboard)
        await expect(page.get_by_role("button", name="Куплено")).to_be_disabled()


@pytest.mark.parametrize(
    ("role", "kind", "name", "mime"),
    [("voice-input", "voice", "голос.ogg", "audio/ogg"), ("audio-input", "audio", "песня.mp3", "audio/mpeg")],
)
async def test_sound_from_a_file_reaches_the_bot_as_voice_or_as_music(
    role: str, kind: str, name: str, mime: str
) -> None:
    async with chat() as (telegram, page, _anna):
        content = SAMPLES[kind]
        file: FilePayload = {"name": name, "mimeType": mime, "buffer": content}
        await page.locator(f'[data-role="{role}"]').set_input_files([file])
        if kind == "audio":
            await page.locator('[data-role="composer"]').fill("моя песня")
            await page.locator('[data-role="send"]').click()
        message = await next_update(telegram, "message")
        assert message[kind]["mime_type"] == mime
        assert message.get("caption") == ("моя песня" if kind == "audio" else None)


async def test_a_visitor_sees_the_bot_die_and_come_back() -> None:
    async with chat() as (telegram, page, _anna):
        bot = BotProcess(transcript=telegram.transcript)
        state, button = page.locator('[data-role="bot-state"]'), page.locator('[data-role="kill-bot"]')
        await expect(button).to_be_hidden()
        await page.route("**/sandbox/bot", lambda route: route.fulfill(json={"pid": bot.pid, "starts": bot.starts}))
        bot.feed(b"bot 47")
        bot.feed(b"11\n")
        await expect(state).to_have_text("процесс 4711 · запуск 1")
        await expect(button).to_be_enabled()
        bot.feed(b"bot 0\n")
        await expect(state).to_have_text("бота нет, запускаем снова…")
        await expect(button).to_be_disabled()
        bot.feed(b"bot 4712\n")
        await expect(state).to_have_text("процесс 4712 · запуск 2")
