"""Take a file a customer brings: looked into once, checked against what is asked for, remembered.

The bytes are copied for that moment and not kept. Taking bears repeating: the row is unique by what brought it (`origin`), and
what is known already is not fetched again. A file that does not fit is not remembered.
"""

import asyncio
from typing import Final

from photomat.catalog.answers import MEGABYTE, Refused, check_file
from photomat.catalog.input import Input
from photomat.files import store
from photomat.files.copying import copied
from photomat.files.desk import FileDesk, FileLost
from photomat.files.file import Content, FromLink, FromTelegram, InputFile, Source
from photomat.files.measure import measure
from photomat.files.sniff import HTML_MIME
from photomat.kernel.errors import Transient
from photomat.kernel.fetch import NotAllowed, TooLarge
from photomat.kernel.ids import UserId
from photomat.telegram.files import MOST_BYTES as TELEGRAM_BYTES
from photomat.telegram.files import TooBig

MOST_BYTES: Final = 100 * MEGABYTE
"""What is taken where nobody knows a limit."""

SIDES_KNOWN: Final = frozenset({"jpg", "png", "webp", "gif", "bmp"})
"""Pictures whose sides can be read unless something is wrong with them."""

TAKE_TIMEOUT_S: Final = 15.0
"""Well within the time an update's handler has."""


async def take(
    desk: FileDesk, *, user_id: UserId, origin: str, source: Source, asked: Input, declared_bytes: int | None = None
) -> InputFile | Refused:
    """The file as a row, or why it does not fit; raises Transient when Telegram or the database is away."""
    known = await store.find_by_origin(desk.pool, user_id=user_id, origin=origin)
    if known is not None:
        return check_file(asked, known.content.facts) or known
    most_bytes = (asked.files.max_bytes if asked.files else None) or MOST_BYTES
    refused = _too_heavy(source, declared_bytes or 0, most_bytes)
    content = refused or await _look_into(desk, source, user_id=user_id, most_bytes=most_bytes)
    if isinstance(content, Refused):
        return content
    wrong = _no_file(source, content) or check_file(asked, content.facts) or _unreadable(content)
    if wrong is not None:
        return wrong
    return await store.add_file(desk.pool, user_id=user_id, origin=origin, source=source, content=content)


def _too_heavy(source: Source, declared_bytes: int, most_bytes: int) -> Refused | None:
    if declared_bytes > most_bytes:
        return _heavy(most_bytes, f"{declared_bytes / MEGABYTE:.1f}")
    if isinstance(source, FromTelegram) and declared_bytes > TELEGRAM_BYTES:
        return _beyond_telegram()
    return None


async def _look_into(desk: FileDesk, source: Source, *, user_id: UserId, most_bytes: int) -> Content | Refused:
    """What the bytes are, or why they cannot be had. Only Telegram is asked again by itself."""
    try:
        async with copied(desk, source, user_id=user_id, most_bytes=most_bytes, within_s=TAKE_TIMEOUT_S) as copy:
            found = await asyncio.to_thread(measure, copy.file)
            return Content(facts=found.facts, mime=found.mime, sha256=copy.sha256)
    except FileLost:
        return Refused(key="file-gone" if isinstance(source, FromLink) else "file-lost", facts={})
    except TooBig:
        return _beyond_telegram()
    except TooLarge:
        return _heavy(most_bytes, f"> {most_bytes // MEGABYTE}")
    except NotAllowed:
        return Refused(key="file-link-refused", facts={})
    except TimeoutError:
        return Refused(key="file-slow", facts={})
    except Transient:
        if isinstance(source, FromTelegram):
            raise
        return Refused(key="file-gone" if isinstance(source, FromLink) else "file-later", facts={})


def _no_file(source: Source, content: Content) -> Refused | None:
    """A link often leads to a page that shows the file, and not to the file."""
    is_page = isinstance(source, FromLink) and content.mime == HTML_MIME
    return Refused(key="file-link-page", facts={}) if is_page else None


def _unreadable(content: Content) -> Refused | None:
    """What is cut or broken is found out before somebody pays."""
    facts = content.facts
    lacks_length = facts.kind in {"audio", "video"} and facts.seconds is None
    lacks_sides = facts.format in SIDES_KNOWN and facts.width is None
    return Refused(key="file-broken", facts={}) if lacks_length or lacks_sides else None


def _heavy(most_bytes: int, size: str) -> Refused:
    return Refused(key="form-file-heavy", facts={"limit": most_bytes // MEGABYTE, "size": size})


def _beyond_telegram() -> Refused:
    return Refused(key="file-beyond-telegram", facts={"limit": TELEGRAM_BYTES // MEGABYTE})
