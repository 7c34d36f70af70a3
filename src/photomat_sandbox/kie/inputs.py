"""What a task is made from: earlier tasks, single tracks of them, and uploaded files.

An earlier task that is unknown or did not succeed is refused when the order comes, and so is a track that is not one of its
tracks. A track alone, without its task, is looked for later: the order is accepted and fails, as the vendor was recorded to do.
The types of uploaded files are checked by their bytes where the vendor documents them (`accepted_files.json`).
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from photomat_sandbox.kie.models import KieRefusal
from photomat_sandbox.kie.tasks import TaskOrder
from photomat_sandbox.kie.world import KieWorld

TASK_FIELDS: Final = ("task_id", "taskId")
TRACK_FIELDS: Final = ("audio_id", "audioId")
NO_SUCH_PARENT: Final = "Record does not exist"
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


def check_parents(world: KieWorld, given: Mapping[str, Any]) -> None:
    """Refuse an order made from a task, or a track of a task, that does not exist."""
    task_id, track = _named(given, TASK_FIELDS), _named(given, TRACK_FIELDS)
    if not task_id:
        return
    parent = world.tasks.get(task_id)
    if parent is None or parent.state != "success":
        raise KieRefusal(422, NO_SUCH_PARENT)
    if track and parent.has_tracks and world.tracks.get(track) != task_id:
        raise KieRefusal(422, NO_SUCH_PARENT)


def lacks_input(world: KieWorld, order: TaskOrder) -> bool:
    """Whether an order names one of our files that does not exist (any more), or an unknown track without its task."""
    track = _named(order.given, TRACK_FIELDS)
    if track and not _named(order.given, TASK_FIELDS) and track not in world.tracks:
        return True
    return any(_is_lost(world, order.base_url, text) for text in _texts(order.given))


def sources_of(world: KieWorld, order: TaskOrder) -> list[str]:
    """Return our own files an order is made from: those it names, then the results of the task it names."""
    base = f"{order.base_url}/"
    urls = [text for text in _texts(order.given) if text.startswith((f"{base}files/", f"{base}results/"))]
    parent = world.tasks.get(_named(order.given, TASK_FIELDS))
    urls += [] if parent is None else [url for url in parent.results if url.startswith(f"{base}results/")]
    return [unquote(url.removeprefix(base).partition("?")[0]) for url in urls]


def _is_lost(world: KieWorld, base_url: str, url: str) -> bool:
    if url.startswith(f"{base_url}/files/"):
        return world.live_upload(unquote(url.removeprefix(f"{base_url}/files/"))) is None
    if url.startswith(f"{base_url}/results/"):
        return world.live_result(url.removeprefix(f"{base_url}/results/").partition("?")[0]) is None
    return False


def _texts(value: Any) -> Iterator[str]:
    """Yield every string in an order, also inside lists and objects."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case Mapping():
            yield from _texts(list(value.values()))


def _named(given: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    return next((str(given[name]) for name in fields if given.get(name)), "")


def check_files(world: KieWorld, model: str, given: Mapping[str, Any]) -> None:
    """Refuse an order with a file of a type that the model does not document."""
    for name, accepted in _accepted().get(model, {}).items():
        for url in _urls(given, name):
            upload = world.live_upload(unquote(urlsplit(url).path).removeprefix("/files/"))
            types = frozenset[str]() if upload is None else _types(upload.content)
            if types and types.isdisjoint(accepted):
                raise KieRefusal(422, f"{name} file type not supported")


def _types(content: bytes) -> frozenset[str]:
    """Return the MIME types a file may have; empty if unknown."""
    if content[4:8] == b"ftyp":
        return PICTURE_BRANDS.get(content[8:12], MOVIES)
    if content[:4] == b"RIFF":
        return RIFFS.get(content[8:12], frozenset())
    return next((types for start, types in STARTS if content.startswith(start)), frozenset())


def _urls(given: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the URLs in a field, or in a field of every item of a list (`list.field`)."""
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
