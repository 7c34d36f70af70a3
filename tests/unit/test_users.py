"""The language a new user starts in."""

import pytest

from photomat.users.user import starting_language


@pytest.mark.parametrize(
    ("reported", "language"),
    [
        (None, "ru"),
        ("", "ru"),
        ("ru", "ru"),
        ("RU-ru", "ru"),
        ("kk", "ru"),
        ("en", "en"),
        ("en-GB", "en"),
        ("de", "en"),
    ],
)
def test_a_new_user_starts_in_the_language_telegram_reports(reported: str | None, language: str) -> None:
    assert starting_language(reported) == language
