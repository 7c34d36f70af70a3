"""The sandbox's bot as a process of its own, started again when it is killed, as systemd would.

The program is loaded once and forked, so that a restart takes a moment. The kernel kills the bot when we die. A bot that ends
on its own is not started again: its exit code becomes ours. A failpoint kills the first bot only.
"""

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Final

from photomat.kernel import failpoint
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger

RESTART_AFTER_S: Final = 2.0
LOOK_EVERY_S: Final = 0.05
TEND_EVERY_S: Final = 2.0
STOP_S: Final = 30.0
SIGNAL_EVERY_S: Final = 5.0
"""A signal that came before the bot listened to it is repeated."""
PR_SET_PDEATHSIG: Final = 1
log = get_logger()


class BotSupervisor:
    """`serve(is_first)` is the bot; `tend` is called now and then; `announce` gets the pid, 0 for none."""

    def __init__(
        self, *, serve: Callable[[bool], None], tend: Callable[[], object], announce: Callable[[int], None]
    ) -> None:
        self._serve = serve
        self._tend = tend
        self._announce = announce
        self._stopping_since: float | None = None

    def run(self) -> int:
        """Keep a bot running until SIGINT or SIGTERM; return the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        is_first, code = True, 0
        while self._stopping_since is None:
            code = self._run_once(is_first=is_first)
            is_first = False
            if code >= 0 or self._stopping_since is not None:
                break
            log.warning("SANDBOX_BOT_KILLED", signal=-code, restart_in_s=RESTART_AFTER_S)
            self._wait_until(time.monotonic() + RESTART_AFTER_S)
        return max(code, 0)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping_since = self._stopping_since or time.monotonic()

    def _run_once(self, *, is_first: bool) -> int:
        """Run one bot to its end; return its exit code, negative for a signal."""
        sys.stdout.flush()
        sys.stderr.flush()
        ours = os.getpid()
        pid = os.fork()
        if pid == 0:
            os._exit(self._become_bot(parent=ours, is_first=is_first))
        self._announce(pid)
        try:
            return self._wait_for_end(pid)
        finally:
            self._announce(0)

    def _become_bot(self, *, parent: int, is_first: bool) -> int:
        """Be the bot, in the child; return its exit code."""
        try:
            _die_with(parent)
            if not is_first:
                failpoint.arm(None)
            self._serve(is_first)
        except Startup as error:
            sys.stderr.write(f"\nPhotomat cannot start. {error}\n")
            return 2
        except BaseException:  # noqa: BLE001  the child must not return into the supervisor
            traceback.print_exc()
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return 0

    def _wait_for_end(self, pid: int) -> int:
        next_tend = next_signal = 0.0
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            now = time.monotonic()
            if ended:
                return os.waitstatus_to_exitcode(status)
            if self._stopping_since is not None and now > next_signal:
                os.kill(pid, signal.SIGKILL if now > self._stopping_since + STOP_S else signal.SIGTERM)
                next_signal = now + SIGNAL_EVERY_S
            if now > next_tend:
                self._tend()
                next_tend = now + TEND_EVERY_S
            time.sleep(LOOK_EVERY_S)

    def _wait_until(self, moment: float) -> None:
        while self._stopping_since is None and time.monotonic() < moment:
            time.sleep(LOOK_EVERY_S)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
