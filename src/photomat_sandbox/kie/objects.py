"""What `resultJson` holds: addresses of files, tracks, or an object that is to be read.

The vendor documents a transcript and a segment map. What the music tools hand over on the common protocol is not documented:
the object here is what their older endpoints answer.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from photomat_sandbox.kie.results import SOUND_S, links_of, suno_tracks, track_id
from photomat_sandbox.kie.tasks import Task

NOTHING_SAID: Final = "Photomat sandbox made this text"
STEMS: Final = ("vocal", "instrumental")
ALL_STEMS: Final = (
    *("vocal", "backing_vocals", "drums", "bass", "guitar", "piano", "keyboard", "percussion", "strings", "synth"),
    *("fx", "brass", "woodwinds"),
)


def result_json(task: Task) -> dict[str, Any]:
    """Give what `resultJson` holds, before it is encoded."""
    if task.order.shape == "suno":
        return {"code": 200, "data": suno_tracks(task, snake_case=True)}
    if task.order.shape == "resultObject":
        return {"resultObject": OBJECTS.get(task.order.model, _transcript)(task)}
    return links_of(task)


def stems(task: Task, *, snake_case: bool) -> dict[str, Any]:
    """Name the parts of a song, each a file of its own, by fields and, in records, in the list of separated tracks too."""
    parts = stem_names(task.order.given)
    names = [f"{stem}_url" if snake_case else f"{_camel_case(stem)}Url" for stem in parts]
    fields = dict(zip(names, task.results, strict=False)) if parts in (STEMS, ALL_STEMS) else {}
    if snake_case and fields:
        return {"origin_url": None, **fields}
    tracks = [
        {"id": track_id(task, n), "audio_url": url, "stem_type_group_name": _spoken(part), "duration": SOUND_S}
        for n, (part, url) in enumerate(zip(parts, task.results, strict=False))
    ]
    return {"originUrl": None, "originData": tracks, **fields}


def _spoken(stem: str) -> str:
    return {"vocal": "Vocals", "fx": "FX"}.get(stem, stem.replace("_", " ").title())


def stem_names(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Say into what a song is taken apart: the voice and the rest, every instrument, or one of them and the rest."""
    if given.get("type") == "split_stem_advanced":
        chosen = str(given.get("stem_name") or given.get("stemName") or "Lead Vocal")
        return (chosen, f"Without {chosen}")
    return ALL_STEMS if given.get("type") == "split_stem" else STEMS


def lyrics(task: Task, *, field: str = "lyricsData") -> dict[str, Any]:
    """Write two variants of a song's words; a callback has them in another field than a record."""
    return {
        field: [
            {"text": f"[{part}]\n{_said(task)}", "title": title, "status": "complete", "errorMessage": ""}
            for part, title in (("Verse", "Photomat"), ("Chorus", "Photomat II"))
        ]
    }


def notes(_task: Task) -> dict[str, Any]:
    """Write down what the instruments play."""
    played = [{"pitch": 60 + n, "start": n * 0.25, "end": (n + 1) * 0.25, "velocity": 0.8} for n in range(4)]
    return {"state": "complete", "instruments": [{"name": name, "notes": played} for name in ("Piano", "Bass")]}


def timed_words(text: str) -> dict[str, Any]:
    """Give the words of a track with their times."""
    words = [
        {"word": word, "success": True, "startS": n * 0.5, "endS": n * 0.5 + 0.4, "palign": 0}
        for n, word in enumerate(text.split())
    ]
    return {"alignedWords": words, "waveformData": [0, 1, 0.5], "hootCer": 0.1, "isStreamed": False}


def persona(task_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the voice that was made out of a track."""
    return {"personaId": f"persona-{task_id[:12]}", "name": given["name"], "description": given["description"]}


def style(content: str) -> str:
    """Enrich the description of a style."""
    return f"{content}, warm, clear, with a steady beat"


def _segments(task: Task) -> dict[str, Any]:
    masks = [{"maskUrl": url, "name": f"part {n}", "index": n} for n, url in enumerate(task.results)]
    return {"segments_count": len(masks), "segments": masks}


def _transcript(task: Task) -> dict[str, Any]:
    words = _said(task).split()
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


def _said(task: Task) -> str:
    return task.order.prompt or NOTHING_SAID


OBJECTS: Final[Mapping[str, Callable[[Task], dict[str, Any]]]] = {
    "grok-imagine-image-2-0/segment-map": _segments,
    "omnihuman-1-5/subject-detection": _segments,
    "omnihuman-1-5/human-identification": lambda _task: {"has_human": True, "humans_count": 1},
    "ai-music-api/separate-vocals": lambda task: stems(task, snake_case=False),
    "ai-music-api/generate-lyrics": lyrics,
    "ai-music-api/generate-midi-from-audio": notes,
    "ai-music-api/timeStamped-lyrics": lambda _task: timed_words(NOTHING_SAID),
    "ai-music-api/generate-persona": lambda task: persona(task.task_id, task.order.given),
    "ai-music-api/validation-phrase": lambda _task: {"validateInfo": "Тихо падает снег на старый причал"},
    "ai-music-api/regenerate-phrase": lambda _task: {"validateInfo": "Звёзды горят над спящей рекой"},
    "ai-music-api/create-voice": lambda task: {"voiceId": f"voice-{task.task_id[:12]}"},
    "ai-music-api/check-voice": lambda _task: {"isAvailable": True},
    "ai-music-api/boost-music-style": lambda task: {"result": style(str(task.order.given["content"]))},
}
"""By the model that gives them; whatever else gives an object hears speech and writes it down."""
