"""What somebody typed, as an answer: forgiving where it is clear what is meant."""

from dataclasses import replace
from decimal import Decimal

import pytest

from photomat.bot.order_form.parsing import parse_answer, parse_lines
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.options import values
from photomat.catalog.words import LocalizedText

CATALOG = load_catalog()
VOICE = Input(
    name="voice",
    type="choice",
    required=True,
    options=("a1", "b2"),
    labels={
        "a1": LocalizedText(ru="Анна — тёплый", en="Anna — warm"),
        "b2": LocalizedText(ru="Борис — низкий", en="Boris — deep"),
    },
)
SECONDS = Input(
    name="duration", type="number", required=True, least=Decimal(2), most=Decimal(15), step=Decimal(1), default="5"
)
SEED = Input(name="seed", type="number", required=False, least=Decimal(0), most=Decimal(2147483647), step=Decimal(1))
SWITCH = Input(name="sound", type="switch", required=False)
LINES = Input(
    name="lines",
    type="list",
    required=True,
    main="text",
    fields=(Input(name="text", type="text", required=True, max_length=20), VOICE, SECONDS),
)


@pytest.mark.parametrize("typed", ["a1", "A1", "анна", "АННА — тёплый", " Anna ", "anna — warm"])
def test_an_option_is_known_by_value_and_by_its_names_in_both_languages(typed: str) -> None:
    assert parse_answer(VOICE, typed, "ru") == "a1"


def test_an_option_that_is_a_number_may_come_with_its_unit() -> None:
    length = Input(name="duration", type="choice", required=True, options=("5", "10"))
    assert parse_answer(length, "10 секунд", "ru") == "10"
    assert isinstance(parse_answer(length, "7 секунд", "ru"), Refused)


def test_an_unknown_option_is_told_the_names_there_are() -> None:
    assert parse_answer(VOICE, "Вера", "ru") == Refused(
        key="form-expects-choice", facts={"options": "Анна — тёплый, Борис — низкий"}
    )


def test_of_many_options_only_some_are_told() -> None:
    model = CATALOG.get("suno/vocal-removal")
    stem = model.input("stemName")
    assert stem is not None
    refused = parse_answer(stem, "нет такого", "ru")
    assert isinstance(refused, Refused)
    assert str(refused.facts["options"]).endswith("…")
    assert len(str(refused.facts["options"])) < 500


@pytest.mark.parametrize(
    ("typed", "kept"), [("7", "7"), (" 7 секунд", "7"), ("7с", "7"), ("7,0", "7"), ("15 s.", "15")]
)
def test_a_number_may_come_with_its_unit(typed: str, kept: str) -> None:
    assert parse_answer(SECONDS, typed, "ru") == kept


@pytest.mark.parametrize("typed", ["1", "16", "2.5", "семь", "", "5 5", "1e3", "-7"])
def test_a_number_beyond_its_bounds_or_between_its_steps_is_refused(typed: str) -> None:
    assert isinstance(parse_answer(SECONDS, typed, "ru"), Refused)


@pytest.mark.parametrize(("typed", "kept"), [("Да", "true"), ("yes", "true"), ("НЕТ", "false"), ("выкл", "false")])
def test_yes_and_no(typed: str, kept: str) -> None:
    assert parse_answer(SWITCH, typed, "ru") == kept


def test_few_numbers_are_all_offered_and_of_many_the_likely_ones() -> None:
    assert values(
        Input(name="n", type="number", required=True, least=Decimal(1), most=Decimal(4), step=Decimal(1))
    ) == (
        "1",
        "2",
        "3",
        "4",
    )
    assert values(SECONDS) == ("2", "5", "15")
    assert values(SEED) == (), "nobody taps the largest number there is, and one button is no choice"
    assert values(SWITCH) == ("true", "false")
    assert values(LINES) == ()


def test_each_line_of_a_message_is_one_with_what_it_says_of_its_other_fields() -> None:
    assert parse_lines(LINES, "Привет!\n\nборис: И тебе | 7 с\nПока | анна | 3", "ru") == [
        {"text": "Привет!"},
        {"text": "И тебе", "voice": "b2", "duration": "7"},
        {"text": "Пока", "voice": "a1", "duration": "3"},
    ]


def test_what_is_no_value_of_a_field_is_refused_after_a_bar_and_text_before_a_colon() -> None:
    refused = parse_lines(LINES, "да | нет", "ru")
    assert isinstance(refused, Refused)
    assert (refused.key, refused.facts["value"], refused.facts["input"]) == ("form-line-choice", "нет", "voice")
    assert parse_lines(LINES, "Итак: начнём", "ru") == [{"text": "Итак: начнём"}]


def test_a_line_that_is_too_long_is_refused_with_its_limit() -> None:
    refused = parse_lines(LINES, "я" * 21, "ru")
    assert isinstance(refused, Refused)
    assert (refused.key, refused.facts["limit"]) == ("form-too-long", 20)


def test_numbers_of_a_plain_list_may_stand_beside_each_other() -> None:
    parts = Input(name="mask_indexs", type="list", required=False, sends="number")
    assert parse_lines(parts, "1, 3 5;7\n9", "ru") == ["1", "3", "5", "7", "9"]


SHOTS = Input(
    name="shots",
    type="list",
    required=True,
    fields=(Input(name="scene", type="text", required=True), replace(SECONDS, default=None)),
)


@pytest.mark.parametrize(
    ("typed", "scene"),
    [
        ("кот летит | 5", "кот летит"),
        ("кот, пёс и слон летят | 5 с", "кот, пёс и слон летят"),
        ("кот летит, а пёс бежит; 5", "кот летит, а пёс бежит"),
        ("кот летит 5", "кот летит"),
        ("кот, пёс летят 5", "кот, пёс летят"),
        ("«да | нет» | 5", "«да | нет»"),
    ],
)
def test_a_line_without_a_main_field_loses_no_words(typed: str, scene: str) -> None:
    assert parse_lines(SHOTS, typed, "ru") == [{"scene": scene, "duration": "5"}]


@pytest.mark.parametrize("typed", ["кот летит", "кот летит | скоро", "5"])
def test_a_line_that_lacks_its_number_is_refused_and_not_guessed(typed: str) -> None:
    assert isinstance(parse_lines(SHOTS, typed, "ru"), Refused)


@pytest.mark.parametrize("typed", ["#ff0000 25 %", "#ff0000 | 25 %", "#ff0000, 25 %"])
def test_a_line_of_words_alone_leaves_the_rest_to_the_last_of_them(typed: str) -> None:
    parts = tuple(Input(name=name, type="text", required=True) for name in ("hex", "ratio"))
    palette = Input(name="palette", type="list", required=True, fields=parts)
    assert parse_lines(palette, typed, "ru") == [{"hex": "#ff0000", "ratio": "25 %"}]
