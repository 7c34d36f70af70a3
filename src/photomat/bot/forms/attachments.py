"""What a message brings as an answer to a question for a file: something attached, or a link; and earlier results.

Each becomes a reference of the order, after its bytes were looked at. An album arrives as single messages, so each of its
files is taken by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aiogram.types import Message

from photomat.bot.visit import Visit
from photomat.catalog.answers import LINK, Refused
from photomat.catalog.file_rules import check_files
from photomat.catalog.input import Input
from photomat.catalog.reference import FileRef, references
from photomat.files.facts import file_facts
from photomat.files.file import FromLink, FromOutput, FromTelegram, InputFile, Source
from photomat.files.take import take
from photomat.kernel.ids import JobId

LONGEST_LINK: Final = 2000
NOT_NOW: Final = Refused(key="file-not-now", facts={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a message brings, before anybody has looked into it."""

    source: Source
    declared_bytes: int | None = None


async def attached(
    visit: Visit, message: Message, asked: Input, have: int, *, given: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]] | Refused | None:
    """The references a message brings, or why it does not fit; None when it brings no file and no link.

    `have` is how many files the answer has already; with `given`, the references themselves, their length in all is checked.
    """
    brought = brought_by(message)
    if brought is None:
        return None
    if isinstance(brought, Refused):
        return brought
    if have >= asked.items_limit:
        return Refused(key="form-too-many", facts={"limit": asked.items_limit, "count": have + 1})
    origin = f"message:{visit.unit.bot_id}:{message.chat.id}:{message.message_id}"
    file = await _take(visit, asked, origin=origin, brought=brought)
    if isinstance(file, Refused):
        return file
    return await _too_long(visit, asked, given, file) or [dict(file.ref.as_json())]


async def from_result(
    visit: Visit, job_id: JobId, position: int, asked: Input, *, given: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any] | Refused:
    """An output of one's own earlier job as a reference, or why it does not fit."""
    brought = Brought(source=FromOutput(job_id, position))
    file = await _take(visit, asked, origin=f"output:{job_id}:{position}", brought=brought)
    if isinstance(file, Refused):
        return file
    return await _too_long(visit, asked, given, file) or dict(file.ref.as_json())


def brought_by(message: Message) -> Brought | Refused | None:
    """The photo in its largest size, or whatever else is attached, or the address that is the whole text."""
    file = (
        (message.photo[-1] if message.photo else None)
        or message.video
        or message.animation
        or message.audio
        or message.voice
        or message.video_note
        or message.document
        or message.sticker
    )
    if file is not None:
        return Brought(source=FromTelegram(file.file_id), declared_bytes=file.file_size)
    text = (message.text or "").strip()
    if not LINK.fullmatch(text):
        return None
    if not text.startswith("https://") or len(text) > LONGEST_LINK:
        return Refused(key="file-link-https", facts={})
    return Brought(source=FromLink(text))


async def _take(visit: Visit, asked: Input, *, origin: str, brought: Brought) -> InputFile | Refused:
    if visit.shop.files is None:
        return NOT_NOW
    return await take(
        visit.shop.files,
        user_id=visit.user_id,
        origin=origin,
        source=brought.source,
        asked=asked,
        declared_bytes=brought.declared_bytes,
    )


async def _too_long(visit: Visit, asked: Input, given: Sequence[Mapping[str, Any]], file: InputFile) -> Refused | None:
    """Whether all files together are longer than they may be."""
    limit = asked.files.total_seconds if asked.files else None
    if limit is None:
        return None
    refs = [ref for ref in references(list(given)) if isinstance(ref, FileRef)]
    known = await file_facts(visit.shop.pool, visit.user_id, refs)
    before = [known[ref] for ref in refs if ref in known]
    return check_files(replace(asked, min_items=1), [*before, file.content.facts])
