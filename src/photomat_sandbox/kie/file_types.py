"""Which files a model takes, as the vendor documents it (`accepted_files.json`), by their bytes and not by their names.

Only files on our own upload host are looked at, and only fields whose types are documented.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from photomat_sandbox.kie.validation import RefusedError
from photomat_sandbox.kie.world import KieWorld

MOVIES: Final = frozenset({"video/mp4", "video/quicktime", "audio/mp4", "audio/m4a"})
STARTS: Final = (
    (b"\xff\xd8\xff", frozenset({"image/jpeg"})),
    (b"\x89PNG", frozenset({"image/png"})),
    (b"GIF8", frozenset({"image/gif"})),
    (b"BM", frozenset({"image/bmp"})),
    (b"II*\x00", frozenset({"image/tiff"})),
    (b"MM\x00*", frozenset({"image/tiff"})),
    (b"OggS", frozenset({"audio/ogg"})),
    (b"fLaC", frozenset({"audio/flac"})),
    (b"#!AMR", frozenset({"audio/amr"})),
    (b"\x1a\x45\xdf\xa3", frozenset({"video/webm", "video/x-matroska", "audio/webm"})),
    (b"\x30\x26\xb2\x75", frozenset({"audio/x-ms-wma", "video/x-ms-wmv"})),
    (b"FORM", frozenset({"audio/aiff"})),
)
RIFFS: Final = {
    b"WAVE": frozenset({"audio/wav", "audio/x-wav"}),
    b"WEBP": frozenset({"image/webp"}),
    b"AVI ": frozenset({"video/x-msvideo"}),
}
PICTURE_BRANDS: Final = {
    b"heic": frozenset({"image/heic"}),
    b"heix": frozenset({"image/heic"}),
    b"mif1": frozenset({"image/heif"}),
    b"avif": frozenset({"image/avif"}),
}


def check_files(world: KieWorld, model: str, given: Mapping[str, Any]) -> None:
    """Refuse an order with a file of a type that the model does not document."""
    for name, accepted in _accepted().get(model, {}).items():
        for url in _urls(given, name):
            upload = world.live_upload(unquote(urlsplit(url).path).removeprefix("/files/"))
            types = frozenset[str]() if upload is None else _types(upload.content)
            if types and types.isdisjoint(accepted):
                raise RefusedError(422, f"{name} file type not supported")


def _types(content: bytes) -> frozenset[str]:
    """What a file may be called; nothing where that is not known."""
    if content[4:8] == b"ftyp":
        return PICTURE_BRANDS.get(content[8:12], MOVIES)
    if content[:4] == b"RIFF":
        return RIFFS.get(content[8:12], frozenset())
    return next((types for start, types in STARTS if content.startswith(start)), frozenset())


def _urls(given: Mapping[str, Any], name: str) -> Iterator[str]:
    """The URLs in a field, or in a field of every line of a list (`list.field`)."""
    first, _, rest = name.partition(".")
    value = given.get(first)
    for each in value if isinstance(value, list) else [value]:
        if rest and isinstance(each, dict):
            yield from _urls(each, rest)
        elif isinstance(each, str):
            yield each


@cache
def _accepted() -> Mapping[str, Mapping[str, list[str]]]:
    text = files(__package__).joinpath("accepted_files.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
