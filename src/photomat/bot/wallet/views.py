"""The wallet: the balance, the statement page by page, and the details of one transaction. Pure.

Details are when and how much, the order or payment it belongs to and what became of that, and the reference support asks for.
Whatever people wrote is escaped and cut here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final, get_args

from photomat.bot.buttons import (
    ContactAction,
    FiscalContactButton,
    JobAction,
    JobButton,
    Screen,
    StatementButton,
    TransactionButton,
)
from photomat.bot.rewards.views import rewards_rows
from photomat.bot.view import Rows, View, button, in_rows, screen_button, to_home, to_pictures
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.payments.receive import PaymentSource
from photomat.payments.refunds import put_back_reference
from photomat.payments.statement import LineDetails, OpenHold, OrderDetails, PaymentDetails, StatementLine
from photomat.texts.load import Say
from photomat.wallet.ledger import JobHold
from photomat.wallet.postings import Balance

BOTH_WAYS: Final = frozenset({"operator", "gift", "promo", "bonus", "referral", "subscription"})
"""Reasons for which money comes as well as goes; each way has words of its own."""
OF_ORDERS: Final = frozenset({"charge", "refund", "undelivered"})
ONE_WAY: Final = OF_ORDERS | {"welcome", "topup", "payment-refund", "debt", "correction"}
PAYMENT_SOURCES: Final = frozenset(get_args(PaymentSource))
REFERRALS: Final = frozenset({"inviter", "friend", "percent"})
"""What a reward for an invitation was for."""
PUT_BACK: Final = put_back_reference("")
MAX_PROMPT_LENGTH: Final = 40
MAX_NAME_LENGTH: Final = 30
NUMBERS_IN_ROW: Final = 4
HOLDS_NAMED: Final = 3
MAX_HELD_PROMPT_LENGTH: Final = 20
MAX_DETAILED_PROMPT_LENGTH: Final = 150
MAX_REFERENCE_LENGTH: Final = 200
MAX_SMALL_REFERENCE_LENGTH: Final = 40
MAX_GIVEN_BACK: Final = 4
"""All of it, escaped, stays below the 4096 characters of a message."""
STARS: Final = "XTR"


def kind_of(move: StatementLine) -> str:
    """The suffix of the texts that describe a transaction."""
    if move.reason == "topup" and move.reference.endswith(PUT_BACK):
        return "topup-back"
    if move.reason not in BOTH_WAYS:
        return move.reason
    if move.reason == "gift" and move.facts.get("way") == "back":
        return "gift-back"
    return f"{move.reason}-{'in' if move.amount.minor > move.debt.minor else 'out'}"


def what(say: Say, move: StatementLine, titles: Mapping[str, str]) -> str:
    """`Заказ: Z-Image «кот-космонавт»`, `Пополнение: Telegram Stars`."""
    described = _named(say, move)
    detail = _detail(say, move, titles)
    return say("wallet-what", what=described, detail=detail) if detail else described


def _named(say: Say, move: StatementLine) -> str:
    """`🎬 Заказ`: an order with the sign of its kind."""
    return say(f"wallet-move-{kind_of(move)}", kind=move.kind or "image")


def signed(say: Say, amount: Money) -> str:
    """`+5 ₽`, `−0,64 ₽`."""
    size = Money(abs(amount.minor), amount.currency)
    if not size.minor:
        return say("wallet-zero", amount=size)
    return say("wallet-plus" if amount.minor > 0 else "wallet-minus", amount=size)


def of_debt(say: Say, move: StatementLine) -> str | None:
    """Which part of a transaction raised or paid a debt; None when nothing did."""
    if not move.debt.minor or move.reason == "debt":
        return None
    size = Money(abs(move.debt.minor), move.debt.currency)
    return say("wallet-debt-grew" if move.debt.minor > 0 else "wallet-debt-paid", amount=size)


def order_title(
    say: Say, model: str, prompt: str | None, titles: Mapping[str, str], *, longest: int = MAX_PROMPT_LENGTH
) -> str:
    """`Z-Image «кот-космонавт»`."""
    title = escape(titles.get(model, model))
    shown = " ".join((prompt or "").split())
    return say("wallet-order", model=title, prompt=escape(cut(shown, longest))) if shown else title


def payment_source(say: Say, provider: str) -> str:
    return say(f"wallet-way-{provider}") if provider in PAYMENT_SOURCES else escape(provider)


def when(at: datetime) -> str:
    """`15.11.2026 16:40`, in UTC."""
    return f"{at:%d.%m.%Y %H:%M}"


def _detail(say: Say, move: StatementLine, titles: Mapping[str, str]) -> str:
    facts = move.facts
    match move.reason:
        case reason if reason in OF_ORDERS:
            return order_title(say, move.model, move.prompt, titles) if move.model else ""
        case "topup" | "payment-refund" | "subscription" if "way" in facts:
            return payment_source(say, str(facts["way"]))
        case "gift" if facts.get("way") == "back":
            return say("gift-came-back")
        case "gift":
            return _short(move.other_name)
        case "promo":
            return _short(facts.get("code"))
        case "bonus" if "code" in facts:
            return say("wallet-percent", code=_short(facts["code"]), percent=facts.get("percent", 0))
        case "referral" if facts.get("way") in REFERRALS:
            return say(f"wallet-referral-{facts['way']}")
        case _:
            return _short(move.gives_back) if move.reason == "correction" else ""


def _short(written: object) -> str:
    return escape(cut(str(written or ""), MAX_NAME_LENGTH))


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementPage:
    """Some transactions, newest first. `before` is the key of this page, 0 the newest; None where there is no such page."""

    before: int
    moves: Sequence[StatementLine]
    newer: int | None
    older: int | None


def balance_page(say: Say, balance: Balance, *, orders: int, has_receipts: bool = False) -> View:
    lines = [say("balance", available=balance.available)]
    if balance.held.minor:
        lines.append(say("wallet-held", held=balance.held, count=max(1, orders)))
    if balance.owed.minor:
        lines.append("\n" + say("wallet-owed", owed=balance.owed))
    return View(text="\n".join(lines), rows=_wallet_rows(say, has_receipts=has_receipts))


def statement_page(
    say: Say, balance: Balance, holds: Sequence[OpenHold], page: StatementPage, titles: Mapping[str, str]
) -> View:
    """The transactions of a page, each with a number that opens its details."""
    head = [say("wallet-statement", available=balance.available)]
    if holds:
        head.append(_held(say, holds, titles))
    if balance.owed.minor:
        head.append(say("wallet-owes", owed=balance.owed))
    lines = [_line(say, number, move, titles) for number, move in enumerate(page.moves, start=1)]
    tail = [say("wallet-statement-tap")] if lines else [say("wallet-statement-empty")]
    rows = [*_numbers(page), *_turns(page), [screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]]
    return View(text="\n\n".join(["\n".join(head), *lines, *tail]), rows=rows)


def _wallet_rows(say: Say, *, has_receipts: bool) -> Rows:
    contact = button(say("fiscal-contact-button"), FiscalContactButton(action=ContactAction.SHOW))
    return [
        [
            screen_button(say, "menu-topup", Screen.TOPUP),
            button(say("wallet-to-statement"), StatementButton(before=0)),
        ],
        *rewards_rows(say),
        *([[contact]] if has_receipts else []),
        [to_pictures(say)],
        [to_home(say)],
    ]


def _held(say: Say, holds: Sequence[OpenHold], titles: Mapping[str, str]) -> str:
    held = Money(sum(hold.amount.minor for hold in holds), holds[0].amount.currency)
    named = [
        order_title(say, hold.model, hold.prompt, titles, longest=MAX_HELD_PROMPT_LENGTH)
        for hold in holds[:HOLDS_NAMED]
    ]
    if len(holds) > HOLDS_NAMED:
        named.append("…")
    return say("wallet-held-for", held=held, count=len(holds), orders=", ".join(named))


def _line(say: Say, number: int, move: StatementLine, titles: Mapping[str, str]) -> str:
    described, debt = what(say, move, titles), of_debt(say, move)
    return say(
        "wallet-line",
        number=number,
        when=when(move.booked_at),
        sum=signed(say, move.amount),
        after=move.balance_after,
        what=f"{described} ({debt})" if debt else described,
    )


def _numbers(page: StatementPage) -> Rows:
    buttons = [
        button(str(number), TransactionButton(move_id=move.move_id, before=page.before))
        for number, move in enumerate(page.moves, start=1)
    ]
    return in_rows(buttons, NUMBERS_IN_ROW)


def _turns(page: StatementPage) -> Rows:
    newer = [] if page.newer is None else [button("◀", StatementButton(before=page.newer))]
    older = [] if page.older is None else [button("▶", StatementButton(before=page.older))]
    return [[*newer, *older]] if newer or older else []


def details_page(say: Say, details: LineDetails, titles: Mapping[str, str], *, before: int) -> View:
    """One transaction; `before` leads back to its page."""
    move = details.move
    lines = [
        say("wallet-story", sum=signed(say, move.amount), what=_named(say, move)),
        say("wallet-story-when", when=when(move.booked_at), after=move.balance_after),
        "",
        *_about(say, details, titles),
        *_given_back(say, details),
        "",
        say("wallet-story-number", reference=escape(cut(move.reference, MAX_REFERENCE_LENGTH))),
    ]
    return View(text="\n".join(lines), rows=_rows(say, details, before))


def _about(say: Say, details: LineDetails, titles: Mapping[str, str]) -> list[str]:
    move, kind = details.move, kind_of(details.move)
    lines = []
    if details.order is not None and move.model is not None:
        lines += _order(say, details.order, move.model, titles)
    elif details.payment is not None:
        lines.append(_payment(say, details.payment))
    elif (described := what(say, move, titles)) != _named(say, move):
        lines.append(described)
    if move.reason not in {"charge", "refund"}:
        lines.append(say(f"wallet-why-{kind}"))
    debt = of_debt(say, move)
    return [*lines, debt[0].upper() + debt[1:] + "."] if debt else lines


def _order(say: Say, order: OrderDetails, model: str, titles: Mapping[str, str]) -> list[str]:
    named = order_title(say, model, order.prompt, titles, longest=MAX_DETAILED_PROMPT_LENGTH)
    lines = [
        say("wallet-story-order", number=order.job_id, order=named),
        say("wallet-story-bought", when=when(order.bought_at), price=order.price),
    ]
    for hold in order.holds:
        lines.append(say("wallet-story-held", when=when(hold.held_at), amount=hold.amount))
        lines += _ending(say, hold)
    return lines


def _ending(say: Say, hold: JobHold) -> list[str]:
    if hold.closed_at is None:
        return [say("wallet-story-open")]
    facts = {"when": when(hold.closed_at), "amount": hold.amount}
    return [say("wallet-story-charged" if hold.closed_as == "charge" else "wallet-story-released", **facts)]


def _payment(say: Say, paid: PaymentDetails) -> str:
    is_stars = paid.currency == STARS
    amount = say("wallet-stars", count=paid.amount) if is_stars else Money(paid.amount, paid.currency)
    return say("wallet-story-paid", amount=amount, way=payment_source(say, paid.provider), when=when(paid.paid_at))


def _given_back(say: Say, details: LineDetails) -> list[str]:
    """What was given back of a transaction since; the newest, where there was much."""
    is_given = details.move.amount.minor < 0
    return [
        say(
            "wallet-story-given-back" if is_given else "wallet-story-taken-back",
            when=when(one.booked_at),
            amount=one.amount,
            reference=escape(cut(one.reference, MAX_SMALL_REFERENCE_LENGTH)),
        )
        for one in details.given_back[-MAX_GIVEN_BACK:]
    ]


def _rows(say: Say, details: LineDetails, before: int) -> Rows:
    leave = [button(say("wallet-to-page"), StatementButton(before=before)), to_home(say)]
    if details.order is None or not details.order.price.minor:
        return [leave]
    why = JobButton(job_id=details.order.job_id, action=JobAction.WHY)
    return [[button(say("card-button-why", price=details.order.price), why)], leave]
