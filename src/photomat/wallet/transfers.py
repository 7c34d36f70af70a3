"""Money from one user's wallet to another's: one balanced transaction, once per reference, both wallets locked in order.

The promises of `ledger` about repeated calls, locks and errors hold here too.
"""

from photomat.db.pool import Transaction
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.wallet import store
from photomat.wallet.ledger import book_once, locked_wallet
from photomat.wallet.postings import Facts, transfer_posting


async def transfer(
    tx: Transaction, *, giver: UserId, taker: UserId, amount: Money, reference: str, facts: Facts | None = None
) -> bool:
    """Move money that is available to another user, whose debt it pays first; False when it was moved before.

    `NotEnough` and nothing written when the giver has less or owes.
    """
    if giver == taker:
        raise Corrupt(f"{reference}: user {giver} cannot give to themselves")
    wallets = {
        user_id: await locked_wallet(tx, user_id=user_id, amount=amount, reference=reference)
        for user_id in sorted((giver, taker))
    }
    available = wallets[giver].available
    if available < amount and await store.read_booked_digest(tx, reference) is None:
        raise NotEnough("not-enough", price=amount, available=available)
    return await book_once(
        tx,
        transfer_posting(
            giver=giver,
            taker=taker,
            taker_wallet=wallets[taker],
            amount=amount,
            reference=reference,
            facts=facts,
        ),
    )
