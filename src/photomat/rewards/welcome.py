"""A new user: their row, their wallet and the welcome credit, in one transaction, once."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.users.user import Registered, register
from photomat.wallet import ledger


async def ensure_user(
    tx: Transaction,
    *,
    user_id: UserId,
    first_name: str,
    username: str | None,
    language_code: str | None,
    welcome: Money,
) -> Registered:
    """Create the user's row and wallet unless they exist; the welcome is credited only then."""
    registered = await register(
        tx, user_id=user_id, first_name=first_name, username=username, language_code=language_code
    )
    if registered.is_new:
        await ledger.open_with_welcome(tx, user_id=user_id, welcome=welcome)
    return registered
