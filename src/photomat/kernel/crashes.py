"""Where an unexpected error is reported, if the installation says where to (`app/crash_reports.py`).

Called at the tops of loops, beside the log. A report never raises, waits or blocks. Errors of the outside world are not
crashes: what may be retried, what a customer is shown, a database that is away.
"""

import asyncio
from collections.abc import Callable

from photomat.kernel.errors import OutcomeUnknown, Rejected, Startup, Transient

Report = Callable[[BaseException, str], None]
EXPECTED = (Transient, OutcomeUnknown, Rejected, Startup, asyncio.CancelledError, ConnectionError, TimeoutError)
_report: Report | None = None


def report_crash(error: BaseException, where: str) -> None:
    """Report an unexpected error; `where` is the log tag beside it."""
    if _report is not None and not isinstance(error, EXPECTED):
        _report(error, where)


def report_to(report: Report | None) -> None:
    global _report  # noqa: PLW0603  one receiver a process
    _report = report
