"""The page around a chat: several customers, the backstage panel, hostile texts, outages."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from aiohttp import web
from playwright.async_api import expect

from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.app import build_app
from photomat_sandbox.telegram.state_file import load_state
from photomat_sandbox.telegram.world import TelegramWorld
from photomat_sandbox.transcript import Transcript
from support.browser import chromium, page_at
from support.chat_page import bubble, chat, column, next_update, said


async def test_two_customers_side_by_side_are_two_people() -> None:
    async with chat() as (telegram, page, anna):
        await page.get_by_role("button", name="+ клиент").click()
        await page.locator('[data-role="customer-name"]').fill("Борис")
        await page.get_by_role("button", name="Добавить", exact=True).click()
        await expect(page.locator("[data-person]")).to_have_count(2)
        boris = next(person for person in telegram.world.people.values() if person.first_name == "Борис")
        await column(page, boris).get_by_role("button", name="Начать", exact=True).click()
        assert (await next_update(telegram, "message"))["from"]["id"] == boris.user_id
        await said(telegram, "sendMessage", chat_id=boris.user_id, text="только Борису")
        await expect(column(page, boris).locator('[data-from="bot"]')).to_have_count(1)
        await expect(column(page, anna).locator("[data-message-id]")).to_have_count(0)


async def test_a_fault_from_the_panel_strikes_and_the_feed_tells_it() -> None:
    async with chat() as (telegram, page, anna):
        panel = page.locator('[data-role="panel"]')
        await panel.locator('[data-fault="too-many"]').click()
        await expect(panel.locator("[data-fault-id]")).to_contain_text("429 на 5 с")
        status, answer = await telegram.raw("sendMessage", chat_id=anna.user_id, text="рано")
        assert (status, answer["parameters"]["retry_after"]) == (429, 5)
        await expect(panel.locator("[data-fault-id]")).to_have_count(0)
        await panel.locator('[data-fault="callback-never"]').click()
        await expect(panel.locator("[data-fault-id]")).to_contain_text("Обратный вызов не придёт")
        assert [(fault.world, fault.action) for fault in telegram.faults.pending()] == [("kie", "never")]
        await panel.get_by_role("button", name="Снять: Обратный вызов не придёт").click()
        await expect(panel.locator("[data-fault-id]")).to_have_count(0)
        assert telegram.faults.pending() == []
        await expect(panel.locator('[data-role="events"] [data-kind="fault"]').first).to_be_visible()


async def test_the_notice_of_a_payment_provider_can_be_lost_from_the_panel() -> None:
    async with chat() as (telegram, page, _anna):
        panel = page.locator('[data-role="panel"]')
        for number, vendor in enumerate(("yookassa", "cryptopay"), start=1):
            await panel.locator(f'[data-fault="{vendor}-notice-lost"]').click()
            await expect(panel.locator("[data-fault-id]")).to_have_count(number)
        armed = [(fault.world, fault.method, fault.action) for fault in telegram.faults.pending()]
        assert armed == [("yookassa", "notice", "never"), ("cryptopay", "notice", "never")]


async def test_two_buttons_under_a_short_message_are_written_in_one_line() -> None:
    async with chat() as (telegram, page, anna):
        keys = [{"text": text, "callback_data": text} for text in ("💳 Пополнить", "🏠 Меню")]
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="0 ₽", reply_markup={"inline_keyboard": [keys]})
        key, bubble = page.locator(".inline-keyboard .key").first, page.locator(".bubble").last
        await expect(key).to_be_visible()
        box, words = await key.bounding_box(), await bubble.bounding_box()
        assert box is not None
        assert words is not None
        assert box["height"] < 44, "one line of words"
        assert words["width"] > 2 * box["width"], "the bubble is as wide as its buttons"


async def test_markup_from_outside_stays_text() -> None:
    async with chat() as (telegram, page, anna):
        evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
        keyboard = {"inline_keyboard": [[{"text": "<b>x</b>", "callback_data": "<i>"}]]}
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text=evil, reply_markup=keyboard)
        shown = bubble(page, sent["message_id"])
        await expect(shown).to_contain_text(evil)
        await expect(shown.locator("img, script, b")).to_have_count(0)
        await expect(shown.get_by_role("button", name="<b>x</b>", exact=True)).to_be_visible()
        await page.locator('[data-role="composer"]').fill(evil)
        await page.locator('[data-role="send"]').click()
        await expect(page.locator('[data-from="person"]')).to_contain_text(evil)
        await expect(page.locator('[data-role="events"] img, [data-role="toasts"] img')).to_have_count(0)
        assert await page.title() != "1"


async def test_a_reply_jumps_to_its_message_and_the_unread_are_counted() -> None:
    async with chat(is_phone=True) as (telegram, page, anna):
        first = await said(telegram, "sendMessage", chat_id=anna.user_id, text="карточка")
        for number in range(30):
            await said(telegram, "sendMessage", chat_id=anna.user_id, text=f"строка {number}")
        reply = {"message_id": first["message_id"]}
        ring = await said(telegram, "sendMessage", chat_id=anna.user_id, text="готово", reply_parameters=reply)
        await bubble(page, ring["message_id"]).locator("[data-reply-to]").click()
        await expect(bubble(page, first["message_id"])).to_be_in_viewport()
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="пока вы читали")
        down = page.get_by_role("button", name="Вниз, непрочитанных: 1")
        await down.click()
        await expect(page.locator("[data-message-id]").last).to_be_in_viewport()
        await expect(down).to_have_count(0)


async def test_deleting_and_blocking_from_the_menus_reach_the_bot() -> None:
    async with chat() as (telegram, page, anna):
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text="лишнее")
        await bubble(page, sent["message_id"]).click(button="right")
        await page.get_by_role("menuitem", name="Удалить у обоих").click()
        await expect(bubble(page, sent["message_id"])).to_have_count(0)
        await page.locator('[data-role="column-menu"]').click()
        await page.get_by_role("menuitem", name="Заблокировать бота").click()
        await expect(page.get_by_role("button", name="Разблокировать", exact=True)).to_be_visible()
        status, _ = await telegram.raw("sendMessage", chat_id=anna.user_id, text="вы тут?")
        assert status == 403


async def test_a_message_that_is_not_on_the_screen_rings_in_the_top_bar_unless_it_is_silent() -> None:
    async with chat(is_phone=True) as (telegram, page, anna):
        rings = page.locator('[data-toast="ring"]')
        sent = await said(telegram, "sendMessage", chat_id=anna.user_id, text="читают сразу")
        await expect(bubble(page, sent["message_id"])).to_be_visible()
        await page.locator('[data-role="add-customer-button"]').click()
        await page.locator('[data-role="customer-name"]').fill("Борис")
        await page.get_by_role("button", name="Добавить").click()
        await expect(page.locator("[data-tab]")).to_have_count(2)
        await expect(rings).to_have_count(0)
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="шёпотом", disable_notification=True)
        await expect(page.get_by_role("button", name="Анна, непрочитанных: 1")).to_be_visible()
        await expect(rings).to_have_count(0)
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="Генерация завершена")
        await expect(rings).to_contain_text("Генерация завершена")
        await rings.click()
        await expect(
            page.get_by_role("log", name="Сообщения: Анна").get_by_text("Генерация завершена")
        ).to_be_in_viewport()


async def test_theme_and_language_are_remembered() -> None:
    async with chat(color_scheme="light") as (_telegram, page, _anna):
        await page.get_by_role("button", name="Тёмная тема").click()
        await page.get_by_role("button", name="Switch to English").click()
        await expect(page.locator('[data-role="composer"]')).to_have_attribute("placeholder", "Message")
        await page.reload()
        await expect(page.get_by_role("button", name="Light theme")).to_be_visible()
        assert await page.evaluate("document.documentElement.style.colorScheme") == "dark"


async def test_a_slash_offers_the_commands_of_the_bot() -> None:
    async with chat() as (telegram, page, _anna):
        commands = [{"command": "start", "description": "Начать"}, {"command": "balance", "description": "Баланс"}]
        await telegram.raw("setMyCommands", commands=commands)
        await expect(page.get_by_role("button", name="Меню")).to_be_visible()
        await page.locator('[data-role="composer"]').press_sequentially("/b")
        await expect(page.locator("[data-command]")).to_have_text(["/balanceБаланс"])
        await page.locator('[data-role="composer"]').press("Enter")
        assert (await next_update(telegram, "message"))["text"] == "/balance"


async def test_after_a_restart_of_the_server_nothing_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    state = tmp_path / "telegram.json"
    async with chromium() as browser, AsyncExitStack() as open_page:
        world = world_from(state)
        anna = world.add_person(first_name="Анна", started=True)
        world.add_message(anna, from_bot=True, text="до перерыва")
        async with served_at(world, state, port=0) as port:
            page = await open_page.enter_async_context(page_at(browser, f"http://127.0.0.1:{port}/"))
            await expect(page.locator("[data-message-id]")).to_have_count(1)
        await expect(page.locator(".chat-status")).to_have_text("соединение…")
        world = world_from(state)
        world.add_message(world.people[anna.user_id], from_bot=True, text="во время перерыва")
        async with served_at(world, state, port=port):
            await expect(page.locator(".chat-status")).to_have_text("бот")
            world.add_message(world.people[anna.user_id], from_bot=True, text="после перерыва")
            words = ["до перерыва", "во время перерыва", "после перерыва"]
            await expect(page.locator("[data-message-id] .words")).to_have_text(words)


def world_from(state: Path) -> TelegramWorld:
    world = TelegramWorld()
    load_state(world, state)
    return world


@asynccontextmanager
async def served_at(world: TelegramWorld, state: Path, *, port: int) -> AsyncIterator[int]:
    """Serve a world, and stop as a server stops: streams end, the state is saved."""
    app = build_app(world, Transcript(), Faults(), state_file=state)
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
