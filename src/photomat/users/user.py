"""Users: registered by their first update, their names kept up to date by later ones. This slice writes and locks `users`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.users.standing import BAN_COLUMNS, Ban, ban_of

DEFAULT_LANGUAGE: Final = "ru"
LANGUAGES: Final = (DEFAULT_LANGUAGE, "en")
RUSSIAN_SPEAKING: Final = frozenset({"ru", "be", "uk", "kk", "ky", "uz", "tg", "hy", "az"})
"""Languages of Telegram clients whose users are served best by Russian."""
COLUMNS: Final = f"user_id, first_name, username, language, blocked_at, forgetting_at, forgotten_at, {BAN_COLUMNS}"
FIND_ASKED_USER: Final = f"SELECT {COLUMNS} FROM users WHERE user_id = asked.user_id LIMIT 1"  # noqa: S608  a constant list of columns


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """`first_name` and `username` are those of the latest update; `ban` is one in force."""

    user_id: UserId
    first_name: str
    username: str | None
    language: str
    is_blocked: bool
    ban: Ban | None
    is_being_forgotten: bool = False
    was_forgotten: bool = False


class Registration(NamedTuple):
    """A user who wrote to the bot, with the names and the language that their client reports."""

    user_id: UserId
    first_name: str
    username: str | None
    language_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    user: User
    is_new: bool


REGISTER: Final = f"""
    INSERT INTO users (user_id, first_name, username, language)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS registration (user_id)
     ORDER BY user_id
        ON CONFLICT (user_id) DO UPDATE
       SET first_name = CASE WHEN users.forgetting_at IS NULL THEN excluded.first_name ELSE '' END,
           username = CASE WHEN users.forgetting_at IS NULL THEN excluded.username END, forgotten_at = NULL
    RETURNING {COLUMNS}, xmax = 0 AS is_new"""  # noqa: S608  a constant list of columns
"""Adds users, or updates their names; a known user keeps their language. What runs it also opens the wallets of new users.

Names of a user who is being forgotten are not taken; one who was forgotten is back.
"""


def registration_values(registrations: Sequence[Registration]) -> tuple[list[object], ...]:
    """The values of `REGISTER`."""
    return (
        [each.user_id for each in registrations],
        [each.first_name for each in registrations],
        [each.username for each in registrations],
        [starting_language(each.language_code) for each in registrations],
    )


def registered_of(row: Row) -> Registered:
    """The user whom `REGISTER` returned."""
    return Registered(user=user_of(row), is_new=row["is_new"])


def starting_language(language_code: str | None) -> str:
    """The language of a new user: that of their Telegram client, as far as we speak it; Russian where none is reported."""
    primary = (language_code or DEFAULT_LANGUAGE).lower().split("-")[0]
    return DEFAULT_LANGUAGE if primary in RUSSIAN_SPEAKING else "en"


async def find_user(tx: Transaction, user_id: UserId) -> User | None:
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM users WHERE user_id = $1", user_id)  # noqa: S608  a constant list of columns
    return user_of(row) if row else None


async def lock_user(tx: Transaction, user_id: UserId) -> None:
    """Lock the user until the commit, so that what is decided from their rows is decided one transaction after the other."""
    await tx.execute("SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE", user_id)


async def set_language(tx: Transaction, *, user_id: UserId, language: str) -> None:
    await tx.execute("UPDATE users SET language = $2 WHERE user_id = $1", user_id, language)


async def mark_blocked(tx: Transaction, *, user_id: UserId) -> None:
    """Record that the user has blocked the bot; the first time is kept."""
    await tx.execute("UPDATE users SET blocked_at = photomat_now() WHERE user_id = $1 AND blocked_at IS NULL", user_id)


async def clear_blocked(tx: Transaction, *, user_id: UserId) -> None:
    await tx.execute("UPDATE users SET blocked_at = NULL WHERE user_id = $1 AND blocked_at IS NOT NULL", user_id)


def user_of(row: Row) -> User:
    """The user in `COLUMNS`."""
    return User(
        user_id=UserId(row["user_id"]),
        first_name=row["first_name"],
        username=row["username"],
        language=row["language"],
        is_blocked=row["blocked_at"] is not None,
        ban=ban_of(row),
        is_being_forgotten=row["forgetting_at"] is not None,
        was_forgotten=row["forgotten_at"] is not None,
    )
