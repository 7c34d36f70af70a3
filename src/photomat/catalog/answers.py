"""Whether an answer or a file fits an input: the value to store, or a text key with its arguments. Pure.

Stored values are plain: a text, an option, digits, `true` or `false`; files as URLs or references, lists as objects with such
values. A file is judged by what was found in it (`FileFacts`), not by its name.

Phones take photos as HEIC, and voice notes of Telegram are Ogg, which not all models accept. A picture is then converted to
JPEG, or to PNG where it has transparent parts; audio to MP3. Audio needs the optional package `av` (requirements/audio.in);
without it customers are asked for a format the model accepts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from photomat.catalog.formula import as_number, plain
from photomat.catalog.input import FileKind, FileLimits, Input
from photomat.catalog.reference import reference

LINK: Final = re.compile(r"https?://[^\s/]+\.\S{2,2000}")
YES_NO: Final = frozenset({"true", "false"})
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


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that does not fit: the key of the text the customer reads, and its arguments."""

    key: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    kind: FileKind
    format: str
    size_bytes: int
    seconds: Decimal | None = None
    width: int | None = None
    height: int | None = None

    @property
    def megapixels(self) -> Decimal | None:
        return Decimal(self.width * self.height) / MEGAPIXEL if self.width and self.height else None


def check_answer(asked: Input, answer: Any) -> Any | Refused:
    """The value to store, or why it does not fit. Files have their own check, by their facts."""
    match asked.type:
        case "choice":
            return _choice(asked, answer)
        case "number":
            return _number(asked, answer)
        case "switch":
            return plain(answer) if plain(answer) in YES_NO else Refused("form-expects-switch")
        case "link":
            return answer if LINK.fullmatch(str(answer)) else Refused("form-expects-link")
        case "files":
            return check_count(asked, [answer] if isinstance(answer, str | Mapping) else list(answer or ()))
        case "list":
            return _lines(asked, answer)
        case "file" | "task" | "track" if reference(answer):
            return answer
        case _:
            return _text(asked, answer)


def check_count(asked: Input, values: list[Any]) -> Any | Refused:
    if len(values) > asked.items_limit:
        return Refused("form-too-many", {"limit": asked.items_limit, "count": len(values)})
    if len(values) < (asked.min_items or 1):
        return Refused("form-too-few", {"limit": asked.min_items or 1, "count": len(values)})
    return values


def check_length(asked: Input, lines: Sequence[Any]) -> Refused | None:
    """Why the lines of a list have too many characters in all their fields; None when they have not."""
    length = sum(_characters(line) for line in lines)
    return _too_long(asked.length_limit, length) if length > asked.length_limit else None


def _choice(asked: Input, answer: Any) -> Any | Refused:
    value = plain(answer).strip()
    if value in asked.options:
        return value
    return Refused("form-expects-choice", {"options": ", ".join(asked.options)})


def _text(asked: Input, answer: Any) -> Any | Refused:
    text = answer.strip() if isinstance(answer, str) else ""
    if not text:
        return Refused("form-expects-text")
    if len(text) > asked.length_limit:
        return _too_long(asked.length_limit, len(text))
    if asked.min_length is not None and len(text) < asked.min_length:
        return Refused("form-too-short", {"limit": asked.min_length, "length": len(text)})
    if asked.pattern is not None and re.fullmatch(asked.pattern, text) is None:
        return Refused("form-pattern", {"input": asked.name, "like": asked.like or "", "text": text[:40]})
    return text


def _too_long(limit: int, length: int) -> Refused:
    return Refused("form-too-long", {"limit": limit, "length": length, "over": length - limit})


def _characters(line: Any) -> int:
    values = line.values() if isinstance(line, Mapping) else [line]
    return sum(len(value) for value in values if isinstance(value, str))


def _number(asked: Input, answer: Any) -> Any | Refused:
    number = as_number(answer.replace(",", ".") if isinstance(answer, str) else answer)
    bounds = {"least": _shown(asked.least), "most": _shown(asked.most)}
    if number is None:
        return Refused("form-expects-number", bounds)
    is_low = asked.least is not None and number < asked.least
    if is_low or (asked.most is not None and number > asked.most):
        return Refused("form-number-bounds", bounds)
    if asked.step is not None and (number - (asked.least or 0)) % asked.step:
        return Refused("form-number-step", {"step": plain(asked.step)})
    return plain(number)


def _lines(asked: Input, answer: Any) -> Any | Refused:
    """A typed text is one line of a list with a main field."""
    lines = [{asked.main: answer}] if isinstance(answer, str) and asked.main else answer
    if not isinstance(lines, list):
        return Refused("form-expects-text")
    counted = check_count(asked, lines)
    if isinstance(counted, Refused):
        return counted
    accepted = [_line(asked, line) for line in lines]
    wrong = next((line for line in accepted if isinstance(line, Refused)), None)
    if wrong is not None:
        return wrong
    length = sum(len(line.get(asked.main, "")) for line in accepted if isinstance(line, dict))
    if asked.total_length is not None and length > asked.total_length:
        return _too_long(asked.total_length, length)
    return check_length(asked, accepted) or accepted


def _line(asked: Input, line: Any) -> Any | Refused:
    if not asked.fields:
        return check_answer(Input(name=asked.name, type="number" if asked.sends else "text", required=True), line)
    if not isinstance(line, Mapping):
        return Refused("form-expects-text")
    accepted: dict[str, Any] = {}
    for each in asked.fields:
        given = line.get(each.name, each.default)
        if given is None and each.required:
            return Refused("form-missing", {"input": each.name})
        value = None if given is None else given if each.type == "file" else check_answer(each, given)
        if isinstance(value, Refused):
            return value
        accepted |= {} if value is None else {each.name: value}
    return accepted


def _shown(bound: Decimal | None) -> str:
    return "∞" if bound is None else plain(bound)


def check_file(asked: Input, file: FileFacts) -> Refused | None:
    limits = asked.files
    if limits is None:
        return Refused("form-expects-text")
    formats = ", ".join(shown_formats(limits))
    if file.kind != limits.kind:
        return Refused("form-file-kind", {"kind": limits.kind, "formats": formats})
    if not accepts(limits, file.format):
        return Refused("form-file-format", {"format": file.format, "formats": formats})
    if limits.max_bytes is not None and file.size_bytes > limits.max_bytes:
        size = f"{file.size_bytes / MEGABYTE:.1f}"
        return Refused("form-file-heavy", {"limit": limits.max_bytes // MEGABYTE, "size": size})
    return _length(limits, file) or _sides(limits, file)


def check_files(asked: Input, files: Sequence[FileFacts]) -> Refused | None:
    """Why these files do not fit: one of them, their number, or their total length."""
    counted = check_count(asked, [""] * len(files)) if asked.type == "files" else None
    if isinstance(counted, Refused):
        return counted
    wrong = next((found for found in (check_file(asked, file) for file in files) if found), None)
    if wrong is not None:
        return wrong
    limit = asked.files.total_seconds if asked.files else None
    seconds = sum((file.seconds or Decimal(0) for file in files), Decimal(0))
    if limit is not None and seconds > limit:
        return Refused("form-files-long", {"limit": plain(limit), "seconds": plain(round(seconds, 1))})
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
    return kind == "image" or (kind == "audio" and find_spec("av") is not None)


def accepts(limits: FileLimits, file_format: str) -> bool:
    return not limits.formats or file_format in limits.formats or bool(targets([limits], file_format))


def targets(limits: Iterable[FileLimits], file_format: str) -> tuple[str, ...]:
    """The formats, any of which a file must be converted to for all these inputs; none where it is sent as it is."""
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
    return (*limits.formats, *(each for each in more if accepts(limits, each)))


def _length(limits: FileLimits, file: FileFacts) -> Refused | None:
    if file.seconds is None:
        return None
    seconds = plain(round(file.seconds, 1))
    if limits.max_seconds is not None and file.seconds > limits.max_seconds + BEYOND_S:
        return Refused("form-file-long", {"limit": plain(limits.max_seconds), "seconds": seconds})
    if limits.min_seconds is not None and file.seconds < limits.min_seconds:
        return Refused("form-file-brief", {"limit": plain(limits.min_seconds), "seconds": seconds})
    return None


def _sides(limits: FileLimits, file: FileFacts) -> Refused | None:
    if not file.width or not file.height:
        return None
    short, long = sorted((file.width, file.height))
    if limits.min_side is not None and short < limits.min_side:
        return Refused("form-file-small", {"limit": limits.min_side, "side": short})
    if limits.max_side is not None and long > limits.max_side:
        return Refused("form-file-large", {"limit": limits.max_side, "side": long})
    return None
