"""An operator's way through jobs in a real browser: from the list to one job, many at once, a lost answer; on a phone too."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from photomat.kernel.ids import JobId
from photomat.operators.access import Role
from photomat.operators.actions import redeliver
from support.browser import chromium, page_at
from support.busy_day import BusyDay, fill_busy_day
from support.console import RunningConsole, running_console
from support.database import connection_of


@asynccontextmanager
async def operators_page(
    database: str, folder: Path, *, is_phone: bool = False
) -> AsyncIterator[tuple[Page, RunningConsole, BusyDay]]:
    """A busy day and an operator who has just signed in."""
    async with connection_of(database) as connection:
        day = await fill_busy_day(connection, jobs=400)
    async with running_console(database, folder=folder) as console, chromium() as browser:
        link = f"{console.url}/console/sign-in#{await console.link(Role.OPERATOR)}"
        async with page_at(browser, link, is_phone=is_phone) as page:
            await page.locator('[data-role="link-form"] button').click()
            await page.wait_for_url("**/console/today")
            yield page, console, day


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_a_stopped_job_is_found_explained_and_canceled(database: str, tmp_path: Path, is_phone: bool) -> None:  # noqa: FBT001
    async with operators_page(database, tmp_path, is_phone=is_phone) as (page, console, day):
        await page.goto(f"{console.url}/console/jobs?state=stopped")
        job_id = day.by_story["stopped"]
        await page.get_by_role("link", name=str(job_id), exact=True).click()
        await expect(page.locator(".verdict")).to_contain_text("нарушено наше собственное правило")
        await expect(page.locator(".steps")).to_contain_text("Заполнена карточка заказа")
        await expect(page.locator(".card-view")).to_contain_text("кот в шляпе, акварель")
        await page.locator("summary", has_text="Отменить и вернуть деньги").click()
        form = page.locator(f'form[action="/console/jobs/{job_id}/cancel"]')
        await form.get_by_label("Причина").fill("двойной заказ")
        await form.get_by_role("button").click()
        await expect(page.get_by_role("status")).to_contain_text("Заказ отменён, деньги вернулись клиенту")
        await expect(page.locator(".verdict")).to_contain_text("заказ отменён")
        await page.get_by_role("link", name=re.compile("Журнал заказа")).click()
        await expect(page.locator("tbody tr").first).to_contain_text("двойной заказ")


async def test_chosen_jobs_are_shown_and_then_delivered_again(database: str, tmp_path: Path) -> None:
    async with operators_page(database, tmp_path) as (page, console, day):
        await page.goto(f"{console.url}/console/jobs?state=parked")
        rows = page.locator('input[name="job"]')
        count = await rows.count()
        await page.locator("[data-check-all]").check()
        await page.get_by_label("Сразу с несколькими").select_option("redeliver")
        await page.get_by_role("button", name="С выбранными").click()
        await expect(page.locator(".figure", has_text="Будет сделано")).to_contain_text(str(count))
        await page.get_by_label("Причина").fill("Telegram снова работает")
        await page.get_by_role("button", name=re.compile("Доставить заново")).click()
        await expect(page.get_by_role("status")).to_have_text(f"Сделано: {count} из {count}.")
        parked = await console.pool.fetchval(
            "SELECT parked_at FROM generation_jobs WHERE job_id = $1", day.by_story["parked"]
        )
        assert parked is None


async def test_checked_rows_stay_checked_while_the_list_is_live(database: str, tmp_path: Path) -> None:
    async with operators_page(database, tmp_path) as (page, console, day):
        await page.goto(f"{console.url}/console/jobs?state=running")
        row = page.locator("tbody tr", has_text=str(day.by_story["running"]))
        await row.locator("input").check()
        await page.locator("h1").click()
        count = page.locator(".tabs a", has_text="Отложены").locator(".count")
        before = await count.inner_text()
        await redeliver(console.pool, JobId(day.by_story["parked"]), operator="olga", reason="from another window")
        await expect(count).not_to_have_text(before)
        await expect(row.locator("input")).to_be_checked()


async def test_a_lost_answer_gets_the_task_that_kies_log_shows(database: str, tmp_path: Path) -> None:
    async with operators_page(database, tmp_path, is_phone=True) as (page, console, day):
        job_id = day.by_story["uncertain"]
        await page.goto(f"{console.url}/console/orphans")
        choice = page.locator("article.choice", has_text=f"№ {job_id}")
        await choice.locator("summary", has_text="Задача нашлась в логе Kie").click()
        await choice.get_by_label("Номер задачи").fill("abc-from-the-log")
        await choice.locator("form").first.get_by_label("Причина").fill("нашёл в логе")
        await choice.get_by_role("button", name="Задача нашлась в логе Kie").click()
        await expect(page.get_by_role("status")).to_contain_text(f"Теперь это заказ {job_id}")
        await expect(page.locator("dd", has_text="abc-from-the-log").first).to_be_visible()
