"""An update meets the handlers that can be meant, in the order of their routers, and no others."""

from typing import Any

import pytest
from aiogram import Dispatcher, F, Router
from aiogram.filters import Command, StateFilter
from aiogram.filters.callback_data import CallbackData
from aiogram.fsm.state import State, StatesGroup
from aiogram.types import Update

from photomat.bot.routes import AllRoutes
from support.updates import keeping_bot, tap_update


class Asked(StatesGroup):
    name = State()


class Apple(CallbackData, prefix="a"):
    number: int


class Pear(CallbackData, prefix="p"):
    number: int


class Heard:
    """Which handlers were called."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def handler(self, name: str) -> Any:
        async def answer(_event: object) -> None:
            self.names.append(name)

        return answer


def dispatcher(heard: Heard) -> Dispatcher:
    first, second, last = Router(), Router(), Router()
    first.message.register(heard.handler("command"), Command("start"))
    first.callback_query.register(heard.handler("seventh apple"), Apple.filter(F.number == 7))
    second.message.register(heard.handler("answer"), StateFilter(Asked.name), F.text)
    second.callback_query.register(heard.handler("pear"), Pear.filter())
    second.callback_query.register(heard.handler("apple"), Apple.filter())
    last.message.register(heard.handler("long words"), F.text.len() > 10)
    last.message.register(heard.handler("words"), F.text)
    last.message.register(heard.handler("no question"), StateFilter(None))
    last.callback_query.register(heard.handler("any button"))
    found = Dispatcher(disable_fsm=True)
    found.include_router(AllRoutes([first, second, last]))
    return found


def message(**content: str) -> dict[str, Any]:
    chat = {"id": 1, "type": "private", "first_name": "Anna"}
    who = {"id": 1, "is_bot": False, "first_name": "Anna"}
    return {"update_id": 1, "message": {"message_id": 1, "date": 1, "chat": chat, "from": who, **content}}


async def feed(update: dict[str, Any], *, state: str | None = None) -> list[str]:
    heard, (bot, _session) = Heard(), keeping_bot()
    await dispatcher(heard).feed_update(bot, Update.model_validate(update, context={"bot": bot}), raw_state=state)
    return heard.names


@pytest.mark.parametrize(
    ("content", "state", "meant"),
    [
        ({"text": "a cat"}, None, "words"),
        ({"text": "a cat on the moon"}, None, "long words"),
        ({"text": "a cat"}, Asked.name.state, "answer"),
        ({"text": "/start"}, Asked.name.state, "command"),
        ({"text": " /start"}, None, "command"),
        ({"caption": "/start"}, None, "command"),
        ({"text": "/unknown"}, None, "words"),
        ({"text": "/unknown"}, Asked.name.state, "answer"),
        ({"caption": "a cat"}, None, "no question"),
    ],
)
async def test_a_message_meets_the_first_handler_that_takes_it(
    content: dict[str, str], state: str | None, meant: str
) -> None:
    assert await feed(message(**content), state=state) == [meant]


@pytest.mark.parametrize(
    ("data", "meant"),
    [
        (Apple(number=7).pack(), "seventh apple"),
        (Apple(number=8).pack(), "apple"),
        (Pear(number=7).pack(), "pear"),
        ("a:not a number", "any button"),
        ("of yesterday", "any button"),
    ],
)
async def test_a_tap_meets_the_handlers_of_its_button_then_those_of_any(data: str, meant: str) -> None:
    assert await feed(tap_update(1, data)) == [meant]
