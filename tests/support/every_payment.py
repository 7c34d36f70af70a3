"""Payments and refunds of every kind in the books of one payer, each made the way the product makes it."""

from typing import Any, Final

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.payments.receive import receive_payment
from photomat.payments.refunds import Refunder, ask_refund, put_back, take_back_reported
from support.money import rub
from support.payments import arrived, stars
from support.sessions import as_pool

OFFER: Final = """
    INSERT INTO topups (origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, expires_at)
    VALUES ('offer of ' || $2, (SELECT bot_id FROM installation), $1, $2, $3, $4, $5, 'RUB', photomat_now() + interval '1 day')
    RETURNING topup_id
"""
APPROVED_RECEIPT: Final = """
    INSERT INTO receipts (origin, topup_id, user_id, bot_id, amount, currency, file_kind, file_id, file_unique_id, state,
                          decided_at, decided_by, credited)
    VALUES ('receipt', $1, $2, (SELECT bot_id FROM installation), 900, 'RUB', 'photo', 'file', 'unique', 'approved',
            photomat_now(), 'olga', 900)
    RETURNING receipt_id
"""
SUBSCRIPTION: Final = """
    INSERT INTO subscriptions (charge_id, first_known, user_id, stars, allowance, currency, state, expires_at)
    VALUES ('month', true, $1, $2, 600, 'RUB', 'active', photomat_now() + interval '30 days')
"""
LISTED: Final = """
    INSERT INTO stars_listed (bot_id, charge_id, side, user_id, stars, moved_at)
    VALUES (1, 'month', 'in', $1, $2, photomat_now())
"""


async def every_payment(tx: Transaction, payer: UserId) -> None:
    """As offered, a part of it, without an offer, a month, by receipt; given back in part, refused, and asked for again."""
    offered = await _offer(tx, payer, "stars", asked=stars(500), credit=5_250)
    await _pay(tx, payer, "whole", topup_id=offered, paid=stars(500))
    await _pay(tx, payer, "part", topup_id=offered, paid=stars(200))
    await _pay(tx, payer, "unknown", worth=rub(777))
    await _pay(tx, payer, "month", worth=rub(600), reason="subscription")
    await tx.execute(SUBSCRIPTION, payer, stars(250).minor)
    await tx.execute(LISTED, payer, stars(250).minor)
    transferred = await _offer(tx, payer, "transfer", asked=rub(900), credit=900)
    receipt = await tx.fetchval(APPROVED_RECEIPT, transferred, payer)
    await _pay(tx, payer, f"receipt:{receipt}", provider="transfer", topup_id=transferred, paid=rub(900))
    await take_back_reported(tx, provider="stars", external_id="whole", refunded=stars(100), via="test")
    await refused(tx, await payment_called(tx, "whole"))
    for name in ("whole", "part"):
        payment_id = await payment_called(tx, name)
        await ask_refund(tx, payment_id=payment_id, asked_by="olga", owing=False, by_hand=True)
    await _issue_receipts(tx)


async def _issue_receipts(tx: Transaction) -> None:
    """The tax service has a document of every payment that nothing was refunded of."""
    await tx.execute(
        """
        UPDATE fiscal_receipts AS income
           SET state = 'issued', issuer = 'my_tax', external_id = 'doc-' || fiscal_id, due_at = NULL, closed_at = photomat_now()
         WHERE kind = 'income' AND NOT EXISTS (SELECT FROM fiscal_receipts AS later
                                                WHERE later.payment_id = income.payment_id AND later.kind = 'annulment')
        """
    )
    await tx.execute(
        """
        INSERT INTO fiscal_documents (issuer, external_id, reference, amount, operation_at)
        SELECT issuer, external_id, reference, amount, operation_at FROM fiscal_receipts WHERE state = 'issued'
        """
    )


async def refused(tx: Transaction, payment_id: int) -> None:
    """A refund is wanted, and its provider says no."""
    await ask_refund(tx, payment_id=payment_id, asked_by="olga", owing=False, by_hand=False)
    (refund,) = await Refunder(pool=as_pool(tx), calls={}).claim(1)
    await put_back(tx, refund, "no")


async def payment_called(tx: Transaction, external_id: str) -> int:
    """The number of the payment its provider calls so."""
    return int(await tx.fetchval("SELECT payment_id FROM payments WHERE external_id = $1", external_id))


async def _offer(tx: Transaction, payer: UserId, way: str, *, asked: Money, credit: int) -> int:
    return int(await tx.fetchval(OFFER, payer, way, asked.minor, asked.currency, credit))


async def _pay(tx: Transaction, payer: UserId, external_id: str, **facts: Any) -> None:
    await receive_payment(tx, arrived(user_id=payer, external_id=external_id, **facts))
