"""The verdict about a storm of money: what happened outside and what our books say must tell the same story.

Every rule gives sentences; none is the good answer. The rules of jobs are the storm's own (`lab.history`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from photomat_chaos.lab import history
from photomat_chaos.lab.facts import Evidence
from photomat_chaos.lab.history import Violation
from photomat_chaos.money.facts import Books, DifferenceRow, Outside
from photomat_chaos.money.given import GIVEN
from photomat_chaos.money.model import expected, inflows
from photomat_chaos.money.told import TOLD

PROVIDERS: Final = ("yookassa", "cryptopay")
ANOTHER_SUM: Final = "payment-of-another-sum"
TWO_AT_ONCE: Final = "two-subscriptions"


def violations(outside: Outside, books: Books) -> list[Violation]:
    """Every broken rule, in their order."""
    found = [Violation(check=name, sentence=said) for name, rule in RULES.items() for said in rule(outside, books)]
    return [*found, *history.violations(_of_customers(outside))]


def _of_customers(outside: Outside) -> Evidence:
    """What operators are shown are receipts, not results."""
    screens = tuple(shown for shown in outside.history.screens if shown.chat_id not in outside.operators)
    return replace(outside.history, screens=screens)


def _paid_once(outside: Outside, books: Books, providers: tuple[str, ...]) -> Iterator[str]:
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


def _stars_once(outside: Outside, books: Books) -> Iterator[str]:
    yield from _paid_once(outside, books, ("stars",))


def _bills_once(outside: Outside, books: Books) -> Iterator[str]:
    yield from _paid_once(outside, books, PROVIDERS)
    yield from (
        f"bill {bill.bill_id} of {bill.vendor} was paid by nobody" for bill in outside.bills if bill.user_id is None
    )


def _nothing_from_nowhere(outside: Outside, books: Books) -> Iterator[str]:
    known = inflows(outside, books)
    for row in books.payments:
        if (row.provider, row.external_id) not in known:
            yield f"payment {row.payment_id} ({row.provider} {row.external_id}) credits {row.credit} that nobody paid"


def _back_once(outside: Outside, books: Books) -> Iterator[str]:
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


def _receipts(outside: Outside, books: Books) -> Iterator[str]:
    paid = {row.external_id: row for row in books.payments if row.provider == "transfer"}
    for receipt in books.receipts:
        row = paid.pop(f"receipt:{receipt.receipt_id}", None)
        wishes = outside.wishes.get(receipt.receipt_id, frozenset())
        if receipt.state == "approved" and receipt.credited not in wishes:
            yield f"receipt {receipt.receipt_id} was credited with {receipt.credited}, wanted was {sorted(map(str, wishes))}"
        if (receipt.credited, receipt.user_id) != (
            row.credit if row else None,
            row.user_id if row else receipt.user_id,
        ):
            yield f"receipt {receipt.receipt_id} is {receipt.state} with {receipt.credited}, its payment is {row}"
        if receipt.state == "declined" and None not in wishes:
            yield f"receipt {receipt.receipt_id} was declined, and nobody wanted that"
    yield from (f"payment {row.payment_id} belongs to no receipt" for row in paid.values())


def _balances(outside: Outside, books: Books) -> Iterator[str]:
    for user_id, parts in expected(outside, books).items():
        wanted, kept, said = sum(parts.values()), books.wallets[user_id], outside.balances.get(user_id)
        if kept != wanted:
            yield f"user {user_id} has {kept} in the ledger and should have {wanted}: {parts}"
        if user_id in outside.balances and said != wanted:
            yield f"user {user_id} is told to have {said} in the chat, and should have {wanted}: {parts}"


def _differences(outside: Outside, books: Books) -> Iterator[str]:
    known = explained(outside, books)
    yield from (
        f"{one.kind} {one.reference}: {one.expected} expected, {one.found} found"
        for one in books.differences
        if one not in known
    )


def explained(outside: Outside, books: Books) -> dict[DifferenceRow, str]:
    """The differences somebody made on purpose, and how: bills paid in part, two subscriptions at once."""
    in_part = {bill_reference(bill.vendor, bill.bill_id) for bill in outside.bills if bill.paid != bill.asked}
    reasons: dict[DifferenceRow, str] = {}
    for one in books.differences:
        if one.kind == ANOTHER_SUM and one.reference in in_part:
            reasons[one] = "paid in part"
        elif one.kind == TWO_AT_ONCE:
            reasons[one] = "subscribed again before the bot had heard of the first"
    return reasons


def bill_reference(vendor: str, bill_id: str) -> str:
    """How a payment is called in our books."""
    return f"payment:{vendor}:{bill_id}"


RULES: Final[Mapping[str, Callable[[Outside, Books], Iterator[str]]]] = {
    "every Star that was paid is one payment": _stars_once,
    "every bill that was paid is one payment of what was paid": _bills_once,
    "nothing is credited that nobody paid": _nothing_from_nowhere,
    "what went back to a payer left the wallet once": _back_once,
    "a receipt is credited once, as an operator wanted": _receipts,
    "a balance is what was paid, given and earned, less what was spent": _balances,
    **GIVEN,
    **TOLD,
    "every difference is explained": _differences,
}
