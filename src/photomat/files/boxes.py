"""Films, sound and pictures in boxes (MP4, QuickTime, M4A, HEIC, AVIF): how long they are, and how large. Pure.

Boxes are walked by their sizes, so the one that matters may stand at the end of a large file. A film in fragments says its
length in another box, or leaves it to the fragments.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from photomat.files.reader import Cut, Reader

LONG_HEADER: Final = 16
SHORT_HEADER: Final = 8
NEEDED: Final = frozenset({b"moov", b"moof", b"mdat"})
VIDEO, SOUND = b"vide", b"soun"
DURATION_GIVEN, SIZE_GIVEN, FLAGS_GIVEN, OFFSET_GIVEN = 0x100, 0x200, 0x400, 0x800


@dataclass(frozen=True, slots=True)
class Box:
    """A box: what it is, where its content begins and ends; one that is cut ends with what it is in."""

    kind: bytes
    start: int
    end: int
    is_cut: bool = False


@dataclass(slots=True, kw_only=True)
class Track:
    """One track of a film."""

    number: int = 0
    handler: bytes = b""
    width: int = 0
    height: int = 0
    timescale: int = 0
    in_fragments: int = 0


@dataclass(slots=True, kw_only=True)
class Film:
    """What the boxes say of a film or a recording."""

    seconds: Decimal | None = None
    tracks: list[Track] = field(default_factory=list)
    sample_lengths: dict[int, int] = field(default_factory=dict)

    @property
    def is_sound_alone(self) -> bool:
        """Whether there is sound and nothing to see."""
        handlers = {track.handler for track in self.tracks}
        return SOUND in handlers and VIDEO not in handlers

    @property
    def sides(self) -> tuple[int, int] | None:
        """Width and height of the largest picture track."""
        seen = [(track.width, track.height) for track in self.tracks if track.handler != SOUND]
        return max(seen, key=lambda sides: sides[0] * sides[1], default=None)


def read_film(reader: Reader) -> Film:
    """Read what the boxes of a film say; whatever they do not say is left out."""
    film = Film()
    for box in _boxes(reader, 0, reader.size):
        if box.kind in NEEDED and box.is_cut:
            raise Cut
        if box.kind == b"moov":
            _read_header(reader, box, film)
        elif box.kind == b"moof" and film.seconds is None:
            _read_fragment(reader, box, film)
    if film.seconds is None:
        lengths = [Decimal(track.in_fragments) / track.timescale for track in film.tracks if track.timescale]
        film.seconds = max(lengths, default=None) or None
    return film


def read_picture(reader: Reader) -> tuple[int, int] | None:
    """The sides of the largest picture of a HEIC or AVIF; its tiles have sides too."""
    meta = next((box for box in _boxes(reader, 0, reader.size) if box.kind == b"meta"), None)
    if meta is None:
        return None
    found = _inside(reader, Box(b"meta", meta.start + 4, meta.end), b"iprp", b"ipco", b"ispe")
    sides = [(reader.number(box.start + 4, 4), reader.number(box.start + 8, 4)) for box in found]
    return max(sides, key=lambda both: both[0] * both[1], default=None)


def _boxes(reader: Reader, start: int, end: int) -> Iterator[Box]:
    at = start
    while at + SHORT_HEADER <= end:
        header = reader.read(at, SHORT_HEADER)
        size, first = int.from_bytes(header[:4], "big"), at + SHORT_HEADER
        if size == 1:
            size, first = reader.number(at + SHORT_HEADER, 8), at + LONG_HEADER
        until = end if size == 0 else at + size
        if until < first:
            return
        yield Box(header[4:], first, min(until, end), until > end)
        at = until


def _inside(reader: Reader, box: Box, *path: bytes) -> Iterator[Box]:
    """The boxes at the end of a path of boxes."""
    for found in _boxes(reader, box.start, box.end):
        if found.kind == path[0]:
            if len(path) == 1:
                yield found
            else:
                yield from _inside(reader, found, *path[1:])


def _read_header(reader: Reader, moov: Box, film: Film) -> None:
    for box in _inside(reader, moov, b"mvhd"):
        timescale, length = _times(reader, box)
        for whole in _inside(reader, moov, b"mvex", b"mehd"):
            is_long = reader.read(whole.start, 1) == b"\x01"
            length = length or reader.number(whole.start + 4, 8 if is_long else 4)
        film.seconds = Decimal(length) / timescale if timescale and length else None
    film.tracks = [_track(reader, box) for box in _inside(reader, moov, b"trak")]
    for box in _inside(reader, moov, b"mvex", b"trex"):
        film.sample_lengths[reader.number(box.start + 4, 4)] = reader.number(box.start + 12, 4)


def _track(reader: Reader, trak: Box) -> Track:
    track = Track()
    for box in _inside(reader, trak, b"tkhd"):
        is_long = reader.read(box.start, 1) == b"\x01"
        track.number = reader.number(box.start + (20 if is_long else 12), 4)
        track.width, track.height = reader.number(box.end - 8, 2), reader.number(box.end - 4, 2)
    for box in _inside(reader, trak, b"mdia", b"mdhd"):
        track.timescale, _ = _times(reader, box)
    for box in _inside(reader, trak, b"mdia", b"hdlr"):
        track.handler = reader.read(box.start + 8, 4)
    return track


def _times(reader: Reader, box: Box) -> tuple[int, int]:
    """Units a second, and the length in them, of a header; a length of all ones is not known."""
    is_long = reader.read(box.start, 1) == b"\x01"
    at, width = (box.start + 20, 8) if is_long else (box.start + 12, 4)
    timescale, length = reader.number(at, 4), reader.number(at + 4, width)
    return timescale, 0 if length == 2 ** (8 * width) - 1 else length


def _read_fragment(reader: Reader, moof: Box, film: Film) -> None:
    for traf in _inside(reader, moof, b"traf"):
        for header in _inside(reader, traf, b"tfhd"):
            flags, number = reader.number(header.start + 1, 3), reader.number(header.start + 4, 4)
            at = header.start + 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
            usual = reader.number(at, 4) if flags & 8 else film.sample_lengths.get(number, 0)
            lasted = sum(_run(reader, box, usual) for box in _inside(reader, traf, b"trun"))
            for track in film.tracks:
                track.in_fragments += lasted if track.number == number else 0


def _run(reader: Reader, trun: Box, usual: int) -> int:
    """How long the samples of a run last."""
    flags, count = reader.number(trun.start + 1, 3), reader.number(trun.start + 4, 4)
    if not flags & DURATION_GIVEN:
        return count * usual
    at = trun.start + 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
    width = 4 * sum(bool(flags & given) for given in (DURATION_GIVEN, SIZE_GIVEN, FLAGS_GIVEN, OFFSET_GIVEN))
    return sum(reader.number(at + width * sample, 4) for sample in range(count))
