"""GET /result/{job}.{position}.{sig}: our own copy of a result that was too large for the chat.

Only an address we signed opens anything, and only the one file it names; everything else is not found, and looks the same.
Where the copy lies on another instance's disk the way leads to Kie's own file, while it lasts. A file is downloaded, never
shown by a browser as a page of ours. Parts of a file may be asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive
from photomat.delivery.fallbacks import SEEN_OR_HEARD, name_of
from photomat.delivery.outputs import Output, outputs_of
from photomat.delivery.result_link import result_of
from photomat.kernel.metrics import BAD_REQUESTS

UNNAMED_TYPE: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDoor:
    """Gives out kept results."""

    pool: Pool
    archive: ResultArchive
    secrets: Sequence[bytes]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The file its address names."""
        named = result_of(request.match_info["token"], self.secrets)
        if named is None:
            BAD_REQUESTS.labels(door="result", reason="address").inc()
            raise web.HTTPNotFound
        job_id, position = named
        found = [output for output in await outputs_of(self.pool, job_id) if output.position == position]
        if not found:
            raise web.HTTPNotFound
        return self._given(found[0])

    def _given(self, output: Output) -> web.StreamResponse:
        path = self.archive.path_of(output)
        folder = self.archive.files.folder.resolve()
        if path is None or not path.resolve().is_relative_to(folder):
            raise web.HTTPFound(output.url)
        mime = output.mime or ""
        return web.FileResponse(
            path,
            headers={
                "Content-Type": mime if mime.startswith(SEEN_OR_HEARD) else UNNAMED_TYPE,
                "Content-Disposition": f'attachment; filename="{name_of(output, path)}"',
                "X-Content-Type-Options": "nosniff",
                "Cache-Control": "private",
            },
        )
