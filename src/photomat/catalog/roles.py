"""What an input is for, however Kie calls it, with values that mean the same for every model. Pure.

Kie's models call the shape of a picture `aspect_ratio`, `aspectRatio`, `ratio`, `image_size` or `size`, and a wide one `16:9`,
`landscape_16_9` or `landscape`. Code that pre-fills or compares it asks `model.input_for("format")`, reads a chosen value with
`common_value` ("16:9") and writes one with `own_value` ("landscape_16_9").

Roles are derived from names and options when the catalogue is loaded; `role = "…"` on an input in its file comes first. A model
has at most one input of each role.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.formula import as_number, plain
from photomat.catalog.input import FileKind, Input, InputType, Role
from photomat.catalog.words import snake_case

Common: TypeAlias = str | int
"""A value as all models share it: `16:9`, `1080p`, `2K`, `auto`; seconds and counts are whole numbers."""

AUTO: Final = "auto"
RATIO: Final = re.compile(r"(\d+):(\d+)")
PIXELS: Final = re.compile(r"(\d+)[*xX×](\d+)")
NAMED_RATIO: Final = re.compile(r"(portrait|landscape)_(\d+)_(\d+)")
RATIOS: Final[Mapping[str, str]] = {
    "auto": AUTO, "adaptive": AUTO, "square": "1:1", "square_hd": "1:1", "portrait": "9:16", "landscape": "16:9",
}  # fmt: skip
LINES: Final = re.compile(r"(\d{3,4})p?")
THOUSANDS: Final = re.compile(r"\d+(?:\.\d+)?k")
RESOLUTIONS: Final[Mapping[str, str]] = {"auto": AUTO, "std": "720p", "pro": "1080p"}
"""Kling names two of its resolutions by what they cost."""


def _ratio(option: str) -> str | None:
    word = option.lower()
    if RATIO.fullmatch(word):
        return word
    if size := PIXELS.fullmatch(word):
        ratio = Fraction(int(size[1]), int(size[2]))
        return f"{ratio.numerator}:{ratio.denominator}"
    if named := NAMED_RATIO.fullmatch(word):
        short, long = sorted((int(named[2]), int(named[3])))
        return f"{short}:{long}" if named[1] == "portrait" else f"{long}:{short}"
    return RATIOS.get(word)


def _resolution(option: str) -> str | None:
    word = option.lower()
    if lines := LINES.fullmatch(word):
        return f"{lines[1]}p"
    return word.upper() if THOUSANDS.fullmatch(word) else RESOLUTIONS.get(word)


def _whole(option: str) -> int | None:
    number = as_number(option)
    return int(number) if number is not None and number == number.to_integral_value() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRule:
    """Which inputs have a role: the first of `names` that exists, of these types; every option must be readable by `read`."""

    names: tuple[str, ...]
    types: frozenset[InputType]
    kind: FileKind | None = None
    read: Callable[[str], Common | None] | None = None

    def fits(self, asked: Input) -> bool:
        """Whether an input may have the role, whatever its name."""
        is_kind = self.kind is None or asked.files is None or asked.files.kind == self.kind
        is_read = self.read is None or None not in map(self.read, asked.options)
        return asked.type in self.types and is_kind and is_read


def _rule(
    *names: str,
    types: Sequence[InputType],
    kind: FileKind | None = None,
    read: Callable[[str], Common | None] | None = None,
) -> RoleRule:
    return RoleRule(names=names, types=frozenset(types), kind=kind, read=read)


FILES: Final[tuple[InputType, ...]] = ("file", "files", "list")
RULES: Final[Mapping[Role, RoleRule]] = {
    "prompt": _rule("prompt", "text", types=["text"]),
    "lyrics": _rule("lyrics", "full_lyrics", types=["text"]),
    "negative_prompt": _rule("negative_prompt", "negative_tags", types=["text"]),
    "format": _rule("aspect_ratio", "ratio", "image_size", "size", types=["choice"], read=_ratio),
    "resolution": _rule(
        "resolution", "image_resolution", "output_resolution", "quality", "mode", "size", types=["choice"], read=_resolution
    ),
    "quality": _rule("quality", "size", types=["choice"]),
    "duration": _rule(
        "duration", "duration_seconds", "n_frames", "extend_times", types=["choice", "number"], read=_whole
    ),
    "count": _rule("num_images", "max_images", "n", types=["choice", "number"], read=_whole),
    "seed": _rule("seed", "seeds", types=["number"]),
    "sound": _rule("sound", "audio", "generate_audio", "generate_audio_switch", types=["switch"]),
    "voice": _rule("voice", types=["choice"]),
    "language": _rule("language", "language_code", types=["choice", "text"]),
    "file_type": _rule("output_format", types=["choice"]),
    "source_image": _rule(
        "image_url", "image_urls", "image", "image_input", "input_image", "input_urls", "file_url", "file_urls",
        "files_url", "first_frame_url", "first_frame", "first_frame_image_url", types=FILES, kind="image",
    ),
    "last_frame": _rule(
        "last_frame_url", "last_frame_image_url", "end_image_url", "tail_image_url", types=["file"], kind="image"
    ),
    "mask": _rule("mask_url", "reference_mask_urls", types=FILES, kind="image"),
    "reference_image": _rule(
        "reference_image", "reference_image_urls", "image_references", types=FILES, kind="image"
    ),
    "source_video": _rule("video_url", "video_urls", "first_clip_url", "video_list", types=FILES, kind="video"),
    "reference_video": _rule("reference_video", "reference_video_urls", types=FILES, kind="video"),
    "source_audio": _rule(
        "audio_url", "audio_urls", "upload_url", "upload_url_list", "voice_url", "driving_audio_url", "verify_url",
        types=FILES, kind="audio",
    ),
    "reference_audio": _rule("reference_audio_urls", "reference_voice", types=FILES, kind="audio"),
    "source_task": _rule("task_id", types=["task"]),
    "source_track": _rule("audio_id", types=["track"]),
}  # fmt: skip
"""In this order: an input that fits two roles has the first that is still free."""

PROMPT_NAMES: Final = ("prompt", "text", "lyrics")
"""Names of inputs that describe an order, for orders whose model is not at hand; the first that is there."""


def with_roles(inputs: Sequence[Input]) -> tuple[Input, ...]:
    """The inputs with their roles: those their file states, then those their names and options imply."""
    roles: dict[str, Role] = {each.name: each.role for each in inputs if each.role is not None}
    by_name = {snake_case(each.name): each for each in reversed(inputs)}
    for role, rule in RULES.items():
        free = (by_name[name] for name in rule.names if name in by_name and by_name[name].name not in roles)
        found = next((each for each in free if rule.fits(each)), None)
        if found is not None and role not in roles.values():
            roles[found.name] = role
    return tuple(each if each.role else replace(each, role=roles.get(each.name)) for each in inputs)


def common_value(asked: Input, own: Any) -> Common | None:
    """What a model's own value means; None where that is not known."""
    rule = RULES[asked.role] if asked.role else None
    return plain(own) if rule is None or rule.read is None else rule.read(plain(own))


def own_value(asked: Input, common: Common) -> str | None:
    """The model's own spelling of a common value; None where the model has no such choice."""
    if asked.options:
        same = [option for option in asked.options if common_value(asked, option) == common]
        return asked.default if asked.default in same else next(iter(same), None)
    checked = check_answer(asked, plain(common))
    return None if isinstance(checked, Refused) else str(checked)
