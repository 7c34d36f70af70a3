"""What an instance costs before it does anything: time to ready, memory, commits when idle, beside `import aiogram` alone."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.db.pool import connect
from photomat_bench.flow_run import PROMPT
from photomat_bench.flows import FlowDriver
from photomat_bench.instances import AUDITED, start_instance
from photomat_bench.meters import cpu_s, database_counts, resident_mb
from photomat_bench.wire import serving

SETTLE_S: Final = 15.0
"""The first rounds of duties and rules are over, and idle sessions have reported what they counted, which takes them ten."""
AUDIT_LIMIT_S: Final = 30.0
IMPORT: Final = """
import aiogram, time
print(open("/proc/self/status").read().partition("VmRSS:")[2].split()[0], time.process_time())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifetimeFigures:
    ready_s: float
    ready_mb: float
    ready_cpu_s: float
    import_s: float
    import_mb: float
    import_cpu_s: float
    idle_commits_per_s: float


async def measure_lifetime(idle_s: float, *, dsn: str, folder: Path) -> LifetimeFigures:
    """Start on a database that is there already, wait, and count what happens without any customer."""
    import_s, import_mb, import_cpu_s = await asyncio.to_thread(_import_alone)
    driver = FlowDriver(seconds_at_kie=0.1, prompt=PROMPT)
    async with serving(driver.vendors.answer) as url:
        begin = time.perf_counter()
        instance = start_instance(dsn=dsn, vendors_url=url, folder=folder, name="idle", settings={})
        try:
            await instance.until_ready()
            ready_s, ready_cpu_s = time.perf_counter() - begin, cpu_s(instance.pid)
            await instance.until_logged(AUDITED, within_s=AUDIT_LIMIT_S)
            await asyncio.sleep(SETTLE_S)
            ready_mb = resident_mb(instance.pid)
            commits = await _commits(dsn, idle_s)
        finally:
            await asyncio.to_thread(instance.stop)
    return LifetimeFigures(
        ready_s=round(ready_s, 3),
        ready_mb=round(ready_mb, 1),
        ready_cpu_s=round(ready_cpu_s, 3),
        import_cpu_s=round(import_cpu_s, 3),
        import_s=round(import_s, 3),
        import_mb=round(import_mb, 1),
        idle_commits_per_s=round(commits / idle_s, 2),
    )


def _import_alone() -> tuple[float, float, float]:
    """Seconds, megabytes and processor seconds."""
    begin = time.perf_counter()
    environment = {"PATH": os.environ.get("PATH", "")}
    done = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, env=environment)  # noqa: S603  a fixed list
    resident_kb, used_s = done.stdout.split()
    return time.perf_counter() - begin, int(resident_kb) / 1024, float(used_s)


async def _commits(dsn: str, seconds: float) -> int:
    connection = await connect(dsn, name="bench meter")
    try:
        before = await database_counts(connection)
        await asyncio.sleep(seconds)
        after = await database_counts(connection)
    finally:
        await connection.close(timeout=5)
    return after.since(before).commits - 1  # the reading itself
