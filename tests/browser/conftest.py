"""One Chromium for all tests; without one they are skipped, and the summary says so; where CI is set they run and fail."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from support.browser import NAMES, BrowserLoop

HERE = Path(__file__).parent
REASON = f"no Chromium: none of {', '.join(NAMES)} is on the PATH"


@pytest.fixture(scope="session", autouse=True)
def own_loop() -> Iterator[BrowserLoop]:
    """The event loop of these tests: starting a browser takes longer than most of them do."""
    loop = BrowserLoop()
    yield loop
    loop.close()


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
