"""Whether a file fits an input, by what was found in it (`FileFacts`) and not by its name; which files are converted. Pure.

Phones take photos as HEIC, and voice notes of Telegram are Ogg: few of Kie's models take the one, not all take the other. A
picture that an input does not take is sent as JPEG, or as PNG where it has transparent parts; audio is sent as MP3. Audio
needs the optional package `av` (requirements/audio.in); without it customers are asked for a format the model takes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from typing import Final

from photomat.catalog.answers import Refused, check_count
from photomat.catalog.formula import plain
from photomat.catalog.input import FileKind, FileLimits, Input

MEGABYTE: Final = 2**20
MEGAPIXEL: Final = Decimal(1_000_000)
BEYOND_S: Final = Decimal("0.2")
"""A clip cut to ten seconds lasts a few hundredths more: its audio ends with a whole frame."""

SOURCES: Final[dict[FileKind, frozenset[str]]] = {
    "image": frozenset({"heic", "heif", "avif", "webp", "bmp", "tiff"}),
    "audio": frozenset({"ogg", "m4a", "aac", "flac", "wma", "webm", "mka", "aiff", "amr", "wav", "mp3"}),
}
"""What can be converted. A GIF is not: it would lose its movement."""

TARGETS: Final[dict[FileKind, tuple[str, ...]]] = {"image": ("jpg", "png"), "audio": ("mp3",)}
SHOWN: Final[dict[FileKind, tuple[str, ...]]] = {"image": ("heic",), "audio": ("ogg", "m4a")}
"""What customers read beside the formats of a model: what their phones make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What a file is, by its content."""

    kind: FileKind
    format: str
    size_bytes: int
    seconds: Decimal | None = None
    width: int | None = None
    height: int | None = None

    @property
    def megapixels(self) -> Decimal | None:
        """Its area."""
        return Decimal(self.width * self.height) / MEGAPIXEL if self.width and self.height else None


def check_file(asked: Input, file: FileFacts) -> Refused | None:
    """Why one file does not fit; None when it does."""
    limits = asked.files
    if limits is None:
        return Refused(key="form-expects-text", facts={})
    formats = ", ".join(shown_formats(limits))
    if file.kind != limits.kind:
        return Refused(key="form-file-kind", facts={"kind": limits.kind, "formats": formats})
    if not takes(limits, file.format):
        return Refused(key="form-file-format", facts={"format": file.format, "formats": formats})
    if limits.max_bytes is not None and file.size_bytes > limits.max_bytes:
        size = f"{file.size_bytes / MEGABYTE:.1f}"
        return Refused(key="form-file-heavy", facts={"limit": limits.max_bytes // MEGABYTE, "size": size})
    return _length(limits, file) or _sides(limits, file)


def check_files(asked: Input, files: Sequence[FileFacts]) -> Refused | None:
    """Why these files do not fit: one of them, their number, or their length in all."""
    counted = check_count(asked, [""] * len(files)) if asked.type == "files" else None
    if isinstance(counted, Refused):
        return counted
    wrong = next((found for found in (check_file(asked, file) for file in files) if found), None)
    if wrong is not None:
        return wrong
    limit = asked.files.total_seconds if asked.files else None
    seconds = sum((file.seconds or Decimal(0) for file in files), Decimal(0))
    if limit is not None and seconds > limit:
        return Refused(key="form-files-long", facts={"limit": plain(limit), "seconds": plain(round(seconds, 1))})
    return None


def measured(files: Mapping[str, Sequence[FileFacts]]) -> dict[str, Decimal]:
    """What a price counts of files, by input: `seconds` of all of them, `megapixels` and longest `side` of the largest."""
    facts: dict[str, Decimal] = {}
    for name, found in files.items():
        if found and all(file.seconds is not None for file in found):
            facts[f"{name}:seconds"] = sum((file.seconds or Decimal(0) for file in found), Decimal(0))
        if found and all(file.width and file.height for file in found):
            facts[f"{name}:megapixels"] = max(file.megapixels or Decimal(0) for file in found)
            facts[f"{name}:side"] = Decimal(max(max(file.width or 0, file.height or 0) for file in found))
    return facts


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
    """The formats shown to customers: those of the model, and what is converted for it."""
    more = [each for each in SHOWN.get(limits.kind, ()) if limits.formats and each not in limits.formats]
    return (*limits.formats, *(each for each in more if takes(limits, each)))


def _length(limits: FileLimits, file: FileFacts) -> Refused | None:
    if file.seconds is None:
        return None
    seconds = plain(round(file.seconds, 1))
    if limits.max_seconds is not None and file.seconds > limits.max_seconds + BEYOND_S:
        return Refused(key="form-file-long", facts={"limit": plain(limits.max_seconds), "seconds": seconds})
    if limits.min_seconds is not None and file.seconds < limits.min_seconds:
        return Refused(key="form-file-brief", facts={"limit": plain(limits.min_seconds), "seconds": seconds})
    return None


def _sides(limits: FileLimits, file: FileFacts) -> Refused | None:
    if not file.width or not file.height:
        return None
    short, long = sorted((file.width, file.height))
    if limits.min_side is not None and short < limits.min_side:
        return Refused(key="form-file-small", facts={"limit": limits.min_side, "side": short})
    if limits.max_side is not None and long > limits.max_side:
        return Refused(key="form-file-large", facts={"limit": limits.max_side, "side": long})
    return None
