"""The figures of a storm of money: what was done to it, and what came of that. Pure."""

from collections import Counter
from collections.abc import Mapping

from photomat_chaos.lab.history import OK
from photomat_chaos.money.facts import Books, Outside
from photomat_sandbox.transcript import World


def figures_of(
    done: Counter[str], outside: Outside, books: Books, counts: Mapping[tuple[World, str], int]
) -> dict[str, int]:
    """Everything that was counted, by name."""
    return {**dict(sorted(done.items())), **_of_misfortunes(outside, counts), **_of_money(outside, books)}


def _of_misfortunes(outside: Outside, counts: Mapping[tuple[World, str], int]) -> dict[str, int]:
    history = outside.history
    return {
        "faults that struck": sum(count for (_, kind), count in counts.items() if kind == "fault"),
        "notices sent by providers": counts.get(("yookassa", "webhook"), 0) + counts.get(("cryptopay", "webhook"), 0),
        "callbacks forged and refused": sum(forged.status != OK for forged in history.forged),
        "updates handled": len(history.lanes),
        "updates put aside": len(history.parked),
    }


def _of_money(outside: Outside, books: Books) -> dict[str, int]:
    statuses = Counter(job.status for job in outside.history.jobs)
    gifts = Counter(gift.state for gift in books.gifts)
    payments = Counter(row.provider for row in books.payments)
    return {
        "Stars: payments": len(outside.charges),
        "Stars: given back": sum(charge.refunded for charge in outside.charges),
        **{f"payments by {provider}": count for provider, count in sorted(payments.items())},
        "payments that went back, in whole or in part": sum(bool(row.given_back) for row in books.payments),
        "receipts approved": sum(row.state == "approved" for row in books.receipts),
        "receipts declined": sum(row.state == "declined" for row in books.receipts),
        "gifts made": len(books.gifts),
        "gifts taken": gifts["taken"],
        "gifts taken back": gifts["back"],
        "promo codes used": len(books.uses),
        "bonuses given": sum(use.payment_id is not None for use in books.uses),
        "friends who came by a link": len(books.referrals),
        "invitations rewarded": sum(row.state == "rewarded" for row in books.referrals),
        "jobs bought": len(outside.history.jobs),
        "jobs done": statuses["done"],
        "jobs failed and refunded": statuses["failed"],
        "jobs canceled": statuses["canceled"],
        "notices made": sum(books.notices.values()),
        "differences open": len(books.differences),
        "users": len(books.wallets),
        "all wallets together": sum(books.wallets.values()),
    }
