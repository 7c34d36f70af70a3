"""Compares a provider's list of payments with ours, once a night; what differs becomes a difference with an owner.

What the provider lists and we do not know is received first (`InvoicePoller.read_recent`). A difference that both lists no
longer show is ended; one whose payment is older than the list stays until an operator resolves it. Nothing is
corrected here. A provider that does not answer is compared the next time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.audit import differences
from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments.invoices import IN_ANOTHER_CURRENCY, PAYMENT_OF_NOBODY, InvoicePoller, looked_back
from photomat.providers.port import PaymentProvider, ProviderReport

ONCE_IN: Final = timedelta(hours=22)
GRACE: Final = timedelta(hours=1)
"""A list may be late: younger payments are compared the next time."""

NOTHING: Final = "nothing"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedPayment:
    """A payment in our books: what arrived, what went back, what is on its way back."""

    paid: Money
    refunded: int
    wanted: int


async def reconcile_providers(poller: InvoicePoller, *, always: bool = False) -> int:
    """Receive what every provider lists, and compare the lists once a night; return the number of differences."""
    found = 0
    for provider in poller.providers.values():
        try:
            await poller.read_recent(provider)
            if always or await _is_due(poller.pool, provider.name):
                found += await compare(poller.pool, provider)
        except PhotomatError as error:
            log.error("PAYMENTS_NOT_COMPARED", provider=provider.name, error=str(error))
    return found


async def read_again(poller: InvoicePoller, *, since: datetime) -> tuple[int, list[str]]:
    """After a restore: receive and compare all that providers list since then; differences, and who did not answer."""
    found, unread = 0, []
    for provider in poller.providers.values():
        try:
            await poller.read_recent(provider, since=since)
            found += await compare(poller.pool, provider, since=since, grace=timedelta(0))
        except PhotomatError as error:
            log.error("PAYMENTS_NOT_COMPARED", provider=provider.name, error=str(error))
            unread.append(provider.name)
    return found, unread


async def compare(
    pool: Pool, provider: PaymentProvider, *, since: datetime | None = None, grace: timedelta = GRACE
) -> int:
    since = await looked_back(pool, since)
    until: datetime = await pool.fetchval("SELECT photomat_now() - $1::interval", grace)
    reports = {one.external_id: one for one in await provider.recent(since) if one.paid.minor and one.at <= until}
    async with transaction(pool) as tx:
        ours = await _booked_payments(tx, provider.name, list(reports), since=since, until=until)
        names = {*ours, *reports} - await _reported_apart(tx, provider.name)
        compared = {name: _differs(ours.get(name), reports.get(name), provider.lists_refunds) for name in names}
        differing = {name: both for name, both in compared.items() if both is not None}
        for name, (expected, found) in differing.items():
            await differences.report(
                tx,
                kind=_kind(provider.name),
                reference=_reference(provider.name, name),
                expected=expected,
                found=found,
                again=False,
            )
        await _end_the_others(tx, provider.name, compared=names, differing=set(differing))
        await _note(tx, provider.name, len(differing))
    log.info("PAYMENTS_COMPARED", provider=provider.name, listed=len(reports), ours=len(ours), differ=len(differing))
    return len(differing)


def _differs(ours: BookedPayment | None, report: ProviderReport | None, lists_refunds: bool) -> tuple[str, str] | None:  # noqa: FBT001  a fact
    """What we expected and what the provider reports; None if both agree. A wanted refund may be listed already."""
    if ours is None:
        return (NOTHING, f"{report.paid} paid") if report else None
    if report is None:
        return f"{ours.paid} paid", NOTHING
    paid, refunded = report.paid, report.refunded.minor
    given_back_fits = not lists_refunds or ours.refunded <= refunded <= ours.refunded + ours.wanted
    if paid != ours.paid or not given_back_fits:
        return _in_words(ours.paid, ours.refunded), _in_words(paid, refunded)
    return None


def _in_words(paid: Money, given_back: int) -> str:
    return f"{paid} paid, {Money(given_back, paid.currency)} given back"


async def _reported_apart(tx: Transaction, provider: str) -> set[str]:
    """Payments that have a difference of another kind: of an unknown payer, or in another currency."""
    kinds = [PAYMENT_OF_NOBODY, IN_ANOTHER_CURRENCY]
    rows = await tx.fetch("SELECT reference FROM differences WHERE kind = ANY($1::text[])", kinds)
    prefix = _reference(provider, "")
    return {row["reference"].removeprefix(prefix) for row in rows if row["reference"].startswith(prefix)}


async def _booked_payments(
    tx: Transaction, provider: str, listed: list[str], *, since: datetime, until: datetime
) -> Mapping[str, BookedPayment]:
    """Our payments of the same days, and all that the provider lists."""
    rows = await tx.fetch(
        """
        SELECT external_id, paid_amount, paid_currency,
               coalesce(sum(back.paid) FILTER (WHERE state = 'done'), 0)::bigint AS refunded,
               coalesce(sum(back.paid) FILTER (WHERE state = 'wanted'), 0)::bigint AS wanted
          FROM payments
          LEFT JOIN (SELECT payment_id, paid_amount AS paid, state FROM payment_refunds) AS back USING (payment_id)
         WHERE provider = $1 AND (external_id = ANY($2::text[]) OR paid_at BETWEEN $3::timestamptz + $5::interval AND $4)
         GROUP BY payment_id
        """,
        provider,
        listed,
        since,
        until,
        GRACE,
    )
    return {
        row["external_id"]: BookedPayment(
            paid=Money(row["paid_amount"], row["paid_currency"]), refunded=row["refunded"], wanted=row["wanted"]
        )
        for row in rows
    }


async def _end_the_others(tx: Transaction, provider: str, *, compared: set[str], differing: set[str]) -> None:
    open_ones = await tx.fetch(
        "SELECT reference FROM differences WHERE kind = $1 AND resolved_at IS NULL", _kind(provider)
    )
    agreed = {_reference(provider, name) for name in compared - differing}
    still_there = [row["reference"] for row in open_ones if row["reference"] not in agreed]
    await differences.end_unseen(tx, kind=_kind(provider), still_there=still_there)


async def _is_due(pool: Pool, provider: str) -> bool:
    return bool(
        await pool.fetchval(
            """
            SELECT NOT EXISTS (SELECT FROM comparisons
                                WHERE name = $1 AND finished_at > photomat_now() - $2::interval)
            """,
            _kind(provider),
            ONCE_IN,
        )
    )


async def _note(tx: Transaction, provider: str, found: int) -> None:
    await tx.execute(
        """
        INSERT INTO comparisons (name, found) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET finished_at = photomat_now(), found = excluded.found
        """,
        _kind(provider),
        found,
    )


def _kind(provider: str) -> str:
    return f"{provider}-payments"


def _reference(provider: str, external_id: str) -> str:
    return f"payment:{provider}:{external_id}"
