"""What a user decides about themselves: the language they read, and whether they hear from us at all."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId
from photomat.users import store


async def choose_language(tx: Transaction, *, user_id: UserId, language: str) -> None:
    """Speak this language to the user from now on."""
    await store.set_language(tx, user_id=user_id, language=language)


async def user_blocked_us(tx: Transaction, *, user_id: UserId) -> None:
    """Send the user nothing until they return."""
    await store.set_blocked(tx, user_id)


async def user_returned(tx: Transaction, *, user_id: UserId) -> None:
    """The user lets us write again."""
    await store.clear_blocked(tx, user_id)
