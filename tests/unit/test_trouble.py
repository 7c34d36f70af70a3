"""What becomes of an update whose handler failed."""

import asyncpg
import pytest
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.methods import SendMessage

from photomat.bot.worker import PATIENCE_S, UpdateRetry, is_unreachable, retry_after
from photomat.inbox.update import Claimed
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Corrupt, Transient
from photomat.kernel.ids import BotId, Fence, ReceivedId
from support.updates import BOT_ID, text_update

METHOD = SendMessage(chat_id=7, text="…")


class UnsendableError(asyncpg.InterfaceError, ValueError):
    """What asyncpg raises for a value that does not fit its column."""


def claimed(*, failures: int = 0, killed: int = 0, age_s: float = 0) -> Claimed:
    return Claimed(
        received_id=ReceivedId(1),
        bot_id=BotId(BOT_ID),
        update_id=1,
        update=text_update(1),
        lane="u7",
        fence=Fence(1),
        attempts=failures + killed + 1,
        failures=failures,
        age_s=age_s,
    )


OUTSIDE = [
    TelegramNetworkError(method=METHOD, message="no route"),
    TelegramServerError(method=METHOD, message="Internal Server Error"),
    TelegramUnauthorizedError(method=METHOD, message="Unauthorized"),
    Transient("no budget", retry_after_s=None),
    TimeoutError(),
    asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
    asyncpg.AdminShutdownError("terminating connection due to administrator command"),
    asyncpg.CannotConnectNowError("the database system is starting up"),
    asyncpg.TooManyConnectionsError("sorry, too many clients already"),
    asyncpg.InterfaceError("connection is closed"),
]


@pytest.mark.parametrize("trouble", OUTSIDE)
def test_trouble_outside_is_not_counted_however_often(trouble: Exception) -> None:
    verdict = retry_after(trouble, claimed(failures=2))
    assert isinstance(verdict, UpdateRetry)
    assert not verdict.counted


@pytest.mark.parametrize("trouble", OUTSIDE)
def test_but_not_for_ever(trouble: Exception) -> None:
    assert retry_after(trouble, claimed(failures=2, age_s=PATIENCE_S)) is None


def test_a_429_says_how_long() -> None:
    trouble = TelegramRetryAfter(method=METHOD, message="retry after 17", retry_after=17)
    assert retry_after(trouble, claimed()) == UpdateRetry(wait_s=17, counted=False)
    assert retry_after(Transient("no budget", retry_after_s=0.5), claimed()) == UpdateRetry(wait_s=0.5, counted=False)


@pytest.mark.parametrize("trouble", [ZeroDivisionError(), Corrupt("…"), TelegramBadRequest(method=METHOD, message="?")])
def test_our_own_trouble_is_counted_and_given_up_after_three(trouble: Exception) -> None:
    for failures in (0, 1):
        verdict = retry_after(trouble, claimed(failures=failures, killed=5))
        assert isinstance(verdict, UpdateRetry)
        assert verdict.counted
    assert retry_after(trouble, claimed(failures=2)) is None


def test_a_person_who_blocked_us_is_not_there() -> None:
    assert is_unreachable(TelegramForbiddenError(method=METHOD, message="bot was blocked by the user"))
    assert not is_unreachable(ZeroDivisionError())


def test_trouble_is_described_without_its_message() -> None:
    with pytest.raises(ValueError, match="кот") as caught:
        int("кот-космонавт")
    assert describe(caught.value).startswith("ValueError at ")
    assert "кот" not in describe(caught.value)


@pytest.mark.parametrize("trouble", [asyncpg.UniqueViolationError("twice"), UnsendableError("invalid input for query")])
def test_a_statement_that_is_wrong_by_itself_is_counted(trouble: Exception) -> None:
    assert retry_after(trouble, claimed(failures=2)) is None
