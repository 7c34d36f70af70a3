"""One message of the bot, before it is sent: text and buttons. Texts are HTML: views escape what people wrote."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from photomat.bot.buttons import MenuButton, Screen
from photomat.kernel.ids import MessageId
from photomat.texts.load import Say

BUTTONS_KEPT: Final = 2048
Rows = list[list[InlineKeyboardButton]]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One message. `expects_text` means that the customer answers it by typing; `in_group` is added in a group."""

    text: str
    rows: Rows
    expects_text: bool = False
    in_group: str = ""

    @property
    def keyboard(self) -> InlineKeyboardMarkup | None:
        return InlineKeyboardMarkup(inline_keyboard=self.rows) if self.rows else None


Show: TypeAlias = Callable[[View], Awaitable[MessageId | None]]
"""Shows a view; returns the message that shows it, where that is known."""


def button(text: str, data: CallbackData | str) -> InlineKeyboardButton:
    return _button(text, data if isinstance(data, str) else data.pack())


@lru_cache(maxsize=BUTTONS_KEPT)
def _button(text: str, data: str) -> InlineKeyboardButton:
    """Most buttons of menus and cards are shown again and again, and making one costs more than finding it."""
    return InlineKeyboardButton(text=text, callback_data=data)


def in_rows(buttons: Sequence[InlineKeyboardButton], width: int) -> Rows:
    return [list(buttons[start : start + width]) for start in range(0, len(buttons), width)]


def page_turns(labels: tuple[str, str], to_page: Callable[[int], CallbackData], *, page: int, has_more: bool) -> Rows:
    """A row with buttons to the page before and the page after this one, as far as there are such pages."""
    previous, following = labels
    row = [button(previous, to_page(page - 1))] if page else []
    row += [button(following, to_page(page + 1))] if has_more else []
    return [row] if row else []


def screen_button(say: Say, key: str, screen: Screen) -> InlineKeyboardButton:
    return button(say(key), MenuButton(screen=screen))


def to_pictures(say: Say) -> InlineKeyboardButton:
    return screen_button(say, "wish-picture", Screen.PICTURES)


def to_home(say: Say) -> InlineKeyboardButton:
    return screen_button(say, "menu-home", Screen.HOME)
