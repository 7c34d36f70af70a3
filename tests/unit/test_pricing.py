"""A price is Kie's credits in the customer's currency with the markup, never a minor unit below it."""

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model, PriceRow
from photomat.catalog.pricing import Rates, price
from photomat.kernel.money import Money

Z_IMAGE = load_catalog().get("z-image")
INPUTS = {"prompt": "кот-космонавт", "aspect_ratio": "1:1"}


def rates(usd_rate: str = "80", markup: str = "2.0", currency: str = "RUB") -> Rates:
    return Rates(usd_rate=Decimal(usd_rate), markup=Decimal(markup), currency=currency)


def model(*prices: PriceRow) -> Model:
    return Model(id="x", title="X", kind="image", inputs=(), prices=prices)


def test_a_z_image_costs_64_kopecks_with_the_settings_as_shipped() -> None:
    assert price(Z_IMAGE, INPUTS, rates()) == Money(64, "RUB")


def test_part_of_a_kopeck_is_a_whole_one() -> None:
    assert price(Z_IMAGE, INPUTS, rates(usd_rate="80.01")) == Money(65, "RUB")


def test_an_exact_price_is_not_rounded_up() -> None:
    assert price(Z_IMAGE, INPUTS, rates(usd_rate="1000", markup="1")) == Money(400, "RUB")


def test_the_smallest_price_is_one_minor_unit() -> None:
    assert price(Z_IMAGE, INPUTS, rates(usd_rate="0.0001", markup="0.0001")) == Money(1, "RUB")


def test_a_rounding_far_behind_the_point_still_counts_up() -> None:
    assert price(Z_IMAGE, INPUTS, rates(usd_rate="80." + "0" * 27 + "1")) == Money(65, "RUB")


def test_the_first_price_row_that_fits_the_inputs_counts() -> None:
    large = PriceRow(credits=Decimal(4), when=(("size", "2K"),))
    sized = model(large, PriceRow(credits=Decimal(1)))
    assert price(sized, {"size": "2K"}, rates()) == Money(320, "RUB")
    assert price(sized, {"size": "1K"}, rates()) == Money(80, "RUB")
    assert price(sized, {}, rates()) == Money(80, "RUB")


amounts = st.decimals(min_value=Decimal("0.0001"), max_value=Decimal(1_000_000), places=4)


@given(credits_=amounts, usd_rate=amounts, markup=amounts)
def test_a_price_is_the_exact_product_rounded_up(credits_: Decimal, usd_rate: Decimal, markup: Decimal) -> None:
    exact = Fraction(credits_) * Fraction(usd_rate) * Fraction(markup) / 200 * 100
    asked = price(model(PriceRow(credits=credits_)), {}, Rates(usd_rate=usd_rate, markup=markup, currency="RUB"))
    assert 0 <= asked.minor - exact < 1
