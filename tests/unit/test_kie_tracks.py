"""What Kie tells of a file beside its address, in every family that tells something; junk never raises."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.kie.results import MAX_TITLE_LENGTH, Detail
from photomat.kie.state_parser import parse_kie_state

A, B, COVER = "https://r.example/a.mp3", "https://r.example/b.mp3", "https://r.example/cover.jpeg"
TRACK = {"id": "a1", "title": "Дорога", "tags": "lo-fi", "duration": 198.4}
TOLD = Detail(track_id="a1", title="Дорога", cover_url=COVER, seconds=Decimal("198.4"))
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from([A, B, "NaN", "1e9999"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "title", "duration", "audio_url", "image_url", "data", "sunoData", "maskUrl", "seed"]
            ),
            inner,
        )
    ),
)


def details(**data: Any) -> dict[str, Detail]:
    return dict(parse_kie_state({"code": 200, "data": {"taskId": "t-1", **data}}).details)


@pytest.mark.parametrize(
    "data",
    [
        {"response": {"sunoData": [{**TRACK, "audioUrl": A, "imageUrl": COVER, "streamAudioUrl": B}]}},
        {"callbackType": "complete", "data": [{**TRACK, "audio_url": A, "image_url": COVER}]},
        {"resultJson": json.dumps({"code": 200, "data": [{**TRACK, "audio_url": A, "source_image_url": COVER}]})},
    ],
    ids=["a record of the older family", "its callback", "music on jobs"],
)
def test_a_track_has_its_id_title_cover_and_length(data: dict[str, Any]) -> None:
    assert details(**data) == {A: TOLD}


def test_a_stem_is_named_by_what_it_is_and_a_mask_by_what_it_covers() -> None:
    stems = details(vocal_removal_info={"vocal_url": A, "backing_vocals_url": B, "origin_url": COVER})
    assert stems == {A: Detail(title="stem-vocal"), B: Detail(title="stem-backing-vocals")}
    assert details(response={"drumsUrl": A}) == {A: Detail(title="stem-drums")}
    masks = {"segments": [{"maskUrl": A, "name": " cat\n "}, {"maskUrl": B, "index": 1}]}
    assert details(resultJson={"resultObject": masks}) == {A: Detail(title="cat")}


def test_stems_in_an_object_to_be_read_are_results_too() -> None:
    reading = parse_kie_state(
        {"data": {"state": "success", "resultJson": {"resultObject": {"vocal_url": A, "drums_url": B}}}}
    )
    assert reading.urls == (A, B)


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"id": 7, "title": "  ", "duration": "abc"}, {}),
        ({"id": "ы", "duration": "12.5"}, {A: Detail(seconds=Decimal("12.5"))}),
        ({"duration": -1, "image_url": "javascript:x"}, {}),
        ({"duration": float("nan")}, {}),
        ({"duration": 0.0004}, {}),
        ({"duration": 1e300, "title": "a\x00b"}, {A: Detail(title="ab")}),
        ({"title": "я" * 5000}, {A: Detail(title="я" * MAX_TITLE_LENGTH)}),
    ],
)
def test_what_is_kept_is_short_and_can_be_stored(told: dict[str, Any], kept: dict[str, Detail]) -> None:
    assert details(data=[{"audio_url": A, **told}]) == kept


@given(JUNK)
def test_junk_never_raises(junk: Any) -> None:
    parse_kie_state({"data": {"response": junk, "data": junk, "resultJson": json.dumps(junk)}})


def test_a_seed_is_kept_beside_a_file_and_is_no_result_by_itself() -> None:
    made = parse_kie_state({"data": {"state": "success", "resultJson": {"resultUrls": [A], "seed": 42}}})
    assert made.result_object == {"seed": 42}
    assert parse_kie_state({"data": {"state": "success", "resultJson": {"seed": 42}}}).result_object is None
