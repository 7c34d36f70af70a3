"""The description in a message: the customer's own words without the command before them. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from photomat.assistant.meaning import Sign, clauses, noun_of
from photomat.assistant.settings import tidy, without
from photomat.assistant.vocabulary import Stems, Word, read_words, vocabulary

QUOTED: Final = re.compile(r"«([^»]+)»|“([^”]+)”|\"([^\"]+)\"|„([^“]+)“|(?<!\w)'([^']{3,})'(?!\w)")
MAX_LABEL: Final = 12
"""A colon after more words than this belongs to the text."""
MIN_WORDS: Final = 2
Span = tuple[int, int]


def described(text: str, words: Sequence[Word], sign: Sign, *, spans: Sequence[Span] = ()) -> str:
    """What is to be made; `spans` are settings and names to leave out."""
    known = vocabulary()
    words, sign = _beside(words, sign, spans)
    if sign.wish in known.whole or sign.wish in known.usual:
        return _of_file(text, words, sign, spans=spans)
    command = _command(text, words, sign)
    rest = without(text, [*spans, *command])
    is_bare = all(_is_filler([word]) or word.plain in known.general for word in words)
    return "" if is_bare and sign.how != "usual" else rest.rstrip("? ") if command else rest


def _beside(words: Sequence[Word], sign: Sign, spans: Sequence[Span]) -> tuple[list[Word], Sign]:
    """The words outside of these parts of the text, and the sign among them."""
    kept = [not any(first <= word.start and word.end <= last for first, last in spans) for word in words]
    first, last = sum(kept[: sign.first]), sum(kept[: sign.last])
    return [word for word, is_kept in zip(words, kept, strict=True) if is_kept], replace(sign, first=first, last=last)


def _of_file(text: str, words: Sequence[Word], sign: Sign, *, spans: Sequence[Span]) -> str:
    """What shall become of a file: the whole message, unless it says no more than that something shall."""
    known = vocabulary()
    said = [at for at, word in enumerate(words) if not _is_filler([word]) and word.plain not in known.general]
    is_said = sign.how == "noun" and sign.wish in known.whole
    if not any(is_said or not sign.first <= at < sign.last for at in said):
        return ""
    rest = without(text, [*spans, *_command(text, words, sign)]) if sign.wish in known.usual else ""
    return rest if _stands_alone(words, sign, rest) else without(text, spans)


def spoken(text: str, words: Sequence[Word], sign: Sign) -> str:
    """What is to be read aloud: after a colon, in quotes, or what follows the command and whose voice it is."""
    colon = _colon(text, words)
    if colon is not None:
        return _unquoted(text[colon + 1 :])
    quoted = max((max(match.groups(""), key=len) for match in QUOTED.finditer(text)), key=len, default="")
    if len(quoted.split()) > len(text.split()) // 3:
        return quoted.strip()
    last = _after_speaker(words, sign.last if sign.how != "usual" else 0)
    return _unquoted(text[words[last].start :]) if last < len(words) else ""


def _after_speaker(words: Sequence[Word], first: int) -> int:
    """Where the text begins after "текст приятным женским голосом"."""
    known = vocabulary()
    last = _after(words, first, known.reading, known.courtesy)
    ahead = _after(words, last, known.speakers, known.reading, known.courtesy)
    is_voiced = any(word.plain in known.voiced for word in words[first:ahead])
    return _after(words, ahead if is_voiced else last, known.courtesy)


def lyrics_in(text: str) -> tuple[str, str]:
    """The words of a song, if they are given, and what is said besides."""
    found = vocabulary().lyrics.search(text.lower()) if len(text.lower()) == len(text) else None
    if found is not None and text[found.end() :].strip():
        return _unquoted(text[found.end() :]), tidy(text[: found.start()])
    first, _, rest = text.partition("\n")
    lines = [line for line in rest.splitlines() if line.strip()]
    return (rest.strip(), tidy(first)) if len(lines) >= 4 else ("", text)  # noqa: PLR2004  a verse


def uncommanded(text: str) -> str:
    words = read_words(text)
    last = _after(words, 0, vocabulary().polite, vocabulary().make)
    return tidy(text[words[last].start :]) if last < len(words) else tidy(text)


def _command(text: str, words: Sequence[Word], sign: Sign) -> list[Span]:
    """The command and everything polite around it; and one at the end that says nothing else."""
    known = vocabulary()
    if sign.how == "usual":
        last = _after(words, 0, known.polite, known.make)
        is_command = any(word.plain in known.make for word in words[:last])
        return [(0, words[last - 1].end)] if is_command and last < len(words) else []
    first = next(start for start, last in reversed(list(clauses(words))) if start <= sign.first)
    first = 0 if _is_filler(words[:first]) else first
    is_alone = _is_filler(words[first : sign.first])
    if sign.how == "phrase" or (sign.how == "noun" and not (is_alone and _is_dispensable(text, words, sign))):
        last = _after(words[: sign.last], first, known.polite, known.make)
        is_command = any(word.plain in known.make for word in words[first:last])
        return [(words[first].start, words[last - 1].end)] if is_command else []
    last = _after(words, sign.last, known.polite)
    if sign.how == "verb" and last < len(words) and _is_label(words, last, sign) and not _belongs(words, last + 1):
        last = _after(words, last + 1, known.polite)
    last = _after(words, last, known.about) if last < len(words) and not words[last].hard else last
    start = words[first].start if is_alone else words[sign.first].start
    return [(start, words[last - 1].end)] if last else []


def _is_filler(words: Sequence[Word]) -> bool:
    known = vocabulary()
    return all(word.plain in known.polite or word.plain in known.make for word in words)


def _is_label(words: Sequence[Word], place: int, sign: Sign) -> bool:
    wish = vocabulary().wishes.get(sign.wish)
    return wish is not None and words[place].plain in wish.labels and noun_of(words[place]) is not None


def _is_dispensable(text: str, words: Sequence[Word], sign: Sign) -> bool:
    """Whether a noun says only which kind is wanted ("картинку: …"), and is no part of a description ("картинку с котом")."""
    wish = "video" if sign.wish == "animate" else "picture" if sign.wish == "edit" else sign.wish
    is_label = words[sign.first].plain in vocabulary().wishes[wish].labels
    return (is_label and not _belongs(words, sign.last)) or _is_colon(text, words, sign.last)


def _belongs(words: Sequence[Word], place: int) -> bool:
    """Whether what follows a noun depends on it: a preposition that is no mere "про", or another English noun."""
    if place >= len(words) or words[place].hard or words[place].soft:
        return False
    plain = words[place].plain
    is_compound = place > 0 and words[place - 1].is_latin and words[place].is_latin and plain not in vocabulary().about
    return is_compound or (plain in vocabulary().breaks and plain not in vocabulary().about)


def _is_colon(text: str, words: Sequence[Word], place: int) -> bool:
    return place < len(words) and ":" in text[words[place - 1].end : words[place].start]


def _after(words: Sequence[Word], first: int, *groups: Stems) -> int:
    """The first place from here on whose word is in none of the groups."""
    while first < len(words) and any(words[first].plain in group for group in groups):
        first += 1
    return first


def _stands_alone(words: Sequence[Word], sign: Sign, rest: str) -> bool:
    """Whether what is left beside a command ("оживи фото, пусть …") is a description of its own."""
    is_apart = any(word.hard or word.soft for word in words[sign.last : sign.last + 3])
    return len(rest.split()) >= MIN_WORDS and is_apart


def _colon(text: str, words: Sequence[Word]) -> int | None:
    """Where a colon or the end of a line divides a command from its text."""
    for place in range(1, min(len(words), MAX_LABEL)):
        between = text[words[place - 1].end : words[place].start]
        if ":" in between or "\n" in between:
            return words[place - 1].end + re.search(r"[:\n]", between).start()  # type: ignore[union-attr]
    return None


def _unquoted(text: str) -> str:
    text = text.strip(" \t\n:—–-,")
    found = QUOTED.fullmatch(text)
    return max(found.groups(""), key=len).strip() if found else text
