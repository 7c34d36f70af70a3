"""Money reads the way customers read it, and a move's fingerprint tells its parameters apart."""

import pytest

from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet.posting import Balance, CreditReason, Hold, charge_posting, credit_posting

NBSP = "\N{NO-BREAK SPACE}"
RUB_100 = Money(10_000, "RUB")
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
        (Money(100, "XTR"), f"1{NBSP}XTR"),
    ],
)
def test_an_amount_is_written_with_its_sign_and_without_empty_fractions(money: Money, text: str) -> None:
    assert str(money) == text


def test_what_is_held_is_not_available() -> None:
    wallet = Balance(posted=RUB_100, held=Money(64, "RUB"), owed=Money(0, "RUB"))
    assert wallet.available == Money(9_936, "RUB")


def test_nothing_is_available_to_who_owes() -> None:
    wallet = Balance(posted=RUB_100, held=Money(0, "RUB"), owed=Money(1, "RUB"))
    assert wallet.available == Money(0, "RUB")


def test_a_charge_takes_the_whole_hold_under_its_own_reference() -> None:
    charge = charge_posting(HOLD)
    assert (charge.reference, charge.amount, charge.job_id) == ("job:7", Money(-64, "RUB"), 7)
    assert charge.other_account == "income"


def test_every_parameter_changes_the_fingerprint() -> None:
    def digest(user: int = 1, minor: int = 100, currency: str = "RUB", reason: CreditReason = "welcome") -> bytes:
        amount = Money(minor, currency)
        return credit_posting(user_id=UserId(user), amount=amount, reference="r", reason=reason).digest

    different = {digest(), digest(user=2), digest(minor=1), digest(currency="USD"), digest(reason="topup"), HOLD.digest}
    assert len(different) == 6
    assert digest() == digest()
