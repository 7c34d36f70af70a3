"""Text and values from outside, made fit to be stored and to be shown."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.kernel.text import cut, storable, truncate, utf16_length

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)


@given(JSON)
def test_what_is_storable_is_json_a_database_takes(value: Any) -> None:
    written = json.dumps(storable(value), ensure_ascii=False, allow_nan=False)
    assert "\\u0000" not in written
    assert written.encode()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_left_out_and_its_neighbours_stay(number: float) -> None:
    assert storable({"score": [number, 1.5], "n": 2}) == {"score": [None, 1.5], "n": 2}


@given(st.text(), st.integers(0, 40))
def test_a_text_is_cut_by_the_units_telegram_counts_and_no_character_is_torn(text: str, longest: int) -> None:
    shown = truncate(text, longest)
    assert text.startswith(shown)
    assert utf16_length(shown) <= longest
    assert cut(text, longest) == (text if utf16_length(text) <= longest else f"{shown}…")
    assert utf16_length(text) <= longest or utf16_length(shown) >= longest - 1, "no more is cut than must be"


def test_an_emoji_counts_twice() -> None:
    assert (utf16_length("ы😀"), cut("😀😀😀", 4), cut("😀😀😀", 5), cut("ыыы", 3)) == (3, "😀😀…", "😀😀…", "ыыы")
