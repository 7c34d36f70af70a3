"""docs/first-customer.md as data: its commands, and a server to type them on, where root's tools are stand-ins."""

import asyncio
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.source import ROOT

PAGES: Final = tuple(ROOT / "docs" / name for name in ("first-customer.md", "first-customer.ru.md"))
TOOLS: Final = {
    "apt-get": 'echo "apt-get $*" >>"$ASKED"',
    "adduser": 'echo "adduser $*" >>"$ASKED"',
    "chown": 'echo "chown $*" >>"$ASKED"',
    "systemctl": 'echo "systemctl $*" >>"$ASKED"',
    "id": '[ "$1" = -u ] && echo "${TEST_UID:-0}"',
    "make": 'ln -sfn "$TEST_VENV" "$3/.venv"',
    "sudo": 'while :; do case "$1" in -H) shift;; -u) shift 2;; *) break;; esac; done; exec "$@"',
}
"""What a real server has of its own; here each only records that it was asked, or does as little as it takes."""


def blocks(page: Path) -> list[tuple[str, str]]:
    """(mark, commands) of every block of shell commands; the mark is the comment above it."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^<!-- (.+?) -->\n```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    """Every line a reader types, in order."""
    return [line for _, block in blocks(page) for line in block.splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A folder that stands for a fresh server; what is typed runs with nothing of ours but what the page installs."""

    folder: Path
    settings: dict[str, str]

    @classmethod
    def make(cls, folder: Path, **settings: str) -> "Server":
        tools = folder / "tools"
        tools.mkdir(parents=True)
        (folder / "home").mkdir()
        (folder / "opt").mkdir()
        for name, body in TOOLS.items():
            tool = tools / name
            tool.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            tool.chmod(0o755)
        return cls(folder=folder, settings=settings)

    @property
    def program(self) -> Path:
        """Where the page clones to."""
        return self.folder / "opt" / "photomat"

    @property
    def asked(self) -> list[str]:
        """What root's tools were asked for."""
        file = self.folder / "asked"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    @property
    def environment(self) -> dict[str, str]:
        """An empty one, but for where things are."""
        path = f"{self.folder}/tools:{self.folder}/usr/local/bin:/usr/local/bin:/usr/bin:/bin"
        ours = {"HOME": str(self.folder / "home"), "PATH": path, "DESTDIR": str(self.folder), "LANG": "C.UTF-8"}
        stand_ins = {"ASKED": str(self.folder / "asked"), "TEST_VENV": str(ROOT / ".venv")}
        return {**ours, **stand_ins, **self.settings}

    def here(self, typed: str) -> str:
        """The page's words with the paths of this server."""
        typed = typed.replace("<this repository>", shlex.quote(str(ROOT))).replace("/opt/photomat", str(self.program))
        return typed.replace("/var/backups", f"{self.folder}/var/backups")

    def types(self, typed: str, *, answers: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        """Type commands; `answers` are what is typed when asked."""
        return subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", self.here(typed)],
            cwd=self.folder,
            env={**self.environment, **settings},
            input=answers,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    async def starts_the_service(self, log: Path) -> asyncio.subprocess.Process:
        """Start what the installed unit says, where it says."""
        unit = (self.folder / "etc" / "systemd" / "system" / "photomat.service").read_text(encoding="utf-8")
        (command,) = re.findall(r"^ExecStart=(.+)$", unit, re.MULTILINE)
        (place,) = re.findall(r"^WorkingDirectory=(.+)$", unit, re.MULTILINE)
        with log.open("wb") as output:
            return await asyncio.create_subprocess_exec(
                *shlex.split(command), cwd=place, env=self.environment, stdout=output, stderr=asyncio.subprocess.STDOUT
            )


def clone_for(server: Server) -> None:
    """The files the installation needs, as a clone has them (`git clone` itself is for the long form)."""
    server.program.mkdir()
    for name in ("deploy", "docs", ".env.example"):
        (server.program / name).symlink_to(ROOT / name)
