"""The files of an answer: attached to a message, linked, or an earlier result.

Each becomes a reference of the order after its bytes were checked. An album arrives as single messages, so each of its files
is taken by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aiogram.types import Message

from photomat.bot.context import UpdateContext
from photomat.bot.order_form.form import Form, upcoming
from photomat.bot.order_form.parsing import understood
from photomat.bot.order_form.views import Asking
from photomat.catalog.answers import LINK, Refused
from photomat.catalog.file_rules import shown_formats
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Input
from photomat.catalog.order import open_to_customers
from photomat.files.accept import accept_file
from photomat.files.file import FromLink, FromOutput, FromTelegram, InputFile, Source
from photomat.kernel.ids import JobId

LONGEST_LINK: Final = 2000
NOT_NOW: Final = Refused(key="file-not-now", facts={})
NOTHING: Final = Refused(key="form-expects-text", facts={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a message brings, before its bytes are checked."""

    source: Source
    declared_bytes: int | None = None


async def attached(
    ctx: UpdateContext, message: Message, asked: Input, have: int, *, given: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]] | Refused | None:
    """The references a message brings, or why it does not fit; None when it brings no file and no link.

    `have` is how many files the answer has already; with `given`, the references themselves, their total length is checked.
    """
    brought = brought_by(message)
    if brought is None:
        return None
    if isinstance(brought, Refused):
        return brought
    if have >= asked.items_limit:
        return Refused(key="form-too-many", facts={"limit": asked.items_limit, "count": have + 1})
    origin = f"message:{ctx.bot_id}:{message.chat.id}:{message.message_id}"
    file = await _take(ctx, asked, origin=origin, brought=brought)
    if isinstance(file, Refused):
        return file
    too_long = await ctx.orders.files_too_long(ctx.user_id, asked, given, file.content.facts)
    return too_long or [dict(file.ref.as_json())]


async def from_result(
    ctx: UpdateContext, job_id: JobId, position: int, asked: Input, *, given: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any] | Refused:
    """An output of the user's own earlier job as a reference, or why it does not fit."""
    brought = Brought(source=FromOutput(job_id, position))
    file = await _take(ctx, asked, origin=f"output:{job_id}:{position}", brought=brought)
    if isinstance(file, Refused):
        return file
    too_long = await ctx.orders.files_too_long(ctx.user_id, asked, given, file.content.facts)
    return too_long or dict(file.ref.as_json())


def brought_by(message: Message) -> Brought | Refused | None:
    """The photo in its largest size, or whatever else is attached, or the URL that is the whole text."""
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


async def _take(ctx: UpdateContext, asked: Input, *, origin: str, brought: Brought) -> InputFile | Refused:
    if ctx.config.files is None:
        return NOT_NOW
    return await accept_file(
        ctx.config.files,
        user_id=ctx.user_id,
        origin=origin,
        source=brought.source,
        asked=asked,
        declared_bytes=brought.declared_bytes,
    )


def with_caption(asking: Asking, form: Form, caption: str | None) -> Form:
    """The form with the words below a file in the first question of words that is still to come."""
    asked = next((each for each in upcoming(asking.model, form) if each.type == "text"), None)
    value = understood(asked, caption, asking.language) if asked and caption else NOTHING
    if asked is None or isinstance(value, Refused):
        return form
    return replace(form, inputs={**form.inputs, asked.name: value})


def input_for(asking: Asking, kind: FileKind) -> Input | None:
    """The first input that takes a file of this kind and has room for it."""
    inputs = asking.form.inputs
    return next(
        (
            each
            for each in open_to_customers(asking.model, inputs)
            if kind_taken(each) == kind and (not is_given(inputs.get(each.name)) or _has_room(each, inputs[each.name]))
        ),
        None,
    )


def full_of(asking: Asking, kind: FileKind) -> Refused | None:
    """Why a file of this kind is one too many: whatever takes it has all it can take."""
    inputs = asking.form.inputs
    given = [
        inputs[each.name]
        for each in asking.model.inputs
        if kind_taken(each) == kind and is_given(inputs.get(each.name))
    ]
    count = sum(len(each) if isinstance(each, list) else 1 for each in given)
    return Refused(key="form-files-full", facts={"count": count}) if given else None


def _has_room(asked: Input, value: Any) -> bool:
    return asked.type == "files" and len(value) < asked.items_limit


def kind_taken(asked: Input) -> FileKind | None:
    """The kind of files an input takes, if it takes any."""
    return asked.files.kind if asked.takes_files and asked.files is not None else None


def kind_of(message: Message) -> FileKind | None:
    """What a message claims to bring; its bytes are checked later."""
    if message.photo or message.sticker:
        return "image"
    if message.video or message.animation or message.video_note:
        return "video"
    if message.audio or message.voice:
        return "audio"
    mime = (message.document.mime_type or "").partition("/")[0] if message.document else ""
    known: dict[str, FileKind] = {"image": "image", "video": "video", "audio": "audio"}
    return known.get(mime, "document") if message.document else None


def expected(wanted: Input, language: str) -> Refused:
    """What is expected where a message brings nothing of that sort."""
    if wanted.files is not None and wanted.takes_files:
        formats = ", ".join(shown_formats(wanted.files))
        return Refused(key="form-file-kind", facts={"kind": wanted.files.kind, "formats": formats})
    refused = understood(wanted, "", language)
    return refused if isinstance(refused, Refused) else NOTHING
