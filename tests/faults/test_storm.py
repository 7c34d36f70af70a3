"""A short storm of every kind of blow, with the version before in turn; nothing is lost and nothing doubled."""

from pathlib import Path

import pytest

from photomat_chaos.storm.engine import StormPlan
from photomat_chaos.storm.purchases import run_storm
from support.releases import unpack_previous_version

SEED = 24809
"""Its first seconds hold every kind of blow: `test_the_seed_of_the_gate_holds_every_kind_of_blow`."""

SECONDS = 14.0


@pytest.mark.time_limit(1800)
async def test_a_short_storm_loses_and_doubles_nothing(tmp_path: Path) -> None:
    old = unpack_previous_version(tmp_path / "old")
    folder = tmp_path / "storm"
    folder.mkdir()
    report = await run_storm(StormPlan(seed=SEED, seconds=SECONDS, instances=2, customers=5, old=old), folder)
    assert report.violations == [], report.stories
    figures = report.figures
    assert figures["jobs bought"] >= 2, figures
    assert figures["jobs done"] >= 1, figures
    for what in ("instances killed", "PostgreSQL restarts", "of them of the old version", "faults that struck"):
        assert figures.get(what, 0) >= 1, f"a storm without {what} proves little: {figures}"
