"""A process whose wall clock is wrong: what Python code asks about the time is off by as many seconds as a file says.

It moves `time.time`, `time_ns`, `gmtime`, `localtime` and `ctime` of now, and `datetime.now`, `utcnow` and `today` of code that
looks the class up in its module from now on, or holds it in a module of ours. It cannot move what C code asks the kernel, nor
`time.monotonic`, which no clock change of a machine moves either, so event loops and time-outs stay what they are.
Nothing is undone: it is for a process that will be killed.
"""

import datetime as dt
import sys
import time
from collections.abc import Callable
from datetime import timedelta, tzinfo
from pathlib import Path
from typing import Any, Final, Self

READ_EVERY_S: Final = 0.1
NS: Final = 1_000_000_000
OURS: Final = "photomat."

_true_time = time.time
_true_time_ns = time.time_ns
_true_datetime = dt.datetime


class Offset:
    """The current error of the clock; the file is read at most ten times a second."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read_at = -READ_EVERY_S
        self._seconds = 0.0

    def seconds(self) -> float:
        """What the file says, or said last while it cannot be read."""
        now = time.monotonic()
        if now - self._read_at >= READ_EVERY_S:
            self._read_at = now
            try:
                self._seconds = float(self._file.read_text(encoding="ascii"))
            except (OSError, ValueError):
                return self._seconds
        return self._seconds


def install(file: Path) -> Offset:
    """Shift the clocks of this process by what the file says, from now on."""
    offset = Offset(file)

    def wrong_time() -> float:
        return _true_time() + offset.seconds()

    def wrong_time_ns() -> int:
        return _true_time_ns() + int(offset.seconds() * NS)

    for name in ("gmtime", "localtime", "ctime"):
        setattr(time, name, _of_now(getattr(time, name), wrong_time))
    _replace(_true_time, wrong_time, module=time, name="time")
    _replace(_true_time_ns, wrong_time_ns, module=time, name="time_ns")
    _replace(_true_datetime, _wrong_datetime(offset), module=dt, name="datetime")
    return offset


def _of_now(true: Callable[..., Any], wrong_time: Callable[[], float]) -> Callable[..., Any]:
    """The same function, with the wrong time as its default."""

    def asked(seconds: float | None = None) -> Any:
        return true(wrong_time() if seconds is None else seconds)

    return asked


def _replace(true: object, wrong: object, *, module: Any, name: str) -> None:
    """Replace it in its own module and in every module of ours that imported it."""
    setattr(module, name, wrong)
    for loaded in [found for key, found in sys.modules.items() if key.startswith(OURS)]:
        for own_name, value in list(vars(loaded).items()):
            if value is true:
                setattr(loaded, own_name, wrong)


def _wrong_datetime(offset: Offset) -> type:
    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, _true_datetime)

    class WrongDatetime(_true_datetime, metaclass=Kind):
        """`datetime` with a wrong now."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) + timedelta(seconds=offset.seconds())

        @classmethod
        def utcnow(cls) -> Self:
            return super().now(dt.UTC).replace(tzinfo=None) + timedelta(seconds=offset.seconds())

        @classmethod
        def today(cls) -> Self:
            return cls.now()

    return WrongDatetime
