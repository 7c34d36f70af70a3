"""Films, sound and pictures in boxes (MP4, QuickTime, M4A, HEIC, AVIF): how long they are, and how large. Pure.

Boxes are walked by their sizes, so the one that matters may stand at the end of a large file. A length is told in several
places (the film's header, each track's, the list of what is shown) and can be counted (`box_times.py`); the largest counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from photomat.files import box_times
from photomat.files.box_times import Box
from photomat.files.reader import Cut, Reader

LONG_HEADER: Final = 16
SHORT_HEADER: Final = 8
NEEDED: Final = frozenset({b"moov", b"moof", b"mdat"})
VIDEO, SOUND = b"vide", b"soun"


@dataclass(slots=True, kw_only=True)
class Track:
    """One track of a film. `told` and `counted` are in its own units, `shown` in the film's."""

    number: int = 0
    handler: bytes = b""
    width: int = 0
    height: int = 0
    timescale: int = 0
    told: int = 0
    shown: int = 0
    counted: int = 0
    in_fragments: int = 0
    reached: int = 0

    def seconds(self, film_timescale: int) -> Decimal:
        """How long it is; a track that does not say its units has the film's."""
        own = max(self.told, self.counted + self.in_fragments, self.reached)
        seconds = Decimal(own) / (self.timescale or film_timescale or 1)
        return max(seconds, Decimal(self.shown) / (film_timescale or 1))


@dataclass(slots=True, kw_only=True)
class Film:
    """What the boxes say of a film or a recording."""

    timescale: int = 0
    told: Decimal = Decimal(0)
    tracks: list[Track] = field(default_factory=list)
    sample_lengths: dict[int, int] = field(default_factory=dict)

    @property
    def seconds(self) -> Decimal | None:
        """How long it is: the largest of what is told and what is counted."""
        return max([self.told, *(track.seconds(self.timescale) for track in self.tracks)]) or None

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
    for box in boxes_within(reader, 0, reader.size):
        if box.kind in NEEDED and box.is_cut:
            raise Cut
        if box.kind == b"moov":
            _read_header(reader, box, film)
    for box in boxes_within(reader, 0, reader.size):
        if box.kind == b"moof":
            _read_fragment(reader, box, film)
    return film


def read_picture(reader: Reader) -> tuple[int, int] | None:
    """The sides of the largest picture of a HEIC or AVIF; its tiles have sides too."""
    meta = next((box for box in boxes_within(reader, 0, reader.size) if box.kind == b"meta"), None)
    if meta is None:
        return None
    found = boxes_at(reader, Box(b"meta", meta.start + 4, meta.end), b"iprp", b"ipco", b"ispe")
    sides = [(reader.number(box.start + 4, 4), reader.number(box.start + 8, 4)) for box in found]
    return max(sides, key=lambda both: both[0] * both[1], default=None)


def boxes_within(reader: Reader, start: int, end: int) -> Iterator[Box]:
    """The boxes that follow each other between two places."""
    at = start
    while at + SHORT_HEADER <= end:
        reader.spend(2)
        header = reader.read(at, SHORT_HEADER)
        size, first = int.from_bytes(header[:4], "big"), at + SHORT_HEADER
        if size == 1:
            size, first = reader.number(at + SHORT_HEADER, 8), at + LONG_HEADER
        until = end if size == 0 else at + size
        if until < first:
            return
        yield Box(header[4:], first, min(until, end), until > end)
        at = until


def boxes_at(reader: Reader, box: Box, *path: bytes) -> Iterator[Box]:
    """The boxes at the end of a path of boxes."""
    for found in boxes_within(reader, box.start, box.end):
        if found.kind == path[0]:
            if len(path) == 1:
                yield found
            else:
                yield from boxes_at(reader, found, *path[1:])


def _read_header(reader: Reader, moov: Box, film: Film) -> None:
    for box in boxes_at(reader, moov, b"mvhd"):
        timescale, length = box_times.header(reader, box)
        for whole in boxes_at(reader, moov, b"mvex", b"mehd"):
            length = max(length, box_times.told_of_fragments(reader, whole))
        film.timescale = timescale
        film.told = max(film.told, Decimal(length) / (timescale or 1))
    film.tracks += [_track(reader, box) for box in boxes_at(reader, moov, b"trak")]
    for box in boxes_at(reader, moov, b"mvex", b"trex"):
        film.sample_lengths[reader.number(box.start + 4, 4)] = reader.number(box.start + 12, 4)


def _track(reader: Reader, trak: Box) -> Track:
    track = Track()
    for box in boxes_at(reader, trak, b"tkhd"):
        is_long = reader.read(box.start, 1) == b"\x01"
        track.number = reader.number(box.start + (20 if is_long else 12), 4)
        track.width, track.height = reader.number(box.end - 8, 2), reader.number(box.end - 4, 2)
    for box in boxes_at(reader, trak, b"edts", b"elst"):
        track.shown = box_times.shown(reader, box)
    for box in boxes_at(reader, trak, b"mdia", b"mdhd"):
        track.timescale, track.told = box_times.header(reader, box)
    for box in boxes_at(reader, trak, b"mdia", b"hdlr"):
        track.handler = reader.read(box.start + 8, 4)
    for table in boxes_at(reader, trak, b"mdia", b"minf", b"stbl"):
        samples = max((reader.number(box.start + 8, 4) for box in boxes_at(reader, table, b"stsz")), default=0)
        for box in boxes_at(reader, table, b"stts"):
            track.counted = max(track.counted, box_times.of_samples(reader, box, samples))
    return track


def _read_fragment(reader: Reader, moof: Box, film: Film) -> None:
    for traf in boxes_at(reader, moof, b"traf"):
        for header in boxes_at(reader, traf, b"tfhd"):
            flags, number = reader.number(header.start + 1, 3), reader.number(header.start + 4, 4)
            at = header.start + 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
            usual = reader.number(at, 4) if flags & 8 else film.sample_lengths.get(number, 0)
            lasted = sum(box_times.of_run(reader, box, usual) for box in boxes_at(reader, traf, b"trun"))
            begins = max((box_times.begins(reader, box) for box in boxes_at(reader, traf, b"tfdt")), default=0)
            for track in film.tracks:
                if track.number == number:
                    track.in_fragments += lasted
                    track.reached = max(track.reached, begins + lasted)
