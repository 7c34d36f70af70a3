"""What to read about a broken promise: the story of its job as `photomat jobs show` tells it, and what the logs say of it."""

import io
from collections.abc import Iterable
from contextlib import redirect_stdout
from datetime import timedelta
from typing import Final

from photomat.cli.jobs import print_story
from photomat.db.pool import Pool, connect_pool
from photomat.jobs.explain import Surroundings
from photomat.jobs.report import read_job_report
from photomat_chaos.lab.arena import SETTINGS, Arena
from photomat_chaos.lab.history import Violation

MOST_STORIES: Final = 5
MOST_LINES: Final = 80


async def stories_of(arena: Arena, violations: Iterable[Violation]) -> dict[int, str]:
    """The stories of the first few jobs that are named, by job."""
    named = [violation.job_id for violation in violations if violation.job_id is not None]
    chosen = list(dict.fromkeys(named))[:MOST_STORIES]
    if not chosen:
        return {}
    pool = await connect_pool(arena.dsn, name="storm observer", size=2)
    try:
        return {job_id: await _story(arena, pool, job_id) for job_id in chosen}
    finally:
        await pool.close()


async def _story(arena: Arena, pool: Pool, job_id: int) -> str:
    lease = timedelta(seconds=float(SETTINGS["DELIVERY_LEASE_S"]))
    around = Surroundings(alive=frozenset(), delivery_lease=lease, timeout=timedelta(days=1))
    story = await read_job_report(pool, str(job_id), around)
    if story is None:
        return f"job {job_id} does not exist"
    said = io.StringIO()
    with redirect_stdout(said):
        print_story(story, [])
    return f"{said.getvalue()}\n{_log_lines(arena, str(story.row['corr']))}"


def _log_lines(arena: Arena, corr: str) -> str:
    """What every instance said with this correlation id, the last lines of it in order."""
    found = [
        f"{instance.log_file.stem}: {line}"
        for instance in arena.started
        for line in instance.log.splitlines()
        if f"[{corr}]" in line
    ]
    return "\n".join(sorted(found, key=lambda line: line.partition(": ")[2])[-MOST_LINES:])
