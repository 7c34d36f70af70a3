"""A move of money in a customer's few words: what it was, with whom or for which order, how much. Pure.

Whatever a person wrote is escaped and cut here.
"""

from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Final

from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.payments.refunds import put_back_reference
from photomat.texts.load import Say
from photomat.wallet.statement import Move

BOTH_WAYS: Final = frozenset({"operator", "gift", "promo", "bonus", "referral", "subscription"})
"""Reasons for which money comes as well as goes; each way has words of its own."""

OF_ORDERS: Final = frozenset({"charge", "refund", "undelivered"})
ONE_WAY: Final = OF_ORDERS | {"welcome", "topup", "payment-refund", "debt", "correction"}
WAYS: Final = frozenset({"stars", "yookassa", "cryptopay", "transfer"})
REFERRALS: Final = frozenset({"inviter", "friend", "percent"})
"""What a reward for an invitation was for."""

PUT_BACK: Final = put_back_reference("")
LONGEST_PROMPT: Final = 40
LONGEST_NAME: Final = 30


def kind_of(move: Move) -> str:
    """The name of the words a move is told in."""
    if move.reason == "topup" and move.reference.endswith(PUT_BACK):
        return "topup-back"
    if move.reason not in BOTH_WAYS:
        return move.reason
    if move.reason == "gift" and move.facts.get("way") == "back":
        return "gift-back"
    return f"{move.reason}-{'in' if move.amount.minor > move.debt.minor else 'out'}"


def what(say: Say, move: Move, titles: Mapping[str, str]) -> str:
    """`Заказ: Z-Image «кот-космонавт»`, `Пополнение: Telegram Stars`."""
    told = say(f"wallet-move-{kind_of(move)}")
    detail = _detail(say, move, titles)
    return say("wallet-what", what=told, detail=detail) if detail else told


def signed(say: Say, amount: Money) -> str:
    """`+5 ₽`, `−0,64 ₽`."""
    size = Money(abs(amount.minor), amount.currency)
    if not size.minor:
        return say("wallet-zero", amount=size)
    return say("wallet-plus" if amount.minor > 0 else "wallet-minus", amount=size)


def of_debt(say: Say, move: Move) -> str | None:
    """What of the move went into a debt or out of it; None when nothing did."""
    if not move.debt.minor or move.reason == "debt":
        return None
    size = Money(abs(move.debt.minor), move.debt.currency)
    return say("wallet-debt-grew" if move.debt.minor > 0 else "wallet-debt-paid", amount=size)


def order(say: Say, model: str, prompt: str | None, titles: Mapping[str, str], *, longest: int = LONGEST_PROMPT) -> str:
    """`Z-Image «кот-космонавт»`."""
    title = escape(titles.get(model, model))
    shown = " ".join((prompt or "").split())
    return say("wallet-order", model=title, prompt=escape(cut(shown, longest))) if shown else title


def way(say: Say, provider: str) -> str:
    """How somebody paid."""
    return say(f"wallet-way-{provider}") if provider in WAYS else escape(provider)


def when(at: datetime) -> str:
    """`15.11.2026 16:40`, in UTC."""
    return f"{at:%d.%m.%Y %H:%M}"


def _detail(say: Say, move: Move, titles: Mapping[str, str]) -> str:
    facts = move.facts
    match move.reason:
        case reason if reason in OF_ORDERS:
            return order(say, move.model, move.prompt, titles) if move.model else ""
        case "topup" | "payment-refund" | "subscription" if "way" in facts:
            return way(say, str(facts["way"]))
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
    return escape(cut(str(written or ""), LONGEST_NAME))
