"""What every wallet should hold, computed again from what happened outside, without the ledger.

Where our books alone decide (whose payment used a percent code, who was first at a gift), that choice is taken from them and
its amount is computed here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from photomat_chaos.money.books import Books, OutsideRecords, PaymentRow
from photomat_chaos.money.shop import FRIEND_REWARD, PERCENT, REWARD, WELCOME

BY_HAND = frozenset({"refund of a payment by transfer", "refund of a payment by cryptopay"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inflow:
    """A payment made outside: its owner, its credit, and how much of that was refunded."""

    provider: str
    external_id: str
    user_id: int | None
    paid: int
    credit: int
    back: int


def inflows(outside: OutsideRecords, books: Books) -> dict[tuple[str, str], Inflow]:
    return {(one.provider, one.external_id): one for one in _inflows(outside, books)}


def _inflows(outside: OutsideRecords, books: Books) -> Iterator[Inflow]:
    handed = handed_back(outside, books)
    for charge in outside.charges:
        yield Inflow(
            provider="stars",
            external_id=charge.charge_id,
            user_id=charge.user_id,
            paid=charge.stars,
            credit=charge.credit,
            back=charge.credit if charge.refunded else 0,
        )
    for bill in outside.bills:
        back = bill.paid if (bill.vendor, bill.bill_id) in handed else bill.refunded
        yield Inflow(
            provider=bill.vendor,
            external_id=bill.bill_id,
            user_id=bill.user_id,
            paid=bill.paid,
            credit=bill.paid,
            back=back,
        )
    for receipt in books.receipts:
        if receipt.credited is not None:
            external_id = f"receipt:{receipt.receipt_id}"
            yield Inflow(
                provider="transfer",
                external_id=external_id,
                user_id=receipt.user_id,
                paid=receipt.credited,
                credit=receipt.credited,
                back=receipt.credited if ("transfer", external_id) in handed else 0,
            )


def handed_back(outside: OutsideRecords, books: Books) -> frozenset[tuple[str, str]]:
    """The payments an operator refunded by hand, by provider and id."""
    by_hand = {verb.payment_id for verb in outside.verbs if verb.verb in BY_HAND and verb.done}
    return frozenset((row.provider, row.external_id) for row in books.payments if row.payment_id in by_hand)


def bonus_of(outside: OutsideRecords, code: str, credit: int) -> int:
    promo = outside.promos[code]
    bonus = credit * (promo.percent or 0) // 100
    return bonus if promo.amount is None else min(bonus, promo.amount)


def refunded_of_jobs(outside: OutsideRecords) -> dict[int, int]:
    """What operators refunded of each job: parts, or all of its price."""
    prices = {job.job_id: job.price for job in outside.history.jobs}
    parts: Counter[int] = Counter()
    whole: set[int] = set()
    for verb in outside.verbs:
        if verb.verb == "refund job" and verb.done and verb.job_id is not None:
            if verb.minor is None:
                whole.add(verb.job_id)
            else:
                parts[verb.job_id] += verb.minor
    return dict(parts) | {job_id: prices[job_id] for job_id in whole}


def expected(outside: OutsideRecords, books: Books) -> dict[int, dict[str, int]]:
    """The expected balance of every wallet, by source."""
    parts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    paid = inflows(outside, books)
    rows = {row.payment_id: row for row in books.payments}
    for one in paid.values():
        if one.user_id is not None:
            parts[one.user_id][one.provider] += one.credit - one.back
    _jobs(outside, parts)
    _gifts(books, parts)
    _promos(outside, books, rows, paid, parts)
    _invitations(books, rows, paid, parts)
    moves = {
        verb.reference: verb for verb in outside.verbs if verb.verb in {"credit", "debit", "correct"} and verb.done
    }
    for move in moves.values():
        parts[move.user_id]["operator"] += move.minor or 0
    return {user_id: {"welcome": WELCOME, **parts[user_id]} for user_id in books.wallets}


def _jobs(outside: OutsideRecords, parts: Mapping[int, Counter[str]]) -> None:
    owners = {job.job_id: job.chat_id for job in outside.history.jobs}
    for job in outside.history.jobs:
        if job.status == "done" and not job.gift:
            parts[job.chat_id]["pictures"] -= job.price
    for job_id, minor in refunded_of_jobs(outside).items():
        parts[owners[job_id]]["pictures given back"] += minor


def _gifts(books: Books, parts: Mapping[int, Counter[str]]) -> None:
    for gift in books.gifts:
        parts[gift.giver_id]["gifts given"] -= gift.amount if gift.state != "back" else 0
        if gift.taker_id is not None:
            parts[gift.taker_id]["gifts taken"] += gift.amount


def _promos(
    outside: OutsideRecords,
    books: Books,
    rows: Mapping[int, PaymentRow],
    paid: Mapping[tuple[str, str], Inflow],
    parts: Mapping[int, Counter[str]],
) -> None:
    """A bonus is taken back with its payment; how a part of it is rounded, `verdict` checks."""
    for use in books.uses:
        promo = outside.promos.get(use.code)
        if promo is not None and promo.kind == "sum":
            parts[use.user_id]["promo codes"] += promo.amount or 0
        elif promo is not None and promo.kind == "percent" and use.payment_id is not None:
            row = rows[use.payment_id]
            inflow = paid.get((row.provider, row.external_id))
            if inflow is not None:
                parts[use.user_id]["bonuses"] += bonus_of(outside, use.code, inflow.credit) - use.taken_back


def _invitations(
    books: Books,
    rows: Mapping[int, PaymentRow],
    paid: Mapping[tuple[str, str], Inflow],
    parts: Mapping[int, Counter[str]],
) -> None:
    inviters = {referral.friend_id: referral.inviter_id for referral in books.referrals}
    for referral in books.referrals:
        if referral.state == "rewarded":
            parts[referral.inviter_id]["friends"] += REWARD
            parts[referral.friend_id]["friends"] += FRIEND_REWARD
    for row in rows.values():
        inflow = paid.get((row.provider, row.external_id))
        if inflow is not None and row.user_id in inviters:
            parts[inviters[row.user_id]]["percent"] += (inflow.credit - inflow.back) * PERCENT // 100
