"""A short storm of money: everything is paid, spent, given and taken back while it lasts, and everybody's books agree."""

from pathlib import Path

import pytest

from photomat_chaos.money.workload import run_money_storm
from photomat_chaos.storm.engine import StormPlan

SEED = 87997
"""Its first seconds hold deaths, deploys and lost commits: `test_the_seed_of_the_gate_strikes_where_it_hurts`."""

SECONDS = (11.0, 33.0, 99.0)
"""A longer one where too little happened in the time: on a slow, busy machine."""

EVENTS = ("PostgreSQL restarts", "faults that struck", "payments by stars", "verbs: credit")
DEATHS = ("instances killed", "instances frozen", "deploys of the new version")


@pytest.mark.time_limit(1800)
async def test_a_short_storm_of_money_loses_and_doubles_nothing(tmp_path: Path) -> None:
    for seconds in SECONDS:
        folder = tmp_path / f"{seconds:.0f}s"
        folder.mkdir()
        report = await run_money_storm(StormPlan(seed=SEED, seconds=seconds, instances=2, customers=6), folder)
        assert report.violations == [], report.stories
        missing = [what for what in EVENTS if not report.figures.get(what)]
        if not missing and any(report.figures.get(what) for what in DEATHS):
            return
    pytest.fail(f"a storm without deaths or without {missing} proves little: {report.figures}")
