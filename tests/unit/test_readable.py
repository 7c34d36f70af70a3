"""Objects Kie hands over become texts people can read, in their language, and never JSON."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.delivery.caption import readable
from photomat.texts.load import load_texts

TEXTS = load_texts()
RU, EN = TEXTS.speaker("ru"), TEXTS.speaker("en")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)
KEYS = st.sampled_from(
    ["text", "words", "alignedWords", "instruments", "notes", "start", "speaker_id", "pitch", "name"]
)
NEAR = st.recursive(JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


def word(text: str, start: float, speaker: str = "speaker_0") -> dict[str, Any]:
    return {"text": text, "start": start, "end": start + 0.3, "type": "word", "speaker_id": speaker}


def test_speech_of_one_person_is_its_text() -> None:
    assert readable({"text": "Привет, мир.", "words": [word("Привет,", 0), word("мир.", 0.5)]}, RU) == "Привет, мир."


def test_speech_of_several_is_told_by_turns_with_their_times() -> None:
    words = [word("Привет.", 0), word("Кто", 3, "speaker_1"), word("там?", 3.4, "speaker_1"), word("Я.", 65)]
    assert readable({"text": "Привет. Кто там? Я.", "words": words}, RU) == (
        "[0:00] Говорящий 1: Привет.\n[0:03] Говорящий 2: Кто там?\n[1:05] Говорящий 1: Я."
    )
    assert "Speaker 2: Кто там?" in readable({"words": words}, EN)


def test_long_speech_is_broken_at_the_ends_of_sentences() -> None:
    words = [word("Раз", 0), word("два.", 10), word("Три", 31), word("четыре.", 45), word("Пять.", 100)]
    assert readable({"text": "…", "words": words}, RU) == "[0:00] Раз два.\n[0:31] Три четыре.\n[1:40] Пять."


def test_spaces_the_words_bring_are_not_doubled() -> None:
    words = [word("Hello", 0), word(" ", 0.3), word("you", 0.5), word("Hi", 1, "b")]
    assert readable({"words": words}, EN) == "[0:00] Speaker 1: Hello you\n[0:01] Speaker 2: Hi"


def test_lyrics_with_times_are_read_as_lines() -> None:
    aligned = [{"word": "Дождь ", "startS": 0.5, "endS": 1}, {"word": "идёт", "startS": 1, "endS": 2}]
    assert readable({"alignedWords": aligned, "waveformData": [0, 1]}, RU) == "[0:00] Дождь идёт"


def test_notes_have_names() -> None:
    piano = {"name": "Piano", "notes": [{"pitch": 60, "start": 0}, {"pitch": 61}, {"pitch": 57}]}
    assert readable({"state": "complete", "instruments": [piano]}, RU) == "🎼 Piano — 3 ноты\nC4 C♯4 A3"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"has_human": True, "humans_count": 1}, "Человек на фото: да\nЛюдей: 1"),
        ({"result": "lo-fi, warm"}, "lo-fi, warm"),
        ({"segments_count": 1, "segments": [{"maskUrl": "https://x/1", "name": "кот"}]}, "Найдено частей: 1\nЧасти: 1\n1. кот"),
        ({"fx": [{"label": "cat", "score": 0.98765, "xy": [1, 2]}]}, "fx: 1\n1. cat\n   Уверенность: 0.9877\n   xy: 1, 2"),
        ({"personaId": "p-1", "name": "Голос"}, "Номер голоса: p-1\nНазвание: Голос"),
        ({"imageUrl": "https://x/1", "fooBar": None}, ""),
    ],
)  # fmt: skip
def test_what_was_found_is_told_line_by_line(found: dict[str, Any], told: str) -> None:
    assert readable(found, RU) == told


@given(st.dictionaries(KEYS, NEAR, max_size=4))
def test_whatever_there_is_is_told_without_a_trace_of_json(found: dict[str, Any]) -> None:
    said = readable(found, RU)
    assert isinstance(said, str)
    assert "{'" not in said


@pytest.mark.parametrize("start", [10**400, -(10**400), float("nan"), float("inf"), -1, "1", True, None])
def test_a_time_nobody_can_mean_is_left_out(start: Any) -> None:
    words = [{"text": "Раз.", "start": start}, {"text": "Два.", "start": start, "speaker_id": "b"}]
    said = readable({"words": words}, RU)
    assert [line.rpartition("Говорящий")[2] for line in said.splitlines()] == [" 1: Раз.", " 2: Два."]


def test_as_many_speakers_as_words_are_told_apart_quickly() -> None:
    words = [{"text": "а", "start": 0, "speaker_id": str(number)} for number in range(20_000)]
    began = time.process_time()
    assert readable({"words": words}, RU).endswith("Говорящий 20000: а")
    assert time.process_time() - began < 10
