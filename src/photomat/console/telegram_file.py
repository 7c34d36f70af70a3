"""A file that a user sent to the bot, streamed from Telegram to a signed-in operator; nothing is stored."""

from collections.abc import AsyncIterator, Collection
from typing import Final

from aiohttp import web

from photomat.console.page import PageContext
from photomat.kernel.errors import Transient
from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.telegram.files import NotGiven, TooBig

FIRST_BYTES: Final = 2**20


async def telegram_file(
    ctx: PageContext, file_id: str, *, name: str, shown: Collection[str], most_bytes: int | None = None
) -> web.StreamResponse:
    """The file: shown if its bytes are of one of these types, else as a download of no type."""
    try:
        async with ctx.config.files.opened(file_id) as chunks:
            first = await _first(chunks, most_bytes or FIRST_BYTES)
            if most_bytes is not None and len(first) > most_bytes:
                raise web.HTTPRequestEntityTooLarge(most_bytes, len(first))
            return await _streamed(ctx.request, _answer(first, name=name, shown=shown), first, chunks)
    except (NotGiven, TooBig):
        raise web.HTTPNotFound from None
    except Transient:
        raise web.HTTPServiceUnavailable from None


async def _first(chunks: AsyncIterator[bytes], wanted: int) -> bytes:
    """The beginning: a chunk more than wanted, where the file has more."""
    found = bytearray()
    async for chunk in chunks:
        found += chunk
        if len(found) > wanted:
            break
    return bytes(found)


def _answer(first: bytes, *, name: str, shown: Collection[str]) -> web.StreamResponse:
    mime = sniff(first[:HEAD_BYTES]).mime
    is_shown = mime in shown
    answer = web.StreamResponse(
        headers={"Content-Disposition": f'{"inline" if is_shown else "attachment"}; filename="{name}"'}
    )
    answer.content_type = mime if is_shown else "application/octet-stream"
    return answer


async def _streamed(
    request: web.Request, answer: web.StreamResponse, first: bytes, chunks: AsyncIterator[bytes]
) -> web.StreamResponse:
    """Once begun, an answer can only be cut: the browser then shows a failed download."""
    await answer.prepare(request)
    try:
        await answer.write(first)
        async for chunk in chunks:
            await answer.write(chunk)
        await answer.write_eof()
    except (Transient, TooBig, ConnectionError):
        if request.transport is not None:
            request.transport.abort()
    return answer
