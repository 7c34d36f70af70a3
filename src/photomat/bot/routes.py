"""The handlers of all routers in one place, so that an update meets only those that can be meant.

A tap goes to the handlers of its button, a message that is no command past those of commands, and one without an open question
past those of answers. Among what is left the order is that of the routers: the first handler whose filters match answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from aiogram import Router
from aiogram.dispatcher.event.handler import FilterObject, HandlerObject
from aiogram.filters import Command, Filter, StateFilter
from aiogram.filters.callback_data import CallbackQueryFilter
from aiogram.types import CallbackQuery, Message, TelegramObject

MESSAGES: Final = "message"
TAPS: Final = "callback_query"


class Matches(Filter):
    """A magic filter, asked right here: aiogram asks it in a thread of its own."""

    def __init__(self, resolve: Callable[[TelegramObject], Any]) -> None:
        self._resolve = resolve

    async def __call__(self, event: TelegramObject) -> Any:
        return self._resolve(event)


class AllRoutes(Router):
    """Passes an update on to a router with a selection of the handlers of these routers, which have no middlewares."""

    def __init__(self, routers: Sequence[Router]) -> None:
        super().__init__(name="all")
        known = {name: _handlers(name, routers) for name in self.observers}
        messages, taps = known[MESSAGES], known[TAPS]
        answers = [each for each in messages if not _has(each, Command)]
        prefixes = {prefix for each in taps for prefix in _buttons(each)}
        self._everything = self._selection(known)
        self._answers = self._selection({MESSAGES: answers})
        self._idle = self._selection({MESSAGES: [each for each in answers if not _needs_question(each)]})
        self._by_button = {prefix: self._selection({TAPS: _meant(prefix, taps)}) for prefix in prefixes}
        self._no_button = self._selection({TAPS: _meant("", taps)})

    def _selection(self, handlers: Mapping[str, Iterable[HandlerObject]]) -> Router:
        selection = Router()
        for name, selected in handlers.items():
            selection.observers[name].handlers.extend(selected)
        self.include_router(selection)
        return selection

    async def propagate_event(self, update_type: str, event: TelegramObject, **kwargs: Any) -> Any:
        meant = self._everything
        if update_type == TAPS and isinstance(event, CallbackQuery):
            meant = self._by_button.get((event.data or "").partition(":")[0], self._no_button)
        elif update_type == MESSAGES and isinstance(event, Message) and not _is_command(event):
            meant = self._idle if kwargs.get("raw_state") is None else self._answers
        return await meant.propagate_event(update_type, event, **kwargs)


def _is_command(message: Message) -> bool:
    return (message.text or message.caption or "").lstrip().startswith("/")


def _handlers(name: str, routers: Iterable[Router]) -> list[HandlerObject]:
    return [_direct(handler) for router in routers for handler in router.observers[name].handlers]


def _meant(prefix: str, taps: Iterable[HandlerObject]) -> list[HandlerObject]:
    """The handlers of buttons with this prefix, and those that are for any button."""
    return [each for each in taps if _buttons(each) <= {prefix}]


def _direct(handler: HandlerObject) -> HandlerObject:
    """The handler with its magic filters asked at once."""
    filters = [each if each.magic is None else FilterObject(Matches(each.callback)) for each in handler.filters or ()]
    return HandlerObject(callback=handler.callback, filters=filters, flags=handler.flags)


def _has(handler: HandlerObject, kind: type[Filter]) -> bool:
    return any(isinstance(each, kind) for each in _filters(handler))


def _needs_question(handler: HandlerObject) -> bool:
    """Whether a handler takes only answers to a question that is open."""
    states = [each.states for each in _filters(handler) if isinstance(each, StateFilter)]
    return any(not {None, "*"}.intersection(each) for each in states)


def _buttons(handler: HandlerObject) -> set[str]:
    """The prefixes of the buttons a handler is for."""
    return {each.callback_data.__prefix__ for each in _filters(handler) if isinstance(each, CallbackQueryFilter)}


def _filters(handler: HandlerObject) -> Iterator[Callable[..., Any]]:
    return (each.callback for each in handler.filters or ())
