"""What people type finds what they mean: other endings, slips of the finger, brand names in Cyrillic, both languages."""

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.search import meaningful, search, stem
from support.shelves import offers, shelf

EVERY = list(load_catalog().models.values())
MODELS = [each.as_found for each in offers(shelf())]
TYPED = [
    ("оживить фото", "image-to-video"),
    ("оживи фотку", "image-to-video"),
    ("оживление фотографий", "image-to-video"),
    ("видео из фото", "image-to-video"),
    ("сделать видео", "video"),
    ("клинг", "Kling"),
    ("клинг 3", "Kling 3"),
    ("кинг", None),
    ("вео", "Veo"),
    ("вео 3", "Veo 3.1"),
    ("суно", "Suno"),
    ("музыка", "Suno"),
    ("хочу песню", "Suno"),
    ("текст песни", "Suno: текст песни"),
    ("озвучка", "text-to-speech"),
    ("озвучить текст", "text-to-speech"),
    ("убрать фон", "Убрать фон"),
    ("удали фон", "Убрать фон"),
    ("апскейл", "upscale"),
    ("увеличить фото", "Topaz: увеличить фото"),
    ("четкость", "Recraft: чёткость"),
    ("аватар", "avatar"),
    ("говорящее фото", "avatar"),
    ("нано банана", "Nano Banana"),
    ("нанобанана", "Nano Banana"),
    ("флюкс", "Flux"),
    ("джипити", "GPT"),
    ("сиданс", "Seedance"),
    ("рунвей", "Runway"),
    ("хайлуо", "Hailuo"),
    ("ван 3", "Wan 3.0"),
    ("прадлить видео", "продлить видео"),
    ("звуки", "sound-effects"),
    ("чистый голос", "ElevenLabs: чистый голос"),
    ("animate photo", "image-to-video"),
    ("remove background", "Убрать фон"),
    ("lip sync", "avatar"),
    ("text to speech", "text-to-speech"),
    ("nano bannana", "Nano Banana"),
    ("seedence", "Seedance"),
    ("veo3", "Veo 3.1"),
    ("z image", "Z-Image"),
    ("zimage", "Z-Image"),
    ("Z-IMAGE", "Z-Image"),
    ("chatgpt", "GPT"),
    ("google video", "Gemini Omni|Veo"),
    ("lyrics", "Suno"),
    ("гпт имидж", "GPT Image"),
    ("жпт", "GPT"),
    ("зет имидж", "Z-Image"),
    ("з-имидж", "Z-Image"),
    ("элевен лабс", "ElevenLabs"),
    ("11labs", "ElevenLabs"),
    ("eleven labs", "ElevenLabs"),
    ("чат гпт", "GPT"),
    ("нана банана", "Nano Banana"),
    ("нанабанано видео", None),
    ("вио", "Veo"),
    ("вио 3", "Veo 3.1"),
]

SPELLINGS = [
    ("flex", "флекс"),
    ("gpt image", "гпт имидж"),
    ("z-image", "з-имидж"),
    ("qwen", "кувен"),
    ("midjourney", "mid journey"),
    ("midjourney", "мид журни"),
]


@pytest.mark.parametrize(("typed", "meant"), TYPED)
def test_what_people_type_finds_what_they_mean(typed: str, meant: str | None) -> None:
    found = search(MODELS, typed)
    if meant is None:
        assert found == []
        return
    first = found[0]
    said = (first.title_in("ru"), first.title_in("en"), first.category, *first.also, first.kind)
    assert any(each in word for word in said for each in meant.split("|")), (typed, said)


@pytest.mark.parametrize(
    "typed",
    [
        "кот",
        "кота",
        "нарисуй кота",
        "a cat",
        "кот-космонавт",
        "привет",
        "спасибо",
        "как дела",
        "сколько стоит",
        "",
        "!?",
        "в на по",
    ],
)
def test_what_is_no_model_finds_none(typed: str) -> None:
    assert search(MODELS, typed) == []


@pytest.mark.parametrize(
    "typed",
    [
        "аниме",
        "anime",
        "в стиле аниме",
        "акварель",
        "акварелью",
        "Watercolor",
        "мультик",
        "комиксы",
        "манга",
        "нарисуй аниме",
    ],
)
def test_a_style_finds_two_pages_of_models_that_draw_and_no_videos(typed: str) -> None:
    found = search(MODELS, typed)
    assert 1 <= len(found) <= 20
    assert {each.kind for each in found} == {"image"}
    assert "best" in found[0].tags


def test_a_style_beside_another_wish_does_not_change_the_wish() -> None:
    assert search(MODELS, "аниме видео") == search(MODELS, "видео")
    assert search(MODELS, "anime music") == search(MODELS, "music")
    assert {each.kind for each in search(MODELS, "сделать аниме из фото")} == {"image"}
    assert search(MODELS, "анимация")[0].kind == "video", "a style is not what only begins like one"
    assert search(MODELS, "animate photo")[0].kind == "video"


def test_every_model_is_found_by_its_own_name_in_both_languages() -> None:
    for language in ("ru", "en"):
        lost = [each.id for each in MODELS if each not in search(MODELS, each.title_in(language))[:10]]
        assert lost == [], language


def test_what_fits_some_words_is_found_where_that_is_asked_for() -> None:
    assert search(MODELS, "звуки дождя") == []
    assert search(MODELS, "звуки дождя", every=False)[0].category == "sound-effects"


def test_a_model_that_is_free_now_is_found_by_that() -> None:
    free = [each.as_found for each in offers(shelf(), free=("z-image",))]
    assert "z-image" in {each.id for each in search(free, "бесплатные")}
    assert "z-image" not in {each.id for each in search(MODELS, "бесплатные")}


def test_a_name_finds_the_same_however_it_is_written() -> None:
    for name, written in SPELLINGS:
        assert {each.id for each in search(EVERY, name)} == {each.id for each in search(EVERY, written)} != set(), (
            written
        )


def test_endings_are_cut_and_small_words_say_nothing() -> None:
    assert len({stem(word) for word in ("картинка", "картинки", "картинку", "картинками")}) == 1
    assert stem("кот") == "кот"
    assert meaningful("хочу оживить фото для мамы") == ["оживить", "фото", "мамы"]
