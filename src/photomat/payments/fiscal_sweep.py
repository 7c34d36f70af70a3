"""Adds the fiscal receipts that payments and refunds lack: those received by a program of an older version on this schema.

Payments from before fiscal receipts existed (`fiscal_start`) need none. A week back is enough, because the sweep runs every
minute; what is older and lacks its row is an offender of the audit.
"""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.fiscal import receipt as fiscal
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments.payment import COLUMNS, payment_of

BACK: Final = timedelta(days=7)
MOST: Final = 500
PAYMENTS_WITHOUT: Final = f"""
    SELECT {COLUMNS} FROM payments
     WHERE received_at > photomat_now() - $1::interval AND currency = 'RUB'
       AND payment_id >= (SELECT first_payment FROM fiscal_start)
       AND NOT EXISTS (SELECT FROM fiscal_receipts WHERE fiscal_receipts.payment_id = payments.payment_id OFFSET 0)
     ORDER BY received_at LIMIT $2
"""  # noqa: S608  a constant list of columns
"""With OFFSET 0 the receipt of each payment is looked up; as a join, all receipts may be read."""
REFUNDS_WITHOUT: Final = """
    SELECT back.refund_id, back.payment_id, back.amount, back.paid_amount, paid_currency, currency
      FROM payment_refunds AS back JOIN payments USING (payment_id)
     WHERE back.closed_at > photomat_now() - $1::interval AND back.state = 'done' AND currency = 'RUB'
       AND EXISTS (SELECT FROM fiscal_receipts WHERE fiscal_receipts.payment_id = back.payment_id)
       AND NOT EXISTS (SELECT FROM fiscal_receipts WHERE fiscal_receipts.refund_id = back.refund_id)
     ORDER BY back.closed_at LIMIT $2
"""
log = get_logger()


async def want_missing_receipts(pool: Pool) -> int:
    """Add what is missing; return how many rows."""
    added = await _incomes(pool) + await _annulments(pool)
    if added:
        log.warning("FISCAL_SWEPT", added=added)
    return added


async def _incomes(pool: Pool) -> int:
    added = 0
    for row in await pool.fetch(PAYMENTS_WITHOUT, BACK, MOST):
        payment = payment_of(row)
        async with transaction(pool) as tx:
            added += await fiscal.want_income(
                tx,
                payment_id=payment.payment_id,
                provider=payment.provider,
                external_id=payment.external_id,
                user_id=payment.user_id,
                amount=fiscal.taxed(paid=payment.paid, credit=payment.credit),
                paid_at=payment.paid_at,
            )
    return added


async def _annulments(pool: Pool) -> int:
    added = 0
    for row in await pool.fetch(REFUNDS_WITHOUT, BACK, MOST):
        amount = fiscal.taxed(
            paid=Money(row["paid_amount"], row["paid_currency"]), credit=Money(row["amount"], row["currency"])
        )
        async with transaction(pool) as tx:
            added += await fiscal.want_annulment(
                tx, payment_id=row["payment_id"], refund_id=row["refund_id"], amount=amount
            )
    return added
