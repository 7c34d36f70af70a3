"""A price is Kie's credits in the customer's currency with the markup, rounded up to a step, and not below cost by accident."""

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from photomat.catalog.formula import PriceRow
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.pricing import (
    Override,
    OverrideKind,
    PriceRules,
    Rates,
    cost_of,
    quote,
    quote_from_json,
    samples,
)
from photomat.kernel.money import Money
from support.money import agreed

Z_IMAGE = load_catalog().get("z-image")
INPUTS = {"prompt": "кот-космонавт", "aspect_ratio": "1:1"}


def rates(usd_rate: str = "80", markup: str = "2.0", currency: str = "RUB", step: int = 1) -> Rates:
    return Rates(usd_rate=Decimal(usd_rate), markup=Decimal(markup), currency=currency, step=step)


def rule(kind: OverrideKind, value: str = "0", *, confirmed: bool = False) -> Override:
    return Override(kind=kind, value=Decimal(value), confirmed=confirmed)


def asked(standing: PriceRules, *, markup: str = "2.0", step: int = 1) -> int:
    return quote(Z_IMAGE, INPUTS, rates(markup=markup, step=step), standing).price.minor


def model(*prices: PriceRow) -> Model:
    return Model(id="x", title="X", kind="image", inputs=(), prices=prices)


def test_a_z_image_costs_64_kopecks_with_the_settings_as_shipped() -> None:
    assert quote(Z_IMAGE, INPUTS, rates()).price == Money(64, "RUB")


def test_part_of_a_kopeck_is_a_whole_one() -> None:
    assert quote(Z_IMAGE, INPUTS, rates(usd_rate="80.01")).price == Money(65, "RUB")


def test_an_exact_price_is_not_rounded_up() -> None:
    assert quote(Z_IMAGE, INPUTS, rates(usd_rate="1000", markup="1")).price == Money(400, "RUB")


def test_the_smallest_price_is_one_minor_unit() -> None:
    assert quote(Z_IMAGE, INPUTS, rates(usd_rate="0.0001", markup="0.0001")).price == Money(1, "RUB")


def test_a_rounding_far_behind_the_point_still_counts_up() -> None:
    assert quote(Z_IMAGE, INPUTS, rates(usd_rate="80." + "0" * 27 + "1")).price == Money(65, "RUB")


def test_the_first_price_row_that_fits_the_inputs_counts() -> None:
    large = PriceRow(credits=Decimal(4), when=(("size", "2K"),))
    sized = model(large, PriceRow(credits=Decimal(1)))
    assert quote(sized, {"size": "2K"}, rates()).price == Money(320, "RUB")
    assert quote(sized, {"size": "1K"}, rates()).price == Money(80, "RUB")
    assert quote(sized, {}, rates()).price == Money(80, "RUB")


amounts = st.decimals(min_value=Decimal("0.0001"), max_value=Decimal(1_000_000), places=4)


@given(credits_=amounts, usd_rate=amounts, markup=amounts)
def test_a_price_is_the_exact_product_rounded_up(credits_: Decimal, usd_rate: Decimal, markup: Decimal) -> None:
    exact = Fraction(credits_) * Fraction(usd_rate) * max(Fraction(markup), Fraction(1)) / 200 * 100
    made = quote(model(PriceRow(credits=credits_)), {}, Rates(usd_rate=usd_rate, markup=markup, currency="RUB")).price
    assert 0 <= made.minor - exact < 1


@given(credits_=amounts, usd_rate=amounts, markup=amounts, step=st.integers(1, 10_000), percent=st.integers(1, 99))
def test_whatever_is_set_a_price_is_a_step_and_not_below_cost(
    credits_: Decimal, usd_rate: Decimal, markup: Decimal, step: int, percent: int
) -> None:
    set_rates = Rates(usd_rate=usd_rate, markup=markup, currency="RUB", step=step)
    standing = PriceRules(discount=rule("discount", str(percent)))
    made = quote(model(PriceRow(credits=credits_)), {}, set_rates, standing)
    assert made.price.minor % step == 0
    assert made.price >= made.cost == cost_of(credits_, usd_rate, "RUB")
    assert quote_from_json(made.as_json()) == made


def test_a_step_rounds_up_and_an_exact_price_stays() -> None:
    assert asked(PriceRules(), step=100) == 100
    assert asked(PriceRules(), step=64) == 64
    assert asked(PriceRules(), step=10) == 70


def test_a_fixed_price_is_what_the_operator_said_whatever_the_step() -> None:
    fixed = PriceRules(rule=rule("fixed", "55"))
    assert asked(fixed, step=100) == 55
    assert quote(Z_IMAGE, INPUTS, rates(), fixed).rule == "fixed"


def test_another_markup_counts_instead_of_the_settings_one() -> None:
    assert asked(PriceRules(rule=rule("markup", "1.5"))) == 48


def test_a_discount_is_taken_off_before_the_rounding() -> None:
    assert asked(PriceRules(discount=rule("discount", "20"))) == 52
    assert asked(PriceRules(rule=rule("fixed", "100"), discount=rule("discount", "20"))) == 80


def test_nothing_is_sold_below_cost_unless_somebody_confirmed_it() -> None:
    for standing in (PriceRules(rule=rule("fixed", "5")), PriceRules(discount=rule("discount", "90"))):
        raised = quote(Z_IMAGE, INPUTS, rates(), standing)
        assert (raised.price, raised.raised) == (Money(32, "RUB"), True)
    assert asked(PriceRules(rule=rule("fixed", "5", confirmed=True))) == 5
    assert asked(PriceRules(discount=rule("discount", "90", confirmed=True))) == 7
    assert asked(PriceRules(), markup="0.5") == 32


def test_free_is_free_also_with_a_discount_and_by_the_catalogue() -> None:
    assert asked(PriceRules(rule=rule("free"), discount=rule("discount", "50"))) == 0
    given_away = Model(id="x", title="X", kind="image", inputs=(), prices=(PriceRow(credits=Decimal(4)),), free=True)
    assert quote(given_away, {}, rates()).price == Money(0, "RUB")
    assert quote(given_away, {}, rates(), PriceRules(rule=rule("fixed", "500"))).price == Money(500, "RUB")


def test_the_first_end_of_the_rules_is_when_the_price_ends() -> None:
    soon, later = datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    standing = PriceRules(
        rule=Override(kind="fixed", value=Decimal(90), until=later),
        discount=Override(kind="discount", value=Decimal(10), until=soon),
    )
    made = quote(Z_IMAGE, INPUTS, rates(), standing)
    assert (made.price, made.until) == (Money(81, "RUB"), soon)
    assert quote_from_json(made.as_json()) == made


def test_a_quote_nobody_can_read_is_none() -> None:
    kept = agreed(Money(64, "RUB")).as_json()
    assert quote_from_json(None) is None
    assert quote_from_json({}) is None
    assert quote_from_json(kept | {"usd_rate": "much"}) is None
    assert quote_from_json(kept | {"rule": "whim"}) is None
    assert quote_from_json(kept) == agreed(Money(64, "RUB"))


def test_a_price_is_tried_with_the_defaults_and_every_row() -> None:
    large = PriceRow(credits=Decimal(4), when=(("size", "2K"),))
    assert samples(model(large, PriceRow(credits=Decimal(1)))) == ({}, {"size": "2K"})
