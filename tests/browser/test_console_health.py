"""The page "Health" in a browser, on a desktop and on a phone: an operator pauses a model, sees it everywhere, resumes it."""

from playwright.async_api import Page, expect

from photomat.work.controls import read_pauses
from support.alerts import heartbeat_of
from support.browser import chromium, page_at
from support.console import RunningConsole, running_console
from support.database import shift_clock
from support.jobs import a_job, a_user

Z_IMAGE = "model:z-image"


async def sign_in(page: Page, console: RunningConsole) -> None:
    await page.goto(f"{console.url}/console/sign-in#{await console.link()}")
    await page.locator('[data-role="link-form"] button').click()
    await page.wait_for_url("**/console/today")
    await page.goto(f"{console.url}/console/health")


async def fits(page: Page) -> None:
    """Compare with the screen: the window of a phone grows with a page that is too wide."""
    assert page.viewport_size is not None
    assert await page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"], page.url


async def test_a_model_is_paused_on_a_phone_and_every_page_says_so(database: str) -> None:
    async with (
        running_console(database) as console,
        chromium() as browser,
        page_at(browser, "about:blank", is_phone=True) as page,
    ):
        await a_job(console.pool, await a_user(console.pool))
        await shift_clock(console.pool, 640)
        await sign_in(page, console)
        await page.get_by_text("Поставить модель на паузу", exact=True).first.click()
        form = page.locator("details.action[open] form")
        await form.locator('[name="model"]').select_option("z-image")
        await form.locator('[name="minutes"]').fill("120")
        await form.locator('[name="notice"]').fill("Чиним.")
        await form.locator('[name="reason"]').fill("чёрные картинки")
        await fits(page)
        await form.get_by_role("button").click()
        await expect(page.locator(".notice.good")).to_have_text("Модель z-image: на паузе.")
        assert set((await read_pauses(console.pool)).by_name) == {Z_IMAGE}
        await fits(page)
        await page.goto(f"{console.url}/console/today")
        await expect(page.locator(".notice.warn")).to_contain_text("Модель z-image: пауза до ")
        await page.goto(f"{console.url}/console/health")
        await page.get_by_text("Снять паузу: Модель z-image").click()
        form = page.locator("details.action[open] form")
        await form.locator('[name="reason"]').fill("починили")
        await form.get_by_role("button").click()
        await expect(page.locator(".notice.good")).to_have_text("Модель z-image: снова работает.")
        assert (await read_pauses(console.pool)).by_name == {}


async def test_the_page_moves_by_itself_and_an_instance_is_drained(database: str) -> None:
    async with (
        running_console(database) as console,
        chromium() as browser,
        page_at(browser, "about:blank") as page,
    ):
        beats = [heartbeat_of(console.pool, name, active=name == "one") for name in ("one", "two")]
        for beat in beats:
            await beat.beat()
        await sign_in(page, console)
        await expect(page.locator("#queues")).to_contain_text("Ничего не ждёт:")
        await a_job(console.pool, await a_user(console.pool))
        await shift_clock(console.pool, 5)
        await expect(page.locator("#queues tbody")).to_contain_text("Отправка заказов в Kie")
        for beat in beats:
            await beat.beat()
        await page.reload()
        await page.get_by_text("Вывести экземпляр из работы").click()
        form = page.locator("details.action[open] form")
        await form.locator('[name="instance"]').select_option("one")
        await form.locator('[name="reason"]').fill("перезапуск")
        await form.get_by_role("button").click()
        await expect(page.locator(".notice.good")).to_contain_text("one больше ничего не берёт")
        await expect(page.locator("#instances")).to_contain_text("доделывает начатое")
        await fits(page)
