"""The chat page of one customer in a browser, with the simulated Telegram behind it and the bot's side in hand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any

from PIL import Image
from playwright.async_api import Locator, Page, expect

from photomat_sandbox.telegram.people import ChatPerson
from support.browser import chromium, page_at
from support.telegram_sim import RunningTelegram, running_telegram

CREATE = {
    "inline_keyboard": [[{"text": "✅ Создать", "callback_data": "go"}, {"text": "Отмена", "callback_data": "no"}]]
}


@asynccontextmanager
async def chat(
    *, is_phone: bool = False, arguments: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[tuple[RunningTelegram, Page, ChatPerson]]:
    """Open the page of Anna, who has started the bot."""
    async with running_telegram() as telegram, chromium(extra_arguments=arguments) as browser:
        anna = telegram.person("Анна")
        async with page_at(browser, telegram.url, is_phone=is_phone, **options) as page:
            await expect(column(page, anna).locator(".chat-status")).to_have_text("бот")
            yield telegram, page, anna


def column(page: Page, person: ChatPerson) -> Locator:
    """Find the column of one customer."""
    return page.locator(f'[data-person="{person.user_id}"]')


def bubble(page: Page, message_id: int) -> Locator:
    """Find a message on the screen."""
    return page.locator(f'[data-message-id="{message_id}"]')


async def said(telegram: RunningTelegram, method: str, **body: Any) -> dict[str, Any]:
    """Call the Bot API and give its result; a refusal fails the test."""
    status, answer = await telegram.raw(method, **body)
    assert status == 200, answer
    result: dict[str, Any] = answer["result"]
    return result


async def next_update(telegram: RunningTelegram, kind: str) -> dict[str, Any]:
    """Read updates as a polling bot until one of this kind comes."""
    offset = 0
    async with asyncio.timeout(120):
        while True:
            _, answer = await telegram.raw("getUpdates", offset=offset, timeout=5)
            for update in answer["result"]:
                offset = update["update_id"] + 1
                if kind in update:
                    found: dict[str, Any] = update[kind]
                    return found


def picture(width: int = 320, height: int = 200, colour: str = "teal") -> bytes:
    """Draw a plain PNG."""
    file = BytesIO()
    Image.new("RGB", (width, height), colour).save(file, "PNG")
    return file.getvalue()
