"""The Suno calls that answer at once, without a task: persona, style boost, lyrics with times."""

from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.kie.desk import Answer, Desk, body_of, said
from photomat_sandbox.kie.objects import persona, style, timed_words
from photomat_sandbox.kie.parents import NO_SUCH_PARENT, check_parents
from photomat_sandbox.kie.tasks import Task
from photomat_sandbox.kie.validation import RefusedError
from photomat_sandbox.kie.workshop import Workshop
from photomat_sandbox.kie.world import KieWorld

STYLE_CREDITS: Final = 0.4
LYRICS_CREDITS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SunoTools:
    """The handlers of the synchronous Suno endpoints."""

    world: KieWorld
    workshop: Workshop

    def add_routes(self, app: web.Application, desk: Desk) -> None:
        """Put the synchronous paths into an application."""
        for path, act in (
            ("generate/generate-persona", self.persona),
            ("generate/get-timestamped-lyrics", self.timed_lyrics),
            ("style/generate", self.style),
        ):
            app.router.add_post(f"/api/v1/{path}", desk.route(path, act, counts="create"))

    async def persona(self, request: web.Request) -> Answer:
        """Make a persona out of a track."""
        sent = await _needed(request, "taskId", "audioId", "name", "description")
        song = self._song(sent)
        return said(f"persona of {song.task_id[:8]}…", persona(song.task_id, sent))

    async def timed_lyrics(self, request: web.Request) -> Answer:
        """Give the words of a track with their times."""
        song = self._song(await _needed(request, "taskId", "audioId"))
        self.world.take_credits(LYRICS_CREDITS)
        return said(f"timed lyrics of {song.task_id[:8]}…", timed_words(song.order.prompt))

    async def style(self, request: web.Request) -> Answer:
        """Enrich the description of a style."""
        content = str((await _needed(request, "content"))["content"])
        self.world.take_credits(STYLE_CREDITS)
        data = {
            "taskId": None,
            "param": content,
            "result": style(content),
            "creditsConsumed": STYLE_CREDITS,
            "creditsRemaining": self.world.credits,
            "successFlag": "成功",
            "errorCode": None,
            "errorMessage": "",
        }
        return said("style boost", data)

    def _song(self, sent: dict[str, Any]) -> Task:
        self.workshop.advance()
        check_parents(self.world, sent)
        song = self.world.tasks[str(sent["taskId"])]
        if not song.has_tracks:
            raise RefusedError(422, NO_SUCH_PARENT)
        return song


async def _needed(request: web.Request, *names: str) -> dict[str, Any]:
    """Read the body and refuse it when one of these fields is missing."""
    sent = await body_of(request)
    for name in names:
        if sent.get(name) in (None, ""):
            raise RefusedError(500, f"{name} is required")
    return sent
