"""Plain words become a plan by rules alone: the wish, the settings, the model named, and the description that is left.

The examples are the rules' own; how well they understand others is measured in test_assistant_evaluation.py.
"""

from time import process_time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from photomat.assistant.plan import Plan, Request
from photomat.assistant.rules import plan
from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.input import FILE_KINDS, FileKind
from photomat.catalog.load import load_catalog
from photomat.catalog.order import missing
from photomat.catalog.storefront import ModelSetting, Storefront, storefront_of
from photomat.catalog.wishes import wishes
from support.cases import for_each

SHOP = storefront_of(load_catalog(), {}, accepts_callbacks=True)
MAX_S = 0.3
"""What the chat allows; a plan takes some milliseconds."""

WISHES = """
picture: нарисуй мне пожалуйста кота в шляпе
picture: картина: музыкант играет песню
picture: певец поёт на сцене, неон
picture: обложка для трека в стиле вапорвейв
picture: привет, можешь нарисовать единорога?
picture: гимнастка на бревне
picture: оживлённая улица в Токио
picture: кот смотрит видео
picture: a film director on set, 35mm
picture: film noir detective under a street lamp
picture: a dj playing a song at a party
picture: 80s sports car, muted colors
picture: animal portrait of a fox
picture: make me a picture of a red dragon
picture: нарсуй катринку с котом
video: сделай ролик про кофе
video: видео без звука: камин
video: снежинка падает — короткое видео
video: не картинку, а видео: котик бежит
video: дрон летит над горами, 5 секунд
video: У меня кафе. Сделай видео с чашкой кофе
video: a funny cat video
video: create a short film about a lonely robot
video: хайлуо девушка открывает зонт
video: сора: город под водой
music: песня про художника
music: сочини колыбельную для дочки
music: рэп про понедельник
music: техно трек для зала
music: birthday song for mom
music: суно: рок баллада про дорогу
lyrics: напиши текст песни про лето
voice: озвучь: привет мир
voice: прочитай голосом диктора добро пожаловать
voice: text to speech hello my friend
voice: женским голосом: поезд прибывает
sound: звук грома
sound: dog barking sound
animate: оживи мою фотографию
animate: turn my photo into a video
enhance: улучши качество фото
background: убери фон с фотографии
edit: отреставрируй старую фотографию
clip: сделай клип на мою песню
extend-song: продли мою песню
edit+image: в стиле аниме
edit+image: добавь шляпу
edit+image: убери людей на заднем плане
edit+image: портрет маслом
edit+image: turn me into a pixar character
edit+image: blur the background
edit+image:
edit+image: спасибо
animate+image: сделай видео
animate+image: девушка машет рукой
animate+image: сделай чтобы листья падали
animate+image: make the dog run
animate+image: видео 5 секунд
enhance+image: сделай почётче
enhance+image: до 4к
background+image: сделай фон прозрачным
background+image: cut out the person
avatar+image: пусть скажет: всем привет
avatar+image: make her speak
read+image: что на фото?
read+image: describe this photo
revideo+video: сделай в стиле лего
revideo+video:
extend-video+video: продли на 5 секунд
enhance-video+video: улучши качество
cover+audio: сделай кавер в стиле джаз
extend-audio+audio: продолжи песню
clean-audio+audio: убери шум
song-tools+audio: раздели на вокал и музыку
song-tools+audio: сделай караоке
"""

NO_WISHES = """
привет
Добрый вечер!
спасибо, супер
ок
?
👍
2026
сколько стоит видео?
а сколько будет стоить ролик
как пополнить баланс
как сделать видео?
где мой заказ
что ты умеешь?
верните деньги
hello
thanks a lot
how much does it cost?
what can you do
can you help me?
"""

DESCRIPTIONS = {
    "нарисуй мне, пожалуйста, кота в шляпе": "кота в шляпе",
    "сделай картинку: кот на луне": "кот на луне",
    "хочу картинку с котом и собакой": "картинку с котом и собакой",
    "make me a picture of a red dragon, 16:9": "a red dragon",
    "сделай видео: Кот бежит по крыше, вертикально, 10 секунд": "Кот бежит по крыше",
    "логотип для кофейни": "логотип для кофейни",
    "обложка для ютуба про путешествия": "обложка для ютуба про путешествия",
    "напиши песню про лето без слов": "песню про лето",
    "закат на море, видео 10 секунд": "закат на море",
    "нарисуй город в 4к через нано банану": "город",
    "озвучь: Привет, мир!": "Привет, мир!",
    "озвучь мужским голосом «Внимание, двери закрываются»": "Внимание, двери закрываются",
    "скажи женским голосом привет всем": "привет всем",
    "read aloud: In the beginning, 5 seconds before dawn": "In the beginning, 5 seconds before dawn",
    "есть идея: город на спине черепахи": "есть идея: город на спине черепахи",
    "хочу песню": "",
    "Ёжик в тумане İstanbul": "Ёжик в тумане İstanbul",
}

SETTINGS: dict[str, dict[str, Any]] = {
    "кот на луне, вертикально": {"aspect_ratio": "9:16"},
    "горы для сторис": {"aspect_ratio": "9:16"},
    "обои на рабочий стол, горы": {"aspect_ratio": "16:9"},
    "лес, 16:9": {"aspect_ratio": "16:9"},
    "лес, 16 на 9": {"aspect_ratio": "16:9"},
    "встреча в 12:30 у фонтана": {},
    "видео кот 10 секунд": {"duration": "10"},
    "видео кот на пять секунд": {"duration": "5"},
    "видео кот 100 секунд": {"duration": "15"},
    "видео водопада в 4к": {"mode": "4K"},
    "видео водопада в full hd": {"resolution": "1080P"},
    "видео водопада со звуком": {"audio": "true"},
    "музыка для сна без слов": {"instrumental": "true"},
    "музыка для сна на 2 минуты": {"custom_mode": "true", "instrumental": "true", "duration": "120"},
    "озвучь на испанском: hola": {"language_code": "es"},
    "озвучь: говорю на испанском женским голосом": {},
    "4 варианта логотипа": {"max_images": "4"},
}

MODELS = {
    "нано банана про: рыцарь": "nano-banana-pro",
    "нано банана про рыцаря": "nano-banana-2-1",
    "рыцарь через нано банану": "nano-banana-2-1",
    "generate a video with Kling 2.6 of a storm": "kling-2.6/text-to-video",
    "gpt image 2 a minimal poster": "gpt-image-2-text-to-image",
    "seedance 2 fast street race": "bytedance/seedance-2-fast",
    "нарисуй kling на стене": "z-image",
    "fashion runway in Paris": "z-image",
}


def planned(words: str, attached: FileKind | None = None, shop: Storefront = SHOP) -> Plan | None:
    return plan(Request(words=words, language="ru", attached=attached), shop)


def sure(words: str, attached: FileKind | None = None) -> Plan:
    found = planned(words, attached)
    assert found is not None
    return found


@for_each(WISHES.strip().splitlines(), name=str)
def test_the_wish_is_recognised(line: str) -> None:
    meant, _, words = line.partition(":")
    wish, _, kind = meant.partition("+")
    attached = next((each for each in FILE_KINDS if each == kind), None)
    assert sure(words.strip(), attached).wish.id == wish


@for_each(NO_WISHES.strip().splitlines(), name=str)
def test_what_is_no_wish_becomes_no_plan(words: str) -> None:
    assert planned(words) is None


@for_each(DESCRIPTIONS.items(), name=lambda each: each[0])
def test_the_description_is_what_was_said_without_the_command(case: tuple[str, str]) -> None:
    words, description = case
    found = sure(words)
    assert found.words == description
    assert description in {"", *found.inputs.values()}


@for_each(SETTINGS.items(), name=lambda each: each[0])
def test_settings_are_filled_in_with_the_models_own_values(case: tuple[str, dict[str, Any]]) -> None:
    words, wanted = case
    inputs = sure(words).inputs
    assert {name: value for name, value in inputs.items() if name not in {"prompt", "text", "title", "style"}} == wanted


@for_each(MODELS.items(), name=lambda each: each[0])
def test_a_named_model_is_taken_where_it_serves_the_wish(case: tuple[str, str]) -> None:
    words, model = case
    assert sure(words).model.id == model


def test_a_named_model_that_takes_no_photo_gives_way_to_its_sibling_that_does() -> None:
    assert sure("сидрим 4.5: добавь снег", "image").model.id == "seedream/4.5-edit"


def test_words_of_a_song_are_sung_in_the_style_said_before_them() -> None:
    found = sure("Напиши песню в стиле рок, текст:\nЯ иду домой\nи пою")
    assert found.inputs["lyrics"] == "Я иду домой\nи пою"
    assert found.inputs["style"] == "песню в стиле рок"
    assert missing(found.model, found.inputs) == ()


def test_a_long_text_goes_to_a_model_that_takes_all_of_it() -> None:
    long = "кот и собака гуляют по крыше " * 100
    found = sure(long)
    assert found.inputs["prompt"] == long.strip()


def test_a_photo_without_words_about_it_is_animated_with_the_usual_ones() -> None:
    usual = wishes()["animate"].prompt
    assert usual is not None
    assert sure("оживи фото", "image").inputs["prompt"] == usual.ru


def test_what_else_the_message_may_mean_is_offered() -> None:
    assert {"video", "music", "voice"} <= {each.id for each in sure("кот").alternatives}
    others = {each.id for each in sure("в стиле аниме", "image").alternatives}
    assert {"animate", "enhance", "background"} <= others
    assert "edit" not in others


def test_nothing_is_planned_that_is_not_sold() -> None:
    hidden = {each: ModelSetting(hidden=True) for each in wishes()["sound"].models}
    shop = storefront_of(load_catalog(), hidden, accepts_callbacks=True)
    assert planned("звук грома", shop=shop) is None
    assert "sound" not in {each.id for each in plan(Request(words="кот", language="ru"), shop).alternatives}  # type: ignore[union-attr]


def test_an_operators_favourite_comes_first() -> None:
    shop = storefront_of(load_catalog(), {"google/imagen4": ModelSetting(featured=True)}, accepts_callbacks=True)
    found = planned("кот", shop=shop)
    assert found is not None
    assert found.model.id == "google/imagen4"


PIECES = st.sampled_from([
    "нарисуй", "видео", "песню про", "озвучь:", "убери фон", "текст:", "через клинг 2.6", "16:9", "5 секунд", "в 4к",
    "4 варианта", "без слов", "кот", "\n", ",", ":", "«", "»", "—", "?", "со звуком", "make a song about", "x4", "\u0130",
    "ё", "на две минуты", "0:0",
])  # fmt: skip


@given(
    words=st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=12).map(" ".join)),
    attached=st.sampled_from([None, *FILE_KINDS]),
    language=st.sampled_from(["ru", "en"]),
)
@settings(max_examples=300, deadline=None)
@example(words="текст: " + "ля " * 2000, attached=None, language="ru")
@example(words="напиши песню\n" + "ля ля\n" * 900, attached=None, language="ru")
def test_any_text_gives_no_plan_or_one_whose_inputs_fit(words: str, attached: FileKind | None, language: str) -> None:
    found = plan(Request(words=words, language=language, attached=attached), SHOP)
    if found is None:
        return
    assert found.model.id in SHOP.on_sale
    for name, value in found.inputs.items():
        asked = found.model.input(name)
        assert asked is not None
        assert not isinstance(check_answer(asked, value), Refused)
    assert not any(never.holds(found.model.filled(found.inputs)) for never in found.model.never)


@pytest.mark.parametrize(
    "words",
    ["а" * 4000, "через клинг " * 340, "убери " * 650, "16:9 " * 800, "пять секунд " * 330, "кот, " * 800, ": " * 2000],
    ids=lambda words: words[:12],
)
@pytest.mark.parametrize("attached", [None, "image"])
def test_a_long_message_takes_no_longer_than_the_chat_allows(words: str, attached: FileKind | None) -> None:
    planned("кот")
    began = process_time()
    planned(words, attached)
    assert process_time() - began < MAX_S
