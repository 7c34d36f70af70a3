"""Accept a file of a customer: examine it once, check it against the input's rules, record it.

    temporary copy (`sources.py`) ─▶ measured (`media/measure.py`) ─▶ fits the input (`catalog/answers.py`) ─▶ not damaged
    (`media/truncation.py`) ─▶ trial conversion where one is needed (`conversion.py`) ─▶ a row (`store.py`)

No copy is kept: a bought job fetches the file again (`uploader.py`). Idempotent: the row is unique by what the file came with
(`origin`), and a known file is not fetched again unless another input needs it converted. A file that does not fit is not
recorded.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import BinaryIO, Final, TypeVar

from photomat.catalog.answers import MEGABYTE, Refused, check_file, targets
from photomat.catalog.input import Input
from photomat.files import store
from photomat.files.conversion import ConversionTimeout, DiskUnavailable, NotConverted
from photomat.files.file import ConvertedCopy, FileContent, FromLink, FromTelegram, InputFile, Source
from photomat.files.sources import Copy, FileLost, FileSources
from photomat.kernel.errors import Transient
from photomat.kernel.http import NotAllowed, TooLarge
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.media.measure import measure
from photomat.media.sniff import HTML_MIME
from photomat.media.truncation import is_intact
from photomat.telegram.files import TooBig

USUAL_BYTES: Final = 100 * MEGABYTE
"""The limit where an input states none."""

SIDES_KNOWN: Final = frozenset({"jpg", "png", "webp", "gif", "bmp"})
"""Pictures whose sides can be read unless they are damaged."""

TRY_WITHIN_S: Final = 4.0
"""How long a conversation waits for a trial conversion."""

PLACE_SHARE: Final = 0.2
"""The part of the time for a file that is spent waiting for a place."""

log = get_logger()

T = TypeVar("T")


class _NoPlace(Transient):
    """Too many links are being fetched."""


async def accept_file(
    sources: FileSources,
    *,
    user_id: UserId,
    origin: str,
    source: Source,
    asked: Input,
    declared_bytes: int | None = None,
) -> InputFile | Refused:
    """The file as a row, or why it does not fit; raises Transient when Telegram or the database is unreachable."""
    known = await store.find_by_origin(sources.pool, user_id=user_id, origin=origin)
    if known is not None:
        await store.keep_longer(sources.pool, known.file_id)
        return check_file(asked, known.content.facts) or await _known_not_converted(sources, known, asked) or known
    most_bytes = min((asked.files.max_bytes if asked.files else None) or USUAL_BYTES, sources.most_bytes)
    refused = _too_heavy(sources, source, declared_bytes or 0, most_bytes)
    content = refused or await _examined(sources, source, asked, user_id=user_id, most_bytes=most_bytes)
    if isinstance(content, Refused):
        return content
    return await store.add_file(sources.pool, user_id=user_id, origin=origin, source=source, content=content)


def _too_heavy(sources: FileSources, source: Source, declared_bytes: int, most_bytes: int) -> Refused | None:
    if declared_bytes > most_bytes:
        return _heavy(most_bytes, f"{declared_bytes / MEGABYTE:.1f}")
    if isinstance(source, FromTelegram) and declared_bytes > sources.limits.download_bytes:
        return _beyond_telegram(sources)
    return None


async def _examined(
    sources: FileSources, source: Source, asked: Input, *, user_id: UserId, most_bytes: int
) -> FileContent | Refused:
    """What the bytes are, or why they do not fit or cannot be fetched."""

    async def examine(copy: Copy) -> FileContent | Refused:
        found = await asyncio.to_thread(measure, copy.file)
        content = FileContent(facts=found.facts, mime=found.mime, sha256=copy.sha256)
        refused = _web_page(source, content) or check_file(asked, content.facts) or await _damaged(copy.file, content)
        return refused or await _not_converted(sources, copy.file, content, asked) or content

    return await _with_copy(sources, source, examine, user_id=user_id, most_bytes=most_bytes)


async def _known_not_converted(sources: FileSources, known: InputFile, asked: Input) -> Refused | None:
    """The trial conversion of a known file, which may have been for another input before."""
    wanted = targets([asked.files], known.content.facts.format) if asked.files else ()
    if not wanted or (known.converted is not None and _fits(sources, known.converted, asked, wanted)):
        return None

    async def examine(copy: Copy) -> Refused | None:
        if copy.sha256 != known.content.sha256:
            return Refused("file-gone")
        return await _not_converted(sources, copy.file, known.content, asked)

    most_bytes = known.content.facts.size_bytes
    return await _with_copy(sources, known.source, examine, user_id=known.user_id, most_bytes=most_bytes)


def _fits(sources: FileSources, copy: ConvertedCopy, asked: Input, wanted: Sequence[str]) -> bool:
    most_bytes = (asked.files.max_bytes if asked.files else None) or sources.most_bytes
    return copy.format in wanted and copy.size_bytes <= most_bytes


async def _with_copy(
    sources: FileSources, source: Source, examine: Callable[[Copy], Awaitable[T]], *, user_id: UserId, most_bytes: int
) -> T | Refused:
    """What `examine` finds in a copy of the file, or why there is none. Only errors of Telegram are raised for a retry."""
    within_s = sources.accept_within_s * (1 - PLACE_SHARE)
    try:
        async with (
            _place(sources, source),
            sources.copied(source, user_id=user_id, most_bytes=most_bytes, within_s=within_s) as copy,
        ):
            return await examine(copy)
    except FileLost:
        return Refused("file-gone" if isinstance(source, FromLink) else "file-lost")
    except TooBig:
        return _beyond_telegram(sources)
    except TooLarge:
        return _heavy(most_bytes, f"> {most_bytes // MEGABYTE}")
    except NotAllowed:
        return Refused("file-link-refused")
    except TimeoutError:
        return Refused("file-slow")
    except (_NoPlace, DiskUnavailable):
        return Refused("file-later")
    except Transient:
        if isinstance(source, FromTelegram):
            raise
        return Refused("file-gone" if isinstance(source, FromLink) else "file-later")


@asynccontextmanager
async def _place(sources: FileSources, source: Source) -> AsyncIterator[None]:
    """One of the few places for links; without a free one the customer is asked to try later."""
    if not isinstance(source, FromLink):
        yield
        return
    try:
        async with asyncio.timeout(sources.accept_within_s * PLACE_SHARE):
            await sources.link_places.acquire()
    except TimeoutError:
        raise _NoPlace("too many links are being fetched") from None
    try:
        yield
    finally:
        sources.link_places.release()


def _web_page(source: Source, content: FileContent) -> Refused | None:
    """A link often leads to a page that shows the file instead of the file."""
    is_page = isinstance(source, FromLink) and content.mime == HTML_MIME
    return Refused("file-link-page") if is_page else None


async def _damaged(file: BinaryIO, content: FileContent) -> Refused | None:
    """Truncated and damaged files are refused before the purchase."""
    facts = content.facts
    lacks_length = facts.kind in {"audio", "video"} and facts.seconds is None
    lacks_sides = facts.format in SIDES_KNOWN and facts.width is None
    is_good = not lacks_length and not lacks_sides and await is_intact(file, content.mime)
    return None if is_good else Refused("file-broken")


async def _not_converted(sources: FileSources, file: BinaryIO, content: FileContent, asked: Input) -> Refused | None:
    """Try the conversion that will be needed, to refuse before the purchase what cannot be converted.

    Without time to try, the file is accepted; if it fails later, the job fails and the money is released.
    """
    limits = asked.files
    wanted = targets([limits], content.facts.format) if limits else ()
    if not wanted or limits is None:
        return None
    most_bytes = limits.max_bytes or sources.most_bytes
    trying = sources.converter.converted(
        file, file_format=content.facts.format, targets=wanted, most_bytes=most_bytes, within_s=TRY_WITHIN_S
    )
    try:
        async with asyncio.timeout(TRY_WITHIN_S), trying:
            return None
    except NotConverted:
        return Refused("file-not-converted", {"formats": ", ".join(limits.formats)})
    except (TimeoutError, ConversionTimeout):
        log.warning("INPUT_NOT_CONVERTED_YET", within_s=TRY_WITHIN_S)
        return None


def _heavy(most_bytes: int, size: str) -> Refused:
    return Refused("form-file-heavy", {"limit": most_bytes // MEGABYTE, "size": size})


def _beyond_telegram(sources: FileSources) -> Refused:
    return Refused("file-beyond-telegram", {"limit": sources.limits.download_bytes // MEGABYTE})
