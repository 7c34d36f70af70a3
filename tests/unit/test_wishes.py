"""Every wish is served by a model that is sold and takes what the wish starts from."""

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.order import missing
from photomat.catalog.reference import FileRef, JobRef
from photomat.catalog.storefront import MENU_CATEGORIES, ModelSetting, Storefront, storefront_of
from photomat.catalog.wishes import (
    Wish,
    model_for,
    source_input,
    wishes,
    wishes_from,
    with_file,
    with_track,
    with_words,
)

PHOTO = FileRef(1).as_json()


def storefront(**settings: ModelSetting) -> Storefront:
    return storefront_of(load_catalog(), settings, accepts_callbacks=True)


def sold_wishes() -> list[Wish]:
    return [each for each in wishes().values() if model_for(each, storefront()) is not None]


def test_each_menu_category_is_the_id_of_a_wish() -> None:
    assert {each.id for each in MENU_CATEGORIES} <= set(wishes())


def test_each_wish_but_transcribing_is_served() -> None:
    assert [each.id for each in wishes().values() if each not in sold_wishes()] == ["transcribe"]


@pytest.mark.parametrize("wish", sold_wishes(), ids=lambda wish: wish.id)
def test_each_model_of_a_wish_exists_and_fits(wish: Wish) -> None:
    for model_id in wish.models:
        model = load_catalog().models[model_id]
        assert wish.category.includes(model)
        if wish.starts_from == "track":
            assert model.input_for("source_track") is not None
        elif wish.starts_from is not None:
            assert source_input(model, wish.starts_from) is not None


@pytest.mark.parametrize("wish", [each for each in sold_wishes() if each.prompt], ids=lambda wish: wish.id)
def test_a_photo_and_the_usual_words_leave_nothing_but_another_file_to_ask(wish: Wish) -> None:
    model = model_for(wish, storefront())
    assert model is not None
    assert wish.prompt is not None
    assert wish.starts_from is not None
    assert wish.starts_from != "track"
    source = source_input(model, wish.starts_from)
    assert source is not None
    inputs = {**with_file(source, PHOTO), **with_words(model, wish.prompt.ru)}
    assert all(each.takes_files for each in missing(model, inputs))


def test_a_track_brings_its_task_where_the_model_wants_it() -> None:
    clip = model_for(wishes()["clip"], storefront())
    assert clip is not None
    assert with_track(clip, JobRef(7, 1)) == {"task_id": {"job": 7}, "audio_id": {"job": 7, "output": 1}}


def test_an_operators_favourite_serves_its_wish_first() -> None:
    favourite = "seedream/5-pro-text-to-image"
    chosen = model_for(wishes()["picture"], storefront(**{favourite: ModelSetting(featured=True)}))
    assert chosen is not None
    assert chosen.id == favourite


def test_a_hidden_model_gives_way_to_the_next() -> None:
    wish = wishes()["picture"]
    chosen = model_for(wish, storefront(**{wish.models[0]: ModelSetting(hidden=True)}))
    assert chosen is not None
    assert chosen.id == wish.models[1]


def test_a_photo_has_several_wishes_and_nothing_starts_from_a_document() -> None:
    assert [each.id for each in wishes_from("image")][:4] == ["edit", "animate", "enhance", "background"]
    assert wishes_from("document") == ()
