"""Whether a customer's file is truncated or damaged, found out before the purchase.

A picture is decoded to its last pixel. One too large for that, one without a decoder here (HEIC), video and audio are checked
against their own sizes, offsets and end markers. Only what is certain counts as truncated: what a format leaves open, or
programs often get wrong, is accepted.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, Final

from photomat.media.asf import FILE_PROPERTIES, HEADER_BYTES
from photomat.media.flac import flac_is_truncated
from photomat.media.images import FORMATS, decode_in_turn, decodes
from photomat.media.mp4 import boxes_at, boxes_within
from photomat.media.mpeg_audio import mp3_is_truncated
from photomat.media.ogg import PAGE_HEADER, ogg_is_truncated
from photomat.media.reader import MAX_AT_ONCE, Endless, Reader, Truncated

OFFSET_WIDTHS: Final = {b"stco": 4, b"co64": 8}
SEGMENT: Final = 0x18538067
TAIL_BYTES: Final = 2**17
"""A page of Ogg has 64 KB at most, so the last one begins in here."""
MAX_STATED: Final = 0x7FFF0000
"""Programs that do not know a WAV's length in advance write about the largest number there is."""
SLACK_BYTES: Final = 256
"""So many bytes a WAV may be short of: some recorders count its header in."""
BROADCAST: Final = 1
JPEG_SCAN, JPEG_END = 0xDA, b"\xff\xd9"
GIF_PICTURE, GIF_MORE, GIF_PADDING = 0x2C, 0x21, 0x00


async def is_intact(file: BinaryIO, mime: str) -> bool:
    """Whether the file is complete and decodable, as far as can be known in `images.WITHIN_S`; moves the file's position."""
    return await decode_in_turn(partial(looks_intact, file, mime), otherwise=True)


def looks_intact(file: BinaryIO, mime: str) -> bool:
    """The same, for callers in a thread."""
    if is_truncated(Reader(file), mime):
        return False
    return mime not in FORMATS or decodes(file, mime) is not False


def is_truncated(reader: Reader, mime: str) -> bool:
    check = CHECKS.get(mime)
    try:
        return check is not None and check(reader)
    except Endless:
        return False
    except Truncated:
        return True


def _jpeg(reader: Reader) -> bool:
    """After the first scan's marker there must be an end marker: within a scan no other bytes look like one."""
    at = 2
    while (mark := reader.read(at, 2))[1] != JPEG_SCAN:
        if mark[0] != 0xFF:  # noqa: PLR2004  no marker: not a truncation
            return False
        at += 1 if mark[1] == 0xFF else 2 + reader.number(at + 2, 2)  # noqa: PLR2004  padding
    return not any(JPEG_END in piece for piece in _pieces(reader, at))


def _pieces(reader: Reader, start: int) -> Iterator[bytes]:
    """The rest of a file in pieces that overlap by a byte."""
    for at in range(start, reader.size, MAX_AT_ONCE - 1):
        yield reader.some(at, MAX_AT_ONCE)


def _png(reader: Reader) -> bool:
    at, kind = 8, b""
    while kind != b"IEND":
        length, kind = reader.number(at, 4), reader.read(at + 4, 4)
        at += 12 + length
    return False


def _gif(reader: Reader) -> bool:
    """Check that its blocks are complete. Many programs omit the end marker, so it is not required."""
    flags = reader.read(10, 1)[0]
    at = 13 + _colours(flags)
    while at < reader.size:
        kind = reader.read(at, 1)[0]
        if kind == GIF_PICTURE:
            at = _behind_blocks(reader, at + 11 + _colours(reader.read(at + 9, 1)[0]))
        elif kind == GIF_MORE:
            at = _behind_blocks(reader, at + 2)
        elif kind == GIF_PADDING:
            at += 1
        else:
            return False
    return False


def _colours(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _behind_blocks(reader: Reader, at: int) -> int:
    while length := reader.read(at, 1)[0]:
        at += 1 + length
    return at + 1


def _riff(reader: Reader) -> bool:
    """A byte may be missing: not all programs pad the last chunk to an even length."""
    return 8 + reader.number(4, 4, little=True) > reader.size + 1


def _boxed_picture(reader: Reader) -> bool:
    boxes = list(boxes_within(reader, 0, reader.size))
    return any(box.is_truncated for box in boxes) or not any(box.kind == b"meta" for box in boxes)


def _movie(reader: Reader) -> bool:
    """Check that its parts are complete, and that the last chunk of each track begins within the file."""
    boxes = list(boxes_within(reader, 0, reader.size))
    played = [box for box in boxes if box.kind == b"mdat"]
    headers = [box for box in boxes if box.kind == b"moov"]
    if not played or not headers or any(box.is_truncated for box in played + headers):
        return True
    if boxes[-1].kind == b"moof":
        return True
    return any(
        reader.number(table.end - width, width) >= reader.size
        for moov in headers
        for name, width in OFFSET_WIDTHS.items()
        for table in boxes_at(reader, moov, b"trak", b"mdia", b"minf", b"stbl", name)
        if reader.number(table.start + 4, 4)
    )


def _matroska(reader: Reader) -> bool:
    """The header is followed by the one element that holds everything; an open size, all bits set, may end anywhere."""
    start, size = _element(reader, 0)
    start, size = _element(reader, segment := start + size)
    is_open = size == (1 << 7 * (start - segment - 4)) - 1
    return reader.number(segment, 4) == SEGMENT and not is_open and start + size > reader.size


def _element(reader: Reader, at: int) -> tuple[int, int]:
    """Where the content of an element with a name of four bytes begins, and its size."""
    width = max(1, 9 - reader.number(at + 4, 1).bit_length())
    return at + 4 + width, reader.number(at + 4, width) & ((1 << 7 * width) - 1)


def _wav(reader: Reader) -> bool:
    at, name, size = 12, b"", 0
    while name != b"data":
        name, size = reader.read(at, 4), reader.number(at + 4, 4, little=True)
        at += 8 + size + size % 2
    return size < MAX_STATED and at > reader.size + SLACK_BYTES


def _aiff(reader: Reader) -> bool:
    """As for RIFF, with big-endian numbers."""
    return 8 + reader.number(4, 4) > reader.size + 1


def _ogg(reader: Reader) -> bool:
    """Check that the last page is complete, and that the declared samples are there."""
    start = max(0, reader.size - TAIL_BYTES)
    found = reader.some(start, TAIL_BYTES).rfind(b"OggS")
    if found < 0:
        return False
    segments = reader.number(start + found + PAGE_HEADER - 1, 1)
    lengths = reader.read(start + found + PAGE_HEADER, segments)
    return start + found + PAGE_HEADER + segments + sum(lengths) > reader.size or ogg_is_truncated(reader)


def _asf(reader: Reader) -> bool:
    at = reader.some(0, HEADER_BYTES).find(FILE_PROPERTIES)
    if at < 0 or reader.number(at + 88, 4, little=True) & BROADCAST:
        return False
    return reader.number(at + 40, 8, little=True) > reader.size


CHECKS: Final[dict[str, Callable[[Reader], bool]]] = {
    "image/jpeg": _jpeg,
    "image/png": _png,
    "image/gif": _gif,
    "image/webp": _riff,
    "image/heic": _boxed_picture,
    "image/heif": _boxed_picture,
    "image/avif": _boxed_picture,
    "video/mp4": _movie,
    "video/quicktime": _movie,
    "audio/mp4": _movie,
    "video/webm": _matroska,
    "video/x-matroska": _matroska,
    "audio/webm": _matroska,
    "audio/x-matroska": _matroska,
    "audio/wav": _wav,
    "audio/aiff": _aiff,
    "audio/ogg": _ogg,
    "audio/mpeg": mp3_is_truncated,
    "audio/flac": flac_is_truncated,
    "audio/x-ms-wma": _asf,
    "video/x-ms-wmv": _asf,
}
