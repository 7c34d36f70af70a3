"""A scheduled backup: the command of the operators in a process of its own, with the same environment.

A process apart, because the proof starts a server and reads all history: the shop must not wait for it. If the bot stops, it is
stopped too, and what it leaves is removed by the next backup.
"""

import asyncio
import os
import sys
from typing import Final

from photomat.kernel.logs import get_logger

COMMAND: Final = (sys.executable, "-P", "-m", "photomat", "backup", "--by-itself", "--json")
SAID_AT_MOST: Final = 500
log = get_logger()


async def run_by_itself() -> bool:
    """Run `photomat backup` to its end; return whether it was proved. Canceled: it is stopped."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    try:
        _, said = await process.communicate()
    except BaseException:
        process.terminate()
        raise
    if process.returncode:
        last = said.decode(errors="replace").strip()[-SAID_AT_MOST:]
        log.error("BACKUP_FAILED", exit_code=process.returncode, error=last)
    return not process.returncode
