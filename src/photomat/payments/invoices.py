"""Invoices at a provider, polled until they are paid or canceled.

A notice only makes an invoice due: what was paid is read from the provider, so a forged, repeated, early or lost notice changes
nothing, and an invoice without a notice is found in the provider's list (`read_recent`). Polls become rarer with the age of
an invoice. One that is made due while it is polled stays due: the poller postpones it only if nothing has changed `look_at`
since its claim.

What the provider is asked is written down first. Killed after it created an invoice and before that was stored
(`invoice.after_create`): asked again with the same token and the same words, so it is the same invoice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from photomat.audit import differences
from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.errors import PhotomatError
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import UserId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.money import Money
from photomat.kernel.trace import span
from photomat.payments import refunds
from photomat.payments.fiscal_terms import FrozenInvoice, freeze_invoice
from photomat.payments.receive import IncomingPayment, PaymentSource, receive_payment
from photomat.payments.topup import Topup, find_by_token, find_topup
from photomat.providers.port import Invoice, InvoiceTerms, PaymentProvider, ProviderReport

INVOICES_DUE: Final = "SELECT 1 FROM provider_invoices WHERE look_at <= photomat_now()"
LEASE: Final = timedelta(seconds=60)
GIVE_UP: Final = timedelta(days=3)
"""An unpaid invoice of this age is no longer polled; a notice still makes it due."""
LOOK_BACK: Final = timedelta(days=2)
PAYMENT_OF_NOBODY: Final = "payment-of-nobody"
IN_ANOTHER_CURRENCY: Final = "payment-in-another-currency"
log = get_logger()
InvoiceStatus: TypeAlias = Literal["paid", "open", "canceled", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenInvoice:
    provider: PaymentSource
    external_id: str
    age: timedelta
    leased_until: datetime


async def create_invoice(
    pool: Pool,
    provider: PaymentProvider,
    topup: Topup,
    *,
    description: str,
    return_url: str | None,
    fiscal: Mapping[str, Any] | None = None,
) -> Invoice:
    """Have the provider create an invoice for a top-up, and poll it.

    Idempotent: the token is the top-up's, and what was asked first is asked again, whatever the arguments say now.
    """
    known = await pool.fetchrow(
        "SELECT external_id, pay_url FROM provider_invoices WHERE topup_id = $1 AND pay_url IS NOT NULL LIMIT 1",
        topup.topup_id,
    )
    if known is not None:
        return Invoice(external_id=known["external_id"], pay_url=known["pay_url"])
    frozen = await freeze_invoice(
        pool, topup_id=topup.topup_id, description=description, return_url=return_url, fiscal=fiscal
    )
    invoice = await provider.create(_asked(topup, frozen))
    failpoint("invoice.after_create")
    await pool.execute(
        """
        INSERT INTO provider_invoices (provider, external_id, topup_id, pay_url, look_at)
        VALUES ($1, $2, $3, $4, photomat_now() + $5::interval)
            ON CONFLICT (provider, external_id) DO UPDATE SET topup_id = excluded.topup_id, pay_url = excluded.pay_url
        """,
        provider.name,
        invoice.external_id,
        topup.topup_id,
        invoice.pay_url,
        _pause(timedelta(0)),
    )
    return invoice


def _asked(topup: Topup, frozen: FrozenInvoice) -> InvoiceTerms:
    return InvoiceTerms(
        token=topup.token,
        user_id=topup.user_id,
        amount=Money(topup.asked_amount, topup.asked_currency),
        description=frozen.description,
        return_url=frozen.return_url,
        fiscal=frozen.fiscal,
    )


async def make_invoice_due(pool: Pool, provider: str, external_id: str) -> None:
    """Make an invoice due now, an unknown one too: the reply that created it may have been lost."""
    await pool.execute(
        """
        INSERT INTO provider_invoices (provider, external_id) SELECT $1, $2 WHERE (SELECT photomat_our_bot($3)) IS NOT NULL
            ON CONFLICT (provider, external_id) DO UPDATE SET look_at = photomat_now()
        """,
        provider,
        external_id,
        pool.bot_id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoicePoller:
    pool: Pool
    providers: Mapping[str, PaymentProvider]

    async def claim(self, limit: int) -> list[OpenInvoice]:
        rows = await self.pool.fetch(
            """
            WITH due AS MATERIALIZED (
                SELECT provider, external_id FROM provider_invoices WHERE look_at <= photomat_now()
                   AND (SELECT photomat_our_bot($3)) IS NOT NULL
                 ORDER BY look_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            UPDATE provider_invoices AS invoice SET look_at = photomat_now() + $2::interval, looks = invoice.looks + 1
              FROM due
             WHERE invoice.provider = due.provider AND invoice.external_id = due.external_id
            RETURNING invoice.provider, invoice.external_id, photomat_now() - invoice.created_at AS age,
                      invoice.look_at AS leased_until
            """,
            limit,
            LEASE,
            self.pool.bot_id,
        )
        return [OpenInvoice(**dict(row)) for row in rows]

    async def poll(self, invoice: OpenInvoice) -> None:
        with correlated(None), span("payment.invoice", provider=invoice.provider):
            await self._poll_or_postpone(invoice)

    async def _poll_or_postpone(self, invoice: OpenInvoice) -> None:
        provider = self.providers.get(invoice.provider)
        if provider is None:
            await self._postpone(invoice, give_up=invoice.age > GIVE_UP, error="this provider is switched off")
            return
        try:
            await self._poll(provider, invoice)
        except PhotomatError as error:
            await self._postpone(invoice, give_up=False, error=str(error))
            log.warning("INVOICE_LOOK_FAILED", provider=invoice.provider, invoice=invoice.external_id, error=str(error))

    async def read_recent(self, provider: PaymentProvider, *, since: datetime | None = None) -> int:
        """Receive what the provider lists as paid and we do not know, back to `since`; return how many there were."""
        since = await looked_back(self.pool, since)
        reports = await provider.recent(since)
        known = await self._known(provider.name, [one.external_id for one in reports])
        missing = [one for one in reports if one.external_id not in known or one.refunded.minor]
        for report in missing:
            try:
                await self.act_on(provider.name, report, via="reconcile")
            except PhotomatError as error:
                log.error("PAYMENT_NOT_READ", provider=provider.name, invoice=report.external_id, error=str(error))
        return len(missing)

    async def act_on(
        self, provider: str, report: ProviderReport, *, via: str, leased_until: datetime | None = None
    ) -> bool:
        """Receive what was paid, take back what was refunded; True if there is nothing more to wait for."""
        async with transaction(self.pool) as tx:
            topup = await _topup_of(tx, provider, report)
            if report.paid.minor and report.state == "paid":
                if topup is None:
                    await _report_unknown_payer(tx, provider, report)
                elif report.paid.currency != topup.credit.currency:
                    await _report_another_currency(tx, provider, report, topup)
                else:
                    await receive_payment(tx, _incoming(provider, report, topup, via))
                    await refunds.take_back_reported(
                        tx, provider=provider, external_id=report.external_id, refunded=report.refunded, via=via
                    )
            if report.state != "open":
                await _set_state(tx, provider, report.external_id, report.state, leased_until=leased_until)
            failpoint("payment.before_commit")
        failpoint("payment.after_commit")
        return report.state != "open"

    async def _poll(self, provider: PaymentProvider, invoice: OpenInvoice) -> None:
        report = await provider.find(invoice.external_id)
        if report is None:
            async with transaction(self.pool) as tx:
                leased_until = invoice.leased_until
                await _set_state(tx, invoice.provider, invoice.external_id, "unknown", leased_until=leased_until)
        elif not await self.act_on(provider.name, report, via="poll", leased_until=invoice.leased_until):
            await self._postpone(invoice, give_up=invoice.age > GIVE_UP, error=None)

    async def _known(self, provider: str, external_ids: list[str]) -> set[str]:
        rows = await self.pool.fetch(
            "SELECT external_id FROM payments WHERE provider = $1 AND external_id = ANY($2::text[])",
            provider,
            external_ids,
        )
        return {row["external_id"] for row in rows}

    async def _postpone(self, invoice: OpenInvoice, *, give_up: bool, error: str | None) -> None:
        await self.pool.execute(
            """
            UPDATE provider_invoices
               SET look_at = CASE WHEN $3 THEN NULL ELSE photomat_now() + $4::interval END, error = $5
             WHERE provider = $1 AND external_id = $2 AND look_at = $6
            """,
            invoice.provider,
            invoice.external_id,
            give_up,
            _pause(invoice.age),
            error,
            invoice.leased_until,
        )


async def looked_back(pool: Pool, since: datetime | None) -> datetime:
    """How far back lists are read: two days, or further to the moment of a restored backup."""
    usual: datetime = await pool.fetchval("SELECT photomat_now() - $1::interval", LOOK_BACK)
    return usual if since is None else min(usual, since)


def _pause(age: timedelta) -> timedelta:
    """Five seconds at first, a tenth of its age later, ten minutes at most."""
    return min(max(age / 10, timedelta(seconds=5)), timedelta(minutes=10))


async def _set_state(
    tx: Transaction, provider: str, external_id: str, state: str, *, leased_until: datetime | None
) -> None:
    """Record the final state and stop polling, unless it was made due after it was claimed."""
    await tx.execute(
        """
        UPDATE provider_invoices SET state = $3, error = NULL, look_at = CASE WHEN look_at = $4 THEN NULL ELSE look_at END
         WHERE provider = $1 AND external_id = $2
        """,
        provider,
        external_id,
        state,
        leased_until,
    )


async def _topup_of(tx: Transaction, provider: str, report: ProviderReport) -> Topup | None:
    """The top-up of an invoice: as we stored it, or by the token the provider returns."""
    noted = await tx.fetchval(
        "SELECT topup_id FROM provider_invoices WHERE provider = $1 AND external_id = $2", provider, report.external_id
    )
    if noted is not None:
        topup = await find_topup(tx, noted)
    else:
        topup = None if report.token is None else await find_by_token(tx, report.token)
    return topup if topup is not None and topup.method == provider else None


async def _report_unknown_payer(tx: Transaction, provider: str, report: ProviderReport) -> None:
    await _report(tx, PAYMENT_OF_NOBODY, provider, report, expected="an offer of ours")
    log.error("PAYMENT_OF_NOBODY", provider=provider, invoice=report.external_id)


async def _report_another_currency(tx: Transaction, provider: str, report: ProviderReport, topup: Topup) -> None:
    asked = Money(topup.asked_amount, topup.asked_currency)
    await _report(tx, IN_ANOTHER_CURRENCY, provider, report, expected=str(asked))
    log.error("PAYMENT_IN_ANOTHER_CURRENCY", provider=provider, invoice=report.external_id, topup_id=topup.topup_id)


async def _report(tx: Transaction, kind: str, provider: str, report: ProviderReport, *, expected: str) -> None:
    reference = f"payment:{provider}:{report.external_id}"
    await differences.report(tx, kind=kind, reference=reference, expected=expected, found=str(report.paid), again=False)


def _incoming(provider: Any, report: ProviderReport, topup: Topup, via: str) -> IncomingPayment:
    return IncomingPayment(
        provider=provider,
        external_id=report.external_id,
        user_id=topup.user_id,
        topup_id=topup.topup_id,
        paid=report.paid,
        worth=report.paid,
        paid_at=report.at,
        via=via,
    )


async def check_invoice(pool: Pool, *, topup_id: int, user_id: UserId) -> InvoiceStatus:
    """Make an invoice of this user due and return its state; one unknown to its provider counts as canceled."""
    async with transaction(pool) as tx:
        topup = await find_topup(tx, topup_id)
    if topup is None or topup.user_id != user_id:
        return "gone"
    if topup.state == "paid":
        return "paid"
    invoice = await pool.fetchrow(
        "SELECT provider, external_id, state FROM provider_invoices WHERE topup_id = $1 ORDER BY created_at DESC LIMIT 1",
        topup_id,
    )
    if invoice is None:
        return "gone"
    if invoice["state"] == "canceled":
        return "canceled"
    await make_invoice_due(pool, invoice["provider"], invoice["external_id"])
    return "canceled" if invoice["state"] == "unknown" else "open"
