"""Pictures: sides that are not within the first bytes (JPEG behind long comments, TIFF), full decoding, transparency.

Junk never raises. Memory is bounded: one picture is decoded at a time in the process, and none that would need more than
`MAX_HELD_BYTES` by its stated sides. Time is bounded: a JPEG with more scans than any program writes is not decoded, and a
caller waits for at most `WITHIN_S`.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, Final, TypeVar

from PIL import Image, features

from photomat.kernel.logs import get_logger
from photomat.media.reader import Reader
from photomat.media.sniff import JPEG_SIZES

JPEG_MARK: Final = 0xFF
ALONE: Final = frozenset({0x01, *range(0xD0, 0xD8)})
"""Marks without a length."""
SHORT: Final = 3
DECODER: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="picture")
WITHIN_S: Final = 4.0
"""A handler that waits for the answer still has an update to end."""
MAX_HELD_BYTES: Final = 320_000_000
HELD_BYTES: Final = {"JPEG": 4, "MPO": 4, "PNG": 4, "GIF": 4, "BMP": 4, "TIFF": 8, "WEBP": 12, "AVIF": 12}
"""What a decoder holds of a pixel at most: 80 megapixels of a JPEG or a PNG are decoded, and 26 of a WebP."""
FORMATS: Final = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
    "image/webp": "WEBP",
    "image/avif": "AVIF",
}
MAY_BE_TRANSPARENT: Final = frozenset({"image/png", "image/webp"})
"""What could be a photo of Telegram, and may have an alpha channel."""
PNG_WITH_ALPHA: Final = (b"\x04", b"\x06")
"""Types of colour; the other ones may name a transparent colour in a chunk before the pixels."""
WEBP_FLAGS: Final = {"VP8X": 20, "VP8L": 24}
"""Where the extended and the lossless form say whether there is an alpha channel; the lossy one has none."""
WEBP_ALPHA: Final = 0x10
MAX_PHOTO_PIXELS: Final = 25_000_000
"""No photo of Telegram has more: its sides are 10000 together."""
OPAQUE: Final = 255
MAX_PASSES: Final = 100
PASS_MARK: Final = b"\xff\xda"
PIECE_BYTES: Final = 2**20
log = get_logger()
Answer = TypeVar("Answer")

WIDTH, HEIGHT = 256, 257


def jpeg_sides(reader: Reader) -> tuple[int, int] | None:
    """Walk from marker to marker until one states the sides."""
    at = 2
    while True:
        mark, kind = reader.read(at, 2)
        if mark != JPEG_MARK:
            return None
        if kind == JPEG_MARK:
            at += 1
        elif kind in JPEG_SIZES:
            return reader.number(at + 7, 2), reader.number(at + 5, 2)
        else:
            at += 2 if kind in ALONE else 2 + reader.number(at + 2, 2)


def tiff_sides(reader: Reader) -> tuple[int, int] | None:
    """Find width and height in the first directory."""
    little = reader.read(0, 2) == b"II"
    at = reader.number(4, 4, little=little)
    found: dict[int, int] = {}
    for entry in range(reader.number(at, 2, little=little)):
        place = at + 2 + 12 * entry
        name, kind = reader.number(place, 2, little=little), reader.number(place + 2, 2, little=little)
        if name in {WIDTH, HEIGHT}:
            found[name] = reader.number(place + 8, 2 if kind == SHORT else 4, little=little)
    return (found[WIDTH], found[HEIGHT]) if len(found) == 2 else None  # noqa: PLR2004  both sides


async def decode_in_turn(work: Callable[[], Answer], *, otherwise: Answer) -> Answer:
    """The result of work on one picture, after all work before it; `otherwise` when that takes too long."""
    try:
        async with asyncio.timeout(WITHIN_S):
            return await asyncio.get_running_loop().run_in_executor(DECODER, work)
    except TimeoutError:
        log.warning("PICTURE_NOT_DECODED", within_s=WITHIN_S)
        return otherwise


def decodes(file: BinaryIO, mime: str) -> bool | None:
    """Whether a picture can be decoded to its end; None when unknown: no decoder, or too large."""
    form = FORMATS.get(mime)
    if form is None or (form == "AVIF" and not features.check("avif")):
        return None
    try:
        file.seek(0)
        with Image.open(file, formats=(form,)) as image:
            if _is_too_much(image, file):
                return None
            image.draft(None, (1, 1))  # a JPEG is still read completely, but decoded small
            image.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning, MemoryError):
        return None
    except Exception:  # noqa: BLE001  decoders of damaged pictures raise anything
        return False
    return True


def may_be_transparent(head: bytes, mime: str) -> bool:
    """Whether the first bytes of a picture leave room for a pixel that is not opaque; then it has to be decoded."""
    if mime == "image/png":
        return head[25:26] in PNG_WITH_ALPHA or b"tRNS" in head or b"IDAT" not in head
    if mime == "image/webp" and len(head) > WEBP_FLAGS["VP8L"]:
        flags_at = WEBP_FLAGS.get(head[12:16].decode("latin-1"))
        return flags_at is not None and bool(head[flags_at] & WEBP_ALPHA)
    return False


def has_transparency(file: BinaryIO, mime: str) -> bool:
    """Whether a picture has a pixel that is not opaque; False for what cannot be decoded or is too large for a photo."""
    if mime not in MAY_BE_TRANSPARENT:
        return False
    try:
        with Image.open(file, formats=(FORMATS[mime],)) as image:
            if image.width * image.height > MAX_PHOTO_PIXELS or not image.has_transparency_data:
                return False
            colours = image if "A" in image.getbands() else image.convert("RGBA")
            return colours.getchannel("A").tobytes().count(OPAQUE) < image.width * image.height
    except Exception as error:  # noqa: BLE001  likewise; a result is shown whatever its colours are
        log.info("PICTURE_NOT_DECODED", error=type(error).__name__)
        return False


def _is_too_much(image: Image.Image, file: BinaryIO) -> bool:
    held = image.width * image.height * HELD_BYTES.get(image.format or "", max(HELD_BYTES.values()))
    return held > MAX_HELD_BYTES or ("progressive" in image.info and _passes(file) > MAX_PASSES)


def _passes(file: BinaryIO) -> int:
    """The number of scans of a progressive JPEG; each may be a few bytes and cost as much as all of them."""
    back, count, before = file.tell(), 0, b""
    file.seek(0)
    while piece := file.read(PIECE_BYTES):
        count += (before + piece).count(PASS_MARK)
        before = piece[-1:]
    file.seek(back)
    return count
