"""What is sold and listed: the catalogue, what operators set, and whether Kie can call back."""

import re

import pytest

from photomat.catalog.storefront import (
    EVERYTHING,
    MENU_CATEGORIES,
    ON_A_PAGE,
    PICTURE,
    MenuCategory,
    ModelSetting,
    OfferFilter,
    can_be_turned_on,
    menu_category,
    menu_category_of,
    model_behind,
    offered,
    page_of,
    payload_of,
)
from support.shelves import CATALOG, offers, shelf


def test_everything_sellable_is_sold_and_what_needs_a_callback_only_with_an_address() -> None:
    waiting = {each.id for each in CATALOG.sellable if each.needs_callback}
    assert waiting
    assert set(shelf(accepts_callbacks=True).on_sale) == {each.id for each in CATALOG.sellable}
    assert set(shelf(accepts_callbacks=False).on_sale) == {each.id for each in CATALOG.sellable} - waiting


def test_what_a_newer_model_replaces_is_sold_and_never_listed() -> None:
    full = shelf(accepts_callbacks=True)
    replaced = [each for each in full.on_sale.values() if each.model.instead]
    assert replaced
    assert not any(each.listed for each in replaced)
    assert all(full.instead_of(each.model.id) for each in replaced)


def test_a_hidden_model_is_neither_sold_nor_listed() -> None:
    hidden = shelf(z_image=ModelSetting(hidden=True))
    assert hidden.get("z-image") is None
    assert "z-image" not in {each.model.id for each in hidden.listed}


def test_a_model_that_is_off_is_sold_on_an_operators_word_only_where_that_is_possible() -> None:
    sold = ModelSetting(sold=True)
    by_word = shelf(elevenlabs__speech_to_text=sold, elevenlabs__sound_effect_v2=sold)
    assert {"elevenlabs/speech-to-text", "elevenlabs/sound-effect-v2"} <= {each.model.id for each in by_word.listed}
    unpriced, retired = CATALOG.get("wan/2-6-flash-image-to-video"), CATALOG.get("sora-2-pro-storyboard")
    assert not can_be_turned_on(unpriced)
    assert not can_be_turned_on(retired)
    assert shelf(sora_2_pro_storyboard=sold).get("sora-2-pro-storyboard") is None


def test_an_operators_name_counts_in_its_language_and_the_other_stays() -> None:
    renamed = shelf(z_image=ModelSetting(title_en="Fast Picture")).get("z-image")
    assert renamed is not None
    assert (renamed.title_in("ru"), renamed.title_in("en")) == ("Z-Image", "Fast Picture")


def test_every_listed_model_is_reached_by_a_wish() -> None:
    lost = [
        each.model.id
        for each in shelf(accepts_callbacks=True).listed
        if not any(wish.includes(each.model) for wish in MENU_CATEGORIES)
    ]
    assert lost == []
    assert all(menu_category_of(each) in MENU_CATEGORIES for each in CATALOG.models.values())


def test_every_wish_includes_something_and_known_by_its_name() -> None:
    assert offered(CATALOG.models.values()) == MENU_CATEGORIES
    assert [menu_category(each.id) for each in (*MENU_CATEGORIES, EVERYTHING)] == [*MENU_CATEGORIES, EVERYTHING]
    assert menu_category("wealth") is None
    assert offered([]) == ()


def test_a_wish_is_in_the_menu_only_while_something_that_is_sold_grants_it() -> None:
    sold = [each.model for each in shelf().listed]
    has_speech = any("speech-to-text" in (each.category, *each.also) for each in sold)
    assert ("transcribe" in {each.id for each in offered(sold)}) == has_speech
    speech = [each for each in CATALOG.models.values() if each.category == "speech-to-text"]
    assert [each.id for each in offered(speech)] == ["transcribe"]


def test_a_z_image_is_on_the_first_page_of_pictures() -> None:
    first = page_of(offers(shelf(), PICTURE), only=OfferFilter.ALL, number=0)
    assert "z-image" in [each.model.id for each in first.offers]
    assert len(first.offers) == ON_A_PAGE
    assert first.pages > 2


@pytest.mark.parametrize("wish", MENU_CATEGORIES, ids=lambda wish: wish.id)
def test_favourites_come_first_then_the_best_then_the_cheapest(wish: MenuCategory) -> None:
    found = offers(shelf(qwen__text_to_image=ModelSetting(featured=True)), wish)
    ranks = [0 if each.featured else 1 if "best" in each.model.tags else 2 for each in found]
    assert ranks == sorted(ranks)
    rest = [each.price.minor for each, rank in zip(found, ranks, strict=True) if rank == 2]
    assert rest == sorted(rest)
    assert (0 in ranks) == (wish is PICTURE)


def test_pages_show_every_offer_once_and_end_with_the_last() -> None:
    found = offers(shelf())
    pages = page_of(found, only=OfferFilter.ALL, number=0).pages
    shown = [each.model.id for at in range(pages) for each in page_of(found, only=OfferFilter.ALL, number=at).offers]
    assert shown == [each.model.id for each in found]
    beyond = page_of(found, only=OfferFilter.ALL, number=10_000)
    assert beyond.number == pages - 1
    assert beyond.offers


def test_filters_are_offered_only_where_they_leave_something() -> None:
    pictures = page_of(offers(shelf(), PICTURE), only=OfferFilter.ALL, number=0)
    assert pictures.filters == (OfferFilter.BEST, OfferFilter.NEW, OfferFilter.CHEAP)
    free = page_of(offers(shelf(), PICTURE, free=("z-image",)), only=OfferFilter.FREE, number=0)
    assert [each.model.id for each in free.offers] == ["z-image"]
    assert OfferFilter.FREE in free.filters
    background = menu_category("background")
    assert OfferFilter.NEW not in page_of(offers(shelf(), background), only=OfferFilter.ALL, number=0).filters


def test_the_least_price_is_that_of_the_cheapest_order() -> None:
    prices = {each.model.id: each for each in offers(shelf())}
    assert (prices["z-image"].price.minor, prices["z-image"].is_least) == (64, False)
    assert (prices["kling-3.0/video"].price.minor, prices["kling-3.0/video"].is_least) == (3360, True)
    assert prices["ai-music-api/generate-persona"].is_free


def test_every_model_has_a_link_of_its_own_that_telegram_lets_through() -> None:
    payloads = {payload_of(model_id): model_id for model_id in CATALOG.models}
    assert len(payloads) == len(CATALOG.models)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", payload) for payload in payloads)
    assert all(model_behind(CATALOG, payload) == model_id for payload, model_id in payloads.items())
    assert model_behind(CATALOG, "model_wealth") is None
