"""A file that somebody sent to the bot, read from Telegram for whoever is signed in; nothing is stored."""

from collections.abc import Collection
from typing import Final

from aiohttp import web

from photomat.console.page import PageContext
from photomat.kernel.errors import Transient
from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.telegram.files import NotGiven, TooBig

MOST_BYTES: Final = 20 * 2**20


async def telegram_file(
    ctx: PageContext, file_id: str, *, name: str, shown: Collection[str], most_bytes: int = MOST_BYTES
) -> web.Response:
    """The file: shown if its bytes are of one of these types, else as a download of no type."""
    body = bytearray()
    try:
        async with ctx.config.files.opened(file_id) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > most_bytes:
                    raise web.HTTPRequestEntityTooLarge(most_bytes, len(body))
    except (NotGiven, TooBig):
        raise web.HTTPNotFound from None
    except Transient:
        raise web.HTTPServiceUnavailable from None
    mime = sniff(bytes(body[:HEAD_BYTES])).mime
    is_shown = mime is not None and mime in shown
    return web.Response(
        body=bytes(body),
        content_type=mime if is_shown and mime else "application/octet-stream",
        headers={"Content-Disposition": f'{"inline" if is_shown else "attachment"}; filename="{name}"'},
    )
