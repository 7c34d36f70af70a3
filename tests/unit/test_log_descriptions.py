"""What a log line says about an error: enough to act on, and nothing a customer wrote."""

from time import process_time

import pytest
from aiogram.exceptions import ClientDecodeError, TelegramBadRequest, TelegramConflictError, TelegramNetworkError
from aiogram.methods import GetMe
from hypothesis import example, given, settings
from hypothesis import strategies as st

from photomat.kernel.trouble import LONGEST, READ, describe, masked
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
        (f"Not Found: bot{TOKEN}/getMe", "Not Found: …"),
        (f"Unauthorized: {TOKEN}", "Unauthorized: …"),
        ("Bad Request: tag «secret» and “secret” and `secret`", "Bad Request: tag … and … and …"),
        ('Bad Request: start tag "a" secret="b" secret" at byte offset 3', "Bad Request: start tag … at byte offset 3"),
        ('Bad Request: cut "secret secret', "Bad Request: cut …"),
        ("Bad Request: tag кот в сапогах is unknown", "Bad Request: tag … is unknown"),
        ("Bad Request:\n[fake] [JOB_SETTLED]\r\x1b[31m \x00here", "Bad Request: [fake] [JOB_SETTLED] …[31m …here"),
        ("Bad Request: wrong URL: secret-host.example.com?token=abc", "Bad Request: wrong URL: …"),
        ("Bad Request: wrong URL host: secret.example.com", "Bad Request: wrong URL host: …"),
        ("Cannot connect to host secret.example:443 ssl:default", "Cannot connect to host … ssl:default"),
        ("Cannot connect to host secret:8081 ssl:default", "Cannot connect to host … ssl:default"),
        ("Bad Request: entity (secret words) is bad", "Bad Request: entity … is bad"),
        ("Bad Request: entity (secret words", "Bad Request: entity …"),
        ("Bad Request: text <b>secret words</b> is bad", "Bad Request: text … is bad"),
        ("Bad Request: start tag &quot;secret words&quot; at", "Bad Request: start tag … at"),
        ("Bad Request: start tag &amp;quot;secret words&amp;quot; at", "Bad Request: start tag … at"),
        ("Bad Request: text &lt;b&gt;secret words&lt;/b&gt; is bad", "Bad Request: text … is bad"),
        ("Bad Request: secret@example.org is not valid", "Bad Request: … is not valid"),
        ("Not Found: file /srv/secret/a is missing", "Not Found: file … is missing"),
        (r"Not Found: file C:\secret is missing", "Not Found: file … is missing"),
        ("Not Found: file name secret.png is invalid", "Not Found: file name … is invalid"),
        ("Bad Request: text 'it's secret isn't it' is bad", "Bad Request: text … is bad"),
        ("Bad Request: text'secret words' is bad", "Bad Request: text… is bad"),
        ("Bad Request: text ´secret words´", "Bad Request: text …"),
        ("Bad Request: text „secret words“", "Bad Request: text …"),
        ("Bad Request: prompt=secret is bad", "Bad Request: … is bad"),
    ],
)
def test_what_telegram_quotes_is_masked(said: str, shown: str) -> None:
    assert masked(said) == shown
    assert describe(TelegramBadRequest(METHOD, said)) == f"TelegramBadRequest: {shown}"
    assert "secret" not in str(translate(TelegramBadRequest(METHOD, said)))


@pytest.mark.parametrize(
    "said",
    [
        "Bad Request: message to edit not found",
        "Bad Request: message can't be edited",
        "Too Many Requests: retry after 5",
        "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 5",
        "Bad Request: wrong file identifier/HTTP URL specified",
        "Bad Request: PHOTO_INVALID_DIMENSIONS",
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        "HTTP Client says - ClientOSError: [Errno 104] Connection reset by peer",
        "Bad Gateway: retry after 1.5, at most",
    ],
)
def test_what_telegram_says_by_itself_stays_readable(said: str) -> None:
    assert masked(said) == said


def test_a_description_without_end_is_cut() -> None:
    assert len(masked("word " * 10_000)) == LONGEST + 1


@pytest.mark.parametrize("opening", ['"', "'", "«", "(", "<", "&quot;", '"a" '])
@pytest.mark.parametrize("after", range(READ - 20, READ + 20, 3))
def test_a_quotation_is_masked_wherever_a_long_description_is_cut(opening: str, after: int) -> None:
    closing = {"«": "»", "(": ")", "<": ">"}.get(opening, opening)
    assert "secret" not in masked(f"Bad {opening}{'secret ' * (after // 7)}{closing} secret{closing}")


@pytest.mark.parametrize("hidden", [TOKEN, "secret.example", "secret@example"])
@pytest.mark.parametrize("before", range(READ - 45, READ + 5))
def test_a_word_is_masked_wherever_a_long_description_is_cut(hidden: str, before: int) -> None:
    shown = masked(f"{'é' * before} {hidden}")
    assert "secret" not in shown
    assert "7000" not in shown


HOSTILE = st.text(alphabet="ab7.:/@=?&;#'\"`<>(){}«»“”‘’… \n\té\\-_,%", min_size=1, max_size=8)


@given(first=HOSTILE, repeated=HOSTILE, size=st.sampled_from([READ, 100_000]))
@example(first="", repeated='"', size=100_000)
@example(first="", repeated="a.", size=100_000)
@example(first="", repeated="a.", size=READ)
@settings(max_examples=200, deadline=None)
def test_no_description_takes_long_to_mask(first: str, repeated: str, size: int) -> None:
    said = (first + repeated * size)[:size]

    def took_s() -> float:
        started = process_time()
        masked(said)
        return process_time() - started

    assert any(took_s() < 0.5 for _ in range(3)), "a slow machine takes a tenth of this, backtracking many times"


def test_a_network_error_says_what_happened_and_no_token() -> None:
    said = f"HTTP Client says - ClientConnectorError: Cannot connect to https://api.telegram.org/bot{TOKEN}/getMe"
    line = describe(TelegramNetworkError(METHOD, said))
    assert "Cannot connect to …" in line
    assert "secret" not in line


def test_other_libraries_messages_are_left_out() -> None:
    assert describe(ValueError("secret")) == "ValueError"
    assert "secret" not in describe(ClientDecodeError("Failed to decode object", ValueError("secret"), "secret"))
