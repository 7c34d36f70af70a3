"""Our copy of a result as an answer over HTTP, from a folder or a bucket, with ranges; any instance can give it.

A damaged copy is never given: the hash of a whole file is compared before its last piece, and an answer that does not get that
far is broken off. A part of a file is given after the whole was read and compared once by this process.
"""

from collections.abc import Mapping
from typing import Final

from aiohttp import hdrs, web

from photomat.storage.errors import CopyLost, StoreUnavailable
from photomat.storage.places import StoredFile

PARTIAL: Final = 206


async def copy_response(request: web.Request, copy: StoredFile, *, headers: Mapping[str, str]) -> web.StreamResponse:
    """Answer with the file, or the range that was asked for; raises CopyLost or StoreUnavailable before the first byte."""
    if copy.store.folder is not None:
        await copy.verify()
        return web.FileResponse(copy.store.folder / copy.found.name, headers=dict(headers))
    span = _range_of(request, copy.size_bytes)
    response = web.StreamResponse(headers={**headers, hdrs.ACCEPT_RANGES: "bytes"})
    response.last_modified = copy.found.changed_at
    start, end = span or (0, copy.size_bytes)
    if span is not None:
        response.set_status(PARTIAL)
        response.headers[hdrs.CONTENT_RANGE] = f"bytes {start}-{end - 1}/{copy.size_bytes}"
    response.content_length = end - start
    if request.method == hdrs.METH_HEAD:
        await response.prepare(request)
        return response
    if span is not None:
        await copy.verify()
    return await _send(request, response, copy, start, end)


async def _send(
    request: web.Request, response: web.StreamResponse, copy: StoredFile, start: int, end: int
) -> web.StreamResponse:
    """The first piece is read before the headers leave, so that a missing file is still an answer in words."""
    try:
        async for piece in copy.pieces(start=start, end=end):
            if not response.prepared:
                await response.prepare(request)
            await response.write(piece)
    except (CopyLost, StoreUnavailable):
        if response.prepared and request.transport is not None:
            request.transport.abort()  # the reader must not take what came for the whole file
        raise
    if not response.prepared:
        await response.prepare(request)
    await response.write_eof()
    return response


def _range_of(request: web.Request, size: int) -> tuple[int, int] | None:
    """The range that was asked for, as first byte and end; None: the whole file. Raises 416."""
    if hdrs.IF_RANGE in request.headers:
        return None
    try:
        asked = request.http_range
    except ValueError:
        raise _not_satisfiable(size) from None
    if asked.start is None and asked.stop is None:
        return None
    start, end, _ = asked.indices(size)
    if start >= end:
        raise _not_satisfiable(size)
    return start, end


def _not_satisfiable(size: int) -> web.HTTPRequestRangeNotSatisfiable:
    return web.HTTPRequestRangeNotSatisfiable(headers={hdrs.CONTENT_RANGE: f"bytes */{size}"})
