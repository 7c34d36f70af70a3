"""The rules of what people are told: each thing at most once, and to operators what became of it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from photomat_chaos.lab.phone import minor_in
from photomat_chaos.money.facts import Books, Outside

NEWS: Final[Mapping[str, tuple[str, ...]]] = {
    "💰 Зачислено": (
        "payment-received",
        "payment-received-bonus",
        "payment-received-month",
        "payment-received-owing",
        "payment-received-part",
        "payment-received-part-bonus",
    ),
    "↩️ Платёж возвращён": ("payment-refunded", "payment-refunded-owing"),
    "↩️ Вернуть платёж не получилось": ("payment-refund-refused",),
    "🎁 Ваш подарок": ("notice-gift-taken", "notice-gift-back"),
    "👥 Ваш друг оплатил": ("notice-referral-inviter",),
    "👥 За первый оплаченный": ("notice-referral-friend",),
    "👥 Ваш друг пополнил": ("notice-referral-percent",),
    "👥 Оплата, за которую": ("notice-referral-back",),
}
"""How each piece of news begins on a screen, and which notices say it. A declined receipt is not among them: its page, shown
in answer to the file when that update is handled late, says the same."""

CREDITED: Final = re.compile(r"✅ Чек № (\d+): зачислено")


def _once(outside: Outside, books: Books) -> Iterator[str]:
    seen = Counter(
        (shown.chat_id, words) for shown in outside.history.screens for words in NEWS if shown.text.startswith(words)
    )
    for (chat_id, words), count in sorted(seen.items()):
        made = sum(books.notices.get((chat_id, key), 0) for key in NEWS[words])
        if count > made:
            yield f"chat {chat_id} reads «{words}…» {count} times, and it happened {made} times"


def _payments_once(_outside: Outside, books: Books) -> Iterator[str]:
    payments = Counter(row.user_id for row in books.payments)
    for user_id, count in sorted(payments.items()):
        made = sum(books.notices.get((user_id, key), 0) for key in NEWS["💰 Зачислено"])
        if made != count:
            yield f"user {user_id} has made {count} payments and is to be told of {made}"


def _operators(outside: Outside, books: Books) -> Iterator[str]:
    credited = {row.receipt_id: row.credited for row in books.receipts}
    for shown in outside.history.screens:
        if found := CREDITED.match(shown.text):
            said = minor_in(shown.text[found.end() :])
            if credited.get(int(found[1])) != said:
                yield f"an operator reads that receipt {found[1]} was credited with {said}, our books say {credited}"


TOLD: Final[Mapping[str, Callable[[Outside, Books], Iterator[str]]]] = {
    "the same news is told once at most": _once,
    "every payment is told of": _payments_once,
    "operators read what became of a receipt": _operators,
}
