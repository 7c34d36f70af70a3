"""Rate limits of all calls to Telegram, and their latency, as two middlewares of the aiogram session.

Budgets are rows shared by all instances: one per bot, one per chat (edits count); an instance takes small shares of them, so
that a card's edit and its completion message cost one statement. Nothing sleeps here: a call without budget
raises `Transient` with the time to wait, or `ChatBusy` if the chat's budget is used up. A 429 blocks its chat for every
instance. Progress updates leave a reserve for more important calls.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from aiogram import Bot
from aiogram.client.session.middlewares.base import BaseRequestMiddleware, NextRequestMiddlewareType
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramRetryAfter
from aiogram.methods import Response, TelegramMethod

from photomat.db.pool import Pool
from photomat.kernel.calls import telegram_call
from photomat.kernel.errors import Transient
from photomat.kernel.metrics import BUDGET_WAITS, outcome_of
from photomat.telegram.errors import is_not_modified, translate
from photomat.telegram.port import ChatBusy
from photomat.work import budget
from photomat.work.budget import Budget, Shares

BOT_WINDOW_S: Final = 1.0
CHAT_LIMIT: Final = 20
CHAT_WINDOW_S: Final = 20.0
GROUP_WINDOW_S: Final = 60.0
PROGRESS_RESERVE: Final = 10
FREE_METHODS: Final = ("get", "answer", "set", "delete", "logOut", "close")

_reserve: ContextVar[int] = ContextVar("reserve", default=0)


@contextmanager
def unimportant() -> Iterator[None]:
    """Calls inside leave a reserve for more important ones."""
    token = _reserve.set(PROGRESS_RESERVE)
    try:
        yield
    finally:
        _reserve.reset(token)


class Pacing(BaseRequestMiddleware):
    def __init__(self, pool: Pool, *, calls_per_s: int) -> None:
        self._shares = Shares(pool)
        self._calls_per_s = calls_per_s

    async def __call__(
        self, make_request: NextRequestMiddlewareType[Any], bot: Bot, method: TelegramMethod[Any]
    ) -> Response[Any]:
        chat_id = getattr(method, "chat_id", None)
        if chat_id is None or method.__api_method__.startswith(FREE_METHODS):
            return await make_request(bot, method)
        chat = _chat_budget(bot.id, int(chat_id))
        reserve = _reserve.get()
        for one, refusal in (
            (bot_budget(bot.id, self._calls_per_s), Transient),
            (chat, Transient if reserve else ChatBusy),
        ):
            wait_s = await self._shares.take(one, reserve=min(reserve, one.limit // 2))
            if wait_s:
                BUDGET_WAITS.labels(budget=budget.family_of(one.name)).inc()
                raise refusal(f"no budget left for {one.name}", retry_after_s=wait_s)
        try:
            return await make_request(bot, method)
        except TelegramRetryAfter as error:
            await self._shares.block(chat.name, seconds=error.retry_after, reason="429 from Telegram")
            raise


class CallTimer(BaseRequestMiddleware):
    """Times the requests that really leave; without a budget none does."""

    async def __call__(
        self, make_request: NextRequestMiddlewareType[Any], bot: Bot, method: TelegramMethod[Any]
    ) -> Response[Any]:
        with telegram_call(method.__api_method__, outcome=_outcome):
            return await make_request(bot, method)


def _outcome(error: BaseException | None) -> str:
    """`429`, or the name of our error; an edit that changes nothing is a success."""
    if isinstance(error, TelegramRetryAfter):
        return "429"
    if isinstance(error, TelegramAPIError) and is_not_modified(error):
        return "ok"
    return outcome_of(translate(error) if isinstance(error, TelegramAPIError | ClientDecodeError) else error)


def bot_budget(bot_id: int, calls_per_s: int) -> Budget:
    return budget.below(f"telegram:{bot_id}", allowed=calls_per_s, window_s=BOT_WINDOW_S)


def _chat_budget(bot_id: int, chat_id: int) -> Budget:
    window_s = CHAT_WINDOW_S if chat_id > 0 else GROUP_WINDOW_S
    return Budget(name=f"telegram:{bot_id}:chat:{chat_id}", limit=CHAT_LIMIT, window_s=window_s)
