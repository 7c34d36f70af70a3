"""What a customer has on the phone: a photo, a clip with sound, a recording, a paper; real files, small, made once."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from PIL import Image

from photomat.catalog.answers import FileFacts
from photomat.catalog.input import FileKind
from photomat_sandbox.kie import sound, video
from support.real_media import PHOTO, REAL_FILES

SIDE_PX: Final = 320
CLIP_S: Final = 5
RECORDING_FRAMES: Final = 167
RECORDING_S: Final = 6
"""The last frame is filled up, which nobody pays for."""

PITCH_HZ: Final = 440.0
PAPER: Final = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneFile:
    """One file: how a chat sends it, its name and bytes, and what is true of it."""

    sent_as: str
    name: str
    content: bytes
    facts: FileFacts


@cache
def phone_files() -> Mapping[FileKind, PhoneFile]:
    """One file of each kind; every model takes it wherever it takes that kind."""
    return {
        "image": _file("photo", "photo.jpg", _photo(), "image", "jpg", width=SIDE_PX, height=SIDE_PX),
        "video": _file(
            "video", "clip.mp4", _clip(), "video", "mp4", seconds=Decimal(CLIP_S), width=SIDE_PX, height=SIDE_PX
        ),
        "audio": _file("audio", "recording.mp3", _recording(), "audio", "mp3", seconds=Decimal(RECORDING_S)),
        "document": _file("document", "paper.pdf", PAPER, "document", "pdf"),
    }


@cache
def unconverted_files() -> Mapping[FileKind, PhoneFile]:
    """The same, with a photo and a voice note as phones make them, which most models do not take as they are."""
    photo, voice = PHOTO.read_bytes(), REAL_FILES["voice-note.ogg"]
    return {
        **phone_files(),
        "image": _file("document", "IMG_0001.HEIC", photo, "image", "heic", width=480, height=320),
        "audio": _file("voice", "voice.oga", voice.content, "audio", "ogg", seconds=voice.made_s),
    }


def _file(
    sent_as: str,
    name: str,
    content: bytes,
    kind: FileKind,
    form: str,
    *,
    seconds: Decimal | None = None,
    width: int | None = None,
    height: int | None = None,
) -> PhoneFile:
    facts = FileFacts(kind=kind, format=form, size_bytes=len(content), seconds=seconds, width=width, height=height)
    return PhoneFile(sent_as=sent_as, name=name, content=content, facts=facts)


def _photo() -> bytes:
    out = io.BytesIO()
    Image.linear_gradient("L").resize((SIDE_PX, SIDE_PX)).convert("RGB").save(out, "JPEG", quality=80)
    return out.getvalue()


def _clip() -> bytes:
    """One picture that stays, with sound under it."""
    shown = video.video_track(
        [video.encode_frame(Image.new("RGB", (SIDE_PX, SIDE_PX), "teal"), 0)],
        width=SIDE_PX,
        height=SIDE_PX,
        frame_ms=CLIP_S * 1000,
        sequence=video.sequence_parameters(SIDE_PX, SIDE_PX),
        parameters=video.picture_parameters(),
    )
    return video.write_mp4([shown, video.audio_track(_frames(int(CLIP_S / sound.FRAME_S)))])


def _recording() -> bytes:
    return b"".join(_frames(RECORDING_FRAMES))


def _frames(count: int) -> list[bytes]:
    return sound.encode_mp3([sound.Tones(pitches_hz=(PITCH_HZ,))] * (2 * count))
