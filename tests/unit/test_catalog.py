"""The catalogue sells what its files say, and refuses files that make no sense by naming what is wrong."""

from pathlib import Path

import pytest

from photomat.catalog.load import load_catalog
from photomat.kernel.errors import Startup

GOOD = """
[[model]]
id = "m"
title = "M"
[[model.input]]
name = "size"
type = "choice"
required = true
options = ["1K", "2K"]
default = "1K"
[[model.input]]
name = "prompt"
type = "text"
required = false
max_length = 10
[[model.price]]
when = { size = "2K" }
credits = "2"
[[model.price]]
credits = "0.8"
"""


def write(folder: Path, content: str, name: str = "image.toml") -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_a_z_image_asks_for_a_prompt_and_a_shape() -> None:
    catalog = load_catalog()
    prompt, shape = catalog.get("z-image").inputs
    assert catalog.of_kind("image") == (catalog.get("z-image"),)
    assert catalog.of_kind("video") == ()
    assert (prompt.name, prompt.type, prompt.required, prompt.max_length) == ("prompt", "text", True, 1000)
    assert (shape.name, shape.required, shape.default) == ("aspect_ratio", True, "1:1")
    assert shape.options == ("1:1", "4:3", "3:4", "16:9", "9:16")


def test_a_model_that_is_not_on_sale_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load_catalog().get("no-such-model")


def test_a_good_file_is_read_whole(tmp_path: Path) -> None:
    model = load_catalog(write(tmp_path, GOOD)).get("m")
    assert [each.name for each in model.inputs] == ["size", "prompt"]
    assert [(row.when, str(row.credits)) for row in model.prices] == [((("size", "2K"),), "2"), ((), "0.8")]


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ('id = "m"', "", "image.toml: model 1: id: is a text"),
        ('title = "M"', 'title = " "', "image.toml: m: title: is a text that is not empty"),
        ('title = "M"', 'title = "M"\nprotocol = "fax"', "image.toml: m: protocol: is one of jobs, veo"),
        ('title = "M"', 'tittle = "M"', "image.toml: m: tittle: is not a field here"),
        ('type = "choice"', 'type = "slider"', "image.toml: m: size: type: is one of text, choice"),
        ("required = true", 'required = "yes"', "image.toml: m: size: required: is true or false"),
        ('options = ["1K", "2K"]', "options = []", "image.toml: m: size: options: is a list"),
        ('options = ["1K", "2K"]', "options = [1, 2]", "image.toml: m: size: options: is a list of texts"),
        ('default = "1K"', 'default = "8K"', "image.toml: m: size: default: is not among the options"),
        ("max_length = 10", "max_length = 0", "image.toml: m: prompt: max_length: is above zero"),
        ("max_length = 10", "max_length = true", "image.toml: m: prompt: max_length: is above zero"),
        ("max_length = 10", 'options = ["a"]', "image.toml: m: prompt: options: belong to a choice"),
        ('default = "1K"', "max_length = 3", "image.toml: m: size: max_length: belongs to a text"),
        ('name = "prompt"', 'name = "size"', "image.toml: m: input: two inputs bear the same name"),
        ('credits = "0.8"', 'credits = "cheap"', "image.toml: m: cheap: credits: is a decimal number"),
        ('credits = "0.8"', "credits = 0.8", "image.toml: m: 0.8: credits: is a text"),
        ('credits = "0.8"', 'credits = "0"', "image.toml: m: 0: credits: is above zero"),
        ('credits = "0.8"', 'credits = "NaN"', "image.toml: m: NaN: credits: is above zero"),
        ('size = "2K"', 'size = "8K"', "image.toml: m: 2: when: size = '8K' is not an option of this model"),
        ('[[model.price]]\ncredits = "0.8"', "", "image.toml: m: price: the last row must fit any inputs"),
        ("[[model]]", "[model]", "image.toml: model: at least one"),
        ('id = "m"', "id = ", "image.toml: Invalid value"),
    ],
)
def test_nonsense_is_refused_by_file_and_field(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    assert right in GOOD
    folder = write(tmp_path, GOOD.replace(right, wrong, 1))
    with pytest.raises(Startup) as refusal:
        load_catalog(folder)
    assert str(refusal.value).startswith(complaint)


COUNTED = """
[[model]]
id = "m"
title = "M"
input = [
    { name = "duration", type = "choice", required = true, options = ["5", "10"] },
    { name = "sound", type = "switch", required = false },
    { name = "clip", type = "file", required = false },
    { name = "text", type = "text", required = false },
]
price = [{ when = { sound = true }, credits = "2" }, { given = ["clip"], credits = "3" }, { credits = "1" }]
unit = { of = "second", count = "duration" }
extra = [{ of = "character", credits = "4", count = "text:length", each = "1000" }]
"""


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("sound = true", 'sound = "yes"', "video.toml: m: 2: when: sound = 'yes' is not an option"),
        ("sound = true", 'text = "x"', "video.toml: m: 2: when: text = 'x' is not an option"),
        ("sound = true", 'pitch = "x"', "video.toml: m: 2: when: pitch = 'x' is not an option"),
        ('["clip"]', '["duration"]', "video.toml: m: 3: given: duration is always given"),
        ('["clip"]', '["pitch"]', "video.toml: m: 3: given: pitch is not an input"),
        ('credits = "3" }', 'credits = "3" }, { credits = "9" }', "video.toml: m: price: a row without `when`"),
        ('{ given = ["clip"]', "{ when = { sound = true }", "video.toml: m: price: row 2 is never reached"),
        ('of = "second"', 'of = "hour"', "video.toml: m: unit: of: is one of generation, image"),
        ('of = "second"', 'off = "second"', "video.toml: m: unit: off: is not a field here"),
        ('count = "duration"', 'count = "length"', "video.toml: m: unit: count: length is not an input"),
        ('count = "duration"', 'count = "clip:seconds"', "video.toml: m: unit: assume: clip:seconds may not be known"),
        (
            'count = "duration"',
            'count = "duration:years"',
            "video.toml: m: unit: count: duration:years: what is counted",
        ),
        (
            'count = "duration"',
            'count = "duration:length"',
            "video.toml: m: unit: count: duration:length: a choice has no",
        ),
        ('count = "duration"', 'count = "text:length"', "video.toml: m: unit: assume: text may be left out"),
        ('count = "duration"', 'assume = "3"', "video.toml: m: unit: count: says what is counted"),
        ('["5", "10"]', '["5", "auto"]', "video.toml: m: unit: count: duration = 'auto' is no number"),
        (
            'count = "duration"',
            'count = "duration", worth = { 7 = "1" }',
            "video.toml: m: unit: worth: '7' is not an option",
        ),
        ('each = "1000"', 'each = "0"', "video.toml: m: 4: each: is above zero"),
        ('each = "1000"', "each = 1000", "video.toml: m: 4: each: is a text"),
        ('each = "1000"', "whole = 1", "video.toml: m: 4: whole: is true or false"),
        ('credits = "1" }', 'credits = "0" }', "video.toml: m: 0: credits: is above zero"),
        ('title = "M"', 'title = "M"\nfree = 1', "video.toml: m: free: is true or false"),
        ("unit = {", "unit = [{", "video.toml: "),
    ],
)
def test_a_price_that_makes_no_sense_is_refused_by_file_and_field(
    tmp_path: Path, right: str, wrong: str, complaint: str
) -> None:
    assert load_catalog(write(tmp_path, COUNTED, "video.toml")).get("m").credits_for({"duration": "5"}) == 5
    assert right in COUNTED
    with pytest.raises(Startup) as refusal:
        load_catalog(write(tmp_path, COUNTED.replace(right, wrong, 1), "video.toml"))
    assert str(refusal.value).startswith(complaint)


def test_everything_on_sale_can_be_asked_for() -> None:
    asked = {each.type for model in load_catalog().models.values() for each in model.inputs if each.required}
    assert asked <= {"text", "choice"}


def test_a_model_speaks_the_common_protocol_unless_it_says_otherwise(tmp_path: Path) -> None:
    assert load_catalog(write(tmp_path, GOOD)).get("m").protocol == "jobs"
    told = GOOD.replace('title = "M"', 'title = "M"\nprotocol = "veo"')
    assert load_catalog(write(tmp_path, told)).get("m").protocol == "veo"


def test_a_model_sold_twice_is_refused(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    with pytest.raises(Startup, match=r"^video\.toml: m: id: is in the catalogue twice"):
        load_catalog(write(tmp_path, GOOD, "video.toml"))


def test_a_file_named_after_nothing_we_sell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Startup, match=r"^smells\.toml: a catalogue file is named after"):
        load_catalog(write(tmp_path, GOOD, "smells.toml"))
