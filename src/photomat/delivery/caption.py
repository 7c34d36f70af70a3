"""Captions: the order under its result, and result objects as readable text. Pure.

A caption is escaped and within Telegram's limit. The prompt is the only long part, so the prompt is cut. Room is left for a
last paragraph: why a file is not shown as what it is, and a link to it.

A result object (speech, lyrics, notes, what was found in a picture) becomes text; unknown ones a line for each field, named in
plain words. Junk never raises.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from photomat.catalog.model import Model
from photomat.catalog.order_words import OrderWords, order_in_words
from photomat.jobs.job import ANSWER_TITLE
from photomat.kernel.text import cut, utf16_length
from photomat.kie.results import STEM_TITLES, objects
from photomat.texts.load import Say

MAX_CAPTION_LENGTH: Final = 1024
MARK_ON: Final = "on"
ROOM_FOR_A_REASON: Final = 224
MAX_PROMPT_LENGTH: Final = 600
MAX_VALUES_LENGTH: Final = 240
MAX_TITLE_LENGTH: Final = 80
MAX_SEED: Final = 24
TAG: Final = re.compile(r"<[^>]*>")
MAX_TEXT_LENGTH: Final = 1_000_000
MAX_S: Final = 360_000
LONG_PASSAGE_S: Final = 30.0
SENTENCE_ENDS: Final = (".", "!", "?", "…")
MAX_NOTES: Final = 400
DEEPEST: Final = 3
MAX_LINES: Final = 300
PITCHES: Final = ("C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B")
NOTES_IN_OCTAVE: Final = 12
TEXTS: Final = ("text", "result", "lyrics", "validateInfo", "validate_info")
NOT_SHOWN: Final = frozenset(
    {"seed", "state", "status", "code", "waveformData", "hootCer", "isStreamed", "index", "maskUrl"}
)
"""Fields without meaning for a customer."""
Found = Mapping[str, Any]
KNOWN_NAMES: Final[Mapping[str, str]] = {
    "has_human": "read-has-human",
    "humans_count": "read-humans-count",
    "segments_count": "read-segments-count",
    "segments": "read-segments",
    "name": "read-name",
    "description": "read-description",
    "personaId": "read-persona",
    "score": "read-score",
    "confidence": "read-score",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOrder:
    """What was bought, as in its row, and its model, if the catalogue still has it."""

    title: str | None
    model_id: str
    inputs: Mapping[str, Any]
    result_object: Mapping[str, Any] | None
    model: Model | None

    def name(self, language: str) -> str:
        """The model's title at the time of purchase; in older rows, its title now."""
        return cut(self.title or self._name_now(language), MAX_TITLE_LENGTH)

    def _name_now(self, language: str) -> str:
        if self.model is None:
            return self.model_id
        return self.model.titles.of(language) if self.model.titles else self.model.title


@dataclass(slots=True)
class _Passage:
    speaker: str | None
    start: float | None
    words: list[str] = field(default_factory=list)


def ai_mark(setting: str, say: Say) -> str:
    """The line that says a result was made by AI: ours, the operator's own words, or none."""
    return say("content-ai-mark") if setting == MARK_ON else html.escape(setting, quote=False)


def captioned(
    sentence: Callable[[str], str],
    bought: CardOrder,
    *,
    part: str | None,
    language: str,
    say: Say,
    mark: str = "",
) -> str:
    """The sentence with the order in it, and the mark of AI; `part` is the title of the shown output."""
    order = order_in_words(bought.model, bought.inputs, language=language, say=say)
    lines = _lines(bought, order, say)
    longest = MAX_PROMPT_LENGTH
    for _ in range(2):
        prompt = cut(order.prompt, longest)
        said = sentence(_written(part, prompt, lines))
        text = f"{said.rstrip()}\n\n{mark}" if mark else said
        over = seen_length(text) - (MAX_CAPTION_LENGTH - ROOM_FOR_A_REASON)
        if over <= 0:
            break
        longest = max(0, utf16_length(prompt) - over - 1)
    return text


def part_in_words(title: str | None, say: Say) -> str | None:
    """The title of one output; parts of a track and the answer file are translated."""
    return say(title) if title in {*STEM_TITLES, ANSWER_TITLE} else title


def seen_length(text: str) -> int:
    """The length of a text as Telegram counts it: without markup, in UTF-16 units."""
    return utf16_length(unmarked(text))


def unmarked(text: str) -> str:
    return html.unescape(TAG.sub("", text))


def _lines(bought: CardOrder, order: OrderWords, say: Say) -> list[str]:
    """The chosen inputs, and the seed where Kie reports one that was not ordered."""
    named = bought.model is not None
    values = [f"{value.title}: {value.text}" if named else value.text for value in order.values]
    seed = (bought.result_object or {}).get("seed")
    is_seed = isinstance(seed, int | str) and not isinstance(seed, bool)
    if is_seed and "seed" not in bought.inputs:
        values.append(say("caption-seed", seed=cut(str(seed), MAX_SEED)))
    return [cut(" · ".join(values), MAX_VALUES_LENGTH)] if values else []


def _written(part: str | None, prompt: str, lines: Sequence[str]) -> str:
    titled = [f"<b>{html.escape(cut(part, MAX_TITLE_LENGTH))}</b>"] if part else []
    described = [f"<i>{html.escape(prompt)}</i>"] if prompt else []
    return "\n".join([*titled, *described, *map(html.escape, lines)])


def readable(result: Found, say: Say) -> str:
    text = (
        _spoken(result, say)
        or _plain_text(result)
        or _played(result, say)
        or "\n".join(_object_lines(result, say, depth=0))
    )
    return text[:MAX_TEXT_LENGTH].strip()


def _plain_text(result: Found) -> str:
    return next((text for key in TEXTS if isinstance(text := result.get(key), str) and text.strip()), "")


def _spoken(result: Found, say: Say) -> str:
    """Speech or song in passages, with times and speakers where there is more than one."""
    passages = list(_passages(objects(result.get("words")) or objects(result.get("alignedWords"))))
    speakers = {who: number for number, who in enumerate(dict.fromkeys(one.speaker for one in passages), start=1)}
    if len(passages) < 2 and _plain_text(result):  # noqa: PLR2004  a single passage needs no times
        return ""
    lines = []
    for passage in passages:
        who = say("read-speaker", number=speakers[passage.speaker]) if len(speakers) > 1 else ""
        when = f"[{_clock(passage.start)}]" if passage.start is not None else ""
        head = " ".join(part for part in (when, f"{who}:" if who else "") if part)
        lines.append(f"{head} {_joined(passage.words)}".strip())
    return "\n".join(lines)


def _passages(words: Sequence[Found]) -> Iterator[_Passage]:
    current: _Passage | None = None
    for word in words:
        text = word.get("text", word.get("word"))
        if not isinstance(text, str) or not text:
            continue
        start = _number(word.get("start", word.get("startS")))
        speaker = word.get("speaker_id") if isinstance(word.get("speaker_id"), str) else None
        if current is None or _starts_passage(current, speaker, start):
            if current is not None:
                yield current
            current = _Passage(speaker, start)
        current.words.append(text)
    if current is not None:
        yield current


def _starts_passage(passage: _Passage, speaker: str | None, start: float | None) -> bool:
    if speaker is not None and speaker != passage.speaker:
        return True
    is_long = start is not None and passage.start is not None and start - passage.start >= LONG_PASSAGE_S
    return is_long and passage.words[-1].rstrip().endswith(SENTENCE_ENDS)


def _joined(words: Sequence[str]) -> str:
    """Words joined by their own spaces, or by one each where they have none."""
    glue = "" if any(word[:1].isspace() or word[-1:].isspace() for word in words) else " "
    return " ".join(glue.join(words).split())


def _played(result: Found, say: Say) -> str:
    lines = []
    for number, instrument in enumerate(objects(result.get("instruments")), start=1):
        notes = objects(instrument.get("notes"))
        name = instrument.get("name")
        shown = " ".join(_note(note) for note in notes[:MAX_NOTES]) + (" …" if len(notes) > MAX_NOTES else "")
        title = name if isinstance(name, str) and name else str(number)
        lines.append(f"{say('read-notes', instrument=title, count=len(notes))}\n{shown}".strip())
    return "\n\n".join(lines)


def _note(note: Found) -> str:
    pitch = note.get("pitch")
    if not isinstance(pitch, int):
        return str(pitch)[:8] if isinstance(pitch, str) else "·"
    return f"{PITCHES[pitch % NOTES_IN_OCTAVE]}{pitch // NOTES_IN_OCTAVE - 1}"


def _object_lines(found: Found, say: Say, *, depth: int) -> list[str]:
    """Any other object, a line for each field."""
    lines: list[str] = []
    for key, value in found.items():
        if key in NOT_SHOWN or value is None or value in ("", [], {}):
            continue
        name = _in_words(str(key), say)
        if isinstance(value, Mapping) and depth < DEEPEST:
            lines += [f"{name}:", *(f"  {line}" for line in _object_lines(value, say, depth=depth + 1))]
        elif isinstance(value, list):
            lines += _listed(name, value, say, depth=depth)
        elif not _is_url(value):
            lines.append(f"{name}: {_value(value, say)}")
    return lines[:MAX_LINES]


def _listed(name: str, values: Sequence[Any], say: Say, *, depth: int) -> list[str]:
    things = objects(list(values))
    if not things:
        plain = [_value(value, say) for value in values if isinstance(value, str | int | float)]
        return [f"{name}: {', '.join(plain)}"] if plain else [f"{name}: {len(values)}"]
    lines = [f"{name}: {len(values)}"]
    for number, thing in enumerate(things[:MAX_LINES], start=1):
        inner = _object_lines(thing, say, depth=depth + 1) if depth < DEEPEST else []
        label = next((str(thing[key]) for key in ("name", "label", "title") if isinstance(thing.get(key), str)), "")
        rest = [line for line in inner if label not in line or not label]
        lines.append(f"{number}. {label or '; '.join(rest)}".rstrip())
        lines += [f"   {line}" for line in rest] if label else []
    return lines


def _value(value: object, say: Say) -> str:
    if isinstance(value, bool):
        return say("order-yes" if value else "order-no")
    if isinstance(value, Mapping | list):
        return "…"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _in_words(key: str, say: Say) -> str:
    """A known name in the customer's language, any other split into words."""
    if key in KNOWN_NAMES:
        return say(KNOWN_NAMES[key])
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").strip().lower() or "…"


def _number(value: object) -> float | None:
    """A time in seconds; None for anything implausible."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_S:
        return None
    return float(value)


def _clock(seconds: float | None) -> str:
    whole = int(max(0.0, seconds or 0.0))
    minutes, rest = divmod(whole, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"  # noqa: PLR2004  an hour


def _is_url(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))
