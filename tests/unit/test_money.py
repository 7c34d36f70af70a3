"""Money reads the way customers read it, and a move's fingerprint tells its parameters apart."""

from decimal import Decimal

import pytest

from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import ExactMoney, Money, read_minor
from photomat.wallet.postings import Balance, CreditReason, Hold, Posting, PostingLine, charge_posting, credit_posting

NBSP = "\N{NO-BREAK SPACE}"
RUB_100 = Money(10_000, "RUB")
EMPTY = Balance(posted=Money(0, "RUB"), held=Money(0, "RUB"), owed=Money(0, "RUB"))
HOLD = Hold(reference="job:7", user_id=UserId(42), amount=Money(64, "RUB"), job_id=JobId(7))


@pytest.mark.parametrize(
    ("money", "text"),
    [
        (Money(64, "RUB"), f"0.64{NBSP}₽"),
        (Money(100_000, "RUB"), f"1{NBSP}000{NBSP}₽"),
        (Money(99_936, "RUB"), f"999.36{NBSP}₽"),
        (Money(0, "RUB"), f"0{NBSP}₽"),
        (Money(-64, "RUB"), f"-0.64{NBSP}₽"),
        (Money(5, "USD"), f"0.05{NBSP}$"),
        (Money(1100, "XTR"), f"1{NBSP}100{NBSP}⭐"),
        (Money(100, "XYZ"), f"1{NBSP}XYZ"),
    ],
)
def test_an_amount_is_written_with_its_sign_and_without_empty_fractions(money: Money, text: str) -> None:
    assert str(money) == text


@pytest.mark.parametrize(
    ("money", "russian", "english"),
    [
        (Money(123_450, "RUB"), f"1{NBSP}234,50{NBSP}₽", "₽1,234.50"),
        (Money(9_936, "RUB"), f"99,36{NBSP}₽", "₽99.36"),
        (Money(-64, "USD"), f"-0,64{NBSP}$", "-$0.64"),
        (Money(100_000, "RUB"), f"1{NBSP}000{NBSP}₽", "₽1,000"),
        (Money(-50, "XTR"), f"-50{NBSP}⭐", "-⭐50"),
        (Money(100, "XYZ"), f"1{NBSP}XYZ", f"1{NBSP}XYZ"),
    ],
)
def test_an_amount_is_written_the_way_a_language_writes_it(money: Money, russian: str, english: str) -> None:
    assert (money.written("ru"), money.written("en"), money.written("de")) == (russian, english, str(money))


@pytest.mark.parametrize(
    ("major", "russian", "english"),
    [
        ("2.4", f"2,40{NBSP}₽", "₽2.40"),
        ("9.69850", f"9,6985{NBSP}₽", "₽9.6985"),
        ("1234.00004", f"1{NBSP}234{NBSP}₽", "₽1,234"),
        ("1200", f"1{NBSP}200{NBSP}₽", "₽1,200"),
    ],
)
def test_a_price_finer_than_a_coin_has_the_places_it_needs(major: str, russian: str, english: str) -> None:
    price = ExactMoney(Decimal(major), "RUB")
    assert (price.written("ru"), price.written("en")) == (russian, english)


@pytest.mark.parametrize(
    ("text", "minor"),
    [("100", 10_000), ("99.5", 9_950), ("1 234,50", 123_450), (f"1{NBSP}000", 100_000), (" 0.01 ", 1), ("0", 0)],
)
def test_an_amount_somebody_wrote_is_read(text: str, minor: int) -> None:
    assert read_minor(text) == minor


@pytest.mark.parametrize(
    "text", ["", "-5", "+5", "1.005", "1,2,3", "1e3", "ten", "5 ₽", ".5", "5.", "٣", "9" * 13, "1\n2 x", "NaN"]
)
def test_what_is_not_plainly_an_amount_is_not_guessed(text: str) -> None:
    with pytest.raises(ValueError, match="is not an amount"):
        read_minor(text)


def test_what_is_held_is_not_available() -> None:
    wallet = Balance(posted=RUB_100, held=Money(64, "RUB"), owed=Money(0, "RUB"))
    assert wallet.available == Money(9_936, "RUB")


def test_nothing_is_available_to_who_owes() -> None:
    wallet = Balance(posted=RUB_100, held=Money(0, "RUB"), owed=Money(1, "RUB"))
    assert wallet.available == Money(0, "RUB")


def test_a_charge_takes_the_whole_hold_under_its_own_reference() -> None:
    charge = charge_posting(HOLD)
    assert (charge.reference, charge.job_id, charge.currency) == ("job:7", 7, "RUB")
    assert charge.lines == (PostingLine("wallet", UserId(42), -64), PostingLine("income", None, 64))


def test_every_parameter_changes_the_fingerprint() -> None:
    def digest(user: int = 1, minor: int = 100, currency: str = "RUB", reason: CreditReason = "welcome") -> bytes:
        amount = Money(minor, currency)
        posting = credit_posting(user_id=UserId(user), wallet=EMPTY, amount=amount, reference="r", reason=reason)
        return posting.digest

    different = {digest(), digest(user=2), digest(minor=1), digest(currency="USD"), digest(reason="topup"), HOLD.digest}
    assert len(different) == 6
    assert digest() == digest()


def test_money_that_comes_in_is_split_with_the_debt_and_the_seal_tells_the_split() -> None:
    def posting(owed: int) -> Posting:
        wallet = Balance(posted=Money(0, "RUB"), held=Money(0, "RUB"), owed=Money(owed, "RUB"))
        return credit_posting(
            user_id=UserId(42), wallet=wallet, amount=Money(100, "RUB"), reference="r", reason="topup"
        )

    plain, split, swallowed = posting(0), posting(30), posting(100)
    assert plain.lines == (PostingLine("wallet", UserId(42), 100), PostingLine("topup", None, -100))
    assert split.lines == (
        PostingLine("wallet", UserId(42), 70),
        PostingLine("debt", UserId(42), 30),
        PostingLine("topup", None, -100),
    )
    assert swallowed.lines == (PostingLine("debt", UserId(42), 100), PostingLine("topup", None, -100))
    assert len({plain.digest, split.digest, swallowed.digest}) == 1
    assert len({plain.seal, split.seal, swallowed.seal}) == 3
