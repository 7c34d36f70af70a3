"""Money for an operator: the ledger, open holds by age, payments, refunds, receipts, and what the last audit proved.

Lists are pages by key, newest first: `before` is the number of the last row of the page before. Every filter has its index.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from photomat.audit.run import INVARIANTS
from photomat.db.pool import Pool
from photomat.db.rows import Row, require_row
from photomat.kernel.money import Money
from photomat.payments.receipt import COLUMNS as RECEIPT_COLUMNS
from photomat.payments.receipt import WHOSE, Receipt, ReceiptState, receipt_of
from photomat.reports.period import currency_of

AGES: Final[Mapping[str, timedelta]] = {
    "minutes": timedelta(minutes=10),
    "hour": timedelta(hours=1),
    "hours": timedelta(hours=6),
    "day": timedelta(days=1),
}
"""Open holds are counted by these ages; older ones are `older`."""
HOLDS_SHOWN: Final = 50
SIDE_BY_SIDE: Final = 1000
"""Numbers of transactions follow their times, but for so many that were open side by side."""
REASONS: Final = (
    "charge",
    "topup",
    "subscription",
    "welcome",
    "promo",
    "bonus",
    "referral",
    "gift",
    "operator",
    "refund",
    "undelivered",
    "payment-refund",
    "correction",
    "debt",
    "expiry",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFilter:
    """What of the ledger to list; None lists all."""

    reason: str | None = None
    user_id: int | None = None
    reference: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    line: int
    account: str
    user_id: int | None
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """A transaction with its lines."""

    transaction_id: int
    booked_at: datetime
    reason: str
    reference: str
    job_id: int | None
    facts: Mapping[str, Any]
    entries: tuple[Entry, ...]

    @property
    def user_id(self) -> int | None:
        return next((entry.user_id for entry in self.entries if entry.user_id is not None), None)

    @property
    def net(self) -> Money:
        """What it did to its first user, debt included."""
        theirs = [entry.amount for entry in self.entries if entry.user_id is not None and entry.user_id == self.user_id]
        currency = self.entries[0].amount.currency if self.entries else ""
        return Money(sum(amount.minor for amount in theirs), currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldLine:
    reference: str
    user_id: int
    amount: Money
    job_id: int
    held_at: datetime
    status: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldAge:
    age: str
    count: int
    total: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """The open holds of live jobs: by age, and the oldest of them."""

    ages: tuple[HoldAge, ...]
    oldest: tuple[HoldLine, ...]
    total: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """The sums of all wallets."""

    posted: Money
    held: Money
    owed: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRow:
    """A payment, and how much of it went back or is on its way back."""

    payment_id: int
    provider: str
    external_id: str
    user_id: int
    paid: Money
    credit: Money
    reason: str
    reference: str
    received_at: datetime
    refunded: Money
    refund_state: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundRow:
    refund_id: int
    payment_id: int
    provider: str
    user_id: int
    amount: Money
    paid: Money
    state: str
    asked_by: str
    created_at: datetime
    closed_at: datetime | None
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariance:
    """One invariant, and the rows that broke it at the last proof; none: it held."""

    name: str
    sentence: str
    offenders: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LastProof:
    """The last full audit: every invariant, broken ones first."""

    at: datetime
    seconds: float
    invariants: tuple[Invariance, ...]

    @property
    def broken(self) -> int:
        return sum(1 for each in self.invariants if each.count)


@dataclass(slots=True)
class _Where:
    """Conditions with their arguments, numbered as they are added."""

    conditions: list[str] = field(default_factory=list)
    arguments: list[object] = field(default_factory=list)

    def add(self, condition: str, argument: object) -> None:
        """Add a condition of ours whose `{}` is the argument, unless that is None."""
        if argument is not None:
            self.arguments.append(argument)
            self.conditions.append(condition.format(f"${len(self.arguments)}"))

    def __str__(self) -> str:
        return " AND ".join(self.conditions) or "true"


async def list_ledger(pool: Pool, only: LedgerFilter, *, limit: int) -> list[LedgerRow]:
    where = _Where()
    where.add("transaction_id < {}", only.before)
    where.add("reason = {}", only.reason)
    where.add("reference = {}", only.reference)
    where.add("transaction_id IN (SELECT entries.transaction_id FROM entries WHERE user_id = {})", only.user_id)
    where.add("booked_at >= {}", only.since)
    where.add("transaction_id >= {}", await _first_number(pool, only.since))
    where.add("booked_at < {}", only.until)
    where.add("transaction_id <= {}", await _last_number(pool, only.until))
    rows = await pool.fetch(
        f"""
        SELECT transaction_id, booked_at, reason, reference, job_id, facts FROM ledger_transactions
         WHERE {where} ORDER BY transaction_id DESC LIMIT {int(limit)}
        """,  # noqa: S608  our own conditions
        *where.arguments,
    )
    entries = await _entries(pool, [row["transaction_id"] for row in rows])
    return [LedgerRow(**dict(row), entries=tuple(entries[row["transaction_id"]])) for row in rows]


async def _first_number(pool: Pool, since: datetime | None) -> int | None:
    if since is None:
        return None
    found = await pool.fetchval(
        "SELECT transaction_id FROM ledger_transactions WHERE booked_at >= $1 ORDER BY booked_at LIMIT 1", since
    )
    return None if found is None else max(0, found - SIDE_BY_SIDE)


async def _last_number(pool: Pool, until: datetime | None) -> int | None:
    if until is None:
        return None
    found = await pool.fetchval(
        "SELECT transaction_id FROM ledger_transactions WHERE booked_at < $1 ORDER BY booked_at DESC LIMIT 1", until
    )
    return None if found is None else int(found) + SIDE_BY_SIDE


async def _entries(pool: Pool, transactions: Sequence[int]) -> Mapping[int, list[Entry]]:
    rows = await pool.fetch(
        """
        SELECT transaction_id, line, account, user_id, amount, currency FROM entries
         WHERE transaction_id = ANY($1::bigint[]) ORDER BY transaction_id, line
        """,
        list(transactions),
    )
    found: dict[int, list[Entry]] = defaultdict(list)
    for row in rows:
        amount = Money(row["amount"], row["currency"])
        found[row["transaction_id"]].append(
            Entry(line=row["line"], account=row["account"], user_id=row["user_id"], amount=amount)
        )
    return found


async def read_books(pool: Pool) -> Books:
    currency = await currency_of(pool)
    row = await require_row(
        pool,
        """
        SELECT coalesce(sum(posted), 0)::bigint AS posted, coalesce(sum(held), 0)::bigint AS held,
               coalesce(sum(owed), 0)::bigint AS owed
          FROM wallets
        """,
    )
    return Books(**{name: Money(row[name], currency) for name in ("posted", "held", "owed")})


async def read_holds(pool: Pool) -> Holds:
    """Money held for jobs on their way; a hold without a live job breaks an invariant and is listed there."""
    rows = await pool.fetch(
        """
        SELECT holds.reference, holds.user_id, amount, holds.currency, job_id, held_at, status, model,
               photomat_now() - held_at AS age
          FROM generation_jobs AS job JOIN holds USING (job_id)
         WHERE settled_at IS NULL
           AND NOT EXISTS (SELECT FROM hold_closings WHERE hold_closings.reference = holds.reference)
         ORDER BY held_at
        """
    )
    currency = await currency_of(pool)
    sums: dict[str, list[int]] = {age: [] for age in [*AGES, "older"]}
    for row in rows:
        sums[next((age for age, limit in AGES.items() if row["age"] < limit), "older")].append(row["amount"])
    return Holds(
        ages=tuple(HoldAge(age=age, count=len(held), total=Money(sum(held), currency)) for age, held in sums.items()),
        oldest=tuple(_hold(row) for row in rows[:HOLDS_SHOWN]),
        total=Money(sum(row["amount"] for row in rows), currency),
    )


def _hold(row: Row) -> HoldLine:
    return HoldLine(
        reference=row["reference"],
        user_id=row["user_id"],
        amount=Money(row["amount"], row["currency"]),
        job_id=row["job_id"],
        held_at=row["held_at"],
        status=row["status"],
        model=row["model"],
    )


async def list_payments(
    pool: Pool,
    *,
    provider: str | None = None,
    user_id: int | None = None,
    refunded: bool = False,
    payment_id: int | None = None,
    before: int | None = None,
    limit: int,
) -> list[PaymentRow]:
    """Payments, newest first; `refunded`: only those of which something went back or is on its way."""
    where = _Where()
    where.add("payments.payment_id < {}", before)
    where.add("provider = {}", provider)
    where.add("user_id = {}", user_id)
    where.add("payments.payment_id = {}", payment_id)
    if refunded:
        where.conditions.append("payments.payment_id IN (SELECT payment_refunds.payment_id FROM payment_refunds)")
    rows = await pool.fetch(
        f"""
        SELECT payment_id, provider, external_id, user_id, paid_amount, paid_currency, credit, currency, reason, reference,
               received_at, coalesce(back.gone, 0)::bigint AS gone, back.state
          FROM (SELECT * FROM payments WHERE {where} ORDER BY payments.payment_id DESC LIMIT {int(limit)}) AS payments
          LEFT JOIN LATERAL (SELECT sum(amount) FILTER (WHERE state <> 'refused') AS gone,
                                    (array_agg(state ORDER BY refund_id DESC))[1] AS state
                               FROM payment_refunds WHERE payment_refunds.payment_id = payments.payment_id) AS back ON true
         ORDER BY payment_id DESC
        """,  # noqa: S608  our own conditions
        *where.arguments,
    )
    return [_payment(row) for row in rows]


def _payment(row: Row) -> PaymentRow:
    return PaymentRow(
        payment_id=row["payment_id"],
        provider=row["provider"],
        external_id=row["external_id"],
        user_id=row["user_id"],
        paid=Money(row["paid_amount"], row["paid_currency"]),
        credit=Money(row["credit"], row["currency"]),
        reason=row["reason"],
        reference=row["reference"],
        received_at=row["received_at"],
        refunded=Money(row["gone"], row["currency"]),
        refund_state=row["state"],
    )


async def list_refunds(
    pool: Pool, *, state: str | None = None, before: int | None = None, limit: int
) -> list[RefundRow]:
    """Refunds of payments, newest first."""
    where = _Where()
    where.add("refund_id < {}", before)
    where.add("state = {}", state)
    rows = await pool.fetch(
        f"""
        SELECT refund_id, payment_id, provider, user_id, amount, currency, back.paid_amount, paid_currency, state, asked_by,
               created_at, closed_at, attempts, error
          FROM payment_refunds AS back JOIN payments USING (payment_id)
         WHERE {where} ORDER BY refund_id DESC LIMIT {int(limit)}
        """,  # noqa: S608  our own conditions
        *where.arguments,
    )
    return [_refund(dict(row)) for row in rows]


def _refund(row: dict[str, Any]) -> RefundRow:
    amount = Money(row.pop("amount"), row.pop("currency"))
    paid = Money(row.pop("paid_amount"), row.pop("paid_currency"))
    return RefundRow(amount=amount, paid=paid, **row)


async def list_receipts(pool: Pool, *, state: str, before: int | None = None, limit: int) -> list[Receipt]:
    """Receipts of a state: those that wait oldest first, decided ones newest first."""
    order, compares = ("ASC", ">") if state == ReceiptState.WAITING else ("DESC", "<")
    where = _Where()
    where.add(f"receipt_id {compares} {{}}", before)
    rows = await pool.fetch(
        f"""
        SELECT {RECEIPT_COLUMNS} FROM {WHOSE}
         WHERE state = '{ReceiptState(state)}' AND {where} ORDER BY receipt_id {order} LIMIT {int(limit)}
        """,  # noqa: S608  our own conditions; the state is written out, because few receipts wait among many
        *where.arguments,
    )
    return [receipt_of(row) for row in rows]


async def last_proof(pool: Pool) -> LastProof | None:
    """The last full audit that was stored; None before the first."""
    row = await pool.fetchrow("SELECT at, seconds, violations FROM audit_runs ORDER BY at DESC, run_id DESC LIMIT 1")
    if row is None:
        return None
    broken = {each["name"]: each for each in row["violations"]}
    every = [
        Invariance(
            name=one.name,
            sentence=one.sentence,
            offenders=tuple(broken[one.name]["offenders"]) if one.name in broken else (),
            count=broken[one.name]["count"] if one.name in broken else 0,
        )
        for one in INVARIANTS
    ]
    return LastProof(
        at=row["at"],
        seconds=row["seconds"],
        invariants=tuple(sorted(every, key=lambda each: not each.count)),
    )
