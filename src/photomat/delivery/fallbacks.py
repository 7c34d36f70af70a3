"""The ways to show a file in a chat, best first, within Telegram's limits, down to a signed link to our copy. Pure.

By Telegram's file id → by URL → by uploaded bytes → as an uploaded document. Audio is uploaded before its URL is tried, because
title and cover need an upload; an upload with a cover is followed by one without. What exceeds a limit is not tried. A file
that is not shown as what it is has a reason, the same each time, so that a repeated edit changes nothing. A transparent picture
is a document: Telegram's photos are opaque.

What is too large for a chat is a link. Kie deletes its files after a day to two weeks, so with a PUBLIC_URL and a copy of our
own it leads to that: PUBLIC_URL/result/<job>.<position>.<signature>, signed like the URL of a callback and compared in constant
time.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from photomat.delivery.outputs import Output
from photomat.jobs.job import ANSWER_URL
from photomat.kernel.ids import JobId
from photomat.storage.places import StoredFile
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.telegram.port import Media, MediaKind, PhotoRefused, SourceRefused

OurCopy: TypeAlias = Path | StoredFile
PHOTO_SIDES: Final = 10_000
PHOTO_RATIO: Final = 20
BY_MIME: Final = {
    "image/png": MediaKind.PHOTO,
    "image/jpeg": MediaKind.PHOTO,
    "image/webp": MediaKind.PHOTO,
    "image/gif": MediaKind.ANIMATION,
    "video/mp4": MediaKind.VIDEO,
    "video/quicktime": MediaKind.VIDEO,
    "audio/mpeg": MediaKind.AUDIO,
    "audio/mp4": MediaKind.AUDIO,
    "audio/ogg": MediaKind.AUDIO,
}
"""Telegram accepts MP3 and M4A as music, and Opus; not WAV or FLAC."""
SEEN_OR_HEARD: Final = ("image/", "video/", "audio/")
BECOMES_A_STICKER: Final = "image/webp"
"""Telegram may turn such a document into a sticker unless content detection is off."""
BY_URL_AS_DOCUMENT: Final = frozenset({"application/pdf", "application/zip"})
SIGNATURE_CHARS: Final = 32
NUMBERS: Final = 2
MAX_NUMBER_LENGTH: Final = 18
"""A bigint has 19 digits at most; no job has that many."""


class FallbackReason(StrEnum):
    """Why a file is not shown as what it is; each has a text, `why-…`."""

    PHOTO_TOO_BIG = "photo-too-big"
    PHOTO_SHAPE = "photo-shape"
    TRANSPARENT = "see-through"
    FORMAT = "format"
    REFUSED = "refused"
    FILE_TOO_BIG = "file-too-big"
    NO_FILE = "no-file"
    ORIGINAL_GONE = "original-gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """One way: its level for the log, what is shown, and the reason where that is not what it is."""

    level: str
    media: Media
    why: FallbackReason | None = None
    size_bytes: int = 0

    def allows_next(self, refusal: Exception) -> bool:
        """Whether the next fallback is tried: the source was refused, or possibly its cover."""
        return isinstance(refusal, SourceRefused | PhotoRefused) or self.media.thumbnail is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a player shows of audio."""

    title: str | None = None
    performer: str | None = None
    cover: bytes | None = None


UNLABELLED: Final = Label()


def fallbacks_of(
    output: Output, path: OurCopy | None, *, label: Label = UNLABELLED, limits: BotApiLimits = CLOUD
) -> list[Fallback]:
    """Every way to show this output, best first; `path` is our copy of it."""
    kind, why = kind_of(output), document_reason(output)
    found: list[Fallback] = []
    had = None if output.media is None else MediaKind(output.media)
    if output.file_id is not None and had is not None and (had is kind or why is not FallbackReason.TRANSPARENT):
        less = why or (FallbackReason.REFUSED if had is MediaKind.DOCUMENT is not kind else None)
        found.append(Fallback(level="url", media=_media(output, had, output.file_id, label), why=less))
    by_url = _by_url(output, kind, label, limits)
    by_bytes = _by_bytes(output, kind, path, label, limits)
    found += [*by_bytes, *by_url] if kind is MediaKind.AUDIO else [*by_url, *by_bytes]
    if path is not None and _fits(output, limits):
        last = why if kind is MediaKind.DOCUMENT else FallbackReason.REFUSED
        media = replace(_media(output, MediaKind.DOCUMENT, path, label), as_is=output.mime == BECOMES_A_STICKER)
        found.append(Fallback(level="bytes", media=media, why=last, size_bytes=output.size_bytes or 0))
    return found


def originals_of(output: Output, path: OurCopy | None, *, limits: BotApiLimits = CLOUD) -> list[Fallback]:
    """The ways to send the original file, never Telegram's version of it."""
    found: list[Fallback] = []
    if path is not None and _fits(output, limits):
        media = replace(_media(output, MediaKind.DOCUMENT, path, UNLABELLED), as_is=True)
        found.append(Fallback(level="bytes", media=media))
    if output.mime in BY_URL_AS_DOCUMENT and (output.size_bytes or 0) <= limits.url_bytes:
        found.append(Fallback(level="url", media=_media(output, MediaKind.DOCUMENT, output.url, UNLABELLED)))
    return found


def name_of(output: Output, path: OurCopy | None) -> str:
    return f"photomat-{output.job_id}-{output.position + 1}{path.suffix if path else ''}"


def _by_url(output: Output, kind: MediaKind, label: Label, limits: BotApiLimits) -> list[Fallback]:
    if output.url == ANSWER_URL or kind is MediaKind.DOCUMENT:
        return []
    if (output.size_bytes or 0) > (limits.url_photo_bytes if kind is MediaKind.PHOTO else limits.url_bytes):
        return []
    return [Fallback(level="url", media=_media(output, kind, output.url, label))]


def _by_bytes(
    output: Output, kind: MediaKind, path: OurCopy | None, label: Label, limits: BotApiLimits
) -> list[Fallback]:
    if path is None or kind is MediaKind.DOCUMENT or not _fits(output, limits):
        return []
    bare = _media(output, kind, path, replace(label, cover=None))
    ways = [bare] if label.cover is None else [replace(bare, thumbnail=label.cover), bare]
    return [Fallback(level="bytes", media=media, size_bytes=output.size_bytes or 0) for media in ways]


def _fits(output: Output, limits: BotApiLimits) -> bool:
    return (output.size_bytes or 0) <= limits.upload_bytes


def _media(output: Output, kind: MediaKind, source: str | OurCopy, label: Label) -> Media:
    return Media(
        kind=kind,
        source=source,
        name=name_of(output, None if isinstance(source, str) else source),
        title=label.title,
        performer=label.performer,
        seconds=None if output.seconds is None else max(1, round(output.seconds)),
        width=output.width,
        height=output.height,
        thumbnail=label.cover if kind is MediaKind.AUDIO and not isinstance(source, str) else None,
    )


def link_reason(output: Output, *, is_too_large: bool, limits: BotApiLimits = CLOUD) -> FallbackReason:
    if is_too_large or not _fits(output, limits):
        return FallbackReason.FILE_TOO_BIG
    return FallbackReason.NO_FILE


def kind_of(output: Output) -> MediaKind:
    """How Telegram should show an output, judged by its bytes; what does not fit is a document."""
    if output.mime is None:
        return MediaKind.PHOTO
    return MediaKind.DOCUMENT if document_reason(output) else BY_MIME.get(output.mime, MediaKind.DOCUMENT)


def document_reason(output: Output) -> FallbackReason | None:
    """Why an output cannot be shown as what it is; None when it can, or is a document by nature."""
    mime = output.mime or ""
    if mime.startswith(SEEN_OR_HEARD) and mime not in BY_MIME:
        return FallbackReason.FORMAT
    if BY_MIME.get(mime) is not MediaKind.PHOTO:
        return None
    if (output.size_bytes or 0) > CLOUD.photo_bytes:
        return FallbackReason.PHOTO_TOO_BIG
    if not _has_photo_shape(output):
        return FallbackReason.PHOTO_SHAPE
    return FallbackReason.TRANSPARENT if output.is_transparent else None


def _has_photo_shape(output: Output) -> bool:
    if not output.width or not output.height:
        return True
    long, short = max(output.width, output.height), min(output.width, output.height)
    return output.width + output.height <= PHOTO_SIDES and long <= PHOTO_RATIO * short


@dataclass(frozen=True, slots=True)
class ResultLink:
    """A URL; `is_ours`: it leads to our copy, which lasts."""

    url: str
    is_ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLinks:
    """Makes links; without a `base_url` we are not reachable from outside."""

    base_url: str | None = None
    secrets: Sequence[bytes] = ()

    def to(self, output: Output, *, is_kept: bool) -> ResultLink:
        """A link to our copy, else to Kie's file."""
        if self.base_url is None or not is_kept:
            return ResultLink(output.url, is_ours=False)
        token = sign_result(output.job_id, output.position, self.secrets)
        return ResultLink(f"{self.base_url}/result/{token}", is_ours=True)


NO_LINKS: Final = ResultLinks()


def sign_result(job_id: JobId, position: int, secrets: Sequence[bytes]) -> str:
    return f"{job_id}.{position}.{_signature(job_id, position, secrets[0])}"


def result_of(token: str, secrets: Sequence[bytes]) -> tuple[JobId, int] | None:
    """The output a URL names, or None when the signature is not ours."""
    *numbers, signature = token.split(".")
    if len(numbers) != NUMBERS or not all(_is_number(number) for number in numbers):
        return None
    job_id, position = JobId(int(numbers[0])), int(numbers[1])
    given = signature.encode(errors="replace")
    valid = [hmac.compare_digest(given, _signature(job_id, position, secret).encode()) for secret in secrets]
    return (job_id, position) if any(valid) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_LENGTH


def _signature(job_id: JobId, position: int, secret: bytes) -> str:
    return hmac.new(secret, f"result:{job_id}:{position}".encode(), hashlib.sha256).hexdigest()[:SIGNATURE_CHARS]
