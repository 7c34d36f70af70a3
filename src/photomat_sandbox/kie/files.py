"""Downloads: result files and uploaded files, by plain GET and without a key."""

from dataclasses import dataclass
from typing import Final

from aiohttp import hdrs, web

from photomat_sandbox.kie.desk import Answer, Desk
from photomat_sandbox.kie.jobs import link_proof
from photomat_sandbox.kie.studio import Studio
from photomat_sandbox.kie.world import KieWorld

STOCK_AGENTS: Final = ("python", "aiohttp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The handlers of the download host."""

    world: KieWorld
    studio: Studio

    def add_routes(self, app: web.Application, desk: Desk) -> None:
        """Put the download paths into an application."""
        app.router.add_get("/results/{name}", desk.route("download", self.result, needs_key=False))
        app.router.add_get("/files/{path:.+}", desk.route("download", self.upload, needs_key=False))

    async def result(self, request: web.Request) -> Answer:
        """Give a result's bytes: 404 when unknown or expired, 403 to stock agents where that is switched on."""
        name = request.match_info["name"]
        agent = request.headers.get(hdrs.USER_AGENT, "").lower()
        if self.world.settings.refuse_stock_agents and (not agent or agent.startswith(STOCK_AGENTS)):
            return _plain(403, f"download of {name} refused to agent {agent[:40]!r}")
        file = self.world.live_result(name)
        if file is None or not self._link_is_good(request, name):
            return _plain(404, f"download of {name}: not there")
        made = await self.studio.bytes_of(file)
        response = web.Response(body=made.content, content_type=made.mime)
        return Answer(response=response, summary=f"download of {name}, {len(made.content)} bytes")

    async def upload(self, request: web.Request) -> Answer:
        """Give an uploaded file's bytes: 404 when unknown or expired."""
        path = request.match_info["path"]
        upload = self.world.live_upload(path)
        if upload is None:
            return _plain(404, f"download of {path}: not there")
        response = web.Response(body=upload.content, headers={hdrs.CONTENT_TYPE: upload.mime})
        return Answer(response=response, summary=f"download of {path}, {len(upload.content)} bytes")

    def _link_is_good(self, request: web.Request, name: str) -> bool:
        """Test the end of a short-lived link; a plain result URL has none."""
        until = request.query.get("until")
        if until is None:
            return True
        right = until.isdecimal() and request.query.get("proof") == link_proof(name, int(until))
        return right and self.world.clock() < int(until)


def _plain(status: int, summary: str) -> Answer:
    text = {403: "Forbidden", 404: "Not Found"}[status]
    return Answer(response=web.Response(text=text, status=status), summary=summary, detail={"status": status})
