"""What a new customer sees on a phone after /start: an example that turns in place, and the whole menu below it."""

from pathlib import Path

from playwright.async_api import Locator, expect

from photomat.db.pool import transaction
from photomat.templates.examples import add_drawn, of_template
from photomat.templates.make import write_example
from support.browser import PHONE, chromium, page_at
from support.chat_page import bubble
from support.conversation import Chat, conversation
from support.kie_sim import until
from support.telegram_media import picture

MENU = ("Создать картинку", "Фото", "Видео", "Музыка", "Голос", "Идеи", "История", "Ещё", "Баланс", "Пополнить")


async def has_examples(chat: Chat, folder: Path, *templates: str) -> None:
    for template in templates:
        file, media = write_example(folder, of_template(template), picture(width=600, height=800))
        async with transaction(chat.pool) as tx:
            await add_drawn(tx, of_template(template), file=file, media=media)


async def taps(chat: Chat, button: Locator) -> None:
    """Tap, and let the bot handle it when the page has sent it."""
    answered, newest = len(chat.answers), newest_update(chat)
    await button.click()
    await until(lambda: newest_update(chat) > newest)
    await chat.handle_all()
    assert len(chat.answers) == answered + 1


def newest_update(chat: Chat) -> int:
    return max((each.update_id for each in chat.telegram.world.updates.alive()), default=0)


async def test_the_menu_is_on_the_screen_with_an_example_that_turns(database: str, tmp_path: Path) -> None:
    async with conversation(database, examples=tmp_path) as chat, chromium() as browser:
        await has_examples(chat, tmp_path, "portrait", "logo")
        async with page_at(browser, chat.telegram.url, is_phone=True) as page:
            await chat.says("/start")
            example, greeting = (bubble(page, each["message_id"]) for each in chat.screen()[-2:])
            await expect(greeting).to_contain_text("Здравствуйте")
            for label in MENU:
                box = await greeting.get_by_role("button", name=label).first.bounding_box()
                assert box is not None
                assert 0 < box["y"] < PHONE["height"] - box["height"], f"{label} is off the screen"
            await expect(example).to_contain_text("Портрет")
            shape = "image => image.decode().then(() => image.naturalWidth / image.naturalHeight)"
            assert await example.locator("img").first.evaluate(shape) > 1.5, "wide, whatever the picture is"
            await taps(chat, example.get_by_role("button", name="▶"))
            await expect(example).to_contain_text("Логотип")
            await taps(chat, example.get_by_role("button", name="Сделать такое же"))
            question = bubble(page, chat.screen()[-1]["message_id"])
            await expect(question).to_contain_text("Какое название написать?")
