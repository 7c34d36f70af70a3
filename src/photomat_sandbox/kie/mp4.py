"""A minimal MP4 file around one H.264 track: the index first, then the frames."""

import struct
from collections.abc import Sequence
from typing import Final

TICKS_A_SECOND: Final = 1000
UNITY_MATRIX: Final = struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
DOTS_72_AN_INCH: Final = 0x00480000
UNDETERMINED_LANGUAGE: Final = 0x55C4


def film(frames: Sequence[bytes], *, width: int, height: int, frame_ms: int, sequence: bytes, pictures: bytes) -> bytes:
    """Put encoded frames into a file; `sequence` and `pictures` are the stream's parameter sets."""
    samples = [struct.pack(">I", len(frame)) + frame for frame in frames]
    kind = _box(b"ftyp", b"isom", struct.pack(">I", 0x200), b"isomiso2avc1mp41")
    entry = _sample_entry(width, height, sequence, pictures)
    # The index holds where the frames begin, which depends only on the index's own length.
    draft = _index(samples, entry, width=width, height=height, frame_ms=frame_ms, begin=0)
    begin = len(kind) + len(draft) + 8
    index = _index(samples, entry, width=width, height=height, frame_ms=frame_ms, begin=begin)
    return kind + index + _box(b"mdat", *samples)


def _index(samples: Sequence[bytes], entry: bytes, *, width: int, height: int, frame_ms: int, begin: int) -> bytes:
    length = len(samples) * frame_ms
    movie = struct.pack(">IIIIiH10x", 0, 0, TICKS_A_SECOND, length, 0x10000, 0x0100)
    track = struct.pack(">IIIII8xhhhH", 0, 0, 1, 0, length, 0, 0, 0, 0)
    media = struct.pack(">IIIIHH", 0, 0, TICKS_A_SECOND, length, UNDETERMINED_LANGUAGE, 0)
    table = _box(
        b"stbl",
        _full(b"stsd", struct.pack(">I", 1), entry),
        _full(b"stts", struct.pack(">III", 1, len(samples), frame_ms)),
        _full(b"stsc", struct.pack(">IIII", 1, 1, len(samples), 1)),
        _full(b"stsz", struct.pack(">II", 0, len(samples)), *(struct.pack(">I", len(s)) for s in samples)),
        _full(b"stco", struct.pack(">II", 1, begin)),
    )
    here = _box(b"dinf", _full(b"dref", struct.pack(">I", 1), _full(b"url ", flags=1)))
    information = _box(b"minf", _full(b"vmhd", bytes(8), flags=1), here, table)
    handler = _full(b"hdlr", bytes(4), b"vide", bytes(12), b"Photomat sandbox\x00")
    size = struct.pack(">II", width << 16, height << 16)
    return _box(
        b"moov",
        _full(b"mvhd", movie, UNITY_MATRIX, bytes(24), struct.pack(">I", 2)),
        _box(
            b"trak",
            _full(b"tkhd", track, UNITY_MATRIX, size, flags=3),
            _box(b"mdia", _full(b"mdhd", media), handler, information),
        ),
    )


def _sample_entry(width: int, height: int, sequence: bytes, pictures: bytes) -> bytes:
    """Describe the frames: their size, and the parameter sets a decoder needs first."""
    settings = _box(
        b"avcC",
        bytes((1, *sequence[1:4], 0xFF, 0xE1)),
        struct.pack(">H", len(sequence)) + sequence,
        b"\x01" + struct.pack(">H", len(pictures)) + pictures,
    )
    head = struct.pack(">6xH16xHHIIIH", 1, width, height, DOTS_72_AN_INCH, DOTS_72_AN_INCH, 0, 1)
    return _box(b"avc1", head, bytes(32), struct.pack(">Hh", 24, -1), settings)


def _full(name: bytes, *parts: bytes, flags: int = 0) -> bytes:
    return _box(name, struct.pack(">I", flags), *parts)


def _box(name: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", len(content) + 8) + name + content
