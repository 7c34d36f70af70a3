"""The sandbox as `photomat run` starts it without keys: embedded database, simulators, bot, and a chat page to talk to it."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page

from support.instance import start_instance
from support.patience import until
from support.ports import free_ports_in_a_row


@asynccontextmanager
async def running_sandbox(folder: Path, **settings: str) -> AsyncIterator[str]:
    """Gives the address of the chat page; the program is forked, for loading it takes longer than the test."""
    port = free_ports_in_a_row(3)
    environment = {"PORT": str(port), "DATA_DIR": str(folder / "var"), **settings}
    instance = start_instance(environment, folder=folder, name=f"sandbox-{port}")
    try:
        await until(lambda: "Chat page" in instance.log or not instance.alive, about=lambda: instance.log)
        assert instance.alive, instance.log
        yield f"http://127.0.0.1:{port + 1}/"
    finally:
        instance.send(signal.SIGINT)
        await instance.ends()


async def say(page: Page, text: str) -> None:
    composer = page.locator('[data-role="composer"]').first
    await composer.fill(text)
    await composer.press("Enter")


async def buy(page: Page, prompt: str) -> None:
    """From /start to the tap that pays."""
    await say(page, "/start")
    await page.get_by_role("button", name="🖼 Создать картинку").last.click()
    await page.get_by_role("button", name="Z-Image").last.click()
    await page.get_by_text("Опишите").last.wait_for()
    await say(page, prompt)
    await page.get_by_role("button", name="1:1", exact=True).last.click()
    await page.get_by_role("button", name="✅ Создать").last.click()
