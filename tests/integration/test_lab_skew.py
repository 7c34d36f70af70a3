"""A skewed process is wrong about the time, and only that process, and only about the time."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import datetime, json, sys, time
from pathlib import Path
import photomat.kernel.clock as clock
from photomat_chaos.lab import skew

before, started = time.time(), time.monotonic()
aware = datetime.datetime.now(datetime.UTC)
skew.install(Path(sys.argv[1]))
def told():
    return {
        "time": time.time() - before,
        "time_ns": time.time_ns() / 1e9 - before,
        "gmtime": time.mktime(time.localtime()) - before,
        "epoch": clock.epoch() - before,
        "now": datetime.datetime.now(datetime.UTC).timestamp() - before,
        "utcnow": datetime.datetime.utcnow().replace(tzinfo=datetime.UTC).timestamp() - before,
        "monotonic": time.monotonic() - started,
        "known": isinstance(aware, datetime.datetime),
        "of an instant": time.gmtime(0).tm_year,
    }
first = told()
Path(sys.argv[1]).write_text("-7200")
time.sleep(0.15)
print(json.dumps([first, told()]))
"""
CLOCKS = ("time", "time_ns", "gmtime", "epoch", "now", "utcnow")


def test_every_clock_python_code_asks_is_wrong_and_a_jump_is_seen_soon(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    file.write_text("3600")
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(file)], capture_output=True, text=True, timeout=600, check=True
    )
    first, after = json.loads(said.stdout)
    for clock in CLOCKS:
        assert 3590 < first[clock] < 4000, clock
        assert -7210 < after[clock] < -6800, clock
    assert 0 <= after["monotonic"] < 3000, "waiting and time-outs go by another clock"
    assert after["known"], "an instant made before is still an instant"
    assert after["of an instant"] == 1970


def test_a_file_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from photomat_chaos.lab import skew\n"
        "before = time.time(); skew.install(Path(sys.argv[1])); print(time.time() - before)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "none")], capture_output=True, text=True, timeout=600, check=True
    )
    assert abs(float(said.stdout)) < 300
