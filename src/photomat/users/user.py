"""A person as the bot knows them. Pure.

The first update of a person makes their row; later ones keep their names up to date.

What a user decides about themselves: the language they read, and whether they hear from us at all.

Every statement on `users`.
"""

from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import UserId

DEFAULT_LANGUAGE: Final = "ru"
LANGUAGES: Final = (DEFAULT_LANGUAGE, "en")
RUSSIAN_SPEAKING: Final = frozenset({"ru", "be", "uk", "kk", "ky", "uz", "tg", "hy", "az"})
"""Languages of Telegram clients whose users are served best by Russian."""
AMBIGUOUS: Final = "en"
"""Many who read Russian keep an English client: they start in Russian and are offered English at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """One person; `first_name` and `username` are what Telegram said last."""

    user_id: UserId
    first_name: str
    username: str | None
    language: str
    is_blocked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A user, and whether this was their first update."""

    user: User
    is_new: bool


def starting_language(language_code: str | None) -> str:
    """The language a new user is greeted in."""
    primary = _primary(language_code)
    return DEFAULT_LANGUAGE if primary in RUSSIAN_SPEAKING or primary == AMBIGUOUS else "en"


def may_prefer_english(language_code: str | None) -> bool:
    """Say whether a user greeted in Russian is offered English."""
    return _primary(language_code) not in RUSSIAN_SPEAKING


def _primary(language_code: str | None) -> str:
    return (language_code or DEFAULT_LANGUAGE).lower().split("-")[0]


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


async def register(
    tx: Transaction, *, user_id: UserId, first_name: str, username: str | None, language_code: str | None
) -> Registered:
    """Make or refresh the user's row; the caller books what a new user is given."""
    return await upsert_user(
        tx,
        user_id=user_id,
        first_name=first_name,
        username=username,
        language=starting_language(language_code),
    )


async def find_user(tx: Transaction, user_id: UserId) -> User | None:
    """The user, if they ever wrote to us."""
    return await read_user(tx, user_id)


async def choose_language(tx: Transaction, *, user_id: UserId, language: str) -> None:
    """Speak this language to the user from now on."""
    await set_language(tx, user_id=user_id, language=language)


async def user_blocked_us(tx: Transaction, *, user_id: UserId) -> None:
    """Send the user nothing until they return."""
    await set_blocked(tx, user_id)


async def user_returned(tx: Transaction, *, user_id: UserId) -> None:
    """The user lets us write again."""
    await clear_blocked(tx, user_id)
