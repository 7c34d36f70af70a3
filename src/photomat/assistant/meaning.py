"""Which wish a message is, by how its sentences begin: the head of a sentence says more than what it is about. Pure.

"картина: музыкант играет песню" is a picture, "песня про художника" is music. A command ("нарисуй") counts wherever a sentence
begins with it; a noun ("песня") where it is the head of the first one, or what a command asks for. Phrases ("убери фон") are
more specific than either. Then a file counts: a picture of a photo is an edited one, a video of it an animated one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from photomat.assistant.vocabulary import Phrase, Phrases, Stems, WishWords, Word, vocabulary
from photomat.catalog.input import FileKind

MAX_PHRASE_START: Final = 25
MAX_SHORT: Final = 4
MAX_READ: Final = 80
"""What is wanted is said among so many words; the rest of a long message describes it."""
MAX_TAILED: Final = 6
MAX_HEAD: Final = 4
"""So many English words may stand before the noun of a head ("a funny sleeping cat video")."""
ABOUT_PHOTO: Final = Stems("что кто где какой какая какое какие чья чей сколько what who where which whose how")
OBJECTS: Final = Stems(
    "a an the my this these it me us her his him them some all out up our background photo* picture* image* text"
)
AFTER_COMMA: Final = frozenset({"picture", "video", "music", "animate"})
QUESTIONS: Final = Stems(
    "как где когда почему зачем сколько кто что какой какая какие чей what how why where when who which"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What says that a message is a wish, and which words do: none of them where it is only the usual one."""

    wish: str
    first: int
    last: int
    how: Literal["phrase", "verb", "noun", "usual"]


def is_small_talk(words: Sequence[Word]) -> bool:
    return all(word.plain in vocabulary().small_talk for word in words)


def is_question(words: Sequence[Word], text: str) -> bool:
    """Whether a message asks about the bot itself."""
    first = 0
    for first, word in enumerate(words):
        begun = vocabulary().questions.at(words, first)
        if any(phrase.size > 1 or len(words) <= MAX_SHORT for phrase, _ in begun):
            return True
        if word.plain not in vocabulary().polite:
            break
    return bool(words) and text.rstrip().endswith("?") and words[first].plain in QUESTIONS


def sign_of(
    words: Sequence[Word], attached: FileKind | None, *, aside: Collection[int] = (), asks: bool = False
) -> Sign:
    """The wish of a message; words at the places `aside` state settings and are passed over. One that `asks` ends so."""
    begun = words[:MAX_READ]
    given = attached if attached in vocabulary().given else _mentioned(begun)
    asked = _asked(begun) if asks and attached == "image" else None
    found = asked or _said(begun, attached, aside, _at_the_end(words, aside)) or _by_file(begun, attached)
    if found is None:
        usual = vocabulary().given[given].usual if given else "picture"
        return Sign(wish=usual, first=0, last=0, how="usual")
    becomes = vocabulary().given[given].becomes if given else {}
    return Sign(wish=becomes.get(found.wish, found.wish), first=found.first, last=found.last, how=found.how)


def _asked(words: Sequence[Word]) -> Sign | None:
    """A question about what is in a photo."""
    place = next((at for at, word in enumerate(words) if word.plain not in vocabulary().polite), len(words))
    begins = place < len(words) and words[place].plain in ABOUT_PHOTO
    return Sign(wish="read", first=place, last=place + 1, how="verb") if begins else None


def _mentioned(words: Sequence[Word]) -> str | None:
    """The kind of file a message is about without having it."""
    for kind, given in vocabulary().given.items():
        if any(given.phrases.at(words, first) for first in range(min(len(words), MAX_PHRASE_START))):
            return kind
    return None


def _by_file(words: Sequence[Word], attached: FileKind | None) -> Sign | None:
    """What is to become of an attached file where no command says it."""
    kinds = {"image": ("animate",), "video": ("extend-video",), "audio": ("extend-audio", "clean-audio")}
    for wish in kinds.get(attached or "", ()):
        known = vocabulary().wishes[wish]
        place = next((at for at, word in enumerate(words) if _is_signal(word, known)), None)
        if place is not None:
            return Sign(wish=wish, first=place, last=place, how="noun")
    return None


def _is_signal(word: Word, known: WishWords) -> bool:
    is_doing = bool(known.still.beginnings) and word.is_doing and word.plain not in known.still
    return is_doing or word.plain in known.signals or word.plain in known.given


def _said(words: Sequence[Word], attached: FileKind | None, aside: Collection[int], tail: Sign | None) -> Sign | None:
    """The first sentence that says what is wanted; then the clause at the end that says nothing else ("…, видео")."""
    is_first = True
    for first, last in clauses(words):
        is_open = is_first or words[first].hard or attached is not None or _commands(words[first:last])
        found = _of_clause(words, first, last, aside, is_first=is_first) if is_open else None
        if attached is not None and _may_mean_the_file(found):
            found = _phrase(vocabulary().attached, words, first, last) or found
        if found is not None:
            return tail if tail is not None and found.how == "noun" and found.wish == "picture" else found
        is_first = is_first and _says_nothing(words, first, last, aside)
    return tail or _last_noun(words)


def _may_mean_the_file(found: Sign | None) -> bool:
    """Whether phrases about an attached file say more than what was found."""
    return found is None or found.how == "noun" or (found.how == "verb" and found.wish in {"edit", "voice"})


def _last_noun(words: Sequence[Word]) -> Sign | None:
    """A few words with what is wanted after them: "кот танцует видео"."""
    if not 1 < len(words) <= MAX_TAILED or any(word.hard or word.soft for word in words):
        return None
    noun, before = noun_of(words[-1]), words[-2].plain
    is_its_own = (
        noun is not None
        and words[-1].plain in vocabulary().last
        and before not in vocabulary().breaks
        and before not in vocabulary().with_it
    )
    return Sign(wish=noun or "", first=len(words) - 1, last=len(words), how="noun") if is_its_own else None


def _commands(clause: Sequence[Word]) -> bool:
    """Whether words after a comma begin with a command that no description has."""
    word = next((word for word in clause if word.plain not in vocabulary().polite), None)
    return word is not None and (word.plain in vocabulary().make or _verb(word) in AFTER_COMMA)


def _says_nothing(words: Sequence[Word], first: int, last: int, aside: Collection[int]) -> bool:
    is_polite = all(place in aside or words[place].plain in vocabulary().polite for place in range(first, last))
    return is_polite or any(_is_denied(words, place) for place in range(first, last) if noun_of(words[place]))


def _is_denied(words: Sequence[Word], place: int) -> bool:
    """Whether a noun is what is not wanted: "картинка не нужна"."""
    before, after = words[max(place - 2, 0) : place], words[place + 1 : place + 2]
    return any(word.plain in {"не", "not", "without", "без"} for word in before) or any(
        word.plain == "не" for word in after
    )


def clauses(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The parts between commas and ends of sentences."""
    starts = [at for at, word in enumerate(words) if at == 0 or word.hard or word.soft]
    yield from zip(starts, [*starts[1:], len(words)], strict=False)


def _of_clause(words: Sequence[Word], first: int, last: int, aside: Collection[int], *, is_first: bool) -> Sign | None:
    head = _head(words, first, last, aside, is_first=is_first)
    phrase = _phrase(vocabulary().phrases, words, first, min(last, max(MAX_PHRASE_START, first + 1)))
    if phrase is None or head is None:
        return phrase or head
    return phrase if phrase.first < head.last or head.wish == "edit" != phrase.wish else head


def _phrase(phrases: Phrases, words: Sequence[Word], first: int, last: int) -> Sign | None:
    """The earliest phrase; of several the one with most words, then the shortest."""
    for place in range(first, last):
        found = phrases.at(words, place)
        if found:
            best, end = min(found, key=_rank)
            return Sign(wish=best.wish, first=place, last=end, how="phrase")
    return None


def _rank(found: tuple[Phrase, int]) -> tuple[int, int]:
    phrase, end = found
    return -phrase.size, end


def _head(words: Sequence[Word], first: int, last: int, aside: Collection[int], *, is_first: bool) -> Sign | None:
    """The command or the noun a clause begins with."""
    known = vocabulary()
    is_commanded, others = False, 0
    for place in range(first, last):
        word = words[place]
        if place in aside or word.plain.isdigit():
            continue
        verb, noun = _verb(word), _head_noun(words, place)
        if verb is not None and not others and _is_verb(words, place, verb):
            return Sign(wish=verb, first=place, last=place + 1, how="verb")
        if noun is not None and (is_commanded or is_first):
            return _compound(words, Sign(wish=noun, first=place, last=place + 1, how="noun"), last)
        if word.plain in known.make:
            is_commanded = True
        elif word.plain in known.breaks and others:
            return _later(words, place, last) if is_commanded else None
        elif word.plain not in known.polite and not word.is_adjective:
            others += 1
            if _ends_head(words, place, others, is_commanded=is_commanded):
                return _later(words, place, last) if is_commanded else None
    return None


def _is_verb(words: Sequence[Word], place: int, wish: str) -> bool:
    """English words that are nouns as well ("a voice actor", "dress design") command something only before an object."""
    if not words[place].is_latin:
        return True
    following = words[place + 1 : place + 2]
    is_bare = wish != "edit" or not following or following[0].hard or following[0].plain in OBJECTS
    return is_bare and not _is_after_article(words, place)


def _head_noun(words: Sequence[Word], place: int) -> str | None:
    """The wish a noun names, unless it only tells which of something else ("a voice actor", "видео-блогер")."""
    noun, following = noun_of(words[place]), words[place + 1 : place + 2]
    if noun is None or _is_denied(words, place):
        return None
    if any(_is_other(word) and (word.joined or _tells_which(words, place)) for word in following):
        return None
    return noun


def _is_other(word: Word) -> bool:
    """Whether a word goes on after a noun as part of the same thing."""
    known = vocabulary()
    is_apart = (
        word.hard or word.soft or word.plain.isdigit() or word.plain in known.breaks or word.plain in known.polite
    )
    return not is_apart and noun_of(word) is None and word.plain not in known.make


def _tells_which(words: Sequence[Word], place: int) -> bool:
    """Some English nouns do before others ("film noir detective"), any after an article ("a clip art"), "video" seldom."""
    known, following = vocabulary(), words[place + 1].plain
    if words[place].plain in known.wishes["video"].labels:
        return following in known.things
    return not following.endswith("ing") and (_is_after_article(words, place) or words[place].plain in known.telling)


def _is_after_article(words: Sequence[Word], place: int) -> bool:
    return place > 0 and words[place - 1].plain in {"a", "an", "the"}


def _compound(words: Sequence[Word], sign: Sign, end: int) -> Sign:
    """The last noun of several English ones is the head: "background video"."""
    following = noun_of(words[sign.last]) if sign.last < end and words[sign.last].is_latin else None
    if following is None or not words[sign.first].is_latin:
        return sign
    return Sign(wish=following, first=sign.first + 1, last=sign.last + 1, how="noun")


def _ends_head(words: Sequence[Word], place: int, others: int, *, is_commanded: bool) -> bool:
    word = words[place]
    if not word.is_latin:
        return others > 1 or not _is_before_noun(words, place)
    return others > MAX_HEAD or (word.plain.endswith("ing") and others > 1 and not is_commanded)


def _is_before_noun(words: Sequence[Word], place: int) -> bool:
    """Whether a noun ends the head after a word that does not bend: "техно трек для зала"."""
    following = words[place + 1 : place + 3]
    is_noun = bool(following) and noun_of(following[0]) not in {None, "picture"}
    return is_noun and (len(following) == 1 or _ends(following[1]))


def _ends(word: Word) -> bool:
    return word.hard or word.soft or word.plain in vocabulary().breaks or word.plain.isdigit()


def _later(words: Sequence[Word], first: int, last: int) -> Sign | None:
    """What a command asks for after other words ("создай для мамы песню"): a noun no preposition stands before."""
    for place in range(first, last):
        noun, before = noun_of(words[place]), words[max(place - 2, 0) : place]
        if words[place].plain in {"который", "которая", "которое", "которые", "who", "that", "which", "where", "где"}:
            return None
        if noun not in {None, "picture"} and not any(word.plain in vocabulary().breaks for word in before):
            return Sign(wish=noun or "", first=place, last=place + 1, how="noun")
    return None


def _at_the_end(words: Sequence[Word], aside: Collection[int]) -> Sign | None:
    found = list(clauses(words))
    if len(found) < 2:  # noqa: PLR2004  one clause is the first
        return None
    first, last = found[-1]
    if not all(_is_command(words, place, aside) for place in range(first, last)):
        return None
    return _of_clause(words, first, last, aside, is_first=True)


def _is_command(words: Sequence[Word], place: int, aside: Collection[int]) -> bool:
    word, known = words[place], vocabulary()
    is_filler = word.plain in known.make or word.plain in known.polite or word.plain in known.breaks
    is_filler = is_filler or word.is_adjective
    return place in aside or word.plain.isdigit() or is_filler or _verb(word) is not None or noun_of(word) is not None


def _verb(word: Word) -> str | None:
    return _meant(word.plain, are_nouns=False)


def noun_of(word: Word) -> str | None:
    return _meant(word.plain, are_nouns=True)


@lru_cache(maxsize=4096)
def _meant(word: str, *, are_nouns: bool) -> str | None:
    """The wish whose word fits best; none where a word that only begins so fits as well."""
    known = vocabulary()
    groups = {wish: (each.labels, each.nouns) if are_nouns else (each.verbs,) for wish, each in known.wishes.items()}
    fits = {wish: max(group.fit(word) for group in listed) for wish, listed in groups.items()}
    wish = max(fits, key=lambda each: fits[each])
    return wish if fits[wish] > known.neutral.fit(word) else None
