"""A newcomer's first minute: one command, the chat page, and a picture from /start to the ring."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, expect

from support.browser import chromium, page_at
from support.ports import free_ports_in_a_row
from support.sandbox import buy, running_sandbox, say
from support.system import until

PROGRAM = str(Path(sys.executable).with_name("photomat"))
IMAGES = Path(__file__).parents[2] / "docs" / "images"


@asynccontextmanager
async def sandbox(folder: Path) -> AsyncIterator[tuple[int, Path, asyncio.subprocess.Process]]:
    """Run `photomat run` with nothing set, as a newcomer does: loaded anew, with its embedded database."""
    port = free_ports_in_a_row(3)
    log_file = folder / f"sandbox-{port}.log"
    environment = {"PATH": os.environ["PATH"], "PORT": str(port), "HOST": "127.0.0.1", "DATA_DIR": str(folder / "var")}
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            PROGRAM, "run", env=environment, cwd=folder, stdout=log, stderr=asyncio.subprocess.STDOUT
        )
    try:
        await until(lambda: "Chat page" in log_file.read_text() or process.returncode is not None)
        assert process.returncode is None, log_file.read_text()
        yield port, log_file, process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        async with asyncio.timeout(120):
            await process.wait()


async def test_one_command_leads_to_one_picture_in_the_browser(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as (port, log_file, process), chromium() as browser:
        async with page_at(browser, f"http://127.0.0.1:{port + 1}/") as page:
            await buy(page, "кот-космонавт")
            await page.get_by_text("Генерация идёт").first.wait_for()
            photos = page.locator('[data-from="bot"][data-kind="photo"]', has_text="кот-космонавт")
            await photos.first.wait_for()
            await page.locator('[data-from="bot"]', has_text="✅ Генерация завершена").first.wait_for()
            await expect(photos).to_have_count(1)
            await photos.first.locator("img").first.evaluate("image => image.decode()")
            await shoot(page, "chat")
        async with page_at(browser, f"http://127.0.0.1:{port + 1}/", is_phone=True, color_scheme="dark") as phone:
            photo = phone.locator('[data-kind="photo"]', has_text="кот-космонавт")
            await photo.locator("img").first.evaluate("image => image.decode()")
            await shoot(phone, "chat-phone-dark")
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(120):
            assert await process.wait() == 0, log_file.read_text()
    async with running_sandbox(tmp_path) as address, chromium() as browser, page_at(browser, address) as page:
        await page.locator('[data-kind="photo"]', has_text="кот-космонавт").first.wait_for()
        await say(page, "/balance")
        await page.locator('[data-from="bot"]', has_text="999,36").first.wait_for()


async def shoot(page: Page, name: str) -> None:
    """Take the picture the README shows, when asked for it (`make screenshots`)."""
    if os.environ.get("SCREENSHOTS"):
        IMAGES.mkdir(parents=True, exist_ok=True)
        await page.wait_for_timeout(800)
        await page.screenshot(path=IMAGES / f"{name}.png")
