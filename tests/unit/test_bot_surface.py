"""Commands, texts, buttons and handlers agree: what the bot announces, it answers."""

import re
from collections.abc import Iterator
from enum import Enum
from itertools import groupby
from typing import Any, Literal, TypeVar, get_args, get_origin

import pytest
from aiogram.filters import Command, Filter
from aiogram.filters.callback_data import CallbackData, CallbackQueryFilter
from pydantic.fields import FieldInfo

from photomat.bot.app import COMMANDS, OPERATORS_COMMANDS, build_dispatcher
from photomat.bot.buttons import MAX_BYTES, ListedButton, PrivateOnly
from photomat.bot.menu.fallback import PRIVATE_COMMANDS
from photomat.bot.middlewares import InGroup
from photomat.catalog.load import load_catalog
from photomat.catalog.storefront import MENU_CATEGORIES, MENU_GROUPS
from photomat.catalog.wishes import wishes
from photomat.catalog.words import VoiceAccent, VoiceSex
from photomat.templates.load import MAX_ID_LENGTH
from photomat.texts.load import LANGUAGES, load_texts

F = TypeVar("F", bound=Filter)
HIDDEN = {*OPERATORS_COMMANDS}
"""Commands of operators: in the menu of their own chats only, listed in `help-operator`."""

BUTTONS = sorted(
    (each for each in CallbackData.__subclasses__() if each.__module__.startswith("photomat.")),
    key=lambda each: each.__prefix__,
)
LONGEST = {
    "model": max(load_catalog().models, key=len),
    "category": max((each.id for each in MENU_CATEGORIES), key=len),
    "group": max((each.id for each in MENU_GROUPS), key=len),
    "template": "a" * MAX_ID_LENGTH,
    "language": max(LANGUAGES, key=len),
    "action": "page",
    "wish": max(wishes(), key=len),
    "sex": max(get_args(VoiceSex), key=len),
    "accent": max(get_args(VoiceAccent), key=len),
}
"""The longest value of each field that is any text."""


def test_every_announced_command_is_handled_and_every_handled_one_announced_or_hidden() -> None:
    handled = {name for each in filters("message", Command) for name in each.commands}
    assert handled == {*COMMANDS, *HIDDEN}
    assert len(COMMANDS) == len(set(COMMANDS))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_lists_every_command(language: str) -> None:
    texts = load_texts()
    assert mentioned(texts.say(language, "help")) == set(COMMANDS)
    assert mentioned(texts.say(language, "help-operator")) == HIDDEN
    assert all(texts.say(language, f"command-{name}") for name in (*COMMANDS, *HIDDEN))


def test_private_commands_are_refused_in_a_group() -> None:
    assert set(PRIVATE_COMMANDS) <= set(COMMANDS)
    assert {name for each in filters("message", Command, in_group=True) for name in each.commands} == {
        *PRIVATE_COMMANDS
    }


def test_every_button_has_a_handler() -> None:
    handled = {each.callback_data for each in filters("callback_query", CallbackQueryFilter)}
    assert handled == set(BUTTONS)


def test_private_buttons_are_refused_in_a_group() -> None:
    refused = {each.callback_data for each in filters("callback_query", CallbackQueryFilter, in_group=True)}
    assert {each for each in BUTTONS if issubclass(each, PrivateOnly)} <= refused


def test_no_two_buttons_can_be_mistaken_for_each_other() -> None:
    """A prefix is shared only by buttons with different numbers of fields (`j:<job>:<action>` and `j:<job>:page:<n>`)."""
    shapes = sorted((each.__prefix__, len(each.model_fields)) for each in BUTTONS)
    assert [shape for shape, same in groupby(shapes) if len(list(same)) > 1] == []


@pytest.mark.parametrize("button", [each for each in BUTTONS if each is not ListedButton])
def test_a_button_fits_with_its_largest_values(button: type[CallbackData]) -> None:
    """`ListedButton` need not: where it does not fit, the list draws a `ModelButton`."""
    packed = button(**{name: largest(name, field) for name, field in button.model_fields.items()}).pack()
    assert len(packed.encode()) <= MAX_BYTES
    assert button.unpack(packed).pack() == packed


def filters(event: str, kind: type[F], *, in_group: bool = False) -> Iterator[F]:
    """The filters of one kind of all handlers that answer, or of those that refuse in a group."""
    for router in build_dispatcher().chain_tail:
        for handler in router.observers[event].handlers:
            found = [each.callback for each in handler.filters or ()]
            if any(isinstance(each, InGroup) for each in found) is in_group:
                yield from (each for each in found if isinstance(each, kind))


def mentioned(text: str) -> set[str]:
    return set(re.findall(r"(?<![<\w])/([a-z]+)", text))


def largest(name: str, field: FieldInfo) -> Any:
    kind = field.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return max(kind, key=lambda each: len(str(each.value)))
    if get_origin(kind) is Literal:
        return max(get_args(kind), key=len)
    if kind is int:
        return next(each.le for each in field.metadata if hasattr(each, "le"))
    return True if kind is bool else LONGEST[name]
