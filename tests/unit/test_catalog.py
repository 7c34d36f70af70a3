"""The catalogue sells what its files say, and refuses files that make no sense by naming file, line, model and field."""

from pathlib import Path

import pytest

from photomat.catalog.load import load_catalog
from photomat.kernel.errors import Startup
from support.catalogue import written

GOOD = """
[[model]]
id = "m"
title = "M"
purpose = { ru = "Рисует", en = "Draws" }
category = "text-to-image"
output = "image"
tags = ["cheap"]
example = { prompt = "cat" }
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


def test_a_z_image_asks_for_a_prompt_and_a_shape() -> None:
    catalog = load_catalog()
    prompt, shape = catalog.get("z-image").inputs
    assert (prompt.name, prompt.type, prompt.required, prompt.max_length) == ("prompt", "text", True, 1000)
    assert (shape.name, shape.required, shape.default, shape.place) == ("aspect_ratio", True, "1:1", "ask")
    assert shape.options == ("1:1", "4:3", "3:4", "16:9", "9:16")


def test_a_model_nobody_knows_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load_catalog().get("no-such-model")


def test_a_good_file_is_read_whole(tmp_path: Path) -> None:
    model = load_catalog(written(tmp_path, GOOD, "painters.toml")).get("m")
    assert [each.name for each in model.inputs] == ["size", "prompt"]
    assert [(row.when, str(row.credits)) for row in model.prices] == [((("size", "2K"),), "2"), ((), "0.8")]
    assert (model.purpose, model.kind, model.status, model.is_sellable) == (model.purpose, "image", "current", True)
    assert model.purpose is not None
    assert (model.purpose.of("ru"), model.purpose.of("en"), model.purpose.of("de")) == ("Рисует", "Draws", "Draws")


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ('id = "m"', "", "image.toml:2: model 1: id: is a text"),
        ('title = "M"', 'title = " "', "image.toml:4: m: title: is a text, or one for each language"),
        ('title = "M"', 'title = { ru = "М" }', "image.toml:4: m: title: has no text in en"),
        ('en = "Draws"', 'de = "Malt"', "image.toml:5: m: purpose: has no text in en"),
        ('en = "Draws"', 'en = "Draws", de = "Malt"', "image.toml:5: m: purpose: speaks ru and en only"),
        ('title = "M"', 'title = "M"\nprotocol = "fax"', "image.toml:5: m: protocol: is one of jobs, veo"),
        ('title = "M"', 'tittle = "M"', "image.toml:4: m: tittle: is not a field here"),
        ('category = "text-to-image"', 'category = "smells"', "image.toml:6: m: category: is one of text-to-image"),
        ('output = "image"', 'output = "smell"', "image.toml:7: m: output: is one of image, video"),
        ('tags = ["cheap"]', 'tags = ["dear"]', "image.toml:8: m: tags: dear is not one of best"),
        ('tags = ["cheap"]', 'status = "retired"', "image.toml:3: m: off: a model that is retired is `off`"),
        (
            '{ prompt = "cat" }',
            '{ prompt = "кот" }',
            "image.toml:9: m: example: words.toml does not say in its [example] what this is in English",
        ),
        ('{ prompt = "cat" }', '{ promt = "cat" }', "image.toml:9: m: example: promt is not an input of this model"),
        (
            '{ prompt = "cat" }',
            '{ prompt = "a cat on the moon" }',
            "image.toml:9: m: example: cannot be ordered: form-too-long",
        ),
        ('name = "size"', 'name = "girth"', "image.toml:11: m: girth: title: is said neither here nor in words.toml"),
        ('type = "choice"', 'type = "slider"', "image.toml:12: m: size: type: is one of text, choice"),
        ("required = true", 'required = "yes"', "image.toml:13: m: size: required: is true or false"),
        ('options = ["1K", "2K"]', "options = []", "image.toml:14: m: size: options: is a list"),
        ('options = ["1K", "2K"]', "options = [1, 2]", "image.toml:14: m: size: options: is a list of texts"),
        ('["1K", "2K"]', '["1K", "2K", "XXL"]', "image.toml:14: m: size: options: nothing says what 'XXL' means"),
        ('["1K", "2K"]', '"girths"', "image.toml:14: m: size: options: words.toml has no [options.girths]"),
        ('default = "1K"', 'default = "8K"', "image.toml:15: m: size: default: is not among the options"),
        (
            'default = "1K"',
            'place = "more"',
            "image.toml:15: m: size: place: of a required input without a default is ask",
        ),
        ('default = "1K"', "max_length = 3", "image.toml:15: m: size: max_length: belongs to a text"),
        ("max_length = 10", "max_length = 0", "image.toml:20: m: prompt: max_length: is above zero"),
        ("max_length = 10", "max_length = true", "image.toml:20: m: prompt: max_length: is above zero"),
        ("max_length = 10", 'options = ["a"]', "image.toml:20: m: prompt: options: belongs to a choice"),
        (
            "max_length = 10",
            'when = { sise = "1K" }',
            "image.toml:20: m: prompt: when: sise is not an input of this model",
        ),
        ("max_length = 10", 'when = { size = "9K" }', "image.toml:20: m: prompt: when: size = '9K' is not an option"),
        ('name = "prompt"', 'name = "size"', "image.toml:10: m: input: two inputs have the same name"),
        ('credits = "0.8"', 'credits = "cheap"', "image.toml:25: m: cheap: credits: is a decimal number"),
        ('credits = "0.8"', "credits = 0.8", "image.toml:23: m: 0.8: credits: is a text"),
        ('credits = "0.8"', 'credits = "0"', "image.toml:25: m: 0: credits: is above zero"),
        ('credits = "0.8"', 'credits = "NaN"', "image.toml:25: m: NaN: credits: is above zero"),
        ('size = "2K"', 'size = "8K"', "image.toml:23: m: 2: when: size = '8K' is not an option of this model"),
        ('[[model.price]]\ncredits = "0.8"', "", "image.toml:21: m: price: no row fits size = '1K'"),
        ("[[model]]", "[model]", "image.toml:2: model: at least one"),
        ('id = "m"', "id = ", "image.toml:3: Invalid value"),
    ],
)
def test_nonsense_is_refused_by_file_line_and_field(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    assert right in GOOD
    folder = written(tmp_path, GOOD.replace(right, wrong, 1))
    with pytest.raises(Startup) as refusal:
        load_catalog(folder)
    assert str(refusal.value).startswith(complaint)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ('[input.prompt]\ntitle = { ru = "О" }', "words.toml:2: input: prompt: title: has no text in en"),
        ('[input.prompt]\nname = "P"', "words.toml:2: input: prompt: name: is not a field here"),
        ('[option]\nbig = { en = "Big" }', "words.toml:2: option: big: has no text in ru"),
        ('[options.size]\nbig = ""', "words.toml:2: size: big: is a text, or one for each language"),
        ("[colours]", "words.toml:1: colours: is not a field here"),
    ],
)
def test_shared_words_that_lack_a_language_are_refused(tmp_path: Path, words: str, complaint: str) -> None:
    written(tmp_path, words, "words.toml")
    with pytest.raises(Startup) as refusal:
        load_catalog(written(tmp_path, GOOD))
    assert str(refusal.value).startswith(complaint)


def test_a_model_without_a_price_is_off_and_says_why(tmp_path: Path) -> None:
    nothing = GOOD[: GOOD.index("[[model.price]]")]
    with pytest.raises(Startup, match=r"image\.toml:3: m: price: a model without a price is `off`"):
        load_catalog(written(tmp_path, nothing))
    told = nothing.replace('tags = ["cheap"]', 'off = "its price is not known"')
    catalog = load_catalog(written(tmp_path, told))
    assert (catalog.get("m").is_sellable, catalog.sellable) == (False, ())


def test_a_model_speaks_the_common_protocol_unless_it_says_otherwise(tmp_path: Path) -> None:
    assert load_catalog(written(tmp_path, GOOD)).get("m").protocol == "jobs"
    told = GOOD.replace('title = "M"', 'title = "M"\nprotocol = "veo"')
    assert load_catalog(written(tmp_path, told)).get("m").protocol == "veo"


def test_a_model_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    with pytest.raises(Startup, match=r"^video\.toml:3: m: id: is in the catalogue twice"):
        load_catalog(written(tmp_path, GOOD, "video.toml"))


def test_a_line_is_found_in_the_model_it_belongs_to(tmp_path: Path) -> None:
    second = GOOD.replace('id = "m"', 'id = "n"').replace("max_length = 10", "max_length = 0")
    with pytest.raises(Startup, match=r"^image\.toml:46: n: prompt: max_length: is above zero"):
        load_catalog(written(tmp_path, f"# two models\n{GOOD}{second}"))
