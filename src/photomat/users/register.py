"""The first update of a person makes their row; later ones keep their names up to date."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId
from photomat.users import store
from photomat.users.user import Registered, User, starting_language


async def register(
    tx: Transaction, *, user_id: UserId, first_name: str, username: str | None, language_code: str | None
) -> Registered:
    """Make or refresh the user's row; the caller books what a new user is given."""
    return await store.upsert_user(
        tx,
        user_id=user_id,
        first_name=first_name,
        username=username,
        language=starting_language(language_code),
    )


async def find_user(tx: Transaction, user_id: UserId) -> User | None:
    """The user, if they ever wrote to us."""
    return await store.read_user(tx, user_id)
