"""The wallet in words: every kind of move has some, nothing a person wrote is markup, and the longest page fits."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from photomat.bot.buttons import MAX_BYTES
from photomat.bot.view import View
from photomat.bot.wallet.views import BOTH_WAYS, ONE_WAY, StatementPage, balance_page, details_page, statement_page
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.operators.explain import WORDS
from photomat.payments.statement import LineDetails, OpenHold, OrderDetails, PaymentDetails, Reversal, StatementLine
from photomat.texts.load import LANGUAGES, Say, load_texts
from photomat.wallet.ledger import JobHold
from photomat.wallet.postings import Balance, CreditReason

LARGEST = 2**63 - 1
MAX_TEXT_LENGTH = 4096
EVIL = "<b>&'\"" * 50
AT = datetime(2026, 11, 15, 16, 40, tzinfo=UTC)
NBSP = "\N{NO-BREAK SPACE}"


def rub(minor: int) -> Money:
    return Money(minor, "RUB")


MOVE = StatementLine(
    move_id=LARGEST,
    booked_at=AT,
    reason="charge",
    amount=rub(-64),
    debt=rub(0),
    balance_after=rub(936),
    reference="job:7",
    job_id=JobId(7),
    model="z-image",
    kind="image",
    prompt="кот",
    other_user=None,
    other_name=None,
    gives_back=None,
    facts={},
)
ORDER = OrderDetails(
    job_id=JobId(7),
    price=rub(64),
    status="done",
    bought_at=AT,
    prompt=EVIL,
    holds=[JobHold(reference="job:7", amount=rub(64), held_at=AT, closed_as="charge", closed_at=AT)] * 2,
)
BACK = Reversal(reason="refund", amount=rub(14), booked_at=AT, reference=EVIL)


def say(language: str = "ru") -> Say:
    return load_texts().speaker(language)


def wallet(posted: int = 1000, held: int = 0, owed: int = 0) -> Balance:
    return Balance(posted=rub(posted), held=rub(held), owed=rub(owed))


def page(*moves: StatementLine) -> StatementPage:
    return StatementPage(before=LARGEST, moves=moves, newer=LARGEST, older=LARGEST)


def statement_of(*moves: StatementLine, language: str = "ru") -> str:
    return statement_page(say(language), wallet(), [], page(*moves), {"z-image": "Z-Image"}).text


def every_move() -> Iterator[StatementLine]:
    """Every reason there is, both ways, with what people wrote in all its places."""
    for reason in WORDS:
        for amount in (rub(10**12), rub(-(10**12))):
            yield replace(
                MOVE,
                reason=reason,
                amount=amount,
                debt=rub(10**11),
                prompt=EVIL,
                model="bytedance/a-model-with-a-long-name-v1-pro",
                other_name=EVIL,
                reference=EVIL,
                gives_back=EVIL,
                facts={"way": EVIL[:60], "code": EVIL, "percent": 100},
            )


def longest_views(language: str) -> Iterator[View]:
    voice = say(language)
    hold = OpenHold(job_id=JobId(LARGEST), amount=rub(10**12), model="z-image", prompt=EVIL)
    for move in every_move():
        yield statement_page(voice, wallet(owed=10**12), [hold] * 20, page(*[move] * 8), {})
        for paid in (PaymentDetails(provider="stars", amount=50, currency="XTR", paid_at=AT), None):
            order = None if paid else ORDER
            story = LineDetails(move=move, order=order, payment=paid, given_back=[BACK] * 50)
            yield details_page(voice, story, {}, before=LARGEST)
    yield balance_page(voice, wallet(held=64, owed=10**12), orders=20)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_page_fits_telegram_and_holds_no_foreign_markup(language: str) -> None:
    for view in longest_views(language):
        assert 0 < len(view.text) <= MAX_TEXT_LENGTH
        assert "<b>&" not in view.text
        assert view.text.count("<") == view.text.count(">")
        for button in (button for row in view.rows for button in row):
            assert 1 <= len((button.callback_data or "").encode()) <= MAX_BYTES


def test_every_reason_of_the_ledger_has_words() -> None:
    assert set(WORDS) == ONE_WAY | BOTH_WAYS
    assert set(get_args(CreditReason)) <= set(WORDS)


def test_a_line_tells_when_how_much_what_and_what_was_left() -> None:
    text = statement_of(MOVE)
    assert f"<b>1. −0,64{NBSP}₽</b> · 🖼 Заказ: Z-Image «кот»\n<i>15.11.2026 16:40 · остаток 9,36{NBSP}₽</i>" in text
    english = "<b>1. −₽0.64</b> · 🖼 Order: Z-Image “кот”\n<i>15.11.2026 16:40 · balance ₽9.36</i>"
    assert english in statement_of(MOVE, language="en")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reason": "topup", "amount": rub(500), "facts": {"way": "stars"}}, "💳 Пополнение: Telegram Stars"),
        ({"reason": "gift", "amount": rub(-30), "other_name": "Борис"}, "🎁 Ваш подарок: Борис"),
        ({"reason": "gift", "amount": rub(30), "other_name": "Борис"}, "🎁 Подарок вам: Борис"),
        ({"reason": "gift", "amount": rub(30), "facts": {"way": "back"}}, "🎁 Подарок: вернулся к вам"),
        ({"reason": "bonus", "amount": rub(30), "facts": {"code": "CAT", "percent": 10}}, "пополнению: CAT, +10 %"),
        ({"reason": "referral", "amount": rub(30), "facts": {"way": "percent"}}, "доля от пополнения друга"),
        ({"reason": "promo", "amount": rub(30), "facts": {"code": "CAT"}}, "🎟 Промокод: CAT"),
        ({"reason": "promo", "amount": rub(0), "debt": rub(-30)}, f"🎟 Промокод (0,30{NBSP}₽ погасили долг)"),
        ({"reason": "promo", "amount": rub(0), "debt": rub(30)}, f"отозвано (0,30{NBSP}₽ записаны в долг)"),
        ({"reason": "operator", "amount": rub(30)}, "🤝 Начислено оператором"),
        ({"reason": "operator", "amount": rub(-30)}, "🤝 Списано оператором"),
        ({"reason": "correction", "gives_back": "operator:1"}, "✏️ Исправление записи: operator:1"),
        ({"reason": "refund", "amount": rub(14)}, "↩️ Возврат за заказ: Z-Image «кот»"),
    ],
)
def test_each_kind_of_move_says_what_it_was(change: dict[str, Any], words: str) -> None:
    fields: dict[str, Any] = {"job_id": JobId(7), "other_user": UserId(1), **change}
    assert words in statement_of(replace(MOVE, **fields))


def test_debt_says_what_it_means_and_how_to_pay_it() -> None:
    text = balance_page(say(), wallet(posted=64, held=64, owed=500), orders=1).text
    assert text.startswith(f"💰 Доступно: <b>0{NBSP}₽</b>\n⏳ Отложено: 0,64{NBSP}₽ на 1 заказ.")
    assert f"Долг: <b>5{NBSP}₽</b>" in text
    assert "Пополните баланс" in text
    assert "Долг" not in balance_page(say(), wallet(), orders=0).text


def test_holds_are_named_above_the_moves() -> None:
    hold = OpenHold(job_id=JobId(7), amount=rub(64), model="z-image", prompt="кот")
    text = statement_page(say(), wallet(held=128), [hold, hold], page(), {"z-image": "Z-Image"}).text
    assert f"Отложено 1,28{NBSP}₽ на 2 заказа: Z-Image «кот», Z-Image «кот»" in text
    assert "Движений денег пока нет" in text


def test_a_payment_in_stars_is_told_in_stars() -> None:
    move = replace(MOVE, reason="topup", amount=rub(500), job_id=None, model=None, facts={"way": "stars"})
    paid = PaymentDetails(provider="stars", amount=50, currency="XTR", paid_at=AT)
    text = details_page(say(), LineDetails(move=move, order=None, payment=paid, given_back=[]), {}, before=0).text
    assert "Оплачено ⭐ 50 через Telegram Stars, 15.11.2026 16:40 UTC." in text
    card = replace(paid, provider="yookassa", amount=50_000, currency="RUB")
    text = details_page(say(), LineDetails(move=move, order=None, payment=card, given_back=[BACK]), {}, before=0).text
    assert f"Оплачено 500{NBSP}₽ через ЮKassa" in text
    assert f"из этого отозвано 0,14{NBSP}₽" in text
