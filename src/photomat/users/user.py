"""A person as the bot knows them. Pure."""

from dataclasses import dataclass
from typing import Final

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
