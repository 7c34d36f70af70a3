"""What somebody typed, as an answer: forgiving where it is clear what is meant."""

from decimal import Decimal

import pytest

from photomat.bot.understand import typed_lines, understood, values
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.words import Said

CATALOG = load_catalog()
VOICE = Input(
    name="voice",
    type="choice",
    required=True,
    options=("a1", "b2"),
    labels={"a1": Said(ru="Анна — тёплый", en="Anna — warm"), "b2": Said(ru="Борис — низкий", en="Boris — deep")},
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
    assert understood(VOICE, typed, "ru") == "a1"


def test_an_option_that_is_a_number_may_come_with_its_unit() -> None:
    length = Input(name="duration", type="choice", required=True, options=("5", "10"))
    assert understood(length, "10 секунд", "ru") == "10"
    assert isinstance(understood(length, "7 секунд", "ru"), Refused)


def test_an_unknown_option_is_told_the_names_there_are() -> None:
    assert understood(VOICE, "Вера", "ru") == Refused(
        key="form-expects-choice", facts={"options": "Анна — тёплый, Борис — низкий"}
    )


def test_of_many_options_only_some_are_told() -> None:
    model = CATALOG.get("suno/vocal-removal")
    stem = model.input("stemName")
    assert stem is not None
    refused = understood(stem, "нет такого", "ru")
    assert isinstance(refused, Refused)
    assert str(refused.facts["options"]).endswith("…")
    assert len(str(refused.facts["options"])) < 500


@pytest.mark.parametrize(
    ("typed", "kept"), [("7", "7"), (" 7 секунд", "7"), ("7с", "7"), ("7,0", "7"), ("15 s.", "15")]
)
def test_a_number_may_come_with_its_unit(typed: str, kept: str) -> None:
    assert understood(SECONDS, typed, "ru") == kept


@pytest.mark.parametrize("typed", ["1", "16", "2.5", "семь", "", "5 5", "1e3", "-7"])
def test_a_number_beyond_its_bounds_or_between_its_steps_is_refused(typed: str) -> None:
    assert isinstance(understood(SECONDS, typed, "ru"), Refused)


@pytest.mark.parametrize(("typed", "kept"), [("Да", "true"), ("yes", "true"), ("НЕТ", "false"), ("выкл", "false")])
def test_yes_and_no(typed: str, kept: str) -> None:
    assert understood(SWITCH, typed, "ru") == kept


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
    assert typed_lines(LINES, "Привет!\n\nборис: И тебе | 7 с\nПока | анна | 3", "ru") == [
        {"text": "Привет!"},
        {"text": "И тебе", "voice": "b2", "duration": "7"},
        {"text": "Пока", "voice": "a1", "duration": "3"},
    ]


def test_what_is_no_value_of_a_field_stays_in_the_text() -> None:
    assert typed_lines(LINES, "да | нет", "ru") == [{"text": "да | нет"}]
    assert typed_lines(LINES, "Итак: начнём", "ru") == [{"text": "Итак: начнём"}]


def test_a_line_that_is_too_long_is_refused_with_its_limit() -> None:
    refused = typed_lines(LINES, "я" * 21, "ru")
    assert isinstance(refused, Refused)
    assert (refused.key, refused.facts["limit"]) == ("form-too-long", 20)


def test_numbers_of_a_plain_list_may_stand_beside_each_other() -> None:
    parts = Input(name="mask_indexs", type="list", required=False, sends="number")
    assert typed_lines(parts, "1, 3 5;7\n9", "ru") == ["1", "3", "5", "7", "9"]
