"""Result videos: two seconds of a prompt's picture, gently moving, with its tune, as a real MP4 or QuickTime file.

The H.264 is minimal: every frame is independent and carries its samples uncompressed (I_PCM macroblocks), so that any decoder
plays it and no codec library is needed to write it. Baseline profile, 4:2:0, both sides multiples of 16. The file has one H.264
track and one MP3 track: the index first, then the frames, then the sound.
"""

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from photomat_sandbox.kie.results import ResultFile
from photomat_sandbox.kie.sound import BITRATE, FRAME_SAMPLES, MP3_RATE_HZ, NOTE_S, mp3_frames

BLOCK_PX: Final = 16
BASELINE: Final = 66
BASELINE_FLAGS: Final = 0xC0
LEVEL_3: Final = 30
I_PCM: Final = 25
I_SLICE_ONLY: Final = 7
NEXT_PCM_BLOCK: Final = b"\x0d\x00"  # ue(25) and seven bits of padding: after samples we always stand on a byte
TICKS_A_SECOND: Final = 1000
UNITY_MATRIX: Final = struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
DOTS_72_AN_INCH: Final = 0x00480000
UNDETERMINED_LANGUAGE: Final = 0x55C4
MPEG1_AUDIO: Final = 0x6B
AUDIO_STREAM: Final = 0x15
MP4: Final = b"isom" + struct.pack(">I", 0x200) + b"isomiso2avc1mp41"
QUICKTIME: Final = b"qt  " + struct.pack(">I", 0x200) + b"qt  "
LONG_SIDE_PX: Final = 384
FRAMES: Final = 10
FRAME_MS: Final = 200
NOTES: Final = int(FRAMES * FRAME_MS / 1000 / NOTE_S)


class Bits:
    """A bit writer with the standard's Exp-Golomb codes."""

    def __init__(self) -> None:
        self._text = ""

    def fixed(self, value: int, width: int) -> "Bits":
        self._text += f"{value:0{width}b}"
        return self

    def ue(self, *values: int) -> "Bits":
        for value in values:
            digits = f"{value + 1:b}"
            self._text += "0" * (len(digits) - 1) + digits
        return self

    def padded(self) -> bytes:
        """Return the bytes, padded with zeros."""
        text = self._text + "0" * (-len(self._text) % 8)
        return int(text, 2).to_bytes(len(text) // 8, "big")

    def stopped(self) -> bytes:
        """Return the bytes, ended with the standard's stop bit."""
        return self.fixed(1, 1).padded()


def sequence_parameters(width: int, height: int) -> bytes:
    """Write the sequence parameter set: size, and frames in display order."""
    bits = Bits().ue(0, 0, 2, 1).fixed(0, 1)
    bits.ue(width // BLOCK_PX - 1, height // BLOCK_PX - 1)
    # Whole frames, 8x8 inference; no cropping, no display information.
    bits.fixed(0b1100, 4)
    return _nal_unit(0x67, bytes((BASELINE, BASELINE_FLAGS, LEVEL_3)) + bits.stopped())


def picture_parameters() -> bytes:
    """Write the picture parameter set: variable-length codes, one slice group, the deblocking filter can be switched off."""
    bits = Bits().ue(0, 0).fixed(0b00, 2).ue(0, 0, 0).fixed(0b000, 3).ue(0, 0, 0).fixed(0b100, 3)
    return _nal_unit(0x68, bits.stopped())


def encode_frame(image: Image.Image, number: int) -> bytes:
    """Encode one frame; `number` distinguishes neighbours."""
    luma, blue, red = _planes(image)
    head = Bits().ue(0, I_SLICE_ONLY, 0).fixed(0, 4).ue(number % 2).fixed(0b00, 2).ue(0, 1, I_PCM)
    blocks: list[bytes] = []
    for top in range(0, image.height, BLOCK_PX):
        for left in range(0, image.width, BLOCK_PX):
            blocks.append(_samples(luma, left, top, BLOCK_PX))
            blocks[-1] += _samples(blue, left // 2, top // 2, BLOCK_PX // 2)
            blocks[-1] += _samples(red, left // 2, top // 2, BLOCK_PX // 2)
    return _nal_unit(0x65, head.padded() + NEXT_PCM_BLOCK.join(blocks) + b"\x80")


def _planes(image: Image.Image) -> tuple[Image.Image, Image.Image, Image.Image]:
    """Split into luma and two half-size chroma planes, in the limited range that video uses."""
    luma, blue, red = image.convert("YCbCr").split()
    half = (image.width // 2, image.height // 2)
    return (
        luma.point([16 + round(value * 219 / 255) for value in range(256)]),
        blue.resize(half).point([16 + round(value * 224 / 255) for value in range(256)]),
        red.resize(half).point([16 + round(value * 224 / 255) for value in range(256)]),
    )


def _samples(plane: Image.Image, left: int, top: int, side: int) -> bytes:
    return plane.crop((left, top, left + side, top + side)).tobytes()


def _nal_unit(head: int, payload: bytes) -> bytes:
    """Build a NAL unit: a third byte keeps two zeros from looking like the start of the next unit."""
    return bytes((head,)) + re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\x00\x00\x03", payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaTrack:
    """A video or audio track: samples of equal duration, and the boxes that describe them."""

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
        """The track's duration, in ticks of the movie."""
        return len(self.samples) * self.ticks * TICKS_A_SECOND // self.scale


def write_mp4(tracks: Sequence[MediaTrack], *, kind: bytes = MP4) -> bytes:
    head = _box(b"ftyp", kind)
    # The index holds where each track begins, which depends only on the index's own length.
    begin = len(head) + len(_movie_box(tracks, begin=0)) + 8
    return (
        head
        + _movie_box(tracks, begin=begin)
        + _box(b"mdat", *(sample for track in tracks for sample in track.samples))
    )


def video_track(
    frames: Sequence[bytes], *, width: int, height: int, frame_ms: int, sequence: bytes, parameters: bytes
) -> MediaTrack:
    """Build the track of encoded frames; `sequence` and `parameters` are the stream's parameter sets."""
    return MediaTrack(
        samples=[struct.pack(">I", len(frame)) + frame for frame in frames],
        ticks=frame_ms,
        scale=TICKS_A_SECOND,
        handler=b"vide",
        header=_full(b"vmhd", bytes(8), flags=1),
        entry=_picture_entry(width, height, sequence, parameters),
        width=width,
        height=height,
    )


def audio_track(frames: Sequence[bytes]) -> MediaTrack:
    return MediaTrack(
        samples=frames,
        ticks=FRAME_SAMPLES,
        scale=MP3_RATE_HZ,
        handler=b"soun",
        header=_full(b"smhd", bytes(4)),
        entry=_sound_entry(),
    )


def _movie_box(tracks: Sequence[MediaTrack], *, begin: int) -> bytes:
    length = max(track.length for track in tracks)
    movie = struct.pack(">IIIIiH10x", 0, 0, TICKS_A_SECOND, length, 0x10000, 0x0100)
    boxes = []
    for number, track in enumerate(tracks, 1):
        boxes.append(_track_box(track, number, begin))
        begin += sum(map(len, track.samples))
    head = _full(b"mvhd", movie, UNITY_MATRIX, bytes(24), struct.pack(">I", len(tracks) + 1))
    return _box(b"moov", head, *boxes)


def _track_box(track: MediaTrack, number: int, begin: int) -> bytes:
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
    """Describe the audio: one channel, its rate, and that it is MPEG-1 audio."""
    coded = struct.pack(">BB3xII", MPEG1_AUDIO, AUDIO_STREAM, BITRATE, BITRATE)
    stream = struct.pack(">HB", 2, 0) + _descriptor(4, coded) + _descriptor(6, b"\x02")
    head = struct.pack(">6xH8xHH4xI", 1, 1, 16, MP3_RATE_HZ << 16)
    return _box(b"mp4a", head, _full(b"esds", _descriptor(3, stream)))


def _descriptor(tag: int, content: bytes) -> bytes:
    return bytes((tag, len(content))) + content


def _full(name: bytes, *parts: bytes, flags: int = 0) -> bytes:
    return _box(name, struct.pack(">I", flags), *parts)


def _box(name: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", len(content) + 8) + name + content


def render_video(file: ResultFile, draw: Callable[[int, float], Image.Image], *, side_px: int = LONG_SIDE_PX) -> bytes:
    """Render the file's video of the frames that `draw` draws; QuickTime where the name says so."""
    side_px = min(side_px, LONG_SIDE_PX)
    width, height = (max(1, round(side / BLOCK_PX)) * BLOCK_PX for side in draw(side_px, 0.0).size)
    frames = [encode_frame(draw(side_px, n / FRAMES).resize((width, height)), n) for n in range(FRAMES)]
    shown = video_track(
        frames,
        width=width,
        height=height,
        frame_ms=FRAME_MS,
        sequence=sequence_parameters(width, height),
        parameters=picture_parameters(),
    )
    kind = QUICKTIME if file.name.endswith(".mov") else MP4
    return write_mp4([shown, audio_track(mp3_frames(file, notes=NOTES))], kind=kind)
