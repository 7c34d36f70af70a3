"""Sound in other containers, WAV, FLAC, Ogg and WMA: how long it is. Pure."""

from decimal import Decimal
from typing import Final

from photomat.files.frames import after_tags
from photomat.files.reader import Cut, Reader

OPUS_RATE: Final = 48000
TAIL_BYTES: Final = 2**17
"""A page of Ogg has 64 KB at most, so the last one begins in here."""

NOT_TOLD: Final = 0xFFFFFFFF
PAGE_HEADER: Final = 27
FILE_PROPERTIES: Final = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")
WMA_HEADER_BYTES: Final = 2**16


def wav_seconds(reader: Reader) -> Decimal | None:
    """How long a WAV is: its bytes over its bytes a second; where it does not say how many, all there are."""
    at, bytes_a_second = 12, 0
    while at + 8 <= reader.size:
        name, size = reader.read(at, 4), reader.number(at + 4, 4, little=True)
        at += 8
        if name == b"fmt ":
            bytes_a_second = reader.number(at + 8, 4, little=True)
        elif name == b"data":
            there = reader.size - at
            told = there if size in {0, NOT_TOLD} else min(size, there)
            return Decimal(told) / bytes_a_second if bytes_a_second else None
        at += size + size % 2
    return None


def flac_seconds(reader: Reader) -> Decimal | None:
    """How long a FLAC is, as its first block says."""
    start = after_tags(reader)
    if reader.read(start, 4) != b"fLaC" or reader.number(start + 4, 1) & 0x7F:
        raise Cut
    packed = reader.number(start + 18, 8)
    rate, samples = packed >> 44, packed & (2**36 - 1)
    return Decimal(samples) / rate if rate and samples else None


def ogg_seconds(reader: Reader) -> Decimal | None:
    """How long Opus or Vorbis in Ogg is: the place its last page says it has reached."""
    head = reader.some(0, 256)
    packet = head[PAGE_HEADER + head[26] :] if len(head) > PAGE_HEADER else b""
    if packet.startswith(b"OpusHead"):
        rate, unheard = OPUS_RATE, int.from_bytes(packet[10:12], "little")
    elif packet.startswith(b"\x01vorbis"):
        rate, unheard = int.from_bytes(packet[12:16], "little"), 0
    else:
        return None
    reached = _last_place(reader, serial=head[14:18])
    return Decimal(reached - unheard) / rate if rate and reached > unheard else None


def wma_seconds(reader: Reader) -> Decimal | None:
    """How long a WMA is, as its properties say."""
    head = reader.some(0, WMA_HEADER_BYTES)
    at = head.find(FILE_PROPERTIES)
    if at < 0:
        return None
    length, preroll = reader.number(at + 64, 8, little=True), reader.number(at + 80, 8, little=True)
    return Decimal(length) / 10_000_000 - Decimal(preroll) / 1000


def _last_place(reader: Reader, *, serial: bytes) -> int:
    start = max(0, reader.size - TAIL_BYTES)
    tail = reader.some(start, TAIL_BYTES)
    at = tail.rfind(b"OggS")
    while at >= 0:
        page = tail[at : at + PAGE_HEADER]
        reached = int.from_bytes(page[6:14], "little", signed=True)
        if page[14:18] == serial and reached > 0:
            return reached
        at = tail.rfind(b"OggS", 0, at)
    return 0
