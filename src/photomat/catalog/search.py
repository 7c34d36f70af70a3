"""Find models by words, in both languages, with other endings, typing errors and names spelled by their sound. Pure.

Every word that says something must fit a model; the better it fits (its name before its purpose), the higher the model ranks.
Where no model fits every word, those that fit some can be asked for.

A brand is found however it is spelled, in either alphabet: a word becomes the sounds it stands for (`сидэнс` and `seedance`
differ in one vowel), and two words are one name when their sounds differ by little: a vowel counts half, as does a consonant
for its voiced counterpart. Short names allow no difference, because ordinary words are too close to them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from photomat.catalog.model import Category, Model, ModelTag
from photomat.catalog.words import LocalizedText

CATEGORY_WORDS: Final[Mapping[Category, str]] = {
    "text-to-image": (
        "картинка изображение рисунок нарисовать нарисуй создать генерация стикер арт иллюстрация логотип постер фото"
        " picture image draw art illustration logo poster create generate"
    ),
    "image-to-image": "изменить фото фотка фотография переделать стиль ремикс picture photo image change restyle remix",
    "image-edit": (
        "изменить правка редактор редактировать фото фотка фотошоп реставрация восстановить"
        " photo restore edit editor retouch inpaint change"
    ),
    "background-removal": "убрать удалить вырезать фон прозрачный remove delete cut background transparent png",
    "upscale": (
        "улучшить увеличить качество чёткость разрешение апскейл фото видео"
        " photo video enhance upscale sharpen resolution quality hd 4k"
    ),
    "image-analysis": (
        "разбор разметка найти распознать анализ картинки фото analyse analysis detect segment read image"
    ),
    "text-to-video": "видео ролик клип фильм анимация снять video clip film movie animation create",
    "image-to-video": (
        "оживить оживление фото фотка фотография картинка видео анимация двигается"
        " animate photo picture image video bring alive"
    ),
    "reference-to-video": "видео образцам персонаж референс reference character consistent video",
    "video-to-video": "изменить видео правка монтаж продлить стиль движение video edit change extend restyle motion",
    "avatar": (
        "аватар говорящее фото голова губы липсинк дубляж диктор"
        " avatar talking photo head lip sync lipsync dub presenter"
    ),
    "music": "музыка песня трек мелодия бит кавер ремикс music song track melody beat cover",
    "music-tool": (
        "музыка песня инструменты текст песни слова минусовка вокал дорожки"
        " music song tool lyrics stems vocals instrumental"
    ),
    "sound-effects": "звук звуки шум эффекты sound effects sfx noise",
    "text-to-speech": (
        "озвучка озвучить голос речь диктор читать текст tts text voice speech speak read aloud narrator voiceover"
    ),
    "speech-to-text": (
        "расшифровка текст речи распознать речь субтитры транскрипция transcribe transcript speech text stt subtitles"
    ),
    "audio-isolation": "чистый голос убрать шум очистить звук шумоподавление clean voice remove noise isolate denoise",
}
"""What customers call a category, in both languages."""
TAG_WORDS: Final[Mapping[ModelTag, str]] = {
    "best": "лучшее лучшие топ best top",
    "new": "новое новые новинки new latest",
    "cheap": "дёшево дешёвые недорого cheap inexpensive budget",
    "free": "бесплатно бесплатные даром free",
    "fast": "быстро быстрые fast quick turbo",
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
SPELLINGS: Final[Mapping[str, str]] = {
    "aleph": "алеф",
    "chatgpt": "чатгпт",
    "elevenlabs": "11labs илевенлабс элевен элевенлабс",
    "flex": "флекс",
    "flux": "флакс флюкс",
    "gemini": "гемини джемини",
    "google": "гугл",
    "gpt": "гпт джипити дипити жпт",
    "hailuo": "хайло хайлуо",
    "happyhorse": "хэппихорс",
    "image": "имедж имейдж имидж",
    "imagen": "имаджен",
    "infinitalk": "инфинитолк",
    "kontext": "контекст",
    "midjourney": "мидджорни миджорни",
    "minimax": "минимакс",
    "omnihuman": "омнихьюман",
    "openai": "опенай",
    "pixverse": "пиксверс",
    "qwen": "кванг квен кувен куин",
    "recraft": "рекрафт",
    "runway": "ранвей рунвей рэнвей",
    "seedance": "сиданс",
    "seedream": "сидрим",
    "upscale": "апскейл",
    "veo": "вейо вио вэо",
    "wan": "ван",
    "z": "з зет зэт",
}
"""Names as Russians write them, where letter by letter would not do (`клинг`, `вео`, `суно` need no entry).

A name written in two words (`элевен лабс`, `mid journey`) is found here without the space.
"""
SPOKEN: Final = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings.split()}
STYLES: Final = frozenset({
    "аним", "анимешн", "манг", "акварел", "мультик", "мультяшн", "комикс", "пиксел", "реализм",
    "фотореализм", "киберпанк", "гибл", "гравюр", "импрессионизм", "сюрреализм",
    "anim", "manga", "watercolor", "watercolour", "cartoon", "comic", "pixel", "realism", "photorealism",
    "cyberpunk", "ghibli", "engrav", "impressionism", "surrealism",
})  # fmt: skip
"""Styles of pictures, without their endings. No model is named after one, so they find models that draw."""
DRAWN: Final = "text-to-image"
PICTURES: Final = frozenset({"text-to-image", "image-to-image", "image-edit"})
MAX_STYLED: Final = 20
"""A style fits every model that draws; more than two pages of them help no one to choose."""
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
MIN_SOUNDS: Final = 4
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
MIN_STEM: Final = 3
MIN_PREFIX: Final = 4
MIN_SLIP: Final = 5
MAX_WORDS: Final = 12
VOWELS: Final = frozenset("aeiouyаеиоуыэюя")
BY_TITLE: Final = 8
BY_ID: Final = 6
BY_CATEGORY: Final = 5
BY_PURPOSE: Final = 2
LATIN: Final = str.maketrans({
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "y", "к": "k",
    "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "h",
    "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya",
})  # fmt: skip
EXACT, BEGINS, SLIPPED = 4, 3, 2
"""How well a word fits: the same, one begins with the other, one letter is wrong or it only sounds alike."""
HALF, WHOLE = 1, 2
"""What a difference counts, in halves: of vowels and twins, of other sounds."""


NamesBySound: TypeAlias = Mapping[str, Mapping[str, frozenset[str]]]
"""Names by the first sound, then by all sounds of their spellings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNames:
    """The names that models and their makers go by, as they are written, and by their sounds: see `by_sound`."""

    by_sound: NamesBySound
    written: frozenset[str]


def search(models: Sequence[Model], words: str, *, every: bool = True) -> list[Model]:
    """The models that fit every word, or at least one, best first; equally good ones in the given order.

    A style («аниме») names no model: it asks for one that draws, unless the other words ask for something else.
    """
    wanted = meaningful(words)
    others = [word for word in wanted if stem(word) not in STYLES]
    if others == wanted:
        return _search(models, wanted, every=every)
    found = _search(models, others, every=every) if others else [each for each in models if each.category == DRAWN]
    pictures = [each for each in found if each.category in PICTURES]
    return pictures[:MAX_STYLED] or found


def _search(models: Sequence[Model], wanted: Sequence[str], *, every: bool) -> list[Model]:
    if not wanted:
        return []
    terms = [_terms(each.id, each.titles, each.purpose, (each.category, *each.also), each.tags) for each in models]
    vocabulary = {term for known in terms for term in known}
    names = names_of(models).by_sound
    fitting = _in_two_words(wanted, [_fitting(word, vocabulary, names) for word in wanted], names)
    scores = [_score(known, fitting, every=every) for known in terms]
    found = [number for number, score in enumerate(scores) if score]
    return [models[number] for number in sorted(found, key=lambda number: -scores[number])]


def names_of(models: Iterable[Model]) -> ModelNames:
    return _names(frozenset(name for each in models for name in _brands(each.id, each.titles)))


def meaningful(words: str) -> list[str]:
    """The words that say something, as they are compared."""
    spoken = [SPOKEN.get(word, word) for word in _joined(_split(words)) if word not in SILENT]
    return list(dict.fromkeys(spoken))[:MAX_WORDS]


def _joined(words: Sequence[str]) -> list[str]:
    """The words, a name in two of them (`eleven labs`) as one."""
    found: list[str] = []
    for word in words:
        joined = found[-1] + word if found else ""
        if joined in SPOKEN or joined in SPELLINGS:
            found[-1] = joined
        else:
            found.append(word)
    return found


def stem(word: str) -> str:
    endings = ENDINGS_EN if word[0] <= "z" else ENDINGS_RU
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
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
    tags: tuple[ModelTag, ...],
) -> Mapping[str, int]:
    """Every word a model is found by, and its weight."""
    found: dict[str, int] = {}

    def say(words: Iterable[str], weight: int) -> None:
        for word in words:
            found[word] = max(weight, found.get(word, 0))

    for title in (titles.ru, titles.en) if titles else ():
        say(_with_joined(_split(title)), BY_TITLE)
    say(_with_joined(_split(model_id)), BY_ID)
    say(map(stem, _split(" ".join(CATEGORY_WORDS[category] for category in categories))), BY_CATEGORY)
    purposes = f"{purpose.ru} {purpose.en}" if purpose else ""
    say(map(stem, _split(" ".join((purposes, *(TAG_WORDS[tag] for tag in tags))))), BY_PURPOSE)
    say(_makers(model_id), BY_ID)
    return found


def _with_joined(words: Sequence[str]) -> list[str]:
    """Words of a name, also without the space between them (`nanobanana`), and without their endings."""
    joined = [first + second for first, second in pairwise(words)]
    return [*words, *joined, *map(stem, words)]


@lru_cache(maxsize=1024)
def _brands(model_id: str, titles: LocalizedText | None) -> frozenset[str]:
    """The names a model goes by: how its title and its id begin, and who made it."""
    starts = [_name_of(_split(text)) for text in (titles.en if titles else "", model_id)]
    return frozenset(word for words in (*starts, _makers(model_id)) for word in words if "a" <= word[0] <= "z")


def _makers(model_id: str) -> list[str]:
    return [word for start, words in MAKERS.items() if model_id.startswith(start) for word in words.split()]


def _name_of(words: Sequence[str]) -> list[str]:
    """The first word of a title or an id, and the first two as one (`nanobanana`) where both are words."""
    is_long = len(words) > 1 and all("a" <= word[0] <= "z" for word in words[:2])
    return [*words[:1], *(["".join(words[:2])] if is_long else [])]


@lru_cache(maxsize=16)
def _names(brands: frozenset[str]) -> ModelNames:
    """Names by their sounds, as they are written in Latin and as Russians write them."""
    spoken = ((spelling, name) for spelling, name in SPOKEN.items() if name in brands)
    return ModelNames(by_sound=by_sound([*((name, name) for name in sorted(brands)), *spoken]), written=brands)


def _in_two_words(
    wanted: Sequence[str], fitting: Sequence[dict[str, int]], names: NamesBySound
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


def _fitting(word: str, vocabulary: Iterable[str], names: NamesBySound) -> dict[str, int]:
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
    begins = term.startswith(word) or (is_cyrillic and len(term) >= MIN_PREFIX and word.startswith(term))
    if begins and len(word) >= MIN_PREFIX:
        return BEGINS
    is_long = min(len(word), len(term)) >= MIN_SLIP
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
    is_wrong = one[1:] == other[1:] and (len(word) > MIN_SLIP or {one[0], other[0]} <= VOWELS)
    return is_wrong or one[1:] == other or one == other[1:] or swapped == other


def _score(known: Mapping[str, int], fitting: Sequence[Mapping[str, int]], *, every: bool) -> int:
    """How well a model fits; 0 when no word does, or when `every` one must and one does not."""
    best = [max((known[term] * fit for term, fit in each.items() if term in known), default=0) for each in fitting]
    return sum(best) if all(best) or not every else 0


@lru_cache(maxsize=4096)
def sound_of(word: str) -> str:
    """The sounds of a lower-case word, one character each."""
    is_latin = word[:1] <= "z"
    text = word if is_latin else word.translate(CYRILLIC)
    for pattern, sound in SPOKEN_LATIN if is_latin else RUSSIAN:
        text = pattern.sub(sound, text)
    return DOUBLE.sub(r"\1", text)


def names_like(word: str, names: NamesBySound) -> frozenset[str]:
    """The names that a word may be a spelling of."""
    sound = sound_of(word)
    if len(sound) < MIN_SOUNDS:
        return frozenset()
    alike = names.get(sound[0], {})
    if sound in alike:
        return alike[sound]
    return frozenset(name for known, meant in alike.items() if _is_near(sound, known) for name in meant)


def by_sound(names: Iterable[tuple[str, str]]) -> NamesBySound:
    """Names by the first sound and then all sounds of their spellings, from pairs of a spelling and a name."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for spelling, name in names:
        sound = sound_of(spelling)
        alike = found.setdefault(sound[:1], {})
        alike[sound] = alike.get(sound, frozenset()) | {name}
    return found


@lru_cache(maxsize=16_384)
def _is_near(sound: str, known: str) -> bool:
    allowed = next((most for length, most in ALLOWED if min(len(sound), len(known)) >= length), 0)
    return allowed > 0 and abs(len(sound) - len(known)) <= allowed and _difference(sound, known) <= allowed


def _difference(one: str, other: str) -> int:
    """The edit distance of two words, in halves of a sound."""
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
