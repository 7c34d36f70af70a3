"""The menu, its lists, the search and the price page: within Telegram's limits, in both languages, each button once."""

from decimal import Decimal

import pytest

from photomat.bot import price_views
from photomat.bot.buttons import MAX_BYTES
from photomat.bot.menu import views as menu_views
from photomat.bot.menu.views import FoundModels
from photomat.bot.view import View
from photomat.catalog.price_list import price_groups
from photomat.catalog.pricing import NO_RULES, Override, PriceRules
from photomat.catalog.storefront import EVERYTHING, MENU_CATEGORIES, MENU_GROUPS, PICTURE, OfferFilter, page_of
from photomat.kernel.money import Money
from photomat.texts.load import LANGUAGES, Say, load_texts
from support.shelves import CATALOG, offers, shelf
from support.shop import RATES

LONGEST_LINE = 80
MAX_TEXT_LENGTH, MAX_TOAST_LENGTH = 4096, 200
EVIL = "<b>&" * 250
NOTHING = Money(0, "RUB")
TEXTS = load_texts()


def labels(view: View) -> list[str]:
    return [button.text for row in view.rows for button in row]


def every_view(say: Say, language: str) -> list[View]:
    on_sale = shelf()
    lists = [
        menu_views.model_list(say, wish, page_of(offers(on_sale, wish), only=only, number=number), language=language)
        for wish in (*MENU_CATEGORIES, EVERYTHING)
        for only in OfferFilter
        for number in (0, 1, 1000)
    ]
    found = FoundModels(words=EVIL, offers=offers(on_sale)[:10], count=177, gone=EVIL[:100])
    model = CATALOG.get("z-image")
    return [
        menu_views.greeting(say, name=EVIL[:64], balance=NOTHING, categories=MENU_CATEGORIES),
        menu_views.home(say, balance=NOTHING, categories=()),
        menu_views.help_page(say, for_operator=True),
        menu_views.languages(say),
        menu_views.more_page(say),
        *(menu_views.group_page(say, each, MENU_CATEGORIES) for each in MENU_GROUPS),
        *lists,
        menu_views.search_page(say),
        menu_views.found_page(say, found, language=language),
        menu_views.nothing_found(say, EVIL, MENU_CATEGORIES),
        menu_views.instead_page(say, EVIL, model, language=language),
        *(
            price_views.prices_page(say, each, price_groups(each, RATES, NO_RULES), language=language)
            for each in CATALOG.models.values()
            if each.prices
        ),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_fits_telegram(language: str) -> None:
    for view in every_view(TEXTS.speaker(language), language):
        assert 0 < len(view.text) <= MAX_TEXT_LENGTH
        assert "<b>&<b>" not in view.text
        for button in (button for row in view.rows for button in row):
            assert 1 <= len((button.callback_data or "").encode()) <= MAX_BYTES


def test_one_button_of_the_menu_begins_with_creating_a_picture() -> None:
    view = menu_views.greeting(TEXTS.speaker("ru"), name="Анна", balance=NOTHING, categories=MENU_CATEGORIES)
    assert sum(label.startswith("🖼 Создать картинку") for label in labels(view)) == 1
    assert view.rows[0][0].callback_data == "m:create"
    assert "🔎 Поиск" in labels(menu_views.more_page(TEXTS.speaker("ru")))


def test_every_listed_model_says_in_one_line_what_it_is_good_at() -> None:
    for language in LANGUAGES:
        say = TEXTS.speaker(language)
        lines = [menu_views.good_at(say, each.model, language) for each in shelf(accepts_callbacks=True).listed]
        assert all(0 < len(line) <= LONGEST_LINE and "\n" not in line for line in lines)
    say = TEXTS.speaker("ru")
    shown = {
        model: menu_views.good_at(say, CATALOG.get(model), "ru") for model in ("z-image", "nano-banana-pro", "veo3")
    }
    assert shown == {
        "z-image": "⚡ быстро и дёшево",
        "nano-banana-pro": "🏆 лучшее · 🔤 текст на картинке",
        "veo3": "🏆 лучшее · 🎧 со звуком",
    }
    page = page_of(offers(shelf(), PICTURE), only=OfferFilter.ALL, number=0)
    assert "<b>Z-Image</b> — ⚡ быстро и дёшево" in menu_views.model_list(say, PICTURE, page, language="ru").text


def test_one_button_of_the_first_page_begins_with_z_image() -> None:
    page = page_of(offers(shelf(), PICTURE), only=OfferFilter.ALL, number=0)
    shown = labels(menu_views.model_list(TEXTS.speaker("ru"), PICTURE, page, language="ru"))
    assert [label for label in shown if label.startswith("Z-Image")] == [f"Z-Image · {Money(64, 'RUB').written('ru')}"]


def test_a_wish_nothing_grants_is_not_in_the_menu() -> None:
    view = menu_views.home(TEXTS.speaker("ru"), balance=NOTHING, categories=(PICTURE,))
    assert "🎬 Видео" not in labels(view)
    assert "🎬 Видео" in labels(menu_views.home(TEXTS.speaker("ru"), balance=NOTHING, categories=MENU_CATEGORIES))


def test_every_wish_is_reached_from_the_first_screen() -> None:
    assert {PICTURE, *(each for group in MENU_GROUPS for each in group.of)} == set(MENU_CATEGORIES)


def test_the_filter_that_is_on_switches_itself_off() -> None:
    page = page_of(offers(shelf(), PICTURE), only=OfferFilter.NEW, number=0)
    view = menu_views.model_list(TEXTS.speaker("ru"), PICTURE, page, language="ru")
    targets = {button.text: button.callback_data for row in view.rows for button in row}
    assert targets["🆕 Новые ✓"] == "ml:picture:all:0"
    assert targets["⭐ Лучшие"] == "ml:picture:best:0"


def test_a_free_model_says_so_and_a_dear_one_says_from() -> None:
    shown = labels(
        menu_views.found_page(
            TEXTS.speaker("ru"),
            FoundModels(
                words="x",
                offers=[
                    each
                    for each in offers(shelf(), free=("z-image",))
                    if each.model.id in {"z-image", "kling-3.0/video"}
                ],
                count=2,
            ),
            language="ru",
        )
    )
    assert "Z-Image · 🎁 бесплатно" in shown
    assert f"Kling 3.0 · от {Money(3360, 'RUB').written('ru')}" in shown


@pytest.mark.parametrize(("seconds", "said"), [(None, "60 с"), (40, "40 с"), (90, "90 с"), (125, "2 мин"), (0, "1 с")])
def test_the_usual_time_is_said_in_seconds_then_in_minutes(seconds: int | None, said: str) -> None:
    assert menu_views.usual_time(TEXTS.speaker("ru"), CATALOG.get("z-image"), seconds).endswith(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_alert_about_a_model_that_is_gone_fits(language: str) -> None:
    say = TEXTS.speaker(language)
    for model in CATALOG.models.values():
        instead = CATALOG.models[model.instead].title_in(language) if model.instead else None
        assert len(menu_views.model_gone(say, title=model.title_in(language), instead=instead)) <= MAX_TOAST_LENGTH


def prices_in_words(model: str, standing: PriceRules = NO_RULES, language: str = "ru") -> str:
    found = CATALOG.get(model)
    groups = price_groups(found, RATES, standing)
    return price_views.prices_page(TEXTS.speaker(language), found, groups, language=language).text


def test_prices_are_grouped_by_what_is_chosen() -> None:
    told = prices_in_words("runway")
    assert f"10 — {Money(2400, 'RUB').written('ru')}" in told
    assert f"5 — {Money(960, 'RUB').written('ru')} · 10 — {Money(2400, 'RUB').written('ru')}" in told
    assert " от " not in told


def test_a_price_by_the_second_is_told_as_a_rate() -> None:
    told = prices_in_words("kling-3.0/video")
    assert f"Про, 1080p, Звук: нет — {Money(1440, 'RUB').written('ru')} за секунду видео" in told
    assert f"С обычными настройками — <b>{Money(7200, 'RUB').written('ru')}</b>" in told
    assert " от " not in told
    assert "for a second of video" in prices_in_words("kling-3.0/video", language="en")


def test_a_price_by_steps_names_them() -> None:
    told = prices_in_words("topaz/image-upscale")
    assert f"результат до 2048 px — {Money(800, 'RUB').written('ru')} за картинку" in told
    assert f"результат больше — {Money(3200, 'RUB').written('ru')}" in told


def test_what_comes_besides_and_what_is_free_of_it_is_told() -> None:
    told = prices_in_words("minimax-h3/reference-to-video")
    assert f"плюс {Money(320, 'RUB').written('ru')} за картинку («Фото-образцы») — первые 5 бесплатно" in told


def test_values_and_groups_of_one_price_are_told_once() -> None:
    told = prices_in_words("gemini-omni-video")
    assert f"4, 6, 8, 10 — {Money(13440, 'RUB').written('ru')}" in told
    assert "720p, 1080p" in told
    assert told.count("Длительность") == 4


def test_a_discount_counts_in_rates() -> None:
    half = PriceRules(discount=Override(kind="discount", value=Decimal(50), confirmed=True))
    assert f"{Money(720, 'RUB').written('ru')} за секунду видео" in prices_in_words("kling-3.0/video", half)


def test_one_choice_has_one_line_each() -> None:
    told = prices_in_words("veo-3-1").splitlines()
    assert [line.partition(" — ")[0] for line in told if line.startswith("• ")] == ["• 720p", "• 1080p", "• 4k"]


def test_a_price_by_the_length_of_a_text_is_for_a_thousand_characters_whatever_kie_counts() -> None:
    told = prices_in_words("elevenlabs/text-to-speech-turbo-2-5")
    assert f"{Money(480, 'RUB').written('ru')} за 1000 символов" in told
    assert "Начатое считается целиком" in told
    assert f"{Money(896, 'RUB').written('ru')} за 1000 символов" in prices_in_words("google/gemini-2-5-pro-tts")
    assert "токен" not in prices_in_words("google/gemini-2-5-pro-tts")


def test_an_operators_rules_count_on_the_price_page() -> None:
    assert "бесплатна" in prices_in_words("runway", PriceRules(rule=Override(kind="free")))
    fixed = PriceRules(rule=Override(kind="fixed", value=RATES.usd_rate * 100, confirmed=True))
    assert f"Любой заказ стоит <b>{Money(8000, 'RUB').written('ru')}</b>" in prices_in_words("runway", fixed)


def test_labels_and_titles_speak_the_language() -> None:
    assert "Length" in prices_in_words("runway", language="en")
    assert "Length" not in prices_in_words("runway")
