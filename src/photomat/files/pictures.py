"""Pictures whose sides are not within their first bytes: JPEG behind long remarks, TIFF. Pure."""

from typing import Final

from photomat.files.reader import Reader
from photomat.files.sniff import JPEG_SIZES

JPEG_MARK: Final = 0xFF
ALONE: Final = frozenset({0x01, *range(0xD0, 0xD8)})
"""Marks without a length."""

WIDTH, HEIGHT = 256, 257
SHORT: Final = 3


def jpeg_sides(reader: Reader) -> tuple[int, int] | None:
    """Walk from mark to mark until one tells the sides."""
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
    """Look for width and height in the first directory."""
    little = reader.read(0, 2) == b"II"
    at = reader.number(4, 4, little=little)
    found: dict[int, int] = {}
    for entry in range(reader.number(at, 2, little=little)):
        place = at + 2 + 12 * entry
        name, kind = reader.number(place, 2, little=little), reader.number(place + 2, 2, little=little)
        if name in {WIDTH, HEIGHT}:
            found[name] = reader.number(place + 8, 2 if kind == SHORT else 4, little=little)
    return (found[WIDTH], found[HEIGHT]) if len(found) == 2 else None  # noqa: PLR2004  both sides
