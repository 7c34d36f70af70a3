"""Without a Chromium the browser tests are skipped, and the summary says so; where CI is set they run and fail."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.browser import NAMES

HERE = Path(__file__).parent
REASON = f"no Chromium: none of {', '.join(NAMES)} is on the PATH"


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark what cannot run here; nothing when there is a browser, and nothing in CI, where its absence is red."""
    if os.environ.get("CI") or any(shutil.which(name) for name in NAMES):
        return
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skip(reason=REASON))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it at the end, where it cannot be missed."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if REASON in str(report.longrepr)]
    if skipped:
        terminalreporter.section("BROWSER TESTS SKIPPED", sep="!", yellow=True, bold=True)
        terminalreporter.line(f"{len(skipped)} tests did not run, {REASON}.", yellow=True)
