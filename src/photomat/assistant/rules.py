"""Plain words become a plan by rules alone: no network, a few milliseconds. Pure.

The wish is recognised first (`meaning.py`), then settings and a model's name; what is left of the message is the description.
The model is the one named, else the first of the wish's own that has what was asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from photomat.assistant.description import Span, described, lyrics_in, spoken, uncommanded
from photomat.assistant.meaning import Sign, is_question, is_small_talk, sign_of
from photomat.assistant.naming import Named, named_in
from photomat.assistant.plan import Plan, Request
from photomat.assistant.settings import Stated, nearest, settings_in
from photomat.assistant.vocabulary import Word, read_words, vocabulary
from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.order import missing, relevant
from photomat.catalog.reference import FileRef
from photomat.catalog.storefront import Storefront
from photomat.catalog.wishes import Wish, model_for, source_input, wishes, wishes_from, with_file
from photomat.catalog.words import LocalizedText

ANY_FILE: Final = FileRef(1).as_json()
TITLE_WORDS: Final = 6
MAX_TITLE: Final = 80
MAX_STYLE: Final = 900
UNSTYLED: Final = LocalizedText(ru="поп", en="pop")
FOR_VIDEOS: Final = frozenset({("duration", None), ("sound", "true")})
"""Settings that no picture has, and their values: who states one wants a video."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    """What was read out of a message."""

    text: str
    language: str
    words: Sequence[Word]
    stated: Sequence[Stated]
    named: Named | None
    sign: Sign


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The inputs that hold a description, the description, and whether the model takes all of it."""

    inputs: Mapping[str, Any]
    words: str = ""
    fits: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model with as much of a message as it takes; `exact` counts settings it has just as they were `stated`."""

    model: Model
    inputs: Mapping[str, Any]
    told: Told
    exact: int
    stated: int

    @property
    def takes_all(self) -> bool:
        return self.told.fits and self.exact == self.stated


def plan(request: Request, storefront: Storefront) -> Plan | None:
    """The order that serves a message best; None where it is no wish, or nothing is sold for it."""
    reading = _read(request, storefront)
    wish = wishes().get(reading.sign.wish) if reading is not None else None
    best = _best(_candidates(reading, wish, storefront)) if reading is not None and wish is not None else None
    if wish is None or best is None:
        return None
    alternatives = _alternatives(wish, request.attached, storefront)
    return Plan(
        wish=wish,
        model=best.model,
        inputs=best.inputs,
        words=best.told.words,
        alternatives=alternatives,
        names_wish=reading is not None and reading.sign.how != "usual",
    )


def _best(candidates: Iterator[Candidate]) -> Candidate | None:
    """The first that takes most of the message; those after one that takes all of it are not looked at."""
    best: Candidate | None = None
    for each in candidates:
        if best is None or (each.told.fits, each.exact) > (best.told.fits, best.exact):
            best = each
        if best.takes_all:
            break
    return best


def _read(request: Request, storefront: Storefront) -> ReadMessage | None:
    """None where the message is no wish. A caption that says nothing leaves the file alone to speak."""
    text = request.words.strip()
    words = read_words(text)
    attached, asks = request.attached if request.attached in vocabulary().given else None, text.endswith("?")
    is_idle = is_small_talk(words) and not (attached and asks)
    if is_idle or not any(map(str.isalpha, text)) or (attached is None and is_question(words, text)):
        text, words = "", []
    if not words and attached is None:
        return None
    stated = settings_in(text)
    aside = frozenset(at for at, word in enumerate(words) if _within(word, stated))
    named = named_in(text, words, storefront, aside=aside)
    passed = aside | (frozenset(range(named.first, named.last)) if named else frozenset())
    sign = sign_of(words, attached, aside=passed, asks=asks)
    if sign.how == "usual":
        beside = [word for at, word in enumerate(words) if at not in passed]
        sign = replace(sign, wish=_implied(sign.wish, attached, stated, named, beside))
    return ReadMessage(text=text, language=request.language, words=words, stated=stated, named=named, sign=sign)


def _within(word: Word, stated: Sequence[Stated]) -> bool:
    return any(each.start <= word.start and word.end <= each.end and not each.keep for each in stated)


def _implied(
    usual: str, attached: FileKind | None, stated: Sequence[Stated], named: Named | None, beside: Sequence[Word]
) -> str:
    """Where words say no wish: the one a stated setting or a named model is for; `beside` are the other words."""
    known = vocabulary()
    becomes = known.given[attached].becomes if attached is not None else {}
    says = (known.polite, known.make, known.general, known.breaks)
    is_bare = all(any(word.plain in group for group in says) for word in beside)
    if attached in {"image", "video"} and is_bare and any(each.what == "resolution" for each in stated):
        return becomes.get("enhance", "enhance")
    if attached is None and any(each.what == "voice" and _is_begun_by(each, beside) for each in stated):
        return "voice"
    if named is not None:
        return _made_by(named.models, attached) or usual
    if any((each.what, None) in FOR_VIDEOS or (each.what, each.value) in FOR_VIDEOS for each in stated):
        return {"picture": "video", "edit": "animate"}.get(usual, usual)
    return usual


def _is_begun_by(stated: Stated, beside: Sequence[Word]) -> bool:
    return not beside or stated.start < beside[0].start


def _made_by(models: Sequence[Model], attached: FileKind | None) -> str | None:
    """The first wish of such a message that names one of the models, else one that they serve."""
    found = wishes_from(attached)
    ids = {each.id for each in models}
    naming = (each.id for each in found if not ids.isdisjoint(each.models))
    serving = (
        each.id for model in models for each in found if model.category in each.category.of and _serves(model, each)
    )
    return next(naming, None) or next(serving, None)


def _candidates(reading: ReadMessage, wish: Wish, storefront: Storefront) -> Iterator[Candidate]:
    """The message as an order of each model that may serve it, the preferred first."""
    named, words = reading.named, reading.words
    sold = [storefront.on_sale[each.id] for each in named.models if each.id in storefront.on_sale] if named else []
    serving = [each.model for each in sold if each.listed and _serves(each.model, wish)]
    by_name = sorted(serving, key=lambda each: (_questions(each, wish), _rank(each, wish)))
    name = [(words[named.first].start, words[named.last - 1].end)] if named and by_name else []
    reading = replace(reading, stated=_said_besides(reading, wish))
    others = _others(wish, storefront) if reading.stated else ()
    for model in by_name or chain(_preferred(wish, storefront), others):
        settings, exact = _settings(model, wish, reading.stated, _mode(model, reading))
        used = [(each.start, each.end) for each in reading.stated if _is_used(each, model, settings)]
        told = _told(model, wish, reading, [*name, *used], is_played=settings.get("custom_mode") == "true")
        inputs = _accepted(model, {**settings, **told.inputs})
        yield Candidate(model=model, inputs=inputs, told=told, exact=exact, stated=len(reading.stated))


def _said_besides(reading: ReadMessage, wish: Wish) -> list[Stated]:
    """The settings outside of a text that is read aloud or sung."""
    text = reading.text
    quoted = {"voice": lambda: spoken(text, reading.words, reading.sign), "music": lambda: lyrics_in(text)[0]}
    said = quoted[wish.id]() if wish.id in quoted else ""
    first = text.rfind(said) if said else len(text)
    return [each for each in reading.stated if not first <= each.start < first + len(said)]


def _preferred(wish: Wish, storefront: Storefront) -> list[Model]:
    own = [storefront.get(each) for each in wish.models]
    found = [each for each in (model_for(wish, storefront), *own) if each is not None]
    return list({each.id: each for each in found}.values())


def _others(wish: Wish, storefront: Storefront) -> Iterator[Model]:
    """The rest of the wish's category, for settings that no preferred model has: the cheap ones first, then the best."""
    found = [each.model for each in storefront.listed if each.model.category in wish.category.of]
    fitting = [each for each in found if _serves(each, wish) and not _questions(each, wish)]
    yield from sorted(fitting, key=lambda each: ("cheap" not in each.tags, "best" not in each.tags))


def _serves(model: Model, wish: Wish) -> bool:
    if not wish.category.includes(model):
        return False
    if wish.starts_from == "track":
        return model.input_for("source_track") is not None
    return wish.starts_from is None or source_input(model, wish.starts_from) is not None


def _rank(model: Model, wish: Wish) -> int:
    return wish.models.index(model.id) if model.id in wish.models else len(wish.models)


def _questions(model: Model, wish: Wish) -> int:
    """How much a customer would be asked for beside the description."""
    return sum(each.role != "prompt" for each in missing(model, _file(model, wish)))


def _file(model: Model, wish: Wish) -> dict[str, Any]:
    """The file a wish starts from, in its input: what applies to an order depends on it."""
    start = wish.starts_from
    source = source_input(model, start) if start is not None and start != "track" else None
    return with_file(source, ANY_FILE) if source is not None else {}


def _mode(model: Model, reading: ReadMessage) -> dict[str, Any]:
    """Music of a stated length has to be composed in the model's own mode, which needs no words if it is not sung."""
    if not {"custom_mode", "instrumental"} <= {each.name for each in model.inputs} or not reading.words:
        return {}
    is_timed = any(each.what == "duration" for each in reading.stated)
    is_played = any(each.what == "instrumental" for each in reading.stated)
    is_sung = not is_played and any(word.plain in vocabulary().sung for word in reading.words)
    return {"custom_mode": "true", "instrumental": "true"} if is_timed and not is_sung else {}


def _settings(
    model: Model, wish: Wish, stated: Sequence[Stated], mode: Mapping[str, Any]
) -> tuple[dict[str, Any], int]:
    """The model's own values of what was stated, and how many are just that."""
    found = dict(mode)
    count = 0
    for each in stated:
        asked = each.asked_by(model)
        value, is_exact = nearest(asked, each) if asked is not None and asked.place != "hidden" else (None, False)
        if asked is None or value is None or not _applies(model, wish, asked, {**found, asked.name: value}):
            continue
        found[asked.name] = value
        count += is_exact
    return found, count


def _applies(model: Model, wish: Wish, asked: Input, inputs: Mapping[str, Any]) -> bool:
    chosen = {**inputs, **_file(model, wish)}
    return asked in relevant(model, chosen) and not any(never.holds(model.filled(chosen)) for never in model.never)


def _is_used(stated: Stated, model: Model, settings: Mapping[str, Any]) -> bool:
    """Whether a model has the setting, so that the description needs no words of it."""
    asked = stated.asked_by(model)
    return asked is not None and asked.name in settings and not stated.keep


def _told(model: Model, wish: Wish, reading: ReadMessage, spans: Sequence[Span], *, is_played: bool) -> Told:
    """The description as the model takes it; `spans` are settings and names to leave out."""
    asked = model.input_for("prompt") or model.input_for("lyrics")
    if asked is None:
        return Told(inputs={})
    if wish.id == "music":
        return _melody(model, reading, spans) if is_played else _song(model, reading, spans)
    text, words, sign = reading.text, reading.words, reading.sign
    said = spoken(text, words, sign) if wish.id == "voice" else described(text, words, sign, spans=spans)
    if not said and wish.prompt is not None:
        return Told(inputs={asked.name: wish.prompt.of(reading.language)})
    return _prompt(asked, said)


def _prompt(asked: Input, said: str) -> Told:
    fits = len(said) <= asked.length_limit
    shown = said if fits else said[: asked.length_limit].rsplit(maxsplit=1)[0]
    return Told(inputs={asked.name: shown} if shown else {}, words=shown, fits=fits)


def _melody(model: Model, reading: ReadMessage, spans: Sequence[Span]) -> Told:
    """Music without words: its description is its style."""
    said = described(reading.text, reading.words, reading.sign, spans=spans)
    style = model.input("style")
    told = _prompt(style, said) if style is not None else Told(inputs={})
    return replace(told, inputs={**told.inputs, "title": _title(said)} if said else told.inputs)


def _title(text: str) -> str:
    return " ".join(text.split()[:TITLE_WORDS])[:MAX_TITLE].strip(" ,.;:")


def _song(model: Model, reading: ReadMessage, spans: Sequence[Span]) -> Told:
    """A description, or the words to be sung with a style and a title of their own."""
    lyrics, besides = lyrics_in(reading.text)
    asked, sung = model.input_for("prompt"), model.input_for("lyrics")
    said = described(reading.text, reading.words, reading.sign, spans=spans)
    is_long = asked is not None and len(said) > asked.length_limit
    if sung is None or not (lyrics or is_long) or model.input("custom_mode") is None:
        return _prompt(asked, said) if asked is not None else Told(inputs={})
    style = uncommanded(besides)[:MAX_STYLE] if lyrics else UNSTYLED.of(reading.language)
    told = _prompt(sung, lyrics or said)
    return replace(
        told, inputs={**told.inputs, "custom_mode": "true", "style": style, "title": _title(told.words) or style}
    )


def _accepted(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that fit, as they are stored."""
    asked = ((model.input(name), value) for name, value in inputs.items())
    checked = {each.name: check_answer(each, value) for each, value in asked if each is not None}
    return {name: value for name, value in checked.items() if not isinstance(value, Refused)}


def _alternatives(wish: Wish, attached: FileKind | None, storefront: Storefront) -> tuple[Wish, ...]:
    """Other wishes that start from the same file, or from words alone."""
    others = wishes_from(attached if attached in vocabulary().given else None)
    return tuple(each for each in others if each.id != wish.id and model_for(each, storefront) is not None)
