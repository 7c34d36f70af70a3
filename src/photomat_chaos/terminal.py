"""What the lab's commands share on a terminal: one console, one kind of progress bar, and silence of everybody else."""

import io
import logging
import signal
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from photomat.kernel import logs

console: Final = Console(highlight=False)


def be_quiet() -> None:
    """The program's events go to the instances' own logs; what a cut connection does to a simulator is no news."""
    logs.configure("text", io.StringIO())
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)


def end_in_order() -> None:
    """Let SIGTERM end a run as Ctrl-C does, also behind nohup: with its database and its processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))


def progress() -> Progress:
    """A bar that counts, and goes when it is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)
