"""The process that converts a file is bounded, and ends with the bot that started it."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from photomat.files.conversion import WORKER
from photomat.files.conversion_worker import AUDIO_CPU_S, MIN_OUTPUT_BYTES, OUTPUT_TIMES, PICTURE_CPU_S
from support import media_bytes as made
from support.patience import until

MAX_BYTES = 5_000_000
PARENT = """
import subprocess, sys
worker = subprocess.Popen([sys.executable, "-m", *sys.argv[1:]], stdin=0, stdout=open(sys.argv[0], "w+b"))
print(worker.pid, flush=True)
worker.wait()
"""


def limits(pid: int) -> dict[str, str]:
    """The soft limits of a process, by their names."""
    lines = Path(f"/proc/{pid}/limits").read_text(encoding="ascii").splitlines()[1:]
    return {line[:25].strip(): line[25:].split()[0] for line in lines}


def is_running(pid: int) -> bool:
    """Whether a process is there; one that has ended may still wait for its parent to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_worker_is_bounded_and_ends_with_the_bot(tmp_path: Path) -> None:
    """Its input is a pipe that never ends, so that it waits; the bot is killed meanwhile."""
    read_end, write_end = os.pipe()
    parent = tmp_path / "parent.py"
    parent.write_text(PARENT.replace("sys.argv[0]", repr(str(tmp_path / "out"))), encoding="utf-8")
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, str(parent), WORKER, "heic", "jpg", str(MAX_BYTES)),
        stdin=read_end,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert bot.stdout is not None
        pid = int(await bot.stdout.readline())
        await until(lambda: limits(pid)["Max address space"] != "unlimited")
        assert limits(pid)["Max file size"] == str(OUTPUT_TIMES * MAX_BYTES)
        assert limits(pid)["Max cpu time"] == str(PICTURE_CPU_S)
        assert PICTURE_CPU_S < AUDIO_CPU_S
        bot.kill()
        await bot.wait()
        await until(lambda: not is_running(pid))
    finally:
        if bot.returncode is None:
            bot.kill()
            await bot.wait()
        os.close(write_end)
        os.close(read_end)


async def test_output_beyond_its_bound_is_not_written(tmp_path: Path) -> None:
    source, target = tmp_path / "long.wav", tmp_path / "long.mp3"
    source.write_bytes(made.wav(seconds=300))
    with source.open("rb") as given, target.open("w+b") as written:
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", WORKER, "wav", "mp3", "1000"),
            stdin=given,
            stdout=written,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert await worker.wait() != 0
    assert target.stat().st_size <= MIN_OUTPUT_BYTES
