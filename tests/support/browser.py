"""A real Chromium: found on this machine, shared by the tests of one event loop, and loud when a page breaks."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, ClassVar, Final, TypeVar

from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

T = TypeVar("T")

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
FAKE_MICROPHONE: Final = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
PATIENCE_MS: Final = 120_000
expect.set_options(timeout=PATIENCE_MS)
DESKTOP: Final = {"width": 1440, "height": 900}
PHONE: Final = {"width": 390, "height": 844}


def chromium_path() -> str:
    """Find the browser, or say in one sentence what is missing."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise RuntimeError(f"The browser tests need one of {', '.join(NAMES)} on the PATH, and none is there.")
    return found


class BrowserLoop:
    """An event loop that many tests run in, one after the other, so that they can share a Chromium."""

    _of: ClassVar[dict[asyncio.AbstractEventLoop, "BrowserLoop"]] = {}

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._opened = AsyncExitStack()
        self._browser: Browser | None = None
        self._of[self._runner.get_loop()] = self

    @classmethod
    def running(cls) -> "BrowserLoop | None":
        """The one the caller runs in, if any."""
        return cls._of.get(asyncio.get_running_loop())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end."""
        return self._runner.run(work)

    async def browser(self) -> Browser:
        """The shared Chromium; another one where it has died."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = await self._opened.enter_async_context(_launched())
        return self._browser

    def close(self) -> None:
        """Close the browser and the loop."""
        self.run(self._opened.aclose())
        del self._of[self._runner.get_loop()]
        self._runner.close()


@asynccontextmanager
async def chromium(*, extra_arguments: Sequence[str] = ()) -> AsyncIterator[Browser]:
    """A Chromium without a window and without a page: a new one, unless this event loop has one to share."""
    shared = BrowserLoop.running()
    if shared is None or extra_arguments:
        async with _launched(extra_arguments) as browser:
            yield browser
        return
    browser = await shared.browser()
    try:
        yield browser
    finally:
        for context in browser.contexts:
            await context.close()


@asynccontextmanager
async def _launched(extra_arguments: Sequence[str] = ()) -> AsyncIterator[Browser]:
    path = chromium_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *extra_arguments])
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def page_at(browser: Browser, url: str, *, is_phone: bool = False, **options: Any) -> AsyncIterator[Page]:
    """Open a page as somebody new would; a script error on it fails the test."""
    screen: dict[str, Any] = {"viewport": PHONE if is_phone else DESKTOP, "has_touch": is_phone}
    usual = {"locale": "ru-RU", "is_mobile": is_phone, "reduced_motion": "reduce"}  # what moves costs processor time
    context = await browser.new_context(**{**usual, **screen, **options})
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.extend(_script_trouble(message)))
    try:
        await page.goto(url)
        yield page
    finally:
        await context.close()
    assert troubles == [], f"the page reported: {troubles}"


def _script_trouble(message: ConsoleMessage) -> list[str]:
    # A request that failed is the server's story, and some tests want it; a blocked script or style is the page's.
    is_ours = message.type == "error" and not message.text.startswith("Failed to load resource")
    return [message.text] if is_ours else []
