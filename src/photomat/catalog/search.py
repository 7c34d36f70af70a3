"""Finding models by words, in both languages, with other endings, small slips and names as they sound (`name_sounds`). Pure.

Every word that says something must fit a model; the better it fits (its name before what it is for), the higher the model
stands. Where nothing fits every word, what fits some of them can be asked for.

Words people look for beside those the catalogue says of its models, in both languages. Data, and nothing else.

Names by their sound, so that a brand is found however it is spelled, in either alphabet. Pure.

A word becomes the sounds it stands for (`сидэнс` and `seedance` differ in one vowel), and two words are one name when their
sounds differ by little: a vowel counts half, as does a consonant for its voiced twin. Short names allow no difference, for
ordinary words lie too close to them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from photomat.catalog.model import Category, Model, Tag
from photomat.catalog.words import LocalizedText

CATEGORY_WORDS: Final[Mapping[Category, LocalizedText]] = {
    "text-to-image": LocalizedText(
        ru="картинка изображение рисунок нарисовать нарисуй создать генерация стикер арт иллюстрация логотип постер фото",
        en="picture image draw art illustration logo poster create generate",
    ),
    "image-to-image": LocalizedText(
        ru="изменить фото фотка фотография переделать стиль ремикс",
        en="picture photo image change restyle remix",
    ),
    "image-edit": LocalizedText(
        ru="изменить правка редактор редактировать фото фотка фотошоп реставрация восстановить",
        en="photo restore edit editor retouch inpaint change",
    ),
    "background-removal": LocalizedText(
        ru="убрать удалить вырезать фон прозрачный",
        en="remove delete cut background transparent png",
    ),
    "upscale": LocalizedText(
        ru="улучшить увеличить качество чёткость разрешение апскейл фото видео",
        en="photo video enhance upscale sharpen resolution quality hd 4k",
    ),
    "image-analysis": LocalizedText(
        ru="разбор разметка найти распознать анализ картинки фото",
        en="analyse analysis detect segment read image",
    ),
    "text-to-video": LocalizedText(
        ru="видео ролик клип фильм анимация снять",
        en="video clip film movie animation create",
    ),
    "image-to-video": LocalizedText(
        ru="оживить оживление фото фотка фотография картинка видео анимация двигается",
        en="animate photo picture image video bring alive",
    ),
    "reference-to-video": LocalizedText(
        ru="видео образцам персонаж референс",
        en="reference character consistent video",
    ),
    "video-to-video": LocalizedText(
        ru="изменить видео правка монтаж продлить стиль движение",
        en="video edit change extend restyle motion",
    ),
    "avatar": LocalizedText(
        ru="аватар говорящее фото голова губы липсинк дубляж диктор",
        en="avatar talking photo head lip sync lipsync dub presenter",
    ),
    "music": LocalizedText(
        ru="музыка песня трек мелодия бит кавер ремикс",
        en="music song track melody beat cover",
    ),
    "music-tool": LocalizedText(
        ru="музыка песня инструменты текст песни слова минусовка вокал дорожки",
        en="music song tool lyrics stems vocals instrumental",
    ),
    "sound-effects": LocalizedText(
        ru="звук звуки шум эффекты",
        en="sound effects sfx noise",
    ),
    "text-to-speech": LocalizedText(
        ru="озвучка озвучить голос речь диктор читать текст",
        en="tts text voice speech speak read aloud narrator voiceover",
    ),
    "speech-to-text": LocalizedText(
        ru="расшифровка текст речи распознать речь субтитры транскрипция",
        en="transcribe transcript speech text stt subtitles",
    ),
    "audio-isolation": LocalizedText(
        ru="чистый голос убрать шум очистить звук шумоподавление",
        en="clean voice remove noise isolate denoise",
    ),
}
TAG_WORDS: Final[Mapping[Tag, LocalizedText]] = {
    "best": LocalizedText(ru="лучшее лучшие топ", en="best top"),
    "new": LocalizedText(ru="новое новые новинки", en="new latest"),
    "cheap": LocalizedText(ru="дёшево дешёвые недорого", en="cheap inexpensive budget"),
    "free": LocalizedText(ru="бесплатно бесплатные даром", en="free"),
    "fast": LocalizedText(ru="быстро быстрые", en="fast quick turbo"),
}
MAKERS: Final[Mapping[str, str]] = {
    "nano-banana": "google gemini",
    "veo": "google",
    "google": "gemini",
    "gemini": "google",
    "gpt-image": "openai chatgpt dalle",
    "4o-image": "openai chatgpt",
    "sora": "openai chatgpt",
    "grok": "xai",
    "kling": "kuaishou",
    "bytedance": "bytedance seedance seedream",
    "seedream": "bytedance",
    "omnihuman": "bytedance",
    "volcengine": "bytedance",
    "wan": "alibaba",
    "qwen": "alibaba",
    "z-image": "alibaba tongyi",
    "happyhorse": "alibaba",
    "hailuo": "minimax",
    "minimax": "hailuo",
    "flux": "blackforest",
    "mj": "midjourney",
    "ai-music-api": "suno",
}
"""Whose model it is, by how its id begins."""
SPOKEN: Final[Mapping[str, str]] = {
    "11labs": "elevenlabs",
    "алеф": "aleph",
    "апскейл": "upscale",
    "ван": "wan",
    "вейо": "veo",
    "вио": "veo",
    "вэо": "veo",
    "гемини": "gemini",
    "гпт": "gpt",
    "гугл": "google",
    "джемини": "gemini",
    "джипити": "gpt",
    "дипити": "gpt",
    "жпт": "gpt",
    "з": "z",
    "зет": "z",
    "зэт": "z",
    "илевенлабс": "elevenlabs",
    "имаджен": "imagen",
    "имедж": "image",
    "имейдж": "image",
    "имидж": "image",
    "инфинитолк": "infinitalk",
    "кванг": "qwen",
    "квен": "qwen",
    "контекст": "kontext",
    "кувен": "qwen",
    "куин": "qwen",
    "мидджорни": "midjourney",
    "миджорни": "midjourney",
    "минимакс": "minimax",
    "омнихьюман": "omnihuman",
    "опенай": "openai",
    "пиксверс": "pixverse",
    "ранвей": "runway",
    "рекрафт": "recraft",
    "рунвей": "runway",
    "рэнвей": "runway",
    "сиданс": "seedance",
    "сидрим": "seedream",
    "флакс": "flux",
    "флекс": "flex",
    "флюкс": "flux",
    "хайло": "hailuo",
    "хайлуо": "hailuo",
    "хэппихорс": "happyhorse",
    "чатгпт": "chatgpt",
    "элевен": "elevenlabs",
    "элевенлабс": "elevenlabs",
}
"""Names as Russians write them, where letter by letter would not do (`клинг`, `вео`, `суно` need no entry).

A name written in two words (`элевен лабс`, `mid journey`) is found here without the space.
"""
NO_NAMES: Final = frozenset({"sedans"})
"""Ordinary words that sound almost like a name."""
SILENT: Final = frozenset({
    "а", "без", "бы", "в", "во", "для", "до", "за", "и", "из", "или", "к", "как", "на", "не", "ничего", "но", "о", "об",
    "от", "по", "под", "при", "про", "с", "со", "так", "то", "у", "через", "что", "чтобы", "это", "дела", "делает",
    "делать", "сделать", "сделай", "сгенерировать", "мне", "мой", "мое", "можно", "надо", "нужно", "нужна", "нужен",
    "хочу", "какая", "какой", "какую", "есть", "модель", "модели", "нейросеть", "нейросети", "ии", "бот", "пожалуйста",
    "a", "an", "and", "any", "are", "can", "for", "from", "i", "in", "into", "is", "it", "make", "me", "my", "of", "on",
    "or", "please", "the", "this", "to", "want", "with", "model", "models", "ai", "bot",
})  # fmt: skip
"""Words that say nothing about what is looked for."""
SPOKEN_VOWELS: Final = frozenset("aeiou")
TWINS: Final = frozenset(frozenset(pair) for pair in ("bp", "dt", "gk", "vf", "zs", "JS"))
"""Consonants that differ in voice alone."""
LEAST_SOUNDS: Final = 4
ALLOWED: Final = ((9, 3), (6, 2), (5, 1))
"""From so many sounds on, so many halves may differ; shorter names must sound the same, and the shortest are left alone."""
CYRILLIC: Final = str.maketrans({
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "J", "з": "z", "и": "i", "й": "i", "к": "k", "л": "l",
    "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "h", "ц": "ts", "ч": "C",
    "ш": "S", "щ": "S", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "u", "я": "a",
})  # fmt: skip
SPOKEN_LATIN: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"),
        ("tch|ch", "C"),
        ("sch|sh", "S"),
        ("th", "t"),
        ("ck", "k"),
        ("qu|qw", "kv"),
        ("q", "k"),
        ("x", "ks"),
        ("c(?=[eiy])", "s"),
        ("c", "k"),
        ("dg(?=e)|dj|j|g(?=e$)", "J"),
        ("wh|w", "v"),
        ("ee|ea", "i"),
        ("oo", "u"),
        ("y", "i"),
        ("(?<=[a-zA-Z]{3})e$", ""),
    )
)
"""English spelling, in the order in which it is read; what is left sounds as it is written."""
RUSSIAN: Final = ((re.compile("dJ"), "J"),)
DOUBLE: Final = re.compile(r"(.)\1+")
WORD: Final = re.compile(r"\d+(?:\.\d+)?|[a-z]+|[а-я]+")
ENDINGS_RU: Final = (
    "иями", "ениям", "ением", "ения", "ение", "ений", "ями", "ами", "ого", "его", "ому", "ему", "ыми", "ими", "ить",
    "ать", "ять", "еть", "уть", "ишь", "ешь", "ает", "яет", "ует", "ают", "яют", "ите", "ете", "ок", "ек", "ая", "яя",
    "ое", "ее", "ые", "ие", "ый", "ий", "ой", "ей", "ом", "ем", "ам", "ям", "ах", "ях", "ов", "ев", "ую", "юю", "ия",
    "ья", "ию", "ью", "а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "й",
)  # fmt: skip
ENDINGS_EN: Final = ("ings", "ing", "ers", "ed", "er", "es", "s", "e")
LEAST_STEM: Final = 3
LEAST_PREFIX: Final = 4
LEAST_SLIP: Final = 5
MOST_WORDS: Final = 12
VOWELS: Final = frozenset("aeiouyаеиоуыэюя")
SPOKEN_NAMES: Final = frozenset(SPOKEN.values())
BY_TITLE: Final = 8
BY_ID: Final = 6
BY_CATEGORY: Final = 5
BY_PURPOSE: Final = 2
LATIN: Final = str.maketrans({
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "y", "к": "k",
    "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "h",
    "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya",
})  # fmt: skip


HALF, WHOLE = 1, 2


"""What a difference counts, in halves: of vowels and twins, of other sounds."""


@lru_cache(maxsize=4096)
def sound_of(word: str) -> str:
    """The sounds of a word in small letters, one sign each."""
    is_latin = word[:1] <= "z"
    text = word if is_latin else word.translate(CYRILLIC)
    for pattern, sound in SPOKEN_LATIN if is_latin else RUSSIAN:
        text = pattern.sub(sound, text)
    return DOUBLE.sub(r"\1", text)


def names_like(word: str, names: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The names that a word may be a spelling of; `names` are found by their sounds, see `by_sound`."""
    sound = sound_of(word)
    if len(sound) < LEAST_SOUNDS:
        return frozenset()
    if sound in names:
        return names[sound]
    found = (meant for known, meant in names.items() if known[:1] == sound[:1] and _is_near(sound, known))
    return frozenset(name for meant in found for name in meant)


def by_sound(names: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Names by every way they are written: pairs of a spelling and the name it means."""
    found: dict[str, set[str]] = {}
    for spelling, name in names:
        found.setdefault(sound_of(spelling), set()).add(name)
    return {sound: frozenset(meant) for sound, meant in found.items()}


def _is_near(sound: str, known: str) -> bool:
    allowed = next((most for length, most in ALLOWED if min(len(sound), len(known)) >= length), 0)
    return allowed > 0 and abs(len(sound) - len(known)) <= allowed and _difference(sound, known) <= allowed


def _difference(one: str, other: str) -> int:
    """How far two words lie apart, in halves of a sound."""
    row = [0]
    for sound in other:
        row.append(row[-1] + _weight(sound))
    for sound in one:
        above, row = row, [row[0] + _weight(sound)]
        for place, known in enumerate(other, start=1):
            changed = above[place - 1] + _exchange(sound, known)
            row.append(min(changed, above[place] + _weight(sound), row[-1] + _weight(known)))
    return row[-1]


def _weight(sound: str) -> int:
    return HALF if sound in SPOKEN_VOWELS else WHOLE


def _exchange(one: str, other: str) -> int:
    if one == other:
        return 0
    is_small = {one, other} <= SPOKEN_VOWELS or frozenset((one, other)) in TWINS
    return HALF if is_small else WHOLE


EXACT, BEGINS, SLIPPED = 4, 3, 2


"""How well a word fits: the same, one begins with the other, one letter is wrong or it only sounds alike."""


def search(models: Sequence[Model], words: str, *, every: bool = True) -> list[Model]:
    """The models that fit every word, or at least one, best first; equally good ones in the given order."""
    wanted = meaningful(words)
    if not wanted:
        return []
    terms = [_terms(each.id, each.titles, each.purpose, (each.category, *each.also), each.tags) for each in models]
    vocabulary = {term for known in terms for term in known}
    names = _names(frozenset(name for each in models for name in _brands(each.id, each.titles)))
    fitting = _in_two_words(wanted, [_fitting(word, vocabulary, names) for word in wanted], names)
    scores = [_score(known, fitting, every=every) for known in terms]
    found = [number for number, score in enumerate(scores) if score]
    return [models[number] for number in sorted(found, key=lambda number: -scores[number])]


def meaningful(words: str) -> list[str]:
    """The words that say something, as they are compared."""
    spoken = [SPOKEN.get(word, word) for word in _joined(_split(words)) if word not in SILENT]
    return list(dict.fromkeys(spoken))[:MOST_WORDS]


def _joined(words: Sequence[str]) -> list[str]:
    """The words, a name in two of them (`eleven labs`) as one."""
    found: list[str] = []
    for word in words:
        joined = found[-1] + word if found else ""
        if joined in SPOKEN or joined in SPOKEN_NAMES:
            found[-1] = joined
        else:
            found.append(word)
    return found


def stem(word: str) -> str:
    """A word without its ending."""
    endings = ENDINGS_EN if word[0] <= "z" else ENDINGS_RU
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word.removesuffix(ending)
    return word


def _split(text: str) -> list[str]:
    return WORD.findall(text.casefold().replace("ё", "е"))


@lru_cache(maxsize=1024)
def _terms(
    model_id: str,
    titles: LocalizedText | None,
    purpose: LocalizedText | None,
    categories: tuple[Category, ...],
    tags: tuple[Tag, ...],
) -> Mapping[str, int]:
    """Every word a model is found by, and how much it says of it."""
    found: dict[str, int] = {}

    def say(words: Iterable[str], weight: int) -> None:
        for word in words:
            found[word] = max(weight, found.get(word, 0))

    for title in (titles.ru, titles.en) if titles else ():
        say(_with_joined(_split(title)), BY_TITLE)
    say(_with_joined(_split(model_id)), BY_ID)
    for weight, known in (
        (BY_CATEGORY, [CATEGORY_WORDS[category] for category in categories]),
        (BY_PURPOSE, [*([purpose] if purpose else []), *(TAG_WORDS[tag] for tag in tags)]),
    ):
        for said in known:
            say(map(stem, _split(f"{said.ru} {said.en}")), weight)
    makers = [words for start, words in MAKERS.items() if model_id.startswith(start)]
    say((word for words in makers for word in words.split()), BY_ID)
    return found


def _with_joined(words: Sequence[str]) -> list[str]:
    """Words of a name, also without the space between them (`nanobanana`), and without their endings."""
    joined = [first + second for first, second in pairwise(words)]
    return [*words, *joined, *map(stem, words)]


@lru_cache(maxsize=1024)
def _brands(model_id: str, titles: LocalizedText | None) -> frozenset[str]:
    """The names a model goes by: how its title and its id begin, and who made it."""
    starts = [_name_of(_split(text)) for text in (titles.en if titles else "", model_id)]
    makers = [words.split() for start, words in MAKERS.items() if model_id.startswith(start)]
    return frozenset(word for words in (*starts, *makers) for word in words if "a" <= word[0] <= "z")


def _name_of(words: Sequence[str]) -> list[str]:
    """The first word of a title or an id, and the first two as one (`nanobanana`) where both are words."""
    is_long = len(words) > 1 and all("a" <= word[0] <= "z" for word in words[:2])
    return [*words[:1], *(["".join(words[:2])] if is_long else [])]


@lru_cache(maxsize=16)
def _names(brands: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """Names by their sounds, as they are written in Latin and as Russians write them."""
    spoken = ((spelling, name) for spelling, name in SPOKEN.items() if name in brands)
    return by_sound([*((name, name) for name in sorted(brands)), *spoken])


def _in_two_words(
    wanted: Sequence[str], fitting: Sequence[dict[str, int]], names: Mapping[str, frozenset[str]]
) -> list[dict[str, int]]:
    """What fits each word; where one fits nothing, it may be half of a name (`нана банана`)."""
    found: list[dict[str, int]] = []
    is_half = False
    for place, fits in enumerate(fitting):
        is_open = place > 0 and not is_half and not (fits and fitting[place - 1])
        meant = names_like(wanted[place - 1] + wanted[place], names) if is_open else frozenset()
        is_half = bool(meant)
        if is_half:
            found[-1] = dict.fromkeys(meant, SLIPPED)
        else:
            found.append(fits)
    return found


def _fitting(word: str, vocabulary: Iterable[str], names: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """The known words that a wanted one may be, and how well each fits."""
    forms = {word, stem(word)}
    if word[0] > "z":
        forms.add(word.translate(LATIN))
    fits = {term: max(_fit(form, term) for form in forms) for term in vocabulary}
    sure = {term: fit for term, fit in fits.items() if fit > SLIPPED}
    if sure or word[0].isdigit():
        return sure or {term: fit for term, fit in fits.items() if fit}
    meant = names_like(word, names) if word not in NO_NAMES else frozenset[str]()
    heard = {term: SLIPPED for term in meant if term in fits}
    return heard | {term: fit for term, fit in fits.items() if fit}


def _fit(word: str, term: str) -> int:
    if word == term:
        return EXACT
    if word[0].isdigit():
        return BEGINS if term.startswith(f"{word}.") else 0
    is_cyrillic = word[0] > "z"
    begins = term.startswith(word) or (is_cyrillic and len(term) >= LEAST_PREFIX and word.startswith(term))
    if begins and len(word) >= LEAST_PREFIX:
        return BEGINS
    is_long = min(len(word), len(term)) >= LEAST_SLIP
    return SLIPPED if is_long and _is_one_slip(word, term) else 0


def _is_one_slip(word: str, term: str) -> bool:
    """One letter too many, too few or wrong, or two letters changed places; a short word allows no wrong consonant."""
    if abs(len(word) - len(term)) > 1 or term[0].isdigit():
        return False
    start = next((at for at, (one, other) in enumerate(zip(word, term, strict=False)) if one != other), None)
    if start is None:
        return True
    one, other = word[start:], term[start:]
    swapped = one[1:2] + one[:1] + one[2:]
    is_wrong = one[1:] == other[1:] and (len(word) > LEAST_SLIP or {one[0], other[0]} <= VOWELS)
    return is_wrong or one[1:] == other or one == other[1:] or swapped == other


def _score(known: Mapping[str, int], fitting: Sequence[Mapping[str, int]], *, every: bool) -> int:
    """How well a model fits; 0 when no word does, or when `every` one must and one does not."""
    best = [max((known[term] * fit for term, fit in each.items() if term in known), default=0) for each in fitting]
    return sum(best) if all(best) or not every else 0
