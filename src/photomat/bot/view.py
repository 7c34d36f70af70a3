"""One message of the bot, before it is sent: text and buttons. Texts are HTML: views escape what people wrote."""

from dataclasses import dataclass

from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from photomat.bot.buttons import MenuButton, Screen
from photomat.texts.load import Say

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


def button(text: str, data: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(text=text, callback_data=data)


def screen_button(say: Say, key: str, screen: Screen) -> InlineKeyboardButton:
    return button(say(key), MenuButton(screen=screen).pack())


def to_create(say: Say) -> InlineKeyboardButton:
    return screen_button(say, "wish-picture", Screen.CREATE)


def to_home(say: Say) -> InlineKeyboardButton:
    return screen_button(say, "menu-home", Screen.HOME)
