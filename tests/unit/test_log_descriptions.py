"""What a log line says about an error: enough to act on, and nothing a customer wrote."""

import pytest
from aiogram.exceptions import ClientDecodeError, TelegramBadRequest, TelegramConflictError, TelegramNetworkError
from aiogram.methods import GetMe

from photomat.kernel.trouble import LONGEST, describe, masked
from photomat.telegram.errors import translate

METHOD = GetMe()
TOKEN = "7000000001:AAF-secretsecretsecretsecretsecret12"


def test_telegrams_description_is_part_of_the_line() -> None:
    conflict = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    assert describe(TelegramConflictError(METHOD, conflict)) == f"TelegramConflictError: {conflict}"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            'Bad Request: can\'t parse entities: Unsupported start tag "secret" at byte offset 3',
            "Bad Request: can't parse entities: Unsupported start tag … at byte offset 3",
        ),
        (
            'Bad Request: can\'t parse entities: expected "</secret>", found "</secret2>"',
            "Bad Request: can't parse entities: expected …",
        ),
        (
            "Bad Request: button URL 'https://secret' is invalid",
            "Bad Request: button URL … is invalid",
        ),
        ("Bad Request: wrong URL https://secret.example/a?b=c specified", "Bad Request: wrong URL … specified"),
        ("Bad Request: bad webhook: www.secret.example is down", "Bad Request: bad webhook: … is down"),
        ("Bad Request: t.me/secret not found", "Bad Request: … not found"),
        ("Bad Request: secret.example/path not found", "Bad Request: … not found"),
        (f"Not Found: bot{TOKEN}/getMe", "Not Found: bot…/getMe"),
        (f"Unauthorized: {TOKEN}", "Unauthorized: …"),
        ("Bad Request: tag «secret» and “secret” and `secret`", "Bad Request: tag … and … and …"),
        ('Bad Request: start tag "a" secret="b" secret" at byte offset 3', "Bad Request: start tag … at byte offset 3"),
        ('Bad Request: cut "secret secret', "Bad Request: cut …"),
        ("Bad Request: tag кот в сапогах is unknown", "Bad Request: tag … is unknown"),
        ("Bad Request:\n[fake] [JOB_SETTLED]\r\x1b[31m \x00here", "Bad Request: [fake] [JOB_SETTLED] …[31m …here"),
        ("Bad Request: message can't be edited", "Bad Request: message can't be edited"),
    ],
)
def test_what_telegram_quotes_is_masked(said: str, shown: str) -> None:
    assert masked(said) == shown
    assert describe(TelegramBadRequest(METHOD, said)) == f"TelegramBadRequest: {shown}"
    assert "secret" not in str(translate(TelegramBadRequest(METHOD, said)))


def test_a_description_without_end_is_cut() -> None:
    assert len(masked("word " * 10_000)) == LONGEST + 1


def test_a_network_error_says_what_happened_and_no_token() -> None:
    said = f"HTTP Client says - ClientConnectorError: Cannot connect to https://api.telegram.org/bot{TOKEN}/getMe"
    line = describe(TelegramNetworkError(METHOD, said))
    assert "Cannot connect to …" in line
    assert "secret" not in line


def test_other_libraries_messages_are_left_out() -> None:
    assert describe(ValueError("secret")) == "ValueError"
    assert "secret" not in describe(ClientDecodeError("Failed to decode object", ValueError("secret"), "secret"))
