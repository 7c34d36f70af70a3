"""What an operator may do with a payment: give it back, by its provider or by hand. In the journal, done or refused."""

from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.money import Money
from photomat.operators.actions import Answer, journaled
from photomat.payments.payment import Payment, find_payment
from photomat.payments.refunds import ask_refund, given_back_of
from photomat.wallet import ledger

NO_WAY_BACK: Final = frozenset({"transfer", "cryptopay"})
"""What came this way can only be given back by a person."""


async def refund_payment(
    pool: Pool, payment_id: int, *, owing: bool, by_hand: bool, operator: str, reason: str
) -> Answer:
    """Give back all that is left of a payment. `owing`: spent money becomes debt. `by_hand`: it has been given back already."""
    payment = await find_payment(pool, payment_id)

    async def act(tx: Transaction) -> Answer:
        if payment is None:
            return Answer(
                done=False, sentence="There is no such payment; `photomat payments list` tells their numbers."
            )
        if payment.provider in NO_WAY_BACK and not by_hand:
            return Answer(
                done=False,
                sentence=f"{payment.provider} cannot give money back by itself: send {payment.paid} to the payer, then"
                " say so with --by-hand.",
            )
        return await _refund(tx, payment, owing=owing, by_hand=by_hand, operator=operator)

    return await journaled(
        pool,
        act,
        action="refund payment",
        operator=operator,
        reason=reason,
        user_id=payment.user_id if payment else None,
        reference=payment.reference if payment else None,
    )


async def _refund(tx: Transaction, payment: Payment, *, owing: bool, by_hand: bool, operator: str) -> Answer:
    before = await given_back_of(tx, payment)
    rest = Money(payment.credit.minor - before.credit, payment.credit.currency)
    try:
        async with tx.transaction():
            refund_id = await ask_refund(
                tx, payment_id=payment.payment_id, asked_by=operator, owing=owing, by_hand=by_hand
            )
    except NotEnough as error:
        return Answer(
            done=False,
            sentence=f"Only {error.facts['available']} of {error.facts['price']} is left in the wallet; --owing lets the"
            " rest become a debt.",
        )
    except Rejected as error:
        return Answer(done=False, sentence=f"Refused: {error}.")
    if rest.minor <= 0:
        return Answer(done=True, sentence=f"All of it went back before (refund {refund_id}); nothing was done again.")
    wallet = await ledger.balance(tx, user_id=payment.user_id)
    owed = f" {wallet.owed} is owed now." if wallet.owed.minor else ""
    what = "is given back" if by_hand else f"left the wallet, {payment.provider} is asked to give it back"
    return Answer(done=True, sentence=f"{rest} {what} (refund {refund_id}).{owed}")
