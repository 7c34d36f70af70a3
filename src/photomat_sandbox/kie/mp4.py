"""A minimal MP4 file around one H.264 track and one MP3 track: the index first, then the frames, then the sound."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from photomat_sandbox.kie import mp3

TICKS_A_SECOND: Final = 1000
UNITY_MATRIX: Final = struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
DOTS_72_AN_INCH: Final = 0x00480000
UNDETERMINED_LANGUAGE: Final = 0x55C4
MPEG1_AUDIO: Final = 0x6B
AUDIO_STREAM: Final = 0x15
MP4: Final = b"isom" + struct.pack(">I", 0x200) + b"isomiso2avc1mp41"
QUICKTIME: Final = b"qt  " + struct.pack(">I", 0x200) + b"qt  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """What is shown or heard: samples of equal length, and the boxes that say what they are."""

    samples: Sequence[bytes]
    ticks: int
    """How long one sample lasts, in parts of `scale`."""
    scale: int
    handler: bytes
    header: bytes
    entry: bytes
    width: int = 0
    height: int = 0

    @property
    def length(self) -> int:
        """How long it lasts, in the film's ticks."""
        return len(self.samples) * self.ticks * TICKS_A_SECOND // self.scale


def film(tracks: Sequence[Track], *, kind: bytes = MP4) -> bytes:
    """Put tracks into a file."""
    head = _box(b"ftyp", kind)
    # The index holds where each track begins, which depends only on the index's own length.
    begin = len(head) + len(_index(tracks, begin=0)) + 8
    return head + _index(tracks, begin=begin) + _box(b"mdat", *(sample for track in tracks for sample in track.samples))


def pictures(
    frames: Sequence[bytes], *, width: int, height: int, frame_ms: int, sequence: bytes, parameters: bytes
) -> Track:
    """Make the track of encoded frames; `sequence` and `parameters` are the stream's parameter sets."""
    return Track(
        samples=[struct.pack(">I", len(frame)) + frame for frame in frames],
        ticks=frame_ms,
        scale=TICKS_A_SECOND,
        handler=b"vide",
        header=_full(b"vmhd", bytes(8), flags=1),
        entry=_picture_entry(width, height, sequence, parameters),
        width=width,
        height=height,
    )


def sound(frames: Sequence[bytes]) -> Track:
    """Make the track of MP3 frames."""
    return Track(
        samples=frames,
        ticks=mp3.FRAME_SAMPLES,
        scale=mp3.RATE_HZ,
        handler=b"soun",
        header=_full(b"smhd", bytes(4)),
        entry=_sound_entry(),
    )


def _index(tracks: Sequence[Track], *, begin: int) -> bytes:
    length = max(track.length for track in tracks)
    movie = struct.pack(">IIIIiH10x", 0, 0, TICKS_A_SECOND, length, 0x10000, 0x0100)
    boxes = []
    for number, track in enumerate(tracks, 1):
        boxes.append(_track(track, number, begin))
        begin += sum(map(len, track.samples))
    head = _full(b"mvhd", movie, UNITY_MATRIX, bytes(24), struct.pack(">I", len(tracks) + 1))
    return _box(b"moov", head, *boxes)


def _track(track: Track, number: int, begin: int) -> bytes:
    count = len(track.samples)
    loudness = 0 if track.width else 0x0100
    about = struct.pack(">IIIII8xhhhH", 0, 0, number, 0, track.length, 0, 0, loudness, 0)
    media = struct.pack(">IIIIHH", 0, 0, track.scale, count * track.ticks, UNDETERMINED_LANGUAGE, 0)
    table = _box(
        b"stbl",
        _full(b"stsd", struct.pack(">I", 1), track.entry),
        _full(b"stts", struct.pack(">III", 1, count, track.ticks)),
        _full(b"stsc", struct.pack(">IIII", 1, 1, count, 1)),
        _full(b"stsz", struct.pack(">II", 0, count), *(struct.pack(">I", len(one)) for one in track.samples)),
        _full(b"stco", struct.pack(">II", 1, begin)),
    )
    here = _box(b"dinf", _full(b"dref", struct.pack(">I", 1), _full(b"url ", flags=1)))
    handler = _full(b"hdlr", bytes(4), track.handler, bytes(12), b"Photomat sandbox\x00")
    size = struct.pack(">II", track.width << 16, track.height << 16)
    return _box(
        b"trak",
        _full(b"tkhd", about, UNITY_MATRIX, size, flags=3),
        _box(b"mdia", _full(b"mdhd", media), handler, _box(b"minf", track.header, here, table)),
    )


def _picture_entry(width: int, height: int, sequence: bytes, parameters: bytes) -> bytes:
    """Describe the frames: their size, and the parameter sets a decoder needs first."""
    settings = _box(
        b"avcC",
        bytes((1, *sequence[1:4], 0xFF, 0xE1)),
        struct.pack(">H", len(sequence)) + sequence,
        b"\x01" + struct.pack(">H", len(parameters)) + parameters,
    )
    head = struct.pack(">6xH16xHHIIIH", 1, width, height, DOTS_72_AN_INCH, DOTS_72_AN_INCH, 0, 1)
    return _box(b"avc1", head, bytes(32), struct.pack(">Hh", 24, -1), settings)


def _sound_entry() -> bytes:
    """Describe the sound: one channel, its rate, and that it is MPEG-1 audio."""
    coded = struct.pack(">BB3xII", MPEG1_AUDIO, AUDIO_STREAM, mp3.BITRATE, mp3.BITRATE)
    stream = struct.pack(">HB", 2, 0) + _descriptor(4, coded) + _descriptor(6, b"\x02")
    head = struct.pack(">6xH8xHH4xI", 1, 1, 16, mp3.RATE_HZ << 16)
    return _box(b"mp4a", head, _full(b"esds", _descriptor(3, stream)))


def _descriptor(tag: int, content: bytes) -> bytes:
    return bytes((tag, len(content))) + content


def _full(name: bytes, *parts: bytes, flags: int = 0) -> bytes:
    return _box(name, struct.pack(">I", flags), *parts)


def _box(name: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", len(content) + 8) + name + content
