"""Which files are converted before they go to Kie, and to what. Pure.

Phones take photos as HEIC, and voice notes of Telegram are Ogg: few of Kie's models take the one, not all take the other. A
picture that an input does not take is sent as JPEG, or as PNG where it has transparent parts; sound is sent as MP3. Sound
needs the optional package `av` (requirements/audio.in); without it customers are asked for a format the model takes.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Final

from photomat.catalog.input import FileKind, FileLimits

SOURCES: Final[dict[FileKind, frozenset[str]]] = {
    "image": frozenset({"heic", "heif", "avif", "webp", "bmp", "tiff"}),
    "audio": frozenset({"ogg", "m4a", "aac", "flac", "wma", "webm", "mka", "aiff", "amr", "wav", "mp3"}),
}
"""What can be converted. A GIF is not: it would lose its movement."""

TARGETS: Final[dict[FileKind, tuple[str, ...]]] = {"image": ("jpg", "png"), "audio": ("mp3",)}
SHOWN: Final[dict[FileKind, tuple[str, ...]]] = {"image": ("heic",), "audio": ("ogg", "m4a")}
"""What customers read beside the formats of a model: what their phones make."""


@cache
def can_convert(kind: FileKind) -> bool:
    """Whether this installation converts files of a kind."""
    return kind == "image" or (kind == "audio" and find_spec("av") is not None)


def takes(limits: FileLimits, file_format: str) -> bool:
    """Whether an input takes files of a format, as they are or converted."""
    return not limits.formats or file_format in limits.formats or bool(targets([limits], file_format))


def targets(limits: Iterable[FileLimits], file_format: str) -> tuple[str, ...]:
    """To which formats a file must be converted for all these inputs, one of them; none where it is sent as it is."""
    asked = [each for each in limits if each.formats]
    if all(file_format in each.formats for each in asked):
        return ()
    (kind, *others) = {each.kind for each in asked}
    if others or not can_convert(kind) or file_format not in SOURCES.get(kind, ()):
        return ()
    return tuple(target for target in TARGETS[kind] if all(target in each.formats for each in asked))


def shown_formats(limits: FileLimits) -> Sequence[str]:
    """The formats customers are told of: those of the model, and what is converted for it."""
    more = [each for each in SHOWN.get(limits.kind, ()) if limits.formats and each not in limits.formats]
    return (*limits.formats, *(each for each in more if takes(limits, each)))
