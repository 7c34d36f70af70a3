"""A short storm of money: everything is paid, spent, given and taken back while it lasts, and everybody's books agree."""

from pathlib import Path

import pytest

from photomat_chaos.money.workload import run_money_storm
from photomat_chaos.storm.engine import StormPlan

SEED = 87997
"""Its first seconds hold deaths, deploys and lost commits: `test_the_seed_of_the_gate_strikes_where_it_hurts`."""

SECONDS = 11.0


@pytest.mark.time_limit(1800)
async def test_a_short_storm_of_money_loses_and_doubles_nothing(tmp_path: Path) -> None:
    report = await run_money_storm(StormPlan(seed=SEED, seconds=SECONDS, instances=2, customers=6), tmp_path)
    assert report.violations == [], report.stories
    figures = report.figures
    hurt = sum(figures.get(what, 0) for what in ("instances killed", "instances frozen", "deploys of the new version"))
    assert hurt >= 1, f"a storm in which every process lived in peace proves little: {figures}"
    for what in ("PostgreSQL restarts", "faults that struck", "payments by stars", "verbs: credit"):
        assert figures.get(what, 0) >= 1, f"a storm without {what} proves little: {figures}"
