"""Whatever Kie hands over beside a result: the card of a paid order can be stored and shown, and fits. Junk never raises."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.catalog.load import load_catalog
from photomat.catalog.order_words import order_in_words
from photomat.delivery.caption import MAX_CAPTION_LENGTH, seen_length
from photomat.delivery.fallbacks import Label, fallbacks_of, originals_of
from photomat.delivery.render import render
from photomat.jobs.job import JobStatus
from photomat.kie.results import (
    COVER_KEYS,
    LYRICS_LISTS,
    MAX_S,
    NOTHING,
    ONE_KEYS,
    RESULT_PLACES,
    STEM_NAME,
    TRACK_KEYS,
    TRACK_LISTS,
)
from photomat.kie.state_parser import parse_kie_state
from photomat.telegram.client import rich_text
from photomat.texts.load import LANGUAGES, load_texts
from unit.test_card import card, outputs

TEXTS, CATALOG = load_texts(), load_catalog()
MAX_TEXT_LENGTH = 4096
URLS = ["https://r.example/a.mp3", "https://r.example/b", "https://[::1", "http://x:y@z/<b>&\"'"]
ODD = [
    "NaN",
    "1e9999",
    "1e-9999",
    "-0",
    "9" * 4000,
    "\x00",
    "\ud800",
    "<b>&😀" * 300,
    "stem-drums",
    "\x1amodel\x1a",
    " ",
]
NUMBERS = [10**400, -(10**400), 2**63, float("nan"), float("inf"), 1e-300, 0.0004]
KEYS = [
    *RESULT_PLACES,
    *TRACK_LISTS,
    *TRACK_KEYS,
    *COVER_KEYS,
    *LYRICS_LISTS,
    STEM_NAME,
    *(key for keys in ONE_KEYS for key in keys),
    *("resultObject", "resultUrls", "id", "title", "name", "duration", "seed", "seeds", "text", "words", "speaker_id"),
    *("start", "instruments", "notes", "pitch", "segments", "maskUrl", "drums_url", "lastFrameUrl", "state"),
]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from([*URLS, *ODD, *NUMBERS])
)
JUNK = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2).map(json.dumps)
    ),
    max_leaves=30,
)


@given(
    data=st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=5),
    urls=st.lists(st.sampled_from(URLS), max_size=3),
    language=st.sampled_from(LANGUAGES),
    page=st.integers(0, 12),
)
def test_every_result_kie_can_tell_of_can_be_stored_and_shown(
    data: dict[str, Any], urls: list[str], language: str, page: int
) -> None:
    track = {"audio_url": urls[0], **data} if urls else data
    reading = parse_kie_state({"code": 200, "data": {"state": "success", **data, "resultUrls": urls, "data": [track]}})
    json.dumps(reading.result_object, allow_nan=False).encode()
    details = [reading.details.get(url, NOTHING) for url in reading.urls]
    assert all(detail.seconds is None or 0 < detail.seconds <= MAX_S for detail in details)
    told = [
        replace(one, url=url, title=detail.title, cover_url=detail.cover_url, seconds=detail.seconds, mime="audio/mpeg")
        for one, url, detail in zip(outputs(len(details)), reading.urls, details, strict=True)
    ]
    for output in told:
        assert fallbacks_of(output, None, label=Label(title=output.title))
        originals_of(output, None)
    bought = card(status=JobStatus.DONE, language=language, page=page, result_object=reading.result_object)
    face = render(bought, told, model=CATALOG.models["z-image"], texts=TEXTS)
    assert 0 < seen_length(face.text) <= (MAX_CAPTION_LENGTH if told else MAX_TEXT_LENGTH)
    if face.album is not None:
        assert all(rich_text(line) is not None for line in face.album.text.split("\n"))


@pytest.mark.parametrize("seed", [{"a": 1}, [1], True, 1.5, None])
def test_a_seed_that_is_none_is_not_told(seed: Any) -> None:
    bought = card(status=JobStatus.DONE, result_object={"seed": seed})
    assert "seed" not in render(bought, outputs(1), model=None, texts=TEXTS).text


WRONG = [
    True,
    0,
    -1,
    10**400,
    1.5,
    float("nan"),
    "",
    "x" * 9000,
    [],
    {},
    [1],
    [None],
    [{}],
    {"a": 1},
    [{"a": {"b": []}}],
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_order_is_told_though_its_model_takes_other_values_by_now(language: str) -> None:
    say = TEXTS.speaker(language)
    for model in CATALOG.models.values():
        for value in WRONG:
            order_in_words(model, {each.name: value for each in model.inputs}, language=language, say=say)
