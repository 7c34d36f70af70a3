"""GET /result/{job}.{position}.{sig}: our copy of a result that is too large for the chat.

Only a URL we signed opens a file, and only the one it names; everything else is the same 404. Where there is no copy (it was
deleted or damaged, or is on another machine's disk), redirect to Kie's own file; while the store does not answer, 503. Files
are sent as attachments, never shown as a page of ours; ranges work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive
from photomat.delivery.download import copy_response
from photomat.delivery.fallbacks import SEEN_OR_HEARD, name_of, result_of
from photomat.delivery.outputs import Output, outputs_of
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import BAD_REQUESTS
from photomat.storage.errors import CopyLost, StoreUnavailable

DEFAULT_TYPE: Final = "application/octet-stream"
RETRY_AFTER_S: Final = "30"
log = get_logger()


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
        try:
            async with self.archive.noticing_damage(found[0]):
                return await self._response(request, found[0])
        except CopyLost:
            raise web.HTTPFound(found[0].url) from None
        except StoreUnavailable as error:
            log.error("RESULT_STORE_FAILED", job_id=job_id, position=position, error=str(error))
            raise web.HTTPServiceUnavailable(headers={"Retry-After": RETRY_AFTER_S}) from None

    async def _response(self, request: web.Request, output: Output) -> web.StreamResponse:
        copy = await self.archive.find(output)
        if copy is None:
            raise web.HTTPFound(output.url)
        mime = output.mime or ""
        headers = {
            "Content-Type": mime if mime.startswith(SEEN_OR_HEARD) else DEFAULT_TYPE,
            "Content-Disposition": f'attachment; filename="{name_of(output, copy)}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private",
        }
        return await copy_response(request, copy, headers=headers)
