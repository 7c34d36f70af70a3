"""A storm that is killed as hard as a machine can leaves no process behind."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.patience import until

SCRIPT = """
import asyncio, io, sys
from pathlib import Path
from photomat.kernel import logs
from photomat_chaos.storm.engine import StormPlan
from photomat_chaos.storm.purchases import run_storm
logs.configure("text", io.StringIO())
asyncio.run(run_storm(StormPlan(seed=1, seconds=60, instances=2, customers=1), Path(sys.argv[1])))
"""


def processes_of(folder: Path) -> list[int]:
    """Every process that works in this folder, or serves it."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command, cwd = (place / "cmdline").read_text(errors="replace"), str((place / "cwd").readlink())
        except OSError:
            continue
        if str(folder) in cwd or str(folder) in command:
            found.append(int(place.name))
    return found


@pytest.mark.prove
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc to find processes")
async def test_a_killed_storm_leaves_neither_an_instance_nor_a_postgresql_behind(tmp_path: Path) -> None:
    folder = tmp_path / "storm"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)], stdin=subprocess.DEVNULL) as storm:  # noqa: ASYNC220  it must be its own, to be killed
        try:
            await until(lambda: any("is running" in log.read_text() for log in folder.glob("instance-*.log")))
            assert len(processes_of(folder)) > 3, "PostgreSQL and two instances"
        finally:
            storm.send_signal(signal.SIGKILL)
    await until(lambda: not processes_of(folder), about=lambda: f"these to end: {processes_of(folder)}")
