"""Renew a lease while long work is under way, three times a lease; short work causes no renewal.

Work whose claim was taken over is interrupted and must write nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeVar

from photomat.kernel.error_report import describe
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger

RENEWALS: Final = 3
T = TypeVar("T")
log = get_logger()


class ClaimLost(PhotomatError):
    """Another instance has taken the work over: stop, write nothing."""


async def while_renewing(
    work: Callable[[], Awaitable[T]], *, renew: Callable[[], Awaitable[bool]], lease: timedelta
) -> T:
    """Do the work while renewing its claim; interrupt it and raise ClaimLost when the claim was taken over."""
    try:
        async with asyncio.TaskGroup() as group:
            renewing = group.create_task(_renew(renew, every_s=lease.total_seconds() / RENEWALS))
            done = await work()
            renewing.cancel()
    except ExceptionGroup as troubles:
        raise troubles.exceptions[0] from troubles.exceptions[0].__cause__
    return done


async def _renew(renew: Callable[[], Awaitable[bool]], *, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            ours = await renew()
        except Exception as error:  # noqa: BLE001  the top of a loop: without a database the fence still guards
            log.warning("LEASE_NOT_RENEWED", error=describe(error))
        else:
            if not ours:
                raise ClaimLost("the claim was taken over during the work")
