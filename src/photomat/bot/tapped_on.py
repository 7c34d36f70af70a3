"""Taps go past routers without a button of that kind: one look at the prefix in place of reading it for every handler."""

from aiogram import Router
from aiogram.filters import Filter
from aiogram.filters.callback_data import CallbackQueryFilter
from aiogram.types import CallbackQuery


class TappedOn(Filter):
    """Whether the tapped button is one of these kinds."""

    def __init__(self, prefixes: frozenset[str]) -> None:
        self._prefixes = prefixes

    async def __call__(self, query: CallbackQuery) -> bool:
        return (query.data or "").partition(":")[0] in self._prefixes


def only_own_buttons(router: Router) -> Router:
    """Let a router see taps on its own buttons alone, where each of its handlers names one."""
    prefixes: set[str] = set()
    for handler in router.callback_query.handlers:
        named = [each.callback for each in handler.filters or () if isinstance(each.callback, CallbackQueryFilter)]
        if not named:
            return router
        prefixes.update(each.callback_data.__prefix__ for each in named)
    router.callback_query.filter(TappedOn(frozenset(prefixes)))
    return router
