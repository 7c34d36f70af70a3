"""What every verb of money begins and ends with: the wallet locked and the amount looked at, the posting booked once."""

from photomat.db.pool import Transaction
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.wallet import store
from photomat.wallet.posting import Balance, Posting


async def locked_wallet(tx: Transaction, *, user_id: UserId, amount: Money, reference: str) -> Balance:
    """The wallet, locked until the transaction ends, when this amount is one that can be moved in it."""
    wallet = found(await store.lock_wallet(tx, user_id), user_id)
    if amount.minor <= 0:
        raise Corrupt(f"{reference}: {amount.minor} is not an amount that can be moved")
    if amount.currency != wallet.currency:
        raise Corrupt(f"{reference}: {amount} does not fit the {wallet.currency} wallet of user {user_id}")
    return wallet


async def lock_wallets(tx: Transaction, *user_ids: UserId) -> None:
    """Lock the wallets of several users in the order in which everybody takes them, for moves that follow."""
    for user_id in sorted(set(user_ids)):
        found(await store.lock_wallet(tx, user_id), user_id)


async def book_once(tx: Transaction, posting: Posting) -> bool:
    """Book it; False when this very posting was booked before, `Corrupt` when its reference means another one."""
    if await store.book(tx, posting):
        return True
    if await store.read_booked_digest(tx, posting.reference) != posting.digest:
        raise Corrupt(f"{posting.reason} {posting.reference}: this reference was booked before with other parameters")
    return False


def found(wallet: Balance | None, user_id: UserId) -> Balance:
    """The wallet there must be."""
    if wallet is None:
        raise Corrupt(f"user {user_id} has no wallet: nobody of this number has written to the bot")
    return wallet
