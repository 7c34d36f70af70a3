"""Convert one file, in a process of its own: decoders of untrusted files may crash, hang or exhaust memory.

    python -m photomat.files.conversion_worker FORMAT TARGETS MAX_BYTES < file > converted

The file is read from standard input and written to standard output, both regular files. Exit code 0: it is converted. 3: it
cannot be. Any other: it crashed or ran into a limit. Metadata (place, camera, names) is dropped; a colour profile is kept.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import BinaryIO, Final

AUDIO_CPU_S: Final = 60
PICTURE_CPU_S: Final = 20
"""A photo of 50 megapixels takes a few seconds, four qualities of it some more."""

OUTPUT_TIMES: Final = 8
MIN_OUTPUT_BYTES: Final = 2**20
"""The most that is written before a result is found too large and encoded again: a few times the limit."""

PR_SET_PDEATHSIG: Final = 1
MEMORY_BYTES: Final = 3 * 2**30
"""Address space, not memory in use: the decoders' threads reserve much more than they use."""

MAX_PIXELS: Final = 52_000_000
"""Phones take up to 50 megapixels; more would need half a gigabyte."""

PILLOW: Final = {"heic": "HEIF", "heif": "HEIF", "avif": "AVIF", "webp": "WEBP", "bmp": "BMP", "tiff": "TIFF"}
DEMUXERS: Final = {
    "ogg": "ogg",
    "m4a": "mov",
    "aac": "aac",
    "flac": "flac",
    "wma": "asf",
    "webm": "matroska",
    "mka": "matroska",
    "aiff": "aiff",
    "amr": "amr",
    "wav": "wav",
    "mp3": "mp3",
}
"""Named, never detected: a playlist disguised as audio would make FFmpeg open other files."""

QUALITIES: Final = (92, 85, 70, 50)
BIT_RATES: Final = (160_000, 96_000, 48_000)
MP3_RATES: Final = (32_000, 44_100, 48_000)
OPAQUE: Final = 255
NOT_CONVERTED: Final = 3


class NotConvertedError(Exception):
    """The file is too large, or nothing in it can be converted."""


def convert_picture(source: BinaryIO, target: BinaryIO, *, form: str, targets: list[str], most_bytes: int) -> None:
    """Write a picture with its rotation applied: PNG if parts of it are transparent, else JPEG."""
    import pi_heif  # noqa: PLC0415  each process needs one of the two decoders
    from PIL import Image, ImageOps  # noqa: PLC0415  likewise

    pi_heif.register_heif_opener()
    with Image.open(source, formats=(PILLOW[form],)) as opened:
        if opened.width * opened.height > MAX_PIXELS:
            raise NotConvertedError
        profile = opened.info.get("icc_profile")
        image = ImageOps.exif_transpose(opened)
    if image.has_transparency_data:
        colours = image.convert("RGBA")
        if "png" in targets and colours.getchannel("A").getextrema() != (OPAQUE, OPAQUE):
            colours.info.clear()
            _write(target, [partial(colours.save, target, "PNG", icc_profile=profile)], most_bytes)
            return
        image = Image.new("RGB", colours.size, "white")
        image.paste(colours, mask=colours.getchannel("A"))
    if "jpg" not in targets:
        raise NotConvertedError
    plain = image.convert("RGB")
    plain.info.clear()
    save = partial(plain.save, target, "JPEG", **({"icc_profile": profile} if profile else {}))
    _write(target, [partial(save, quality=quality) for quality in QUALITIES], most_bytes)


def convert_audio(source: BinaryIO, target: BinaryIO, *, form: str, targets: list[str], most_bytes: int) -> None:
    """Write audio as MP3, with the tag that states its padding."""
    if "mp3" not in targets:
        raise NotConvertedError
    _write(target, [partial(_encode, source, target, form=form, bit_rate=rate) for rate in BIT_RATES], most_bytes)


def _encode(source: BinaryIO, target: BinaryIO, *, form: str, bit_rate: int) -> None:
    import av  # noqa: PLC0415  optional

    source.seek(0)
    with av.open(source, "r", format=DEMUXERS[form]) as given, av.open(target, "w", format="mp3") as made:
        if not given.streams.audio:
            raise NotConvertedError
        audio = given.streams.audio[0]
        rate = audio.rate if audio.rate in MP3_RATES else 44_100
        layout = "mono" if audio.channels == 1 else "stereo"
        written = made.add_stream("libmp3lame", rate=rate, layout=layout, bit_rate=bit_rate)
        resampler = av.AudioResampler(format="s16p", layout=layout, rate=rate)
        frames = 0
        for frame in given.decode(audio):
            frame.pts = None
            frames += 1
            for piece in resampler.resample(frame):
                made.mux(written.encode(piece))
        for piece in resampler.resample(None):
            made.mux(written.encode(piece))
        made.mux(written.encode(None))
        if not frames:
            raise NotConvertedError


def _write(target: BinaryIO, ways: list[Callable[[], None]], most_bytes: int) -> None:
    """Write the file in the first of several ways, from large to small, that stays within the limit."""
    for way in ways:
        target.seek(0)
        target.truncate()
        way()
        target.flush()
        if target.seek(0, os.SEEK_END) <= most_bytes:
            return
    raise NotConvertedError


def _limit(*, cpu_s: int, most_bytes: int) -> None:
    """Bound time, memory and output, and end with the process that started this one. Writing beyond the bound fails."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    output_bytes = max(OUTPUT_TIMES * most_bytes, MIN_OUTPUT_BYTES)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (output_bytes, output_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(form: str, targets: str, most_bytes: str) -> int:
    is_picture = form in PILLOW
    _limit(cpu_s=PICTURE_CPU_S if is_picture else AUDIO_CPU_S, most_bytes=int(most_bytes))
    convert = convert_picture if is_picture else convert_audio
    with os.fdopen(os.dup(0), "rb") as source, os.fdopen(os.dup(1), "w+b") as target:
        try:
            convert(source, target, form=form, targets=targets.split(","), most_bytes=int(most_bytes))
        except Exception:  # noqa: BLE001  decoders of damaged files raise anything
            return NOT_CONVERTED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
