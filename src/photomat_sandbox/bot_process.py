"""The bot's process, where the program that started the simulators also starts the bot and says its process id.

It says so on our standard input, one line at each change: `bot 4711`, or `bot 0` when there is none. `POST /sandbox/bot/kill`
kills it with SIGKILL; the starter starts it again, as systemd would. `GET /sandbox/bot` shows the process id and the number of
starts, both 0 where no bot is announced.
"""

import os
import signal
from dataclasses import dataclass

from aiohttp import web

from photomat_sandbox.control import refusal
from photomat_sandbox.transcript import Transcript


@dataclass(slots=True, kw_only=True)
class BotProcess:
    transcript: Transcript
    pid: int = 0
    starts: int = 0
    _unread: bytes = b""

    def register(self, app: web.Application) -> None:
        app.router.add_get("/sandbox/bot", self.show)
        app.router.add_post("/sandbox/bot/kill", self.kill)

    def feed(self, data: bytes) -> None:
        """Take what came in on standard input, which may end within a line."""
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            word, _, number = line.partition(b" ")
            if word == b"bot" and number.isdigit():
                self._changed(int(number))

    def _changed(self, pid: int) -> None:
        self.pid = pid
        self.starts += bool(pid)
        if pid:
            self._note(f"started as process {pid}")
        elif self.starts:
            self._note("has ended")

    async def show(self, _request: web.Request) -> web.Response:
        return web.json_response({"pid": self.pid, "starts": self.starts})

    async def kill(self, request: web.Request) -> web.Response:
        if not self.pid:
            raise refusal("no bot is running that could be killed")
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError as error:
            raise refusal("the bot has just ended") from error
        self._note(f"process {self.pid} was killed with SIGKILL")
        return await self.show(request)

    def _note(self, summary: str) -> None:
        self.transcript.add(world="telegram", kind="effect", name="bot", summary=f"bot {summary}", detail={})
