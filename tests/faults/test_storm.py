"""A short storm of every kind of blow, with the version before in turn; nothing is lost and nothing doubled."""

from pathlib import Path

import pytest

from photomat_chaos.storm.engine import StormPlan
from photomat_chaos.storm.purchases import run_storm
from support.releases import unpack_previous_version

SEED = 18813
"""Its first seconds hold every kind of blow: `test_the_seed_of_the_gate_holds_every_kind_of_blow`."""

SECONDS = (14.0, 42.0, 126.0)
"""A longer one where too little happened in the time: on a slow, busy machine."""

EVENTS = {
    "jobs bought": 2,
    "jobs done": 1,
    "instances killed": 1,
    "PostgreSQL restarts": 1,
    "of them of the old version": 1,
    "faults that struck": 1,
}


@pytest.mark.time_limit(1800)
async def test_a_short_storm_loses_and_doubles_nothing(tmp_path: Path) -> None:
    old = unpack_previous_version(tmp_path / "old")
    for seconds in SECONDS:
        folder = tmp_path / f"{seconds:.0f}s"
        folder.mkdir()
        report = await run_storm(StormPlan(seed=SEED, seconds=seconds, instances=2, customers=5, old=old), folder)
        assert report.violations == [], report.stories
        missing = [what for what, least in EVENTS.items() if report.figures.get(what, 0) < least]
        if not missing:
            return
    pytest.fail(f"a storm without {missing} proves little: {report.figures}")
