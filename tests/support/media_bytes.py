"""Files of every kind a customer may send, small and true to their format, with a length and sides that are known."""

import io
import struct
import wave
from collections.abc import Sequence

from PIL import Image

MILLION_NS = 1_000_000
MP3_FRAME_S = 1152 / 44100
AAC_FRAME_S = 1024 / 44100


def image(form: str, *, width: int = 321, height: int = 123, **options: object) -> bytes:
    """A plain picture."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "navy").save(buffer, form, **options)
    return buffer.getvalue()


def jpeg_behind_remarks(*, width: int = 321, height: int = 123, remarks: int = 3) -> bytes:
    """A JPEG whose sides stand behind so many remarks of 60 KB."""
    whole = image("JPEG", width=width, height=height)
    remark = b"\xff\xfe" + struct.pack(">H", 60_002) + bytes(60_000)
    return whole[:2] + remark * remarks + whole[2:]


def box(kind: bytes, *parts: bytes) -> bytes:
    """A box of MP4."""
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def film(
    *,
    brand: bytes = b"isom",
    seconds: float = 5.5,
    padding: int = 0,
    handlers: tuple[bytes, ...] = (b"vide", b"soun"),
    more: Sequence[bytes] = (),
    told: int = 0,
) -> bytes:
    """A film or a recording, described at its end; `told` (thousandths) stands in its tracks' headers, `more` beside it."""
    length = struct.pack(">II", 1000, round(seconds * 1000))
    tracks = b"".join(_trak(number, handler, *more, told=told) for number, handler in enumerate(handlers, 1))
    moov = box(b"moov", box(b"mvhd", bytes(12), length, bytes(80)), tracks)
    return box(b"ftyp", brand, bytes(4)) + box(b"mdat", bytes(padding)) + moov


def fragmented_film(
    *,
    seconds: int = 4,
    told: int = 0,
    begins: int | None = None,
    handler: bytes = b"vide",
    more: Sequence[bytes] = (),
) -> bytes:
    """A film in fragments of a second; its header may tell of another length, the fragments when they begin (thousandths)."""
    mvex = box(b"mvex", box(b"trex", bytes(4), struct.pack(">IIIII", 1, 1, 100, 0, 0)))
    track = _trak(1, handler, *more)
    moov = box(b"moov", box(b"mvhd", bytes(12), struct.pack(">II", 1000, told), bytes(80)), track, mvex)
    tfhd = box(b"tfhd", bytes(4), struct.pack(">I", 1))
    tfhd += b"" if begins is None else box(b"tfdt", bytes(4), struct.pack(">I", begins))
    usual = box(b"trun", bytes(4), struct.pack(">I", 10))
    each = box(b"trun", b"\x00\x00\x01\x00", struct.pack(">I", 2), struct.pack(">II", 400, 600))
    runs = [usual if second % 2 else each for second in range(seconds)]
    fragments = b"".join(box(b"moof", box(b"traf", tfhd, run)) + box(b"mdat", bytes(10)) for run in runs)
    return box(b"ftyp", b"iso5", bytes(4)) + moov + fragments


def samples(*times: tuple[int, int], count: int | None = None) -> bytes:
    """The boxes of a track's table of samples: how many of which length, and how many there are in truth."""
    table = b"".join(struct.pack(">II", *both) for both in times)
    there = sum(number for number, _ in times) if count is None else count
    stts = box(b"stts", bytes(4), struct.pack(">I", len(times)), table)
    return box(b"minf", box(b"stbl", stts, box(b"stsz", bytes(4), struct.pack(">II", 1, there))))


def _trak(number: int, handler: bytes, *more: bytes, told: int = 0) -> bytes:
    sides = struct.pack(">II", 640 << 16, 360 << 16) if handler == b"vide" else bytes(8)
    tkhd = box(b"tkhd", bytes(12), struct.pack(">I", number), bytes(60), sides)
    mdhd = box(b"mdhd", bytes(12), struct.pack(">II", 1000, told), bytes(4))
    inside = [each for each in more if each[4:8] == b"minf"]
    beside = [each for each in more if each not in inside]
    return box(b"trak", tkhd, *beside, box(b"mdia", mdhd, box(b"hdlr", bytes(8), handler, bytes(12)), *inside))


def heic(*, width: int = 4032, height: int = 3024) -> bytes:
    """A picture of a phone: the sides of its tiles stand before its own."""
    tile, whole = (box(b"ispe", bytes(4), struct.pack(">II", *sides)) for sides in ((512, 512), (width, height)))
    meta = box(b"meta", bytes(4), box(b"hdlr", bytes(24)), box(b"iprp", box(b"ipco", tile, whole)))
    return box(b"ftyp", b"heic", bytes(4), b"mif1heic") + meta + box(b"mdat", bytes(100))


def element(name: int, *parts: bytes, is_open: bool = False) -> bytes:
    """An element of Matroska."""
    body = b"".join(parts)
    size = b"\x01\xff\xff\xff\xff\xff\xff\xff" if is_open else struct.pack(">Q", 1 << 56 | len(body))
    return name.to_bytes((name.bit_length() + 7) // 8, "big") + size + body


def recording(
    *, doctype: bytes = b"webm", seconds: float = 7.25, kind: int = 1, is_live: bool = False, told: float | None = None
) -> bytes:
    """A film (1) or sound (2) in Matroska, maybe told otherwise; a live one has no length and leaves its sizes open."""
    head = element(0x1A45DFA3, element(0x4282, doctype))
    length = b"" if is_live else element(0x4489, struct.pack(">d", (seconds if told is None else told) * 1000))
    info = element(0x1549A966, element(0x2AD7B1, MILLION_NS.to_bytes(3, "big")), length)
    sides = element(0xE0, element(0xB0, b"\x02\x80"), element(0xBA, b"\x01\x68")) if kind == 1 else b""
    tracks = element(0x1654AE6B, element(0xAE, element(0x83, bytes([kind])), sides))
    last = round(seconds * 1000)
    blocks = element(0xE7, (last - 250).to_bytes(4, "big")), element(0xA3, b"\x81" + struct.pack(">h", 250) + bytes(9))
    cluster = element(0x1F43B675, *blocks, is_open=is_live)
    return head + element(0x18538067, info, tracks, cluster, is_open=is_live)


def wav(*, seconds: float = 2.5, rate: int = 8000) -> bytes:
    """A second of silence, and more of it."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(bytes(round(seconds * rate) * 2))
    return buffer.getvalue()


def mp3_frame(kbit_index: int = 9) -> bytes:
    """A frame of 44.1 kHz; 9 is 128 kbit a second, 14 is 320."""
    kbit = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)[kbit_index]
    return (b"\xff\xfb" + bytes([kbit_index << 4, 0x40])).ljust(144 * kbit * 1000 // 44100, b"\x00")


def mp3(*, frames: int = 200, tag: bool = True) -> bytes:
    """One rate all through."""
    return (id3() if tag else b"") + mp3_frame() * frames


def mp3_of_changing_rate(*, frames: int = 200) -> bytes:
    """Half of it at 32 kbit a second, half at 320; an estimate by its first frame is far off."""
    return mp3_frame(1) * (frames // 2) + mp3_frame(14) * (frames // 2)


def mp3_that_tells(*, frames: int = 5000) -> bytes:
    """The first frame says how many follow, which is more than a short copy holds."""
    first = bytearray(mp3_frame())
    first[36:48] = b"Xing" + struct.pack(">II", 1, frames)
    return bytes(first) + mp3_frame() * 3


def id3(size: int = 300) -> bytes:
    """Tags in front of sound."""
    return b"ID3\x04\x00\x00" + bytes([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127]) + bytes(size)


def aac(*, frames: int = 100) -> bytes:
    """Frames of 44.1 kHz."""
    size = 64
    head = bytes([0xFF, 0xF1, 0x50, 0x80 | size >> 11, size >> 3 & 255, (size & 7) << 5 | 0x1F, 0xFC])
    return head.ljust(size, b"\x00") * frames


def flac(*, seconds: float = 3.5, told: float | None = None, rate: int = 44100) -> bytes:
    """Silence in frames of a second or less; its first block may tell of another length."""
    samples = round(seconds * rate)
    packed = rate << 44 | 1 << 41 | 15 << 36 | round((seconds if told is None else told) * rate)
    frames = [flac_frame(number, min(rate, samples - rate * number)) for number in range(-(-samples // rate))]
    return b"fLaC\x80\x00\x00\x22" + bytes(10) + packed.to_bytes(8, "big") + bytes(16) + b"".join(frames)


def flac_frame(number: int, samples: int) -> bytes:
    """A frame of two silent channels at 44.1 kHz."""
    head = b"\xff\xf8\x79\x18" + bytes([number]) + struct.pack(">H", samples - 1)
    checksum = 0
    for byte in head:
        checksum ^= byte
        for _ in range(8):
            checksum = (checksum << 1 ^ (0x07 if checksum & 0x80 else 0)) & 0xFF
    return head + bytes([checksum]) + bytes(8)


def opus(*, seconds: float = 6.0, preskip: int = 312, serial: int = 7, packets: int = 1) -> bytes:
    """A voice message as Telegram makes it; its packets are of 10 ms, and there may be too few of them."""
    head = b"OpusHead\x01\x01" + struct.pack("<HI", preskip, 48000) + bytes(3)
    first = _page(head, 0, serial=serial, flags=2) + _page(b"OpusTags" + bytes(192), 0, serial=serial)
    pages = [_page(bytes(200), 48000, serial=serial) for _ in range(packets - 1)]
    return first + b"".join(pages) + _page(bytes(200), round(seconds * 48000) + preskip, serial=serial)


def vorbis(*, seconds: float = 6.0, rate: int = 22050) -> bytes:
    """Vorbis in Ogg."""
    head = b"\x01vorbis" + bytes(4) + b"\x01" + struct.pack("<I", rate) + bytes(12) + b"\xb8\x01"
    return _page(head, 0, flags=2) + _page(bytes(100), round(seconds * rate))


def _page(packet: bytes, reached: int, *, serial: int = 7, flags: int = 0) -> bytes:
    head = b"OggS\x00" + bytes([flags]) + struct.pack("<q", reached) + bytes([serial] * 4) + bytes(8)
    return head + b"\x01" + bytes([len(packet)]) + packet


def wma(*, seconds: float = 4.0, packets: int = 0) -> bytes:
    """A header with the properties of the file, and so many packets of a second, the first after a preroll of three."""
    properties = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365") + struct.pack("<Q", 104) + bytes(40)
    properties += struct.pack("<QQQ", round((seconds + 3) * 10**7), round(seconds * 10**7), 3000)
    properties += bytes(4) + struct.pack("<III", 64, 64, 0)
    head = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c") + struct.pack("<QIH", 30 + len(properties), 1, 0x201)
    data = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c") + struct.pack("<Q", 50 + 64 * packets) + bytes(26)
    starts = (b"\x82\x00\x00\x08\x5d\x00" + struct.pack("<IH", 3000 + 1000 * each, 1000) for each in range(packets))
    return head + properties + data + b"".join(start.ljust(64, b"\x00") for start in starts)
