"""What a finished task hands over: the files it made, by name and URL. `objects.py` says how they are told of.

A file here is only a description; its bytes are made when somebody downloads it, so a storm of tasks costs nothing.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.kie.models import Output, table
from photomat_sandbox.kie.tasks import MANY, Order, Task

SIZE_FIELDS: Final = ("aspect_ratio", "aspectRatio", "ratio", "image_size", "size", "image_resolution")
SQUARE: Final = (1, 1)
LONGEST_NUMBER: Final = 5
SOUND_S: Final = 4.032
"""How long a tune is: sixteen notes."""

MOST_TRACKS: Final = MANY


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A file that can be made at any time, always with the same bytes."""

    name: str
    output: Output
    prompt: str
    model: str
    ratio: tuple[int, int]
    index: int
    count: int
    made_at: float
    cut_out: bool = False
    """Whether nothing is behind what the picture shows."""


def files_of(task: Task, *, made_at: float) -> list[ResultFile]:
    """Describe the files a task hands over; `[many]` and `[empty]` in the prompt decide how many."""
    order = task.order
    count = MANY if "[many]" in order.prompt else 0 if "[empty]" in order.prompt else order.count
    what = "mask-" if order.output == "json" else ""
    names = [f"{task.task_id}-{what}{number}.{suffix_of(order)}" for number in range(1, count + 1)]
    return [
        described(task, name=name, output=order.output, index=index, count=count, made_at=made_at)
        for index, name in enumerate(names)
    ]


def side_files_of(task: Task, *, made_at: float) -> list[ResultFile]:
    """Describe the still that goes with a film and the covers that go with music."""
    beside = {"video": ["frame.png"], "audio": [f"cover-{n}.jpeg" for n in range(1, MOST_TRACKS + 1)]}
    return [
        described(task, name=f"{task.task_id}-{name}", output="image", index=index, count=1, made_at=made_at)
        for index, name in enumerate(beside.get(task.order.output, []))
    ]


def described(task: Task, *, name: str, output: Output, index: int, count: int, made_at: float) -> ResultFile:
    """Describe one file of a task."""
    order = task.order
    return ResultFile(
        name=name,
        output="image" if output == "json" else output,
        prompt=order.prompt,
        model=order.model,
        ratio=ratio_of(order.given, output),
        index=index,
        count=count,
        made_at=made_at,
        cut_out=output == "image" == order.output and is_cut_out(order) and not name.endswith(".jpeg"),
    )


def is_cut_out(order: Order) -> bool:
    """Whether the picture is ordered without what is behind it; a format that cannot leave it out keeps it."""
    model = table().get(order.model)
    removes = model is not None and model.category == "background-removal"
    return removes or order.given.get("background") == "transparent"


def suffix_of(order: Order) -> str:
    """Say how the file name ends, which is also the format the file is made in."""
    wanted = str(order.given.get("output_format") or order.given.get("outputFormat") or "").lower()
    if order.output == "image":
        return {"jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}.get(wanted, "png")
    if order.output == "audio":
        return "wav" if "wav" in (order.shape, *order.model.split("-")) else "mp3"
    return {"video": "mov" if wanted == "mov" else "mp4", "json": "png"}[order.output]


def ratio_of(given: Mapping[str, Any], output: Output) -> tuple[int, int]:
    """Read the shape a task asks for out of the many ways the models write it."""
    for name in SIZE_FIELDS:
        found = _parsed_ratio(str(given.get(name, "")))
        if found:
            return found
    return (16, 9) if output == "video" else SQUARE


def links_of(task: Task) -> dict[str, Any]:
    """Give the addresses of a task's files, as `resultJson` holds them."""
    found: dict[str, Any] = {"resultUrls": list(task.results)}
    if "resultWaterMarkUrls" in task.order.shape:
        found["resultWaterMarkUrls"] = list(task.results)
    if task.order.given.get("return_last_frame") is True:
        still = f"{task.order.base_url}/results/{task.task_id}-frame.png"
        found |= {"firstFrameUrl": still, "lastFrameUrl": still}
    return found


def suno_tracks(task: Task, *, snake_case: bool, first_only: bool = False) -> list[dict[str, Any]]:
    """Describe the tracks of a music task, in the spelling of callbacks or of queries."""
    tracks = []
    for index, url in enumerate(task.results[:1] if first_only else task.results):
        cover = f"{task.order.base_url}/results/{task.task_id}-cover-{index + 1}.jpeg"
        track: dict[str, Any] = {"id": track_id(task, index)}
        if snake_case:
            track |= {"audio_url": url, "source_audio_url": url, "stream_audio_url": url}
            track |= {"source_stream_audio_url": url, "image_url": cover, "source_image_url": cover}
            track |= {"model_name": "chirp-v4-5"}
        else:
            track |= {"audioUrl": url, "streamAudioUrl": url, "imageUrl": cover, "modelName": "chirp-v4-5"}
        track |= {"prompt": task.order.prompt, "title": str(task.order.given.get("title") or "Photomat sandbox")}
        track |= {
            "tags": str(task.order.given.get("style") or task.order.given.get("tags") or "lo-fi"),
            "duration": SOUND_S,
        }
        track["createTime"] = int(task.created_at * 1000)
        tracks.append(track)
    return tracks


def track_id(task: Task, index: int) -> str:
    """Name one track of a task, in the shape the vendor's names have."""
    return str(uuid.uuid5(uuid.UUID(task.task_id), str(index)))


def _parsed_ratio(text: str) -> tuple[int, int] | None:
    named = {"square": "1:1", "square_hd": "1:1", "portrait": "3:4", "landscape": "4:3"}
    plain = named.get(text.lower(), text.lower()).replace("portrait_", "").replace("landscape_", "")
    left, _, right = plain.replace("_", ":").replace("x", ":").replace("*", ":").partition(":")
    if not all(side.isdecimal() and len(side) <= LONGEST_NUMBER and int(side) for side in (left, right)):
        return None
    wide, high = int(left), int(right)
    upright = text.lower().startswith("portrait")
    return (min(wide, high), max(wide, high)) if upright else (wide, high)
