"""The fiscal receipt inside a provider's payment and refund: what it says, frozen with the top-up or the refund it is for.

A provider refuses a repeated key with another body. So a request is written down before it is sent, and sent as written down
whenever it is repeated, whatever contact or setting has changed since. The contact itself stays in `fiscal_contacts`: what is
frozen names it. A refund's receipt has the payment's customer and terms; a payment without one is refunded without one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.fiscal.contacts import StoredContact, contact_of, find_contact
from photomat.kernel.logs import get_logger
from photomat.payments.payment import Payment
from photomat.providers.port import FiscalForm, FiscalRefused, FiscalTerms

log = get_logger()
TURN_ON: Final = "YOOKASSA_RECEIPTS"
SETTING_OF_FIELD: Final[Mapping[str, str]] = {
    "vat_code": "YOOKASSA_VAT_CODE",
    "tax_system_code": "YOOKASSA_TAX_SYSTEM",
    "payment_subject": "YOOKASSA_PAYMENT_SUBJECT",
    "payment_mode": "YOOKASSA_PAYMENT_MODE",
    "description": "YOOKASSA_RECEIPT_ITEM",
    "measure": "YOOKASSA_MEASURE",
    "customer": "YOOKASSA_EMAIL_ONLY",
    "phone": "YOOKASSA_EMAIL_ONLY",
    "email": "YOOKASSA_EMAIL_ONLY",
}
"""By the last part of the field a provider refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalOptions:
    """What the operator has set: the receipts' form and contents, and whether they go to e-mail addresses alone."""

    form: FiscalForm
    item: str
    vat_code: int = 1
    tax_system: int | None = None
    payment_subject: str = "service"
    payment_mode: str = "full_payment"
    measure: str | None = None
    email_only: bool = False

    def frozen_for(self, contact: StoredContact) -> dict[str, Any]:
        """What is written down of a receipt for this contact."""
        return {
            "contact_id": contact.contact_id,
            "form": self.form,
            "item": self.item,
            "vat_code": self.vat_code,
            "tax_system": self.tax_system,
            "payment_subject": self.payment_subject,
            "payment_mode": self.payment_mode,
            "measure": self.measure,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenInvoice:
    """What a provider is asked for a top-up beside its sum and token."""

    description: str
    return_url: str | None
    fiscal: FiscalTerms | None


async def freeze_invoice(
    pool: Pool, *, topup_id: int, description: str, return_url: str | None, fiscal: Mapping[str, Any] | None
) -> FrozenInvoice:
    """Write down what is asked for a top-up, unless it was before; return what stands."""
    async with transaction(pool) as tx:
        stands: Mapping[str, Any] = await tx.fetchval(
            "UPDATE topups SET invoice = coalesce(invoice, $2) WHERE topup_id = $1 RETURNING invoice",
            topup_id,
            {"description": description, "return_url": return_url, "fiscal": fiscal},
        )
        return FrozenInvoice(
            description=stands["description"],
            return_url=stands["return_url"],
            fiscal=await thawed(tx, stands["fiscal"]),
        )


async def terms_of_refund(tx: Transaction, payment: Payment) -> dict[str, Any] | None:
    """What to write down of a refund's receipt: the payment's terms and customer, or the customer's contact of today.

    None for a payment without a receipt, and when no contact is left: of a whole payment the provider then makes the receipt
    from the one it has.
    """
    frozen: dict[str, Any] | None = await tx.fetchval(
        "SELECT invoice -> 'fiscal' FROM topups WHERE topup_id = $1", payment.topup_id
    )
    if not frozen:
        return None
    if await contact_of(tx, frozen["contact_id"]) is not None:
        return frozen
    current = await find_contact(tx, payment.user_id)
    return None if current is None else {**frozen, "contact_id": current.contact_id}


async def lacks_contact(tx: Transaction, payment: Payment) -> bool:
    """Whether the payment had a receipt, and no contact is left to send the receipt of a part of it to."""
    had_receipt = await tx.fetchval("SELECT invoice -> 'fiscal' FROM topups WHERE topup_id = $1", payment.topup_id)
    return bool(had_receipt) and await terms_of_refund(tx, payment) is None


async def thawed(tx: Transaction, frozen: Mapping[str, Any] | None) -> FiscalTerms | None:
    """The terms that were written down, with the contact they name; None if there are none, or its user had it deleted."""
    if not frozen:
        return None
    contact = await contact_of(tx, frozen["contact_id"])
    if contact is None:
        return None
    terms = {name: value for name, value in frozen.items() if name != "contact_id"}
    return FiscalTerms(
        **terms,
        email=contact.value if contact.kind == "email" else None,
        phone=contact.value if contact.kind == "phone" else None,
    )


def setting_to_change(refused: FiscalRefused, *, sends_receipts: bool) -> str:
    """The setting that makes a provider accept the receipt it refused."""
    return SETTING_OF_FIELD.get(refused.field.rpartition(".")[2], TURN_ON) if sends_receipts else TURN_ON


async def note_refusal(pool: Pool, provider: str, refused: FiscalRefused, *, sends_receipts: bool) -> None:
    """Record that a provider wants other receipts, until it accepts one; an alert notifies the operator."""
    setting = setting_to_change(refused, sends_receipts=sends_receipts)
    log.error(
        "PAY_RECEIPT_REFUSED", provider=provider, field=refused.field, reason=refused.reason, change_setting=setting
    )
    await pool.execute(
        """
        INSERT INTO fiscal_refusals (provider, setting, reason) VALUES ($1, $2, $3)
            ON CONFLICT (provider) DO UPDATE
           SET setting = excluded.setting, reason = excluded.reason, times = fiscal_refusals.times + 1,
               refused_at = excluded.refused_at
        """,
        provider,
        setting,
        refused.reason,
    )


async def end_refusal(pool: Pool, provider: str) -> None:
    """The provider has accepted a payment."""
    await pool.execute("DELETE FROM fiscal_refusals WHERE provider = $1", provider)
