"""What an order gets that its customer did not say: the format of a picture, a required choice; never words or files."""

from typing import Any

import pytest

from photomat.catalog.answers import FileFacts
from photomat.catalog.defaults import nearest_format, with_defaults
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.order import SAMPLE_FILES, check_order, missing
from photomat.catalog.reference import FileRef
from photomat.catalog.roles import common_value
from support.answers import fitting

CATALOG = load_catalog()
FILE = {"file": 1}


def picture(width: int, height: int) -> FileFacts:
    return FileFacts(kind="image", format="jpg", size_bytes=1000, width=width, height=height)


def file_of(asked: Input) -> Any:
    return [FILE] * (asked.min_items or 1) if asked.type == "files" else FILE


def begun(model: Model, way: tuple[str, ...]) -> dict[str, Any]:
    """An order with words and files alone, as a customer sends them."""
    needed = [each for each in model.inputs if each.required or each.name in way]
    words = {each.name: "кот на крыше" for each in needed if each.role == "prompt"}
    return words | {each.name: file_of(each) for each in needed if each.takes_files}


def is_simple(model: Model, way: tuple[str, ...]) -> bool:
    """Whether the model needs only words, files and choices."""
    lacking = missing(model, begun(model, way))
    return all(each.type in {"choice", "switch"} for each in lacking) and all(
        asked.takes_files or asked.role == "prompt" for name in way if (asked := model.input(name)) is not None
    )


@pytest.mark.parametrize("model", CATALOG.sellable, ids=lambda model: model.id)
def test_words_and_files_are_enough_for_an_order(model: Model) -> None:
    for way in model.one_of or ((),):
        if is_simple(model, way):
            facts = {FileRef(1): SAMPLE_FILES["image"]}
            assert check_order(model, with_defaults(model, begun(model, way), facts)) == ()


def test_nearly_every_model_is_such_a_model() -> None:
    simple = [model for model in CATALOG.sellable if any(is_simple(model, way) for way in model.one_of or ((),))]
    assert len(simple) > len(CATALOG.sellable) * 3 // 4


@pytest.mark.parametrize("model", CATALOG.sellable, ids=lambda model: model.id)
def test_what_was_given_stays_and_nothing_is_made_up(model: Model) -> None:
    given = {each.name: fitting(each, model) for each in model.inputs if each.type in {"text", "file", "files"}}
    filled = with_defaults(model, given)
    assert {name: filled[name] for name in filled if name in given}.items() <= given.items()
    assert not any(
        each.name in with_defaults(model, {}) for each in model.inputs if each.type not in {"choice", "switch"}
    )


def formats(model: Model, facts: FileFacts) -> str:
    source = model.input_for("source_image")
    assert source is not None
    given = {**begun(model, ()), source.name: file_of(source)}
    asked = model.input_for("format")
    assert asked is not None
    return str(common_value(asked, model.filled(with_defaults(model, given, {FileRef(1): facts}))[asked.name]))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1080, 1920), "9:16"),
        ((1920, 1080), "16:9"),
        ((1000, 1000), "1:1"),
        ((900, 1600), "9:16"),
        ((2000, 900), "16:9"),
    ],
)
def test_a_video_has_the_format_of_its_picture(size: tuple[int, int], expected: str) -> None:
    asked = Input(name="aspect_ratio", type="choice", required=False, role="format", options=("16:9", "9:16", "1:1"))
    assert nearest_format(asked, picture(*size)) == expected


def test_the_format_of_the_source_is_taken_where_it_is_offered() -> None:
    asked = Input(name="aspect_ratio", type="choice", required=False, role="format", options=("16:9", "auto"))
    assert nearest_format(asked, picture(900, 1600)) == "auto"


def test_a_format_is_written_as_the_model_writes_it() -> None:
    options = ("landscape_16_9", "portrait_16_9", "square_hd")
    asked = Input(name="image_size", type="choice", required=False, role="format", options=options)
    assert nearest_format(asked, picture(900, 1600)) == "portrait_16_9"


def test_a_chosen_format_stays_and_an_unmeasured_file_decides_nothing() -> None:
    models = [each for each in CATALOG.sellable if each.category == "image-to-video" and each.input_for("format")]
    assert models
    for model in models:
        asked, source = model.input_for("format"), model.input_for("source_image")
        if asked is None or source is None:
            continue
        order = {**begun(model, ()), source.name: file_of(source)}
        assert asked.name not in with_defaults(model, order, {FileRef(1): picture(0, 0)})
        chosen = {**order, asked.name: asked.options[-1]}
        if not check_order(model, chosen):
            assert with_defaults(model, chosen, {FileRef(1): picture(900, 1600)})[asked.name] == asked.options[-1]


def test_a_tall_photo_becomes_a_tall_video_wherever_the_model_can() -> None:
    tall = [
        model
        for model in CATALOG.sellable
        if model.category == "image-to-video" and model.input_for("format") and model.input_for("source_image")
    ]
    assert tall
    found = {model.id: formats(model, picture(1080, 1920)) for model in tall}
    assert set(found.values()) <= {"9:16", "auto", "2:3", "3:4"}, found


def test_a_required_choice_gets_an_option() -> None:
    asked = Input(name="kind", type="choice", required=True, options=("a", "b"))
    later = Input(name="more", type="switch", required=True)
    model = Model(id="m", title="m", kind="image", inputs=(asked, later), prices=())
    assert with_defaults(model, {}) == {"kind": "a", "more": "true"}
