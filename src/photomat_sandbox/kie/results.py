"""What a finished task hands over: its files by name and URL, and what `resultJson` holds of them.

A file here is only a description; its bytes are rendered on download, so that many tasks cost nothing. The vendor documents a
transcript and a segment map. What the music tools return on the common protocol is not documented: the object here is what
their older endpoints answer.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.kie.models import Output, table
from photomat_sandbox.kie.tasks import MANY, SOUND_S, Task, TaskOrder

SIZE_FIELDS: Final = ("aspect_ratio", "aspectRatio", "ratio", "image_size", "size", "image_resolution")
SQUARE: Final = (1, 1)
MAX_NUMBER_LENGTH: Final = 5
MAX_TRACKS: Final = MANY
DEFAULT_TEXT: Final = "Photomat sandbox made this text"
STEMS: Final = ("vocal", "instrumental")
ALL_STEMS: Final = (
    *("vocal", "backing_vocals", "drums", "bass", "guitar", "piano", "keyboard", "percussion", "strings", "synth"),
    *("fx", "brass", "woodwinds"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A file that can be rendered at any time, always with the same bytes."""

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
    ratio_given: bool = True
    """Whether the order named the ratio; else a picture made from another keeps that one's."""
    sources: tuple[str, ...] = ()
    """The files it is made from: `files/<path>` for an upload, `results/<name>` for an earlier result."""
    enlarged: int = 0
    """How many times larger than its source; 0 for what is not an enlargement."""
    moves: bool = False
    seconds: float = SOUND_S
    """How long it sounds."""


def files_of(task: Task, *, made_at: float) -> list[ResultFile]:
    """Describe the files of a task; `[many]` and `[empty]` in the prompt decide how many."""
    order = task.order
    count = MANY if "[many]" in order.prompt else 0 if "[empty]" in order.prompt else order.count
    what = "mask-" if order.output == "json" else ""
    names = [f"{task.task_id}-{what}{number}.{suffix_of(order)}" for number in range(1, count + 1)]
    return [
        described(task, name=name, output=order.output, index=index, count=count, made_at=made_at)
        for index, name in enumerate(names)
    ]


def side_files_of(task: Task, *, made_at: float) -> list[ResultFile]:
    """Describe the still that goes with a video and the covers that go with music."""
    beside = {"video": ["frame.png"], "audio": [f"cover-{n}.jpeg" for n in range(1, MAX_TRACKS + 1)]}
    return [
        described(task, name=f"{task.task_id}-{name}", output="image", index=index, count=1, made_at=made_at)
        for index, name in enumerate(beside.get(task.order.output, []))
    ]


def described(task: Task, *, name: str, output: Output, index: int, count: int, made_at: float) -> ResultFile:
    order = task.order
    given_ratio = _given_ratio(order.given)
    return ResultFile(
        name=name,
        output="image" if output == "json" else output,
        prompt=order.prompt,
        model=order.model,
        ratio=given_ratio or ((16, 9) if output == "video" else SQUARE),
        ratio_given=given_ratio is not None,
        sources=tuple(task.sources),
        enlarged=_enlargement(order),
        moves=order.output == "video",
        seconds=task.sound_s,
        index=index,
        count=count,
        made_at=made_at,
        cut_out=output == "image" == order.output and is_cut_out(order) and not name.endswith(".jpeg"),
    )


def _enlargement(order: TaskOrder) -> int:
    if order.output != "image" or _category(order) != "upscale":
        return 0
    wanted = str(order.given.get("upscale_factor", ""))
    return int(wanted) if wanted.isdecimal() and int(wanted) else 2


def _category(order: TaskOrder) -> str:
    model = table().get(order.model)
    return "" if model is None else model.category


def is_cut_out(order: TaskOrder) -> bool:
    """Whether the picture is ordered with a transparent background; a format without transparency keeps it."""
    return _category(order) == "background-removal" or order.given.get("background") == "transparent"


def suffix_of(order: TaskOrder) -> str:
    """Return the file name extension, which is also the format the file is rendered in."""
    wanted = str(order.given.get("output_format") or order.given.get("outputFormat") or "").lower()
    if order.output == "image" and not wanted and _enlargement(order):
        return "jpeg"
    if order.output == "image":
        return {"jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}.get(wanted, "png")
    if order.output == "audio":
        return "wav" if "wav" in (order.shape, *order.model.split("-")) else "mp3"
    return {"video": "mov" if wanted == "mov" else "mp4", "json": "png"}[order.output]


def _given_ratio(given: Mapping[str, Any]) -> tuple[int, int] | None:
    """Read the aspect ratio of a task from the many ways the models write it."""
    found = (_parsed_ratio(str(given.get(name, ""))) for name in SIZE_FIELDS)
    return next((ratio for ratio in found if ratio), None)


def links_of(task: Task) -> dict[str, Any]:
    """Return the URLs of a task's files, as `resultJson` holds them."""
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
            "duration": task.sound_s,
        }
        track["createTime"] = int(task.created_at * 1000)
        tracks.append(track)
    return tracks


def track_id(task: Task, index: int) -> str:
    """Derive the id of one track of a task, a UUID like the vendor's."""
    return str(uuid.uuid5(uuid.UUID(task.task_id), str(index)))


def _parsed_ratio(text: str) -> tuple[int, int] | None:
    named = {"square": "1:1", "square_hd": "1:1", "portrait": "3:4", "landscape": "4:3"}
    plain = named.get(text.lower(), text.lower()).replace("portrait_", "").replace("landscape_", "")
    left, _, right = plain.replace("_", ":").replace("x", ":").replace("*", ":").partition(":")
    if not all(side.isdecimal() and len(side) <= MAX_NUMBER_LENGTH and int(side) for side in (left, right)):
        return None
    wide, high = int(left), int(right)
    upright = text.lower().startswith("portrait")
    return (min(wide, high), max(wide, high)) if upright else (wide, high)


def result_json(task: Task) -> dict[str, Any]:
    if task.order.shape == "suno":
        return {"code": 200, "data": suno_tracks(task, snake_case=True)}
    if task.order.shape == "resultObject":
        return {"resultObject": OBJECTS.get(task.order.model, _transcript)(task)}
    return links_of(task)


def stems(task: Task, *, snake_case: bool) -> dict[str, Any]:
    """List the parts of a song, each a file of its own, by fields and, in records, in the list of separated tracks too."""
    parts = stem_names(task.order.given)
    names = [f"{stem}_url" if snake_case else f"{_camel_case(stem)}Url" for stem in parts]
    fields = dict(zip(names, task.results, strict=False)) if parts in (STEMS, ALL_STEMS) else {}
    if snake_case and fields:
        return {"origin_url": None, **fields}
    tracks = [
        {
            "id": track_id(task, n),
            "audio_url": url,
            "stem_type_group_name": _stem_title(part),
            "duration": task.sound_s,
        }
        for n, (part, url) in enumerate(zip(parts, task.results, strict=False))
    ]
    return {"originUrl": None, "originData": tracks, **fields}


def _stem_title(stem: str) -> str:
    return {"vocal": "Vocals", "fx": "FX"}.get(stem, stem.replace("_", " ").title())


def stem_names(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parts a song is split into: the voice and the rest, every instrument, or one of them and the rest."""
    if given.get("type") == "split_stem_advanced":
        chosen = str(given.get("stem_name") or given.get("stemName") or "Lead Vocal")
        return (chosen, f"Without {chosen}")
    return ALL_STEMS if given.get("type") == "split_stem" else STEMS


def lyrics(task: Task, *, field: str = "lyricsData") -> dict[str, Any]:
    """Write two variants of lyrics; a callback has them in another field than a record."""
    return {
        field: [
            {"text": f"[{part}]\n{_spoken_text(task)}", "title": title, "status": "complete", "errorMessage": ""}
            for part, title in (("Verse", "Photomat"), ("Chorus", "Photomat II"))
        ]
    }


def midi_notes(_task: Task) -> dict[str, Any]:
    """Return the notes of each instrument."""
    played = [{"pitch": 60 + n, "start": n * 0.25, "end": (n + 1) * 0.25, "velocity": 0.8} for n in range(4)]
    return {"state": "complete", "instruments": [{"name": name, "notes": played} for name in ("Piano", "Bass")]}


def timed_words(text: str) -> dict[str, Any]:
    words = [
        {"word": word, "success": True, "startS": n * 0.5, "endS": n * 0.5 + 0.4, "palign": 0}
        for n, word in enumerate(text.split())
    ]
    return {"alignedWords": words, "waveformData": [0, 1, 0.5], "hootCer": 0.1, "isStreamed": False}


def persona_object(task_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"personaId": f"persona-{task_id[:12]}", "name": given["name"], "description": given["description"]}


def boosted_style(content: str) -> str:
    return f"{content}, warm, clear, with a steady beat"


def _segments(task: Task) -> dict[str, Any]:
    masks = [{"maskUrl": url, "name": f"part {n}", "index": n} for n, url in enumerate(task.results)]
    return {"segments_count": len(masks), "segments": masks}


def _transcript(task: Task) -> dict[str, Any]:
    words = _spoken_text(task).split()
    return {
        "language_code": "ru" if any("а" <= letter <= "я" for word in words for letter in word.lower()) else "en",
        "language_probability": 0.98,
        "text": " ".join(words),
        "words": [
            {"text": word, "start": n * 0.4, "end": n * 0.4 + 0.35, "type": "word", "speaker_id": "speaker_0"}
            for n, word in enumerate(words)
        ],
    }


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _spoken_text(task: Task) -> str:
    return task.order.prompt or DEFAULT_TEXT


OBJECTS: Final[Mapping[str, Callable[[Task], dict[str, Any]]]] = {
    "grok-imagine-image-2-0/segment-map": _segments,
    "omnihuman-1-5/subject-detection": _segments,
    "omnihuman-1-5/human-identification": lambda _task: {"has_human": True, "humans_count": 1},
    "ai-music-api/separate-vocals": lambda task: stems(task, snake_case=False),
    "ai-music-api/generate-lyrics": lyrics,
    "ai-music-api/generate-midi-from-audio": midi_notes,
    "ai-music-api/timeStamped-lyrics": lambda _task: timed_words(DEFAULT_TEXT),
    "ai-music-api/generate-persona": lambda task: persona_object(task.task_id, task.order.given),
    "ai-music-api/validation-phrase": lambda _task: {"validateInfo": "Тихо падает снег на старый причал"},
    "ai-music-api/regenerate-phrase": lambda _task: {"validateInfo": "Звёзды горят над спящей рекой"},
    "ai-music-api/create-voice": lambda task: {"voiceId": f"voice-{task.task_id[:12]}"},
    "ai-music-api/check-voice": lambda _task: {"isAvailable": True},
    "ai-music-api/boost-music-style": lambda task: {"result": boosted_style(str(task.order.given["content"]))},
}
"""By the model that gives them; whatever else gives an object hears speech and writes it down."""
