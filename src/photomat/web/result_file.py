"""GET /result/{job}.{position}.{sig}: our copy of a result that is too large for the chat.

Only a URL we signed opens a file, and only the one it names; everything else is the same 404. If the copy is on another
instance's disk, redirect to Kie's own file. Files are sent as attachments, never shown as a page of ours; ranges work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive
from photomat.delivery.fallbacks import SEEN_OR_HEARD, name_of, result_of
from photomat.delivery.outputs import Output, outputs_of
from photomat.kernel.metrics import BAD_REQUESTS

DEFAULT_TYPE: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDownload:
    pool: Pool
    archive: ResultArchive
    secrets: Sequence[bytes]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        named = result_of(request.match_info["token"], self.secrets)
        if named is None:
            BAD_REQUESTS.labels(door="result", reason="address").inc()
            raise web.HTTPNotFound
        job_id, position = named
        found = [output for output in await outputs_of(self.pool, job_id) if output.position == position]
        if not found:
            raise web.HTTPNotFound
        return self._response(found[0])

    def _response(self, output: Output) -> web.StreamResponse:
        path = self.archive.path_of(output)
        folder = self.archive.files.folder.resolve()
        if path is None or not path.resolve().is_relative_to(folder):
            raise web.HTTPFound(output.url)
        mime = output.mime or ""
        return web.FileResponse(
            path,
            headers={
                "Content-Type": mime if mime.startswith(SEEN_OR_HEARD) else DEFAULT_TYPE,
                "Content-Disposition": f'attachment; filename="{name_of(output, path)}"',
                "X-Content-Type-Options": "nosniff",
                "Cache-Control": "private",
            },
        )
