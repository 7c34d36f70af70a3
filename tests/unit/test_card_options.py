"""Options on a card: which inputs and values it offers, what each changes in the price, and how they fit a phone."""

import time
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from photomat.bot.buttons import MAX_BYTES
from photomat.bot.order_card import options
from photomat.bot.order_card.views import draft_card
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.options import MAX_OPTIONS, MAX_ROWS, OptionRow, Order, option_rows, values, with_option
from photomat.catalog.order import check_order, example_of
from photomat.catalog.pricing import Rates, Voucher, quote
from photomat.kernel.ids import BotId, ChatId, DraftId, UserId
from photomat.kernel.money import Money
from photomat.orders.draft import Draft
from photomat.orders.outcome import Alternatives
from photomat.texts.load import LANGUAGES, load_texts

CATALOG = load_catalog()
RATES = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
LARGEST = 2**63 - 1
NBSP = "\N{NO-BREAK SPACE}"
MAX_KEYBOARD = 6


def order_of(model: Model, inputs: Mapping[str, Any]) -> Order:
    return Order(model=model, inputs=inputs, measured={}, price_of=lambda changed: quote(model, changed, RATES).price)


def rows_of(model_id: str, **inputs: Any) -> tuple[OptionRow, ...]:
    return option_rows(order_of(CATALOG.get(model_id), {"prompt": "кот", **inputs}))


def draft_of(model: Model, inputs: Mapping[str, Any]) -> Draft:
    return Draft(
        draft_id=DraftId(LARGEST),
        bot_id=BotId(1),
        user_id=UserId(LARGEST),
        chat_id=ChatId(LARGEST),
        model=model.id,
        inputs=inputs,
        price=quote(model, inputs, RATES).price,
        revision=2**31 - 1,
        is_closed=False,
    )


def labels(model: Model, inputs: Mapping[str, Any], language: str = "ru") -> list[list[str]]:
    say, draft = load_texts().speaker(language), draft_of(model, inputs)
    rows = option_rows(order_of(model, inputs))
    return [[each.text for each in options.buttons(say, draft, row, language)] for row in rows]


def test_z_image_has_its_formats_side_by_side_with_the_chosen_one_marked() -> None:
    model = CATALOG.get("z-image")
    assert labels(model, {"prompt": "кот"}) == [["✓ 1:1", "16:9", "9:16", "4:3", "3:4"]]
    assert labels(model, {"prompt": "кот", "aspect_ratio": "9:16"}) == [["1:1", "16:9", "✓ 9:16", "4:3", "3:4"]]


def test_a_dearer_option_says_by_how_much_and_a_cheaper_one_too() -> None:
    model = CATALOG.get("nano-banana-pro")
    order = {"prompt": "кот", "resolution": "2K"}
    resolution = next(row for row in labels(model, order) if "✓ 2K" in row)
    dear, now = (quote(model, {**order, "resolution": size}, RATES).price.minor for size in ("4K", "2K"))
    assert resolution[-1] == f"4K +{Money(dear - now, 'RUB').written('ru')}"
    order["resolution"] = "4K"
    assert any(text.startswith("2K −") for row in labels(model, order) for text in row)


@pytest.mark.parametrize("model", CATALOG.sellable, ids=lambda model: model.id)
def test_every_option_leads_to_an_order_that_can_be_bought_at_its_price(model: Model) -> None:
    inputs = example_of(model)
    known = check_order(model, inputs)
    rows = option_rows(order_of(model, inputs))
    assert len(rows) <= MAX_ROWS
    for row in rows:
        assert model.inputs[row.question] is row.input
        assert 1 <= len(row.options) <= MAX_OPTIONS
        assert sum(each.is_chosen for each in row.options) <= 1
        for each in row.options:
            if each.number is None or each.is_chosen:
                continue
            changed = with_option(model, inputs, row.input, each.number)
            assert changed is not None
            assert values(row.input)[each.number] == each.value
            assert set(inputs) <= set(changed), "nothing that was given is lost"
            assert all(refused in known for refused in check_order(model, changed))
            assert quote(model, changed, RATES).price == each.price


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("model", CATALOG.sellable, ids=lambda model: model.id)
def test_a_card_with_its_options_is_no_wall_of_buttons(model: Model, language: str) -> None:
    inputs = example_of(model)
    draft, rows = draft_of(model, inputs), option_rows(order_of(model, inputs))
    voucher = Voucher(use_id=1, code="CODE", left=1, price=draft.price)
    offered = Alternatives(quote=quote(model, inputs, RATES), rows=rows, voucher=voucher)
    for balance in (0, 10**9):
        view = draft_card(
            load_texts().speaker(language),
            model,
            draft,
            language=language,
            balance=Money(balance, "RUB"),
            offered=offered,
        )
        assert len(view.rows) <= MAX_KEYBOARD
        for row in view.rows[2:-1]:
            width = {1: 64, 2: 20, 3: 14, 4: 9, 5: 7}[len(row)]
            assert all(0 < len(each.text) <= width for each in row), [each.text for each in row]
        data = [each.callback_data or "" for row in view.rows for each in row]
        assert len(data) == len(set(data)), "two buttons do the same"
        assert all(1 <= len(each.encode()) <= MAX_BYTES for each in data)


def test_where_there_are_more_values_than_fit_the_last_button_asks() -> None:
    model = CATALOG.get("nano-banana-pro")
    formats = next(row for row in labels(model, {"prompt": "кот"}) if any("16:9" in text for text in row))
    assert formats[-1] == "…"


def test_several_pictures_are_chosen_by_their_number() -> None:
    found = {
        model.id: [text.partition(" +")[0] for row in labels(model, example_of(model)) for text in row if "×" in text]
        for model in CATALOG.sellable
        if model.input_for("count") is not None
    }
    assert found
    counts = [row for row in found.values() if row]
    assert counts
    assert any({"✓ ×1", "×2", "×4"} == set(row) for row in counts)


def test_a_longer_video_is_offered_before_a_shorter_one() -> None:
    model = CATALOG.get("kling-3.0/video")
    durations = labels(model, {"prompt": "кот"})[0]
    assert durations[0] == "✓ 5 с"
    assert durations[1].startswith("10 с +")
    assert durations[2] == "…"


def test_a_long_switch_is_one_button_that_turns_it() -> None:
    model = CATALOG.get("grok-imagine/text-to-image")
    assert [f"⬜ Высокое качество +0,80{NBSP}₽"] in labels(model, {"prompt": "кот"})
    assert any(
        row[0].startswith("☑️ Высокое качество −") for row in labels(model, {"prompt": "кот", "enable_pro": "true"})
    )


def test_a_long_list_is_one_button_with_the_chosen_value() -> None:
    model = next(each for each in CATALOG.sellable if (voice := each.input_for("voice")) and len(voice.options) > 16)
    (chosen,) = [row for row in labels(model, example_of(model)) if len(row) == 1 and row[0].startswith("Голос: ")]
    assert chosen[0].endswith("▾")


def test_a_typed_number_stands_beside_the_usual_ones() -> None:
    model = next(
        each
        for each in CATALOG.sellable
        if (asked := each.input_for("duration")) and asked.type == "number" and "7" not in values(asked) and asked.most
    )
    asked = model.input_for("duration")
    assert asked is not None
    row = next(
        row for row in option_rows(order_of(model, {**example_of(model), asked.name: "7"})) if row.input is asked
    )
    assert [(each.value, each.number) for each in row.options if each.is_chosen] == [("7", None)]


def test_an_option_that_is_not_needed_is_taken_out_by_a_second_tap() -> None:
    model = next(each for each in CATALOG.sellable if each.input("vocal_gender") or each.input("vocalGender"))
    asked = model.input("vocal_gender") or model.input("vocalGender")
    assert asked is not None
    once = with_option(model, {"prompt": "песня"}, asked, 0)
    assert once is not None
    assert once[asked.name] == asked.options[0]
    assert with_option(model, once, asked, 0) == {"prompt": "песня"}
    assert with_option(model, once, asked, 99) is None


def test_the_format_of_a_video_comes_last_where_a_picture_decides_it() -> None:
    model = next(
        each
        for each in CATALOG.sellable
        if each.category == "image-to-video" and each.input_for("format") and each.input_for("duration")
    )
    roles = [row.input.role for row in option_rows(order_of(model, example_of(model)))]
    assert roles[0] == "duration"
    assert "format" not in roles[:-1]


def test_twelve_alternatives_take_less_than_thirty_milliseconds() -> None:
    models = [
        each
        for each in CATALOG.sellable
        if sum(len(r.options) for r in option_rows(order_of(each, example_of(each)))) >= 12
    ]
    assert models
    for model in models:
        order = order_of(model, example_of(model))
        spent = min(_processor_s(order) for _ in range(5))
        assert spent < 0.03, model.id


def _processor_s(order: Order) -> float:
    before = time.process_time()
    option_rows(replace(order))
    return time.process_time() - before
