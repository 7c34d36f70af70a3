"""One outcome is said in Russian and English on a page, printed in English by a terminal, and kept in a row without loss."""

import json

import pytest

from photomat.kernel.money import Money
from photomat.texts.load import LANGUAGES, MissingText, load_texts
from photomat.texts.sentence import Sentence, sentence_from_json

CREDITED = Sentence(
    "money-now",
    done=Sentence("money-credited", amount=Money(123_450, "RUB")),
    user=7,
    available=Money(123_450, "RUB"),
)


def in_language(sentence: Sentence, language: str) -> str:
    return sentence.in_(load_texts().speaker(language)).replace("\N{NO-BREAK SPACE}", " ")


def test_a_page_says_it_in_the_readers_language_and_writes_sums_as_there() -> None:
    assert in_language(CREDITED, "ru") == "Начислено 1 234,50 ₽. У пользователя 7 доступно 1 234,50 ₽."
    assert in_language(CREDITED, "en") == "₽1,234.50 credited. User 7 has ₽1,234.50 available."


def test_a_terminal_prints_the_english_of_the_commands() -> None:
    assert CREDITED.plain.replace("\N{NO-BREAK SPACE}", " ") == "1 234.50 ₽ credited. User 7 has 1 234.50 ₽ available."


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_are_named_in_a_terminal_and_buttons_on_a_page(language: str) -> None:
    stopped = Sentence("explain-stopped", ago="5 s", error="no hold", job=7)
    assert "`jobs retry 7`" in stopped.plain
    assert "`" not in in_language(stopped, language)


def test_it_is_read_from_a_row_as_it_was_written() -> None:
    stored = json.loads(json.dumps(CREDITED.facts_as_json()))
    assert sentence_from_json(CREDITED.key, stored) == CREDITED


def test_a_sentence_without_its_facts_is_refused() -> None:
    with pytest.raises(MissingText, match="money-credited"):
        _ = Sentence("money-credited").plain
