"""The verdict about a storm of money: what happened outside and what our books say must agree.

Every rule yields sentences; none means that it holds. The rules of jobs are those of `lab.history`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from photomat_chaos.lab import history
from photomat_chaos.lab.customers import minor_in
from photomat_chaos.lab.history import Evidence, HistoryViolation
from photomat_chaos.money.books import Books, DifferenceRow, OutsideRecords
from photomat_chaos.money.expected import bonus_of, expected, inflows, refunded_of_jobs
from photomat_chaos.money.shop import FRIEND_REWARD, REWARD

WAS_GIVEN: Final = "🎁 Вам подарили"
ACCEPTED: Final = re.compile(r"🎟 Промокод (\S+) принят")
REWARDED: Final = frozenset({"rewarded", "refunded", "taken_back"})


def _gifts(outside: OutsideRecords, books: Books) -> Iterator[str]:
    rows = {gift.code: gift for gift in books.gifts}
    for code, (giver_id, minor) in outside.gifts.items():
        row = rows.get(code)
        if row is None or (row.giver_id, row.amount) != (giver_id, minor):
            yield f"user {giver_id} gave {minor} as {code}, our books say {row}"
    takers: defaultdict[int, set[int]] = defaultdict(set)
    for shown in outside.history.screens:
        if shown.text.startswith(WAS_GIVEN):
            takers[minor_in(shown.text) or 0].add(shown.chat_id)
    for gift in books.gifts:
        seen = takers.pop(gift.amount, set())
        if not seen <= {gift.taker_id}:
            yield f"gift {gift.code} of {gift.amount} belongs to {gift.taker_id} and was announced to {sorted(seen)}"
    yield from (f"{sorted(chats)} were given {minor}, which no user gave" for minor, chats in takers.items())


def _promo_codes(outside: OutsideRecords, books: Books) -> Iterator[str]:
    announced: defaultdict[str, set[int]] = defaultdict(set)
    for shown in outside.history.screens:
        if found := ACCEPTED.search(shown.text):
            announced[found[1]].add(shown.chat_id)
    uses: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for use in books.uses:
        uses[use.code][use.user_id] += 1
    for code, promo in outside.promos.items():
        if promo.most_uses is not None and max(uses[code].total(), len(announced[code])) > promo.most_uses:
            said = sorted(announced[code])
            yield f"{code} may be used {promo.most_uses} times: {dict(uses[code])} used it, {said} were notified"
        if any(times > promo.per_user for times in uses[code].values()):
            yield f"{code} was used too often by one user: {dict(uses[code])}"
        if not announced[code] <= uses[code].keys():
            yield f"{code} was announced as accepted to {sorted(announced[code])}, and used by {dict(uses[code])}"


def _invitations(outside: OutsideRecords, books: Books) -> Iterator[str]:
    """A picture counts when the friend's own payments, less refunds, cover it."""
    back, paid, kept = refunded_of_jobs(outside), Counter[int](), Counter[int]()
    for inflow in inflows(outside, books).values():
        if inflow.user_id is not None:
            paid[inflow.user_id] += inflow.credit
            kept[inflow.user_id] += inflow.credit - inflow.back
    sold = [job for job in outside.history.jobs if job.status == "done" and not job.gift and job.price]
    lasting = [job for job in sold if back.get(job.job_id, 0) < job.price]
    could_earn = {job.chat_id for job in sold if job.price <= paid[job.chat_id]}
    may_keep = {job.chat_id for job in lasting if job.price <= kept[job.chat_id]}
    must_earn = {job.chat_id for job in lasting if job.price <= books.paid_before.get(job.job_id, 0)}
    rows = {row.friend_id: row for row in books.referrals}
    for friend_id, inviter_id in outside.came_by.items():
        row = rows.pop(friend_id, None)
        if row is None or row.inviter_id != inviter_id:
            yield f"user {friend_id} came by a link of {inviter_id}, our books say {row}"
        elif row.state in REWARDED and friend_id not in could_earn:
            yield f"user {friend_id} has paid for no picture, and the invitation is {row.state}"
        elif row.state == "rewarded" and friend_id not in may_keep:
            yield f"what user {friend_id} paid for a picture went back, and the invitation is {row.state}"
        elif friend_id in must_earn and row.state not in REWARDED:
            yield f"user {friend_id} has paid for a picture, and the invitation is {row.state}"
        elif row.state in REWARDED and (row.inviter_reward, row.friend_reward) != (REWARD, FRIEND_REWARD):
            yield f"the invitation of user {friend_id} brought {row.inviter_reward} and {row.friend_reward}"
        elif row.state in {"due", "refunded"}:
            yield f"the invitation of user {friend_id} still waits: {row.state}"
    yield from (f"user {row.friend_id} came by no known link, our books say {row}" for row in rows.values())


def _bonuses(outside: OutsideRecords, books: Books) -> Iterator[str]:
    """In proportion; each refund of a part may round up by one."""
    rows, paid = {row.payment_id: row for row in books.payments}, inflows(outside, books)
    for use in books.uses:
        if use.payment_id is None or use.code not in outside.promos:
            continue
        row = rows[use.payment_id]
        inflow = paid.get((row.provider, row.external_id))
        if inflow is None:
            continue
        bonus = bonus_of(outside, use.code, inflow.credit)
        least, roundings = bonus * inflow.back // inflow.credit, 8
        whole = inflow.back == inflow.credit
        if use.credited != bonus or not (bonus if whole else least) <= use.taken_back <= min(bonus, least + roundings):
            yield (
                f"{use.code} of user {use.user_id}: {use.credited} given, {use.taken_back} taken back, while {inflow.back} of"
                f" {inflow.credit} went back and the bonus is {bonus}"
            )


GIVEN: Final[Mapping[str, Callable[[OutsideRecords, Books], Iterator[str]]]] = {
    "a gift is one person's, or its giver's": _gifts,
    "a promo code is used within its limits": _promo_codes,
    "an invitation is rewarded once, after a paid picture": _invitations,
    "a bonus goes back with its payment": _bonuses,
}


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


def _once(outside: OutsideRecords, books: Books) -> Iterator[str]:
    seen = Counter(
        (shown.chat_id, words) for shown in outside.history.screens for words in NEWS if shown.text.startswith(words)
    )
    for (chat_id, words), count in sorted(seen.items()):
        made = sum(books.notices.get((chat_id, key), 0) for key in NEWS[words])
        if count > made:
            yield f"chat {chat_id} reads «{words}…» {count} times, and it happened {made} times"


def _payments_once(_outside: OutsideRecords, books: Books) -> Iterator[str]:
    payments = Counter(row.user_id for row in books.payments)
    for user_id, count in sorted(payments.items()):
        made = sum(books.notices.get((user_id, key), 0) for key in NEWS["💰 Зачислено"])
        if made != count:
            yield f"user {user_id} has made {count} payments and is to be notified of {made}"


def _operators(outside: OutsideRecords, books: Books) -> Iterator[str]:
    credited = {row.receipt_id: row.credited for row in books.receipts}
    for shown in outside.history.screens:
        if found := CREDITED.match(shown.text):
            said = minor_in(shown.text[found.end() :])
            if credited.get(int(found[1])) != said:
                yield f"an operator reads that receipt {found[1]} was credited with {said}, our books say {credited}"


NOTIFIED: Final[Mapping[str, Callable[[OutsideRecords, Books], Iterator[str]]]] = {
    "the same news is sent once at most": _once,
    "every payment is announced": _payments_once,
    "operators read what became of a receipt": _operators,
}


PROVIDERS: Final = ("yookassa", "cryptopay")
ANOTHER_SUM: Final = "payment-of-another-sum"
TWO_AT_ONCE: Final = "two-subscriptions"


def violations(outside: OutsideRecords, books: Books) -> list[HistoryViolation]:
    found = [
        HistoryViolation(check=name, sentence=said) for name, rule in RULES.items() for said in rule(outside, books)
    ]
    return [*found, *history.violations(_of_customers(outside))]


def _of_customers(outside: OutsideRecords) -> Evidence:
    """Without the chats of operators, which show receipts and no results."""
    screens = tuple(shown for shown in outside.history.screens if shown.chat_id not in outside.operators)
    return replace(outside.history, screens=screens)


def _paid_once(outside: OutsideRecords, books: Books, providers: tuple[str, ...]) -> Iterator[str]:
    rows = {
        (row.provider, row.external_id): [
            one for one in books.payments if (one.provider, one.external_id) == (row.provider, row.external_id)
        ]
        for row in books.payments
    }
    for (provider, external_id), inflow in inflows(outside, books).items():
        if provider not in providers:
            continue
        booked = [(one.user_id, one.paid, one.credit) for one in rows.get((provider, external_id), [])]
        wanted = (inflow.user_id, inflow.paid, inflow.credit)
        if booked != [wanted]:
            yield f"{provider} {external_id} is user, paid, credit {wanted} outside, and in our books {booked or 'nothing'}"


def _stars_once(outside: OutsideRecords, books: Books) -> Iterator[str]:
    yield from _paid_once(outside, books, ("stars",))


def _bills_once(outside: OutsideRecords, books: Books) -> Iterator[str]:
    yield from _paid_once(outside, books, PROVIDERS)
    yield from (
        f"bill {bill.bill_id} of {bill.vendor} was paid by no known user"
        for bill in outside.bills
        if bill.user_id is None
    )


def _nothing_from_nowhere(outside: OutsideRecords, books: Books) -> Iterator[str]:
    known = inflows(outside, books)
    for row in books.payments:
        if (row.provider, row.external_id) not in known:
            yield f"payment {row.payment_id} ({row.provider} {row.external_id}) credits {row.credit} that no one paid"


def _back_once(outside: OutsideRecords, books: Books) -> Iterator[str]:
    known = inflows(outside, books)
    for row in books.payments:
        inflow = known.get((row.provider, row.external_id))
        if row.wanted:
            yield f"a refund of payment {row.payment_id} ({row.provider}) still waits"
        elif inflow is not None and row.given_back != inflow.back:
            yield (
                f"payment {row.payment_id} ({row.provider} {row.external_id}) of user {row.user_id}: {inflow.back} of"
                f" {inflow.credit} went back, and {row.given_back} was taken from the wallet"
            )


def _receipts(outside: OutsideRecords, books: Books) -> Iterator[str]:
    paid = {row.external_id: row for row in books.payments if row.provider == "transfer"}
    for receipt in books.receipts:
        row = paid.pop(f"receipt:{receipt.receipt_id}", None)
        decisions = outside.decisions.get(receipt.receipt_id, frozenset())
        if receipt.state == "approved" and receipt.credited not in decisions:
            yield f"receipt {receipt.receipt_id} was credited with {receipt.credited}, wanted was {sorted(map(str, decisions))}"
        if (receipt.credited, receipt.user_id) != (
            row.credit if row else None,
            row.user_id if row else receipt.user_id,
        ):
            yield f"receipt {receipt.receipt_id} is {receipt.state} with {receipt.credited}, its payment is {row}"
        if receipt.state == "declined" and None not in decisions:
            yield f"receipt {receipt.receipt_id} was declined, and no operator wanted that"
    yield from (f"payment {row.payment_id} belongs to no receipt" for row in paid.values())


def _balances(outside: OutsideRecords, books: Books) -> Iterator[str]:
    for user_id, parts in expected(outside, books).items():
        wanted, kept, said = sum(parts.values()), books.wallets[user_id], outside.balances.get(user_id)
        if kept != wanted:
            yield f"user {user_id} has {kept} in the ledger and should have {wanted}: {parts}"
        if user_id in outside.balances and said != wanted:
            yield f"user {user_id} reads a balance of {said} in the chat, and should have {wanted}: {parts}"


def _differences(outside: OutsideRecords, books: Books) -> Iterator[str]:
    known = explained(outside, books)
    yield from (
        f"{one.kind} {one.reference}: {one.expected} expected, {one.found} found"
        for one in books.differences
        if one not in known
    )


def explained(outside: OutsideRecords, books: Books) -> dict[DifferenceRow, str]:
    """Differences made on purpose, and how: bills paid in part, two subscriptions at once."""
    in_part = {bill_reference(bill.vendor, bill.bill_id) for bill in outside.bills if bill.paid != bill.asked}
    reasons: dict[DifferenceRow, str] = {}
    for one in books.differences:
        if one.kind == ANOTHER_SUM and one.reference in in_part:
            reasons[one] = "paid in part"
        elif one.kind == TWO_AT_ONCE:
            reasons[one] = "subscribed again before the bot had heard of the first"
    return reasons


def bill_reference(vendor: str, bill_id: str) -> str:
    return f"payment:{vendor}:{bill_id}"


RULES: Final[Mapping[str, Callable[[OutsideRecords, Books], Iterator[str]]]] = {
    "every Star that was paid is one payment": _stars_once,
    "every bill that was paid is one payment of what was paid": _bills_once,
    "nothing is credited that no one paid": _nothing_from_nowhere,
    "what went back to a payer left the wallet once": _back_once,
    "a receipt is credited once, as an operator wanted": _receipts,
    "a balance is what was paid, given and earned, less what was spent": _balances,
    **GIVEN,
    **NOTIFIED,
    "every difference is explained": _differences,
}
