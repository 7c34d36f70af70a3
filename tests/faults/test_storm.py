"""A short storm: two instances, killed, frozen and cut off while five people buy; nothing is lost and nothing doubled."""

from pathlib import Path

import pytest

from photomat_chaos.storm import Plan, rage

SECONDS = 20.0


@pytest.mark.time_limit(240)
async def test_a_short_storm_loses_and_doubles_nothing(tmp_path: Path) -> None:
    report = await rage(Plan(seed=3, seconds=SECONDS, instances=2, customers=4), tmp_path)
    assert report.violations == []
    assert report.figures["jobs bought"] >= 3, report.figures
    assert report.figures["jobs done"] >= 1, report.figures
    assert report.figures["instances killed"] >= 1, "a storm in which nobody dies proves nothing"
    assert report.figures["faults that struck"] >= 1
