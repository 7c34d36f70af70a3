"""The report of the matrix in a real browser: figures, coloured cells, and the way from a broken cell to its story."""

from pathlib import Path

from playwright.async_api import expect

from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.matrix.cell import Cell
from photomat_chaos.matrix.matrix import places_of
from photomat_chaos.matrix.report import WHOLE, MatrixReport, page_of
from support.browser import chromium, page_at

BROKEN = "a phone rings once at most: job 1 (done) rang 2 times <b>& more</b>"


def written(folder: Path) -> str:
    """A report with one broken cell and one that nobody passed; gives its address."""
    cells = [Cell(place=place, struck=True, seconds=3.0) for place in places_of(points=FAILPOINTS[:12])]
    cells[1] = Cell(place=cells[1].place, struck=False)
    cells[9] = Cell(place=cells[9].place, struck=True, broken=(BROKEN,), seconds=4.0)
    file = folder / "report.html"
    file.write_text(
        page_of(MatrixReport(cells=cells, version="1.2.3", seed=7, finished="2026-01-02")), encoding="utf-8"
    )
    return file.as_uri()


async def test_a_broken_cell_leads_to_what_was_broken_there(tmp_path: Path) -> None:
    async with chromium() as browser, page_at(browser, written(tmp_path)) as page:
        await expect(page.get_by_role("heading", level=1)).to_have_text(
            f"Cells that broke a promise: 1 in 216 of {WHOLE} cells"
        )
        await expect(page.locator("dl div", has_text="violations").locator("dd")).to_have_text("1")
        await expect(page.get_by_role("table")).to_have_count(3)
        await expect(page.locator("td.none")).to_have_text("· never passed")
        await page.get_by_role("link", name="✗ broken").click()
        await expect(page.get_by_role("article")).to_be_in_viewport()
        await expect(page.get_by_role("article").get_by_role("listitem")).to_have_text(BROKEN)


async def test_on_a_phone_only_the_tables_scroll_sideways(tmp_path: Path) -> None:
    async with chromium() as browser, page_at(browser, written(tmp_path), is_phone=True) as page:
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await page.evaluate("document.querySelector('.wide').scrollWidth > innerWidth")


async def test_at_night_the_paper_is_dark(tmp_path: Path) -> None:
    async with chromium() as browser:
        papers = []
        for scheme in ("light", "dark"):
            async with page_at(browser, written(tmp_path), color_scheme=scheme) as page:
                papers.append(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers == ["rgb(251, 250, 247)", "rgb(20, 23, 28)"]
