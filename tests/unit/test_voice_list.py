"""The list of voices: which filters are offered, what they leave, and what stands on the buttons."""

import pytest

from photomat.bot.buttons import MAX_BYTES
from photomat.bot.order_form.form import Form
from photomat.bot.order_form.voices import ALL_VOICES, Voice, VoiceFilter, VoicePage, voice_lines, voice_rows, voices_of
from photomat.catalog.load import load_catalog
from photomat.catalog.words import VoiceAccent, VoiceFacts, VoiceSex
from photomat.texts.load import LANGUAGES, load_texts

CATALOG = load_catalog()
LARGEST = Form(form_id=2**63 - 1, model="m", inputs={}, asking="voice", turn=2**31 - 1)


def voice(
    number: int, sex: VoiceSex | None = None, accent: VoiceAccent | None = None, *, sample: bool = False
) -> Voice:
    return Voice(number=number, label=f"V{number} — calm", facts=VoiceFacts(sex=sex, accent=accent), has_sample=sample)


def offered(page: VoicePage) -> list[list[str]]:
    return [list(row) for row in page.filters]


def texts(page: VoicePage, language: str = "en") -> list[list[str]]:
    return [[each.text for each in row] for row in voice_rows(load_texts().speaker(language), LARGEST, page)]


def test_a_filter_is_offered_where_it_leaves_some_voices_but_not_all() -> None:
    women = [voice(0, "female"), voice(1, "female", "british")]
    assert offered(VoicePage(voices=women)) == [[], ["british"]]
    mixed = [*women, voice(2, "male"), voice(3)]
    assert offered(VoicePage(voices=mixed)) == [["female", "male"], ["british"]]
    assert offered(VoicePage(voices=mixed, only=VoiceFilter(sex="male"))) == [["female", "male"], []]
    assert offered(VoicePage(voices=mixed, only=VoiceFilter(accent="british"))) == [[], ["british"]]
    assert offered(VoicePage(voices=[voice(0), voice(1)])) == [[], []]


def test_a_set_filter_is_marked_and_its_button_takes_it_off() -> None:
    page = VoicePage(voices=[voice(0, "female"), voice(1, "male")], only=VoiceFilter(sex="female"))
    assert texts(page) == [["✓ 👩 Female", "👨 Male"], ["👩 V0 — calm"]]
    assert page.filters[0] == {"female": ALL_VOICES, "male": VoiceFilter(sex="male")}


def test_a_voice_keeps_its_number_among_all_options_when_filtered() -> None:
    page = VoicePage(voices=[voice(0, "male"), voice(1, "female")], only=VoiceFilter(sex="female"))
    data = [each.callback_data or "" for row in voice_rows(load_texts().speaker("en"), LARGEST, page) for each in row]
    assert [each for each in data if each.startswith("o:")] == [f"o:{LARGEST.form_id}:{LARGEST.turn}:1"]


def test_only_a_voice_with_a_sample_can_be_heard() -> None:
    page = VoicePage(voices=[voice(0, "male", "indian", sample=True), voice(1)])
    assert texts(page)[-2:] == [["👨 V0", "▶️ Listen"], ["V1 — calm"]]
    assert "👨 V0 — calm 🇮🇳" in voice_lines(load_texts().speaker("en"), page)
    assert voice_lines(load_texts().speaker("en"), VoicePage(voices=[voice(0), voice(1)])) == []


def test_a_page_beyond_the_last_is_the_last() -> None:
    page = VoicePage(voices=[voice(number) for number in range(7)], page=1000)
    assert (page.number, page.pages, [each.number for each in page.shown]) == (1, 2, [6])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_list_of_the_catalogue_fits_telegram(language: str) -> None:
    say = load_texts().speaker(language)
    asked = CATALOG.get("elevenlabs/text-to-speech-turbo-2-5").input_for("voice")
    assert asked is not None
    found = voices_of(asked, CATALOG.voices, samples=frozenset(asked.options), language=language)
    for number in range(VoicePage(voices=found).pages):
        page = VoicePage(voices=found, only=ALL_VOICES, page=number)
        assert len("\n".join(voice_lines(say, page))) < 1000
        for each in (each for row in voice_rows(say, LARGEST, page) for each in row):
            assert 1 <= len((each.callback_data or "").encode()) <= MAX_BYTES
            assert len(each.text) <= 40
