"""A brand is found however it is spelled, in either alphabet, and ordinary words are not taken for one."""

import time

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.search import search
from unit.test_search import MODELS

EVERY = list(load_catalog().models.values())
"""Also what is not sold: a name of it leads to what is sold in its place."""

MISSPELLED = {
    "Midjourney": "мидджоурни миджорней мидджорней миджёрни midjorney midgourney midjurney",
    "Hailuo": "хайлоу хайлуа хайллуо hailou hailo hayluo",
    "Flux": "flax флэкс fluks flucks флакс флюкс",
    "Seedance": "сидэнс сиденс сиданц sidance seedanse seedens",
    "Seedream": "сидрем сидримм seadream sidreem",
    "Kling": "клинк кллинг klink kliing",
    "Runway": "ранвэй ранвай runwey runvay",
    "ElevenLabs": "элевенлаб элевэнлабс elevenlab ilevenlabs",
    "PixVerse": "пиксверз pixvers picsverse",
    "Recraft": "рекравт rekraft",
    "Ideogram": "идеограмм ideogramm",
    "Gemini": "джеминай гемени gemeni jemini",
    "Topaz": "топас topas",
    "MiniMax|Hailuo": "минимэкс minimacks",
    "HappyHorse": "хеппихорс хэпихорс happihorse",
    "OmniHuman": "омнихуман omnihumen",
    "InfiniTalk": "инфинитток infinitolk",
    "Imagen": "имеджен imajen",
    "Suno": "сунно",
    "Grok": "грокк",
    "Qwen": "kwen кувен",
    "Nano Banana": "нанабанано нанобонана nanabanana",
    "Z-Image": "зимедж зимидж zimedge",
}
SPELLINGS = [(typed, meant) for meant, words in MISSPELLED.items() for typed in words.split()]
ORDINARY = """
    луна кино вина вода гора флаг флот плов кран клан клуб клён сонет сода суп ванна вагон рана лента дракон король грог
    гроза море хлеб халва минимум гений медаль сиденье седан сидеть дал ай топор ранец грек сахар сапог рейд
    van flag king queen horse river garden castle winter sunset sauna hello halo alarm raven crane grove fleet sedan
    судно sedans flame flake blame sling fling
"""


@pytest.mark.parametrize(("typed", "meant"), SPELLINGS)
def test_a_misspelled_name_finds_its_model(typed: str, meant: str) -> None:
    found = search(EVERY, typed)
    assert found, typed
    assert any(name in found[0].title_in("en") for name in meant.split("|")), (typed, found[0].title_in("en"))


@pytest.mark.parametrize("word", ORDINARY.split())
def test_an_ordinary_word_is_no_name(word: str) -> None:
    assert search(EVERY, word) == []
    assert search(MODELS, word) == []


def test_a_misspelled_name_may_stand_among_other_words() -> None:
    assert "Seedance" in search(MODELS, "сидэнс видео")[0].title_in("en")
    assert "Flux" in search(MODELS, "flax 2")[0].title_in("en")


def test_words_nobody_knows_are_answered_quickly() -> None:
    words = "мидджаурной хайлоууу флаксик сидэнсер кллингер"
    search(MODELS, words)
    took = []
    for turn in range(5):
        before = time.process_time()
        search(MODELS, f"{words} и{turn}слово")
        took.append(time.process_time() - before)
    assert min(took) < 1
