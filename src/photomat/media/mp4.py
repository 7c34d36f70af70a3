"""Length and sides of video, audio and pictures in boxes (MP4, QuickTime, M4A, HEIC, AVIF). Pure.

Boxes are walked by their sizes, so the header may be at the end of a large file. A length is stated in several places (the
movie's header, each track's) and can be counted from the tables of samples; the largest counts. Where a track has an edit list,
only what it plays counts, as in every player. In fragments, or where an edit has no length, decoders also play what is in front
of it. A movie with two headers of one kind is unreadable: decoders disagree which one counts.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from operator import mul
from typing import Final

from photomat.media.reader import (
    AAC_SAMPLES,
    MAX_AT_ONCE,
    TIMESTAMP_S,
    Reader,
    Truncated,
    most_samples,
    without_padding,
    without_samples,
)

FOUR: Final = 4
NUMBERS_A_STEP: Final = 32
"""Numbers of a table are read many at once, and cost so much less than places in the file."""
LONG_HEADER: Final = 16
SHORT_HEADER: Final = 8
VIDEO, AUDIO = b"vide", b"soun"
NEEDED: Final = frozenset({b"moov", b"moof", b"mdat"})
DURATION_GIVEN, SIZE_GIVEN, FLAGS_GIVEN, OFFSET_GIVEN = 0x100, 0x200, 0x400, 0x800


@dataclass(frozen=True, slots=True)
class Box:
    """Its kind, where its content begins and ends; a truncated one ends with its parent."""

    kind: bytes
    start: int
    end: int
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class EditListEntry:
    """How long it plays, in the movie's units, and where in the track, in the track's own units.

    A length of 0 plays on to the track's end. A place of -1 plays nothing: the track begins later.
    """

    length: int
    media_time: int

    @property
    def is_empty(self) -> bool:
        return self.media_time < 0


@dataclass(slots=True, kw_only=True)
class Track:
    """Numbers are in its own units, the lengths of its edits in the movie's."""

    number: int = 0
    handler: bytes = b""
    width: int = 0
    height: int = 0
    timescale: int = 0
    stated: int = 0
    edits: list[EditListEntry] = field(default_factory=list)
    counted: int = 0
    in_fragments: int = 0
    reached: int = 0

    def seconds(self, movie_timescale: int) -> Decimal:
        """Its length; a track without units has the movie's."""
        timescale, movie_timescale = self.timescale or movie_timescale or 1, movie_timescale or 1
        held = Decimal(max(self.stated, self.counted + self.in_fragments, self.reached)) / timescale
        if not self.edits:
            return self._without_padding(held)
        if self.in_fragments or not any(edit.length for edit in self.edits if not edit.is_empty):
            return self._without_padding(held + self._begins_later(movie_timescale) - self._delay(timescale))
        return without_padding(Decimal(sum(edit.length for edit in self.edits)) / movie_timescale)

    def _begins_later(self, movie_timescale: int) -> Decimal:
        return Decimal(sum(edit.length for edit in self.edits if edit.is_empty)) / movie_timescale

    def _delay(self, timescale: int) -> Decimal:
        """The encoder's delay in front of an edit that goes on to the end; only audio has one.

        A video track begins later because its pictures are stored in another order, and all of them are shown.
        """
        if self.handler != AUDIO:
            return Decimal(0)
        skipped = min((edit.media_time for edit in self.edits if not edit.is_empty), default=0)
        held = max(self.stated, self.counted + self.in_fragments, self.reached)
        return Decimal(min(skipped, AAC_SAMPLES, most_samples(timescale), held)) / timescale

    def _without_padding(self, seconds: Decimal) -> Decimal:
        """An audio track without an edit list still has its encoder's delay, and its last frame is filled up."""
        is_audio = self.handler == AUDIO
        return without_samples(seconds, AAC_SAMPLES, self.timescale) if is_audio else without_padding(seconds)


@dataclass(slots=True, kw_only=True)
class Movie:
    timescale: int = 0
    stated: Decimal = Decimal(0)
    tracks: list[Track] = field(default_factory=list)
    sample_lengths: dict[int, int] = field(default_factory=dict)

    @property
    def seconds(self) -> Decimal | None:
        """The longest of its video and audio tracks, or the length its header states if that is more."""
        played = [track for track in self.tracks if track.handler in {VIDEO, AUDIO}] or self.tracks
        longest = max((track.seconds(self.timescale) for track in played), default=Decimal(0))
        rates = [track.timescale for track in played if track.handler == AUDIO and track.timescale]
        padding = max((Decimal(AAC_SAMPLES) / rate for rate in rates), default=TIMESTAMP_S)
        if any(track.in_fragments for track in played):
            longest = without_padding(longest, padding)
        return max(longest, without_padding(self.stated, padding)) or None

    @property
    def is_audio_only(self) -> bool:
        handlers = {track.handler for track in self.tracks}
        return AUDIO in handlers and VIDEO not in handlers

    @property
    def sides(self) -> tuple[int, int] | None:
        seen = [(track.width, track.height) for track in self.tracks if track.handler != AUDIO]
        return max(seen, key=lambda sides: sides[0] * sides[1], default=None)


def read_movie(reader: Reader) -> Movie:
    movie, headers = Movie(), list[Box]()
    for box in boxes_within(reader, 0, reader.size):
        if box.kind in NEEDED and box.is_truncated:
            raise Truncated
        if box.kind == b"moov":
            headers.append(box)
    for box in _at_most_one(headers):
        _read_header(reader, box, movie)
    for box in boxes_within(reader, 0, reader.size):
        if box.kind == b"moof":
            _read_fragment(reader, box, movie)
    return movie


def read_picture(reader: Reader) -> tuple[int, int] | None:
    """The sides of the largest picture of a HEIC or AVIF; its tiles have sides too."""
    meta = next((box for box in boxes_within(reader, 0, reader.size) if box.kind == b"meta"), None)
    if meta is None:
        return None
    found = boxes_at(reader, Box(b"meta", meta.start + 4, meta.end), b"iprp", b"ipco", b"ispe")
    sides = [(reader.number(box.start + 4, 4), reader.number(box.start + 8, 4)) for box in found]
    return max(sides, key=lambda both: both[0] * both[1], default=None)


def boxes_within(reader: Reader, start: int, end: int) -> Iterator[Box]:
    """Consecutive boxes between two places."""
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


def _at_most_one(found: Iterable[Box]) -> list[Box]:
    """The box, if it is there; a second one makes the file unreadable."""
    boxes = list(islice(found, 2))
    if len(boxes) > 1:
        raise Truncated
    return boxes


def _read_header(reader: Reader, moov: Box, movie: Movie) -> None:
    for box in _at_most_one(boxes_at(reader, moov, b"mvhd")):
        timescale, length = header(reader, box)
        for stated in boxes_at(reader, moov, b"mvex", b"mehd"):
            length = max(length, single_number(reader, stated))
        movie.timescale = timescale
        movie.stated = max(movie.stated, Decimal(length) / (timescale or 1))
    movie.tracks += [_track(reader, box) for box in boxes_at(reader, moov, b"trak")]
    for box in boxes_at(reader, moov, b"mvex", b"trex"):
        number, length = reader.number(box.start + 4, 4), reader.number(box.start + 12, 4)
        movie.sample_lengths[number] = max(length, movie.sample_lengths.get(number, 0))


def _track(reader: Reader, trak: Box) -> Track:
    track = Track()
    for box in _at_most_one(boxes_at(reader, trak, b"tkhd")):
        is_long = reader.read(box.start, 1) == b"\x01"
        track.number = reader.number(box.start + (20 if is_long else 12), 4)
        track.width, track.height = reader.number(box.end - 8, 2), reader.number(box.end - 4, 2)
    for box in _at_most_one(boxes_at(reader, trak, b"edts", b"elst")):
        track.edits = edits(reader, box)
    for box in _at_most_one(boxes_at(reader, trak, b"mdia", b"mdhd")):
        track.timescale, track.stated = header(reader, box)
    for box in _at_most_one(boxes_at(reader, trak, b"mdia", b"hdlr")):
        track.handler = reader.read(box.start + 8, 4)
    for table in boxes_at(reader, trak, b"mdia", b"minf", b"stbl"):
        samples = max((reader.number(box.start + 8, 4) for box in boxes_at(reader, table, b"stsz")), default=0)
        for box in boxes_at(reader, table, b"stts"):
            track.counted = max(track.counted, of_samples(reader, box, samples))
    return track


def _read_fragment(reader: Reader, moof: Box, movie: Movie) -> None:
    for traf in boxes_at(reader, moof, b"traf"):
        for header in boxes_at(reader, traf, b"tfhd"):
            flags, number = reader.number(header.start + 1, 3), reader.number(header.start + 4, 4)
            at = header.start + 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
            usual = reader.number(at, 4) if flags & 8 else movie.sample_lengths.get(number, 0)
            lasted = sum(of_run(reader, box, usual) for box in boxes_at(reader, traf, b"trun"))
            begins = max((single_number(reader, box) for box in boxes_at(reader, traf, b"tfdt")), default=0)
            for track in movie.tracks:
                if track.number == number:
                    track.in_fragments += lasted
                    track.reached = max(track.reached, begins + lasted)


def header(reader: Reader, box: Box) -> tuple[int, int]:
    """Units a second, and the length in them, of a header; a length of all ones is unknown."""
    is_long = reader.read(box.start, 1) == b"\x01"
    at, width = (box.start + 20, 8) if is_long else (box.start + 12, 4)
    timescale, length = reader.number(at, 4), reader.number(at + 4, width)
    return timescale, 0 if length == (1 << 8 * width) - 1 else length


def single_number(reader: Reader, box: Box) -> int:
    """The number in a box that holds no other: the stated length of fragments, or when the samples of one begin."""
    is_long = reader.read(box.start, 1) == b"\x01"
    return reader.number(box.start + 4, 8 if is_long else 4)


def edits(reader: Reader, elst: Box) -> list[EditListEntry]:
    """The edit list of a track; a truncated one is read as far as it goes."""
    is_long = reader.read(elst.start, 1) == b"\x01"
    count, half = reader.number(elst.start + 4, 4), 8 if is_long else 4
    width = 2 * half + 4
    there = min(count, (elst.end - elst.start - 8) // width)
    not_known = (1 << 8 * half) - 1
    found = []
    for number in range(there):
        at = elst.start + 8 + width * number
        length = reader.number(at, half)
        place = int.from_bytes(reader.read(at + half, half), "big", signed=True)
        found.append(EditListEntry(0 if length == not_known else length, place))
    return found


def of_samples(reader: Reader, stts: Box, samples: int) -> int:
    """How long the samples of a track last; those the table leaves out last as long as its last ones."""
    numbers = _numbers(
        reader, stts.start + 8, min(2 * reader.number(stts.start + 4, 4), (stts.end - stts.start - 8) // 4)
    )
    counts, lengths = numbers[0::2], numbers[1::2]
    left_out = max(0, samples - sum(counts))
    return int(sum(map(mul, counts, lengths))) + (left_out * lengths[-1] if lengths else 0)


def of_run(reader: Reader, trun: Box, usual: int) -> int:
    flags, count = reader.number(trun.start + 1, 3), reader.number(trun.start + 4, 4)
    if not flags & DURATION_GIVEN:
        return count * usual
    at = trun.start + 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
    width = sum(bool(flags & given) for given in (DURATION_GIVEN, SIZE_GIVEN, FLAGS_GIVEN, OFFSET_GIVEN))
    if at + FOUR * width * count > trun.end:
        raise Truncated
    return sum(_numbers(reader, at, width * count)[::width])


def _numbers(reader: Reader, at: int, count: int) -> "array[int]":
    reader.spend(count // NUMBERS_A_STEP)
    found = array("I")
    while count > 0:
        some = min(count, MAX_AT_ONCE // FOUR)
        found.frombytes(reader.read(at, FOUR * some))
        at, count = at + FOUR * some, count - some
    if sys.byteorder == "little":
        found.byteswap()
    return found
