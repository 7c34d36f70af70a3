"""The commands as an operator starts them: a real process to its end, with these settings and no others.

The process is a fork of one that has the program loaded already: to load it takes a second, and there are hundreds of commands.
"""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path
from typing import Any, Final

from photomat.app.settings import Settings
from photomat_chaos.lab.fork_server import LaunchRequest, fork_server

PATIENCE_S: Final = 300
LOOK_EVERY_S: Final = 0.005
END_OF_SCREEN: Final = b"\x00end of screen\x00"
COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


def photomat(
    *arguments: str, folder: Path, terminal: str | None = None, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with these settings and no others; its words go to a file, or to the terminal named."""
    ours = {name.upper() for name in Settings.model_fields} | {"RENDER"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    with tempfile.TemporaryDirectory(prefix="photomat-command-") as place:
        words, errors, end = (Path(place) / name for name in ("words", "errors", "end"))
        pid = fork_server().birth(
            LaunchRequest(
                environment=environment | {"DATA_DIR": str(folder / "var")} | settings,
                folder=str(folder),
                log=terminal or str(words),
                errors=str(errors),
                end=str(end),
                arguments=arguments,
            )
        )
        _wait_for(end, pid=pid, arguments=arguments)
        code = int(end.read_text(encoding="utf-8"))
        said = [file.read_text(encoding="utf-8") if file.exists() else "" for file in (words, errors)]
    return subprocess.CompletedProcess(args=arguments, returncode=code, stdout=said[0], stderr=said[1])


def photomat_in_a_terminal(
    *arguments: str, columns: int, folder: Path, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a terminal so many columns wide; its words are given without colours."""
    screen, terminal = pty.openpty()
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        seen: list[bytes] = []
        reading = threading.Thread(target=_read_screen, args=(screen, seen))
        reading.start()
        ended = photomat(*arguments, folder=folder, terminal=os.ttyname(terminal), TERM="xterm", **settings)
        os.write(terminal, END_OF_SCREEN)
        reading.join(PATIENCE_S)
    finally:
        os.close(terminal)
        os.close(screen)
    words = b"".join(seen).removesuffix(END_OF_SCREEN).decode().replace("\r\n", "\n")
    return subprocess.CompletedProcess(
        args=arguments, returncode=ended.returncode, stdout=COLOURS.sub("", words), stderr=ended.stderr
    )


def _read_screen(screen: int, seen: list[bytes]) -> None:
    while not b"".join(seen).endswith(END_OF_SCREEN):
        seen.append(os.read(screen, 65536))


def answer(*arguments: str, folder: Path, database: str) -> Any:
    """The JSON a command prints for machines."""
    ended = photomat(*arguments, "--json", folder=folder, DATABASE_URL=database)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def _wait_for(end: Path, *, pid: int, arguments: tuple[str, ...]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not end.exists():
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(cmd=list(arguments), timeout=PATIENCE_S)
        time.sleep(LOOK_EVERY_S)
