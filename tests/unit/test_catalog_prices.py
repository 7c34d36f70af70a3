"""A price that makes no sense is refused by file, line and field."""

from pathlib import Path

import pytest

from photomat.catalog.load import load_catalog
from photomat.kernel.errors import Startup
from support.catalogue import counted, written

COUNTED = counted(
    "m",
    """
input = [
    { name = "duration", type = "choice", required = true, options = ["5", "10"] },
    { name = "sound", type = "switch", required = false },
    { name = "clip", type = "file", required = false, kind = "video", title = "Clip" },
    { name = "text", type = "text", required = false },
    { name = "shots", type = "list", required = false, fields = [{ name = "duration", type = "number", required = true }] },
]
price = [{ when = { sound = true }, credits = "2" }, { given = ["clip"], credits = "3" }, { credits = "1" }]
unit = { of = "second", count = "duration" }
extra = [{ of = "character", credits = "4", count = "text:length", each = "1000" }]
""",
)


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("sound = true", 'sound = "yes"', "18: m: 2: when: sound = 'yes' is not an option"),
        ("sound = true", 'text = "x"', "18: m: 2: when: text = 'x' is not an option"),
        ("sound = true", 'pitch = "x"', "18: m: 2: when: pitch = 'x' is not an option"),
        ("sound = true", '"clip:resolution" = "x"', "18: m: 2: when: clip:resolution = 'x' is not an option"),
        ('["clip"]', '["duration"]', "18: m: 3: given: duration is always given"),
        ('["clip"]', '["pitch"]', "18: m: 3: given: pitch is not an input"),
        ('credits = "3" }', 'credits = "3" }, { credits = "9" }', "18: m: price: a row without `when`"),
        ('{ given = ["clip"]', "{ when = { sound = true }", "18: m: price: row 2 is never reached"),
        (', { credits = "1" }]', "]", "18: m: price: no row fits duration = '5'"),
        ('of = "second"', 'of = "hour"', "19: m: unit: of: is one of generation, image"),
        ('of = "second"', 'off = "second"', "19: m: unit: off: is not a field here"),
        ('count = "duration"', 'count = "length"', "19: m: unit: count: length is not an input"),
        ('count = "duration"', 'count = "clip:seconds"', "19: m: unit: assume: clip:seconds may not be known"),
        ('count = "duration"', 'count = "duration:years"', "19: m: unit: count: duration:years: what is counted"),
        ('count = "duration"', 'count = "duration:length"', "19: m: unit: count: duration:length: a choice has no"),
        ('count = "duration"', 'count = "shots.pitch"', "19: m: unit: count: shots.pitch: shots has no field pitch"),
        ('count = "duration"', 'count = "text:length"', "19: m: unit: assume: text may be left out"),
        ('count = "duration"', 'times = "duration"', "19: m: unit: count: says what is counted"),
        ('["5", "10"]', '["5", "10"], labels = { 7 = "x" }', "12: m: duration: labels: 7: is not a field here"),
        ('count = "duration"', 'count = "duration", worth = { 7 = "1" }', "19: m: unit: worth: '7' is not an option"),
        ('each = "1000"', 'each = "0"', "20: m: 4: each: is above zero"),
        ('each = "1000"', "each = 1000", "20: m: 4: each: is a text"),
        ('each = "1000"', "whole = 1", "20: m: 4: whole: is true or false"),
        ('credits = "1" }', 'credits = "0" }', "18: m: 0: credits: is above zero"),
        ('title = "m"', 'title = "m"\nfree = 1', "5: m: free: is true or false"),
        ('kind = "video"', 'kind = "smell"', "14: m: clip: kind: is one of image, video"),
        ('kind = "video"', 'kind = "video", max_mb = -1', "14: m: clip: max_mb: is above zero"),
        ("unit = {", "unit = [{", "20: Unclosed array"),
    ],
)
def test_a_price_that_makes_no_sense_is_refused(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    assert load_catalog(written(tmp_path, COUNTED)).get("m").credits_for({"duration": "5"}) == 5
    assert right in COUNTED
    with pytest.raises(Startup) as refusal:
        load_catalog(written(tmp_path, COUNTED.replace(right, wrong, 1)))
    assert str(refusal.value).startswith(f"image.toml:{complaint}")


def test_an_option_that_is_no_number_says_what_it_counts(tmp_path: Path) -> None:
    auto = COUNTED.replace('["5", "10"]', '["5", "auto"]')
    with pytest.raises(Startup, match=r"image\.toml:19: m: unit: count: duration = 'auto' is no number"):
        load_catalog(written(tmp_path, auto))
    told = auto.replace('count = "duration"', 'count = "duration", worth = { auto = "15" }')
    assert load_catalog(written(tmp_path, told)).get("m").credits_for({"duration": "auto"}) == 15
