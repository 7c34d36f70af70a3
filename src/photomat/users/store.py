"""Every statement on `users`."""

from photomat.db.pool import Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import UserId
from photomat.users.user import Registered, User


async def upsert_user(
    tx: Transaction, *, user_id: UserId, first_name: str, username: str | None, language: str
) -> Registered:
    """Add the user, or bring their names up to date; the language of a known user is left alone."""
    row = await require_row(
        tx,
        """
        INSERT INTO users (user_id, first_name, username, language)
        VALUES ($1, $2, $3, $4)
            ON CONFLICT (user_id) DO UPDATE
           SET first_name = excluded.first_name, username = excluded.username
        RETURNING user_id, first_name, username, language, blocked_at, xmax = 0 AS is_new
        """,
        user_id,
        first_name,
        username,
        language,
    )
    return Registered(user=_user(row), is_new=row["is_new"])


async def read_user(tx: Transaction, user_id: UserId) -> User | None:
    """Read one user."""
    row = await tx.fetchrow(
        "SELECT user_id, first_name, username, language, blocked_at FROM users WHERE user_id = $1", user_id
    )
    return _user(row) if row else None


async def set_language(tx: Transaction, *, user_id: UserId, language: str) -> None:
    """Change the language of a user."""
    await tx.execute("UPDATE users SET language = $2 WHERE user_id = $1", user_id, language)


async def set_blocked(tx: Transaction, user_id: UserId) -> None:
    """Note that the user has blocked the bot; the first such instant is kept."""
    await tx.execute("UPDATE users SET blocked_at = photomat_now() WHERE user_id = $1 AND blocked_at IS NULL", user_id)


async def clear_blocked(tx: Transaction, user_id: UserId) -> None:
    """Note that the user talks to the bot again."""
    await tx.execute("UPDATE users SET blocked_at = NULL WHERE user_id = $1 AND blocked_at IS NOT NULL", user_id)


def _user(row: Row) -> User:
    return User(
        user_id=UserId(row["user_id"]),
        first_name=row["first_name"],
        username=row["username"],
        language=row["language"],
        is_blocked=row["blocked_at"] is not None,
    )
