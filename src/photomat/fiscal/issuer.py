"""The loop `fiscal`: one document at a time from wanted to issued, at most once at a service that has no idempotency key.

    claim (lease, fence) ─▶ who issues it ─▶ signed in ─▶ intent (commit) ─▶ the request ─▶ its answer (commit)

Killed before the intent: claimed again. Killed after it, or the answer lost: the row is `sending` or `unknown`, and the
service's list decides: what is found there by our reference is recorded; a complete list without it, read after `unknown_delay`
(nothing sent can still arrive then), allows to send again. An incomplete list proves nothing. A process that was held up after
its intent sends nothing, so a request leaves only while its claim is valid.

An annulment waits for its income. An income that was never registered needs none: both end, and what a partial refund left is
wanted again. Such a receipt for the rest is looked up before it is sent, because a restored database may have forgotten it: its
reference follows from that of the receipt it replaces. YooKassa registers on its own, with the payment or the refund: its
receipts are only read.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.fiscal import notices, restored, store
from photomat.fiscal.receipt import FiscalIssuerName, FiscalReceipt
from photomat.fiscal.store import ClaimedFiscal
from photomat.kernel.clock import backoff_s, monotonic
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.providers.fiscal_port import (
    DocumentRefused,
    PaidWithoutReceipt,
    ReceiptReader,
    RegisteredReceipt,
    TaxDocument,
    TaxDocuments,
    TaxedIncome,
    TaxService,
    TaxServicePaused,
)

AROUND: Final = timedelta(minutes=10)
"""How far from the time of operation a document is looked for: services may round or shift it."""
WAITS: Final = timedelta(seconds=20)
OVERDUE: Final = timedelta(days=3)
"""YooKassa: a receipt that is not registered after three days needs its support."""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalTimes:
    """`request` is the longest one request takes; after `unknown_delay` nothing that was sent can still arrive."""

    request: timedelta
    unknown_delay: timedelta

    @property
    def lease(self) -> timedelta:
        """Longer than a claim lasts: a sign-in, the request, a refreshed token, the request again."""
        return self.request * 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalPolicy:
    """Who issues receipts: `readers` by payment provider, `tax` for the payments of the providers in `taxed`."""

    readers: Mapping[str, ReceiptReader]
    tax: TaxService | None
    taxed: frozenset[str]

    def issuer_of(self, provider: str) -> FiscalIssuerName | None:
        if provider in self.readers:
            return "yookassa"
        return "my_tax" if self.tax is not None and provider in self.taxed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalIssuer:
    pool: Pool
    policy: FiscalPolicy
    times: FiscalTimes

    async def claim(self, limit: int) -> list[ClaimedFiscal]:
        return await store.claim_fiscal(
            self.pool, limit=limit, lease=self.times.lease, unknown_delay=self.times.unknown_delay
        )

    async def issue(self, claimed: ClaimedFiscal) -> None:
        failpoint("fiscal.after_claim")
        receipt = claimed.receipt
        try:
            if receipt.kind == "income":
                await self._income(claimed)
            else:
                await self._annulment(claimed)
        except TaxServicePaused as error:
            await self._later(receipt, error.code, retry_after_s=error.retry_after_s)
        except Transient as error:
            await self._later(receipt, str(error), retry_after_s=error.retry_after_s)

    async def _income(self, claimed: ClaimedFiscal) -> None:
        receipt = claimed.receipt
        issuer = receipt.issuer or self.policy.issuer_of(receipt.provider)
        if issuer is None:
            if await store.record_waiting(self.pool, receipt, state="without", error=None):
                log.info("FISCAL_WITHOUT", fiscal_id=receipt.fiscal_id, payment_id=receipt.payment_id)
            return
        if receipt.issuer is None and not await store.set_issuer(self.pool, receipt, issuer):
            return
        receipt = replace(receipt, issuer=issuer)
        if issuer == "yookassa":
            await self._read(receipt)
        elif receipt.state == "wanted":
            if receipt.round == 0 or receipt.sends or await self._is_new_rest(receipt):
                await self._register(receipt)
        else:
            await self._look_up_income(receipt, is_past_delay=claimed.is_past_delay)

    async def _annulment(self, claimed: ClaimedFiscal) -> None:
        annulment = claimed.receipt
        first = await store.find_income(self.pool, annulment.payment_id, 0)
        if first is not None and (first.issuer or self.policy.issuer_of(first.provider)) == "yookassa":
            if annulment.issuer is not None or await store.set_issuer(self.pool, annulment, "yookassa"):
                await self._read(annulment)
            return
        income = await store.find_income(self.pool, annulment.payment_id, annulment.round)
        if annulment.state != "wanted" and income is not None:
            await self._look_up_annulment(annulment, income, is_past_delay=claimed.is_past_delay)
        elif income is None and await store.is_first_open_annulment(self.pool, annulment):
            await self._end_needless(annulment)
        elif income is None or income.state in {"sending", "unknown"}:
            await store.put_back(self.pool, annulment, after=WAITS, error="its receipt is not issued yet")
        elif income.state in {"wanted", "without", "blocked", "unneeded"}:
            await self._end_unregistered(annulment, income)
        elif income.issuer == "hand":
            await self._block(annulment, "its receipt was issued by hand: annul it by hand")
        elif income.state == "annulled":
            await self._annulled(annulment, income)
        elif annulment.issuer is not None or await store.set_issuer(self.pool, annulment, "my_tax"):
            await self._annul(annulment, income)

    async def _register(self, receipt: FiscalReceipt) -> None:
        order = TaxedIncome(reference=receipt.reference, amount=receipt.amount, operation_at=receipt.operation_at)
        external_id: list[str] = []

        async def send() -> None:
            external_id.append(await self._tax.register(order))

        try:
            if not await self._send(receipt, send):
                return
        except DocumentRefused as error:
            await self._block(receipt, error.reason)
            return
        failpoint("fiscal.after_send")
        document = TaxDocument(
            external_id=external_id[0],
            reference=receipt.reference,
            amount=receipt.amount,
            operation_at=receipt.operation_at,
            is_annulled=False,
        )
        await self._issued(receipt, document)

    async def _annul(self, annulment: FiscalReceipt, income: FiscalReceipt) -> None:
        external_id = income.external_id or ""
        try:
            if not await self._send(annulment, lambda: self._tax.annul(external_id)):
                return
        except DocumentRefused as error:
            await self._after_refused_annulment(annulment, income, error.reason)
            return
        failpoint("fiscal.after_send")
        await self._annulled(annulment, income)

    async def _send(self, receipt: FiscalReceipt, send: Callable[[], Awaitable[None]]) -> bool:
        """Intent, then the request while the claim is surely valid; False if nothing may be concluded, which is recorded."""
        await self._tax.prepare()
        failpoint("fiscal.before_intent")
        began = monotonic()
        if not await store.record_intent(self.pool, receipt, lease=self.times.lease):
            await store.put_back(self.pool, receipt, after=WAITS, error=None)
            return False
        failpoint("fiscal.after_intent")
        if monotonic() - began > self.times.request.total_seconds():
            log.warning("FISCAL_HELD_UP", fiscal_id=receipt.fiscal_id)
            return False
        try:
            await send()
        except OutcomeUnknown as error:
            failpoint("fiscal.before_unknown")
            await self._unknown(receipt, str(error))
            return False
        except Transient as error:
            await self._never_left(receipt, error)
            return False
        return True

    async def _issued(self, receipt: FiscalReceipt, document: TaxDocument) -> None:
        url = self._tax.url_of(document.external_id)
        async with transaction(self.pool) as tx:
            await store.record_documents(tx, issuer="my_tax", documents=[document])
            ours = await store.record_issued(tx, receipt, external_id=document.external_id, url=url)
            if ours:
                await notices.notify_issued(tx, receipt, url=url)
            failpoint("fiscal.before_commit")
        failpoint("fiscal.after_record")
        log.info("FISCAL_ISSUED", fiscal_id=receipt.fiscal_id, payment_id=receipt.payment_id, recorded=ours)

    async def _annulled(self, annulment: FiscalReceipt, income: FiscalReceipt) -> None:
        external_id = income.external_id or ""
        async with transaction(self.pool) as tx:
            await store.record_annulled_document(tx, issuer="my_tax", external_id=external_id)
            await store.mark_annulled(tx, income.fiscal_id)
            ours = await store.record_issued(tx, annulment, external_id=external_id, url=income.url)
            if ours:
                await store.want_rest(tx, income, annulment)
                await notices.notify_annulled(tx, income, annulment)
            failpoint("fiscal.before_commit")
        failpoint("fiscal.after_record")
        log.info("FISCAL_ANNULLED", fiscal_id=annulment.fiscal_id, payment_id=annulment.payment_id, recorded=ours)

    async def _end_unregistered(self, annulment: FiscalReceipt, income: FiscalReceipt) -> None:
        if income.error == restored.WHY:
            await self._block(annulment, "decide its receipt first: it may have been issued before the restore")
        else:
            await self._drop(annulment)

    async def _drop(self, annulment: FiscalReceipt) -> None:
        """Its income was never registered: neither is needed, and the rest of a partial refund is wanted again."""
        async with transaction(self.pool) as tx:
            income = await store.lock_income(tx, annulment.payment_id, annulment.round)
            if income is None or income.state not in {"wanted", "without", "blocked", "unneeded"}:
                return
            if not await store.drop_claimed(tx, annulment):
                return
            if await store.drop(tx, income.fiscal_id):
                await store.want_rest(tx, income, annulment)
        log.info("FISCAL_UNNEEDED", fiscal_id=annulment.fiscal_id, payment_id=annulment.payment_id)

    async def _end_needless(self, annulment: FiscalReceipt) -> None:
        """No earlier refund is under way and none left a receipt for the rest: an operator had called one of them off."""
        async with transaction(self.pool) as tx:
            if await store.lock_income(tx, annulment.payment_id, annulment.round) is not None:
                return  # it came meanwhile: the next claim finds it
            await store.drop_claimed(tx, annulment)
        log.info("FISCAL_UNNEEDED", fiscal_id=annulment.fiscal_id, payment_id=annulment.payment_id)

    async def _is_new_rest(self, receipt: FiscalReceipt) -> bool:
        """Whether the tax service has no receipt of this reference; one that is there is recorded instead."""
        listed = await self._listed(receipt)
        if any(one.reference == receipt.reference for one in listed.documents):
            await self._found(receipt, listed.documents)
            return False
        if not listed.is_complete:
            raise Transient("the list of the tax service is not complete")
        return True

    async def _look_up_income(self, receipt: FiscalReceipt, *, is_past_delay: bool) -> None:
        listed = await self._listed(receipt)
        if any(one.reference == receipt.reference for one in listed.documents):
            await self._found(receipt, listed.documents)
        else:
            await self._not_found(receipt, is_proof=listed.is_complete and is_past_delay)

    async def _found(self, receipt: FiscalReceipt, documents: Sequence[TaxDocument]) -> None:
        ours = [one for one in documents if one.reference == receipt.reference]
        live = [one for one in ours if not one.is_annulled]
        if len(live) > 1:
            log.error("FISCAL_DOUBLE", fiscal_id=receipt.fiscal_id, documents=len(live))
        document = min(live or ours, key=lambda one: one.external_id)
        if document.amount == receipt.amount:
            await self._issued(receipt, document)
        else:
            await self._block(receipt, f"the tax service has it with another amount: {document.amount}")

    async def _look_up_annulment(self, annulment: FiscalReceipt, income: FiscalReceipt, *, is_past_delay: bool) -> None:
        document, is_complete = await self._document_of(income)
        if document is not None and document.is_annulled:
            await self._annulled(annulment, income)
        else:
            await self._not_found(annulment, is_proof=is_complete and is_past_delay)

    async def _after_refused_annulment(self, annulment: FiscalReceipt, income: FiscalReceipt, reason: str) -> None:
        """A receipt that is annulled already, by hand or by a request whose answer was lost, is what we want."""
        document, _ = await self._document_of(income)
        if document is not None and document.is_annulled:
            await self._annulled(annulment, income)
        else:
            await self._block(annulment, reason)

    async def _document_of(self, income: FiscalReceipt) -> tuple[TaxDocument | None, bool]:
        listed = await self._listed(income)
        found = (one for one in listed.documents if one.external_id == income.external_id)
        return next(found, None), listed.is_complete

    async def _listed(self, income: FiscalReceipt) -> TaxDocuments:
        listed = await self._tax.documents(since=income.operation_at - AROUND, until=income.operation_at + AROUND)
        failpoint("fiscal.after_look_up")
        async with transaction(self.pool) as tx:
            await store.record_documents(tx, issuer="my_tax", documents=listed.documents)
        return listed

    async def _not_found(self, receipt: FiscalReceipt, *, is_proof: bool) -> None:
        if is_proof:
            await store.put_back(self.pool, receipt, after=timedelta(), error=None)
            log.warning("FISCAL_NOT_REGISTERED", fiscal_id=receipt.fiscal_id, sends=receipt.sends)
        else:
            await self._unknown(receipt, "not in the list yet")

    async def _read(self, receipt: FiscalReceipt) -> None:
        """Find the receipt of a payment or a refund among those its provider registered on its own."""
        reader = self.policy.readers.get(receipt.provider)
        if reader is None:
            raise Transient("receipts of this provider are switched off")
        try:
            found = await reader.receipts_of(receipt.payment_external_id)
        except PaidWithoutReceipt:
            await self._paid_without(receipt)
            return
        await self._record_incomes(receipt, found)
        used = await store.used_ids(self.pool, receipt)
        fitting = [one for one in found if _fits(one, receipt) and one.external_id not in used]
        done = next((one for one in fitting if one.state == "succeeded"), None)
        if done is not None:
            await self._registered(receipt, done)
        elif fitting and all(one.state == "canceled" for one in fitting):
            await self._block(receipt, "the provider could not register it")
        elif await store.has_waited(self.pool, receipt, OVERDUE):
            await self._block(receipt, "the provider has not registered it for three days: ask its support")
        else:
            raise Transient("the provider has not registered it yet")

    async def _paid_without(self, receipt: FiscalReceipt) -> None:
        """The payment is older than the receipts of its provider: none is issued, and its refund annuls none."""
        if receipt.kind == "annulment":
            await self._drop(receipt)
        elif await store.record_waiting(self.pool, receipt, state="without", error=None):
            log.info("FISCAL_WITHOUT", fiscal_id=receipt.fiscal_id, payment_id=receipt.payment_id)

    async def _record_incomes(self, receipt: FiscalReceipt, found: Sequence[RegisteredReceipt]) -> None:
        """Keep every income the provider has for the payment: a second one is a double, which the audit finds."""
        income = receipt if receipt.kind == "income" else await store.find_income(self.pool, receipt.payment_id, 0)
        if income is None:
            return
        documents = [
            TaxDocument(
                external_id=one.external_id,
                reference=income.reference,
                amount=one.amount,
                operation_at=one.registered_at or income.operation_at,
                is_annulled=False,
            )
            for one in found
            if one.kind == "income" and one.state == "succeeded"
        ]
        async with transaction(self.pool) as tx:
            await store.record_documents(tx, issuer="yookassa", documents=documents)
        if len(documents) > 1:
            log.error("FISCAL_DOUBLE", fiscal_id=income.fiscal_id, documents=len(documents))

    async def _registered(self, receipt: FiscalReceipt, found: RegisteredReceipt) -> None:
        async with transaction(self.pool) as tx:
            if await store.record_issued(tx, receipt, external_id=found.external_id, url=found.url):
                await notices.notify_registered(tx, receipt, url=found.url)
        log.info("FISCAL_ISSUED", fiscal_id=receipt.fiscal_id, payment_id=receipt.payment_id, recorded=True)

    async def _unknown(self, receipt: FiscalReceipt, error: str) -> None:
        """Look soon, then less often, and at once when the delay is over."""
        look_s = backoff_s(
            max(receipt.attempts - 1, 0),
            first_s=self.times.request.total_seconds(),
            most_s=self.times.unknown_delay.total_seconds() / 3,
        )
        await store.record_unknown(self.pool, receipt, look_after=timedelta(seconds=look_s), error=error)
        log.warning("FISCAL_UNKNOWN", fiscal_id=receipt.fiscal_id, error=error, look_s=round(look_s, 1))

    async def _never_left(self, receipt: FiscalReceipt, error: Transient) -> None:
        reason = error.code if isinstance(error, TaxServicePaused) else str(error)
        await store.put_back(self.pool, receipt, after=_seconds(error.retry_after_s), error=reason)
        log.info("FISCAL_RETRY", fiscal_id=receipt.fiscal_id, wait_s=error.retry_after_s, reason=reason)

    async def _later(self, receipt: FiscalReceipt, error: str, *, retry_after_s: float | None) -> None:
        """Nothing was sent, or nothing could be read: what was known of it stays known."""
        await store.postpone(self.pool, receipt, after=_seconds(retry_after_s), error=error)
        log.info("FISCAL_RETRY", fiscal_id=receipt.fiscal_id, wait_s=retry_after_s, reason=error)

    async def _block(self, receipt: FiscalReceipt, reason: str) -> None:
        if await store.record_waiting(self.pool, receipt, state="blocked", error=reason[:300]):
            log.error("FISCAL_BLOCKED", fiscal_id=receipt.fiscal_id, payment_id=receipt.payment_id, reason=reason[:300])

    @property
    def _tax(self) -> TaxService:
        if self.policy.tax is None:
            raise Transient("the tax service is switched off")
        return self.policy.tax


def _seconds(wait_s: float | None) -> timedelta | None:
    return None if wait_s is None else timedelta(seconds=wait_s)


def _fits(found: RegisteredReceipt, receipt: FiscalReceipt) -> bool:
    return found.kind == receipt.kind and found.amount == receipt.amount
