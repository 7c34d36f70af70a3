"""With 100,000 jobs in the database every page of the console is answered within 300 ms of server time.

Measured over loopback in this process, session, database and template included. The fastest of a few tries counts, so that
other work of the machine does not: what is judged is what a page costs.
"""

import re
import sys
from pathlib import Path
from time import perf_counter

import pytest

from photomat.console.app import PAGES
from support.busy_day import BusyDay, fill_busy_day
from support.console import running_console
from support.database import connection_of

JOBS = 100_000
LIMIT_MS = 300
MOST_TRIES = 25
ANSWERED = frozenset({200, 404})
FILLED = re.compile(r"{([a-z_]+)(?::[^}]*)?}")
FILES = frozenset({"/money/receipts/{receipt_id}/file"})
"""Pages that are a file from elsewhere: Telegram's time is not ours."""
MORE = (
    "/reports?days=90",
    "/reports/models?days=90",
    "/reports/cohorts?weeks=26",
    "/reports/funnel?days=90",
    "/money/ledger?reason=charge",
    "/money/ledger?user={user_id}",
    "/money/ledger?since=2026-01-01&until=2026-12-31",
    "/money/payments?provider=yookassa",
    "/catalogue?q=kling",
)
"""Pages with filters that read most."""


def paths(day: BusyDay) -> list[str]:
    """Every page of the console, with numbers of rows that exist."""
    known = {
        "job_id": day.by_story["done"],
        "user_id": day.a_user,
        "payment_id": day.a_payment,
        "receipt_id": day.a_receipt,
        "model_id": day.a_model,
    }
    routes = [page.path for page in PAGES if page.path not in FILES]
    return [FILLED.sub(lambda found: str(known.get(found[1], 1)), route) for route in (*routes, *MORE)]


@pytest.mark.time_limit(1200)
async def test_every_page_is_fast_with_a_hundred_thousand_jobs(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection:
        day = await fill_busy_day(connection, jobs=JOBS)
    measured: list[tuple[float, str]] = []
    broken: list[str] = []
    async with running_console(database, folder=tmp_path) as console, console.signed_in() as owner:
        for path in paths(day):
            times: list[float] = []
            while not times or (min(times) > LIMIT_MS and len(times) < MOST_TRIES):
                began = perf_counter()
                answer = await owner.get(f"/console{path}")
                times.append((perf_counter() - began) * 1000)
            measured.append((min(times), path))
            broken += [path] if answer.status not in ANSWERED else []
    table = "\n".join(f"{ms:7.1f} ms  {path}" for ms, path in sorted(measured, reverse=True))
    sys.stdout.write(f"\n{table}\n")
    assert broken == []
    assert [f"{path}: {ms:.0f} ms" for ms, path in measured if ms > LIMIT_MS] == []
