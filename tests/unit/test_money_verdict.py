"""The verdict about a storm of money: a story in which everything is right, and what each broken one is called."""

from dataclasses import replace
from typing import Any

import pytest

from photomat.rewards.promo import PromoCode
from photomat_chaos.lab.history import Evidence, JobRow, ShownMessage
from photomat_chaos.money import verdict
from photomat_chaos.money.books import (
    Books,
    ChargedStars,
    DifferenceRow,
    GiftRow,
    OperatorAction,
    OutsideRecords,
    PaidBill,
    PaymentRow,
    ReceiptRow,
    ReferralRow,
    UseRow,
)

ANNA, BORIS, OLYA = 1, 2, 9
JOB = JobRow(
    job_id=1,
    chat_id=BORIS,
    card=50,
    status="done",
    price=4_800,
    gift=False,
    shown=True,
    closings=("charge",),
    task_id="t",
)
MORE = PromoCode(code="MORE", kind="percent", currency="RUB", percent=20, most_uses=1)
SUM = PromoCode(code="SUM", kind="sum", currency="RUB", amount=1_100, most_uses=1)


def shown(chat_id: int, text: str, message_id: int, *, is_media: bool = False) -> ShownMessage:
    return ShownMessage(chat_id=chat_id, message_id=message_id, is_media=is_media, text=text, reply_to=None)


HISTORY = Evidence(
    jobs=(JOB,),
    orders={"t": 1},
    spent={BORIS: 4_800},
    screens=(
        shown(BORIS, "", 50, is_media=True),
        shown(BORIS, "🎁 Вам подарили 5,01\u00a0₽.", 51),
        shown(ANNA, "🎟 Промокод MORE принят: …", 52),
        shown(ANNA, "💰 Зачислено 10,40\u00a0₽.", 53),
        shown(OLYA, "✅ Чек № 4: зачислено 70,02\u00a0₽", 54),
        shown(OLYA, "", 55, is_media=True),
    ),
)
OUTSIDE = OutsideRecords(
    charges=(
        ChargedStars(charge_id="s1", user_id=ANNA, stars=10, credit=1_040, refunded=False),
        ChargedStars(charge_id="s2", user_id=BORIS, stars=10, credit=1_040, refunded=True),
    ),
    bills=(
        PaidBill(vendor="yookassa", bill_id="y1", user_id=ANNA, asked=10_000, paid=10_000, refunded=3_000),
        PaidBill(vendor="cryptopay", bill_id="7", user_id=BORIS, asked=10_000, paid=5_000, refunded=0),
    ),
    verbs=(
        OperatorAction(verb="credit", reference="storm:1", user_id=ANNA, minor=300, done=True),
        OperatorAction(verb="correct", reference="correction:storm:1", user_id=ANNA, minor=-300, done=True),
        OperatorAction(verb="correct", reference="correction:storm:1", user_id=ANNA, minor=-300, done=True),
        OperatorAction(verb="debit", reference="storm:2", user_id=BORIS, minor=-500, done=False),
        OperatorAction(verb="refund job", reference="storm:3", user_id=BORIS, minor=800, done=True, job_id=1),
    ),
    promos={"MORE": MORE, "SUM": SUM},
    decisions={4: frozenset({7_002}), 5: frozenset({None})},
    came_by={BORIS: ANNA},
    gifts={"g": (ANNA, 501)},
    balances={
        ANNA: 5_000 + 1_040 + 7_000 + 1_400 - 501 + 2_000 + 500,
        BORIS: 5_000 + 5_000 + 7_002 - 4_800 + 800 + 501 + 1_100 + 1_500 - 7_002,
    },
    history=HISTORY,
    operators=frozenset({OLYA}),
)
OUTSIDE = replace(
    OUTSIDE,
    verbs=(
        *OUTSIDE.verbs,
        OperatorAction(
            verb="refund of a payment by transfer",
            reference="payment 5",
            user_id=BORIS,
            minor=-7_002,
            done=True,
            payment_id=5,
        ),
    ),
)
PAYMENTS = (
    PaymentRow(
        payment_id=1, provider="stars", external_id="s1", user_id=ANNA, paid=10, credit=1_040, given_back=0, wanted=0
    ),
    PaymentRow(
        payment_id=2,
        provider="stars",
        external_id="s2",
        user_id=BORIS,
        paid=10,
        credit=1_040,
        given_back=1_040,
        wanted=0,
    ),
    PaymentRow(
        payment_id=3,
        provider="yookassa",
        external_id="y1",
        user_id=ANNA,
        paid=10_000,
        credit=10_000,
        given_back=3_000,
        wanted=0,
    ),
    PaymentRow(
        payment_id=4,
        provider="cryptopay",
        external_id="7",
        user_id=BORIS,
        paid=5_000,
        credit=5_000,
        given_back=0,
        wanted=0,
    ),
    PaymentRow(
        payment_id=5,
        provider="transfer",
        external_id="receipt:4",
        user_id=BORIS,
        paid=7_002,
        credit=7_002,
        given_back=7_002,
        wanted=0,
    ),
)
REFERRAL = ReferralRow(friend_id=BORIS, inviter_id=ANNA, state="rewarded", inviter_reward=2_000, friend_reward=1_500)
RECEIPTS = (
    ReceiptRow(receipt_id=4, user_id=BORIS, state="approved", credited=7_002),
    ReceiptRow(receipt_id=5, user_id=ANNA, state="declined", credited=None),
)
GIFT = GiftRow(code="g", giver_id=ANNA, taker_id=BORIS, amount=501, state="taken")
USES = (
    UseRow(code="MORE", user_id=ANNA, credited=2_000, taken_back=600, payment_id=3),
    UseRow(code="SUM", user_id=BORIS, credited=1_100, taken_back=0, payment_id=None),
)
BOOKS = Books(
    payments=PAYMENTS,
    receipts=RECEIPTS,
    gifts=(GIFT,),
    uses=USES,
    referrals=(REFERRAL,),
    wallets={user_id: minor or 0 for user_id, minor in OUTSIDE.balances.items()},
    paid_before={1: 5_000},
    notices={(ANNA, "payment-received"): 2, (BORIS, "payment-received"): 3},
    differences=(
        DifferenceRow(kind="payment-of-another-sum", reference="payment:cryptopay:7", expected="10000", found="5000"),
    ),
)


def test_a_story_in_which_everything_is_right_breaks_no_rule() -> None:
    assert verdict.violations(OUTSIDE, BOOKS) == []
    assert list(verdict.explained(OUTSIDE, BOOKS).values()) == ["paid in part"]


def without(payment_id: int, **changed: Any) -> tuple[PaymentRow, ...]:
    return tuple(replace(row, **changed) if row.payment_id == payment_id else row for row in PAYMENTS)


@pytest.mark.parametrize(
    ("rule", "books"),
    [
        ("every Star that was paid is one payment", {"payments": PAYMENTS[1:]}),
        ("every Star that was paid is one payment", {"payments": (*PAYMENTS, replace(PAYMENTS[0], payment_id=6))}),
        ("every Star that was paid is one payment", {"payments": without(1, user_id=BORIS)}),
        ("every Star that was paid is one payment", {"payments": without(1, credit=2_080)}),
        (
            "every bill that was paid is one payment of what was paid",
            {"payments": without(4, paid=10_000, credit=10_000)},
        ),
        ("nothing is credited that no one paid", {"payments": without(1, external_id="s1:update")}),
        ("what went back to a payer left the wallet once", {"payments": without(2, given_back=0)}),
        ("what went back to a payer left the wallet once", {"payments": without(3, given_back=6_000)}),
        ("what went back to a payer left the wallet once", {"payments": without(3, wanted=100)}),
        ("a receipt is credited once, as an operator wanted", {"receipts": (replace(RECEIPTS[0], credited=9_000),)}),
        (
            "a receipt is credited once, as an operator wanted",
            {"receipts": (RECEIPTS[0], replace(RECEIPTS[1], receipt_id=6))},
        ),
        ("a receipt is credited once, as an operator wanted", {"receipts": RECEIPTS[1:]}),
        (
            "a balance is what was paid, given and earned, less what was spent",
            {"wallets": {**BOOKS.wallets, ANNA: BOOKS.wallets[ANNA] + 1}},
        ),
        ("a gift is one person's, or its giver's", {"gifts": (replace(GIFT, taker_id=ANNA),)}),
        ("a gift is one person's, or its giver's", {"gifts": ()}),
        ("a promo code is used within its limits", {"uses": (*USES, replace(USES[1], user_id=ANNA))}),
        ("a promo code is used within its limits", {"uses": USES[1:]}),
        ("an invitation is rewarded once, after a paid picture", {"referrals": ()}),
        ("an invitation is rewarded once, after a paid picture", {"referrals": (replace(REFERRAL, state="invited"),)}),
        (
            "an invitation is rewarded once, after a paid picture",
            {"referrals": (replace(REFERRAL, inviter_reward=4_000),)},
        ),
        ("a bonus goes back with its payment", {"uses": (replace(USES[0], taken_back=0), USES[1])}),
        ("the same news is sent once at most", {"notices": {(BORIS, "payment-received"): 3}}),
        ("every payment is announced", {"notices": {**BOOKS.notices, (ANNA, "payment-received"): 3}}),
        ("operators read what became of a receipt", {"receipts": (replace(RECEIPTS[0], credited=None), RECEIPTS[1])}),
        (
            "every difference is explained",
            {"differences": (DifferenceRow(kind="stars-not-listed", reference="x", expected="", found=""),)},
        ),
    ],
)
def test_what_our_books_get_wrong_is_called_by_its_name(rule: str, books: dict[str, Any]) -> None:
    assert rule in {violation.check for violation in verdict.violations(OUTSIDE, replace(BOOKS, **books))}


@pytest.mark.parametrize(
    ("rule", "outside"),
    [
        (
            "every bill that was paid is one payment of what was paid",
            {"bills": (replace(OUTSIDE.bills[0], user_id=None),)},
        ),
        (
            "a balance is what was paid, given and earned, less what was spent",
            {"balances": {**OUTSIDE.balances, BORIS: None}},
        ),
        ("what went back to a payer left the wallet once", {"charges": (replace(OUTSIDE.charges[0], refunded=True),)}),
        ("an invitation is rewarded once, after a paid picture", {"came_by": {BORIS: OLYA}}),
        (
            "an invitation is rewarded once, after a paid picture",
            {"bills": (OUTSIDE.bills[0], replace(OUTSIDE.bills[1], refunded=201))},
        ),
        (
            "an invitation is rewarded once, after a paid picture",
            {"history": replace(HISTORY, jobs=(replace(JOB, price=13_043),))},
        ),
    ],
)
def test_what_happened_otherwise_outside_is_called_by_its_name(rule: str, outside: dict[str, Any]) -> None:
    assert rule in {violation.check for violation in verdict.violations(replace(OUTSIDE, **outside), BOOKS)}


def test_a_receipt_shown_to_an_operator_is_no_result_and_the_same_picture_elsewhere_is_one() -> None:
    found = verdict.violations(replace(OUTSIDE, operators=frozenset()), BOOKS)
    assert [violation.sentence for violation in found] == ["chat 9 shows a result that was not ordered, message 55"]
