"""One message of the bot: its text and buttons, before anybody sends it. Texts are HTML: views escape what people wrote."""

from dataclasses import dataclass

from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from photomat.bot.buttons import MenuButton, Screen
from photomat.texts.load import Say

Rows = list[list[InlineKeyboardButton]]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One message. `expects_text` means that the customer answers it by typing; `in_group` is said where others read along."""

    text: str
    rows: Rows
    expects_text: bool = False
    in_group: str = ""

    @property
    def keyboard(self) -> InlineKeyboardMarkup | None:
        """Its buttons, if it has any."""
        return InlineKeyboardMarkup(inline_keyboard=self.rows) if self.rows else None


def button(text: str, data: str) -> InlineKeyboardButton:
    """A button that calls back with this."""
    return InlineKeyboardButton(text=text, callback_data=data)


def screen_button(say: Say, key: str, screen: Screen) -> InlineKeyboardButton:
    """The way to a place of the menu."""
    return button(say(key), MenuButton(screen=screen).pack())


def to_create(say: Say) -> InlineKeyboardButton:
    """The way to a picture."""
    return screen_button(say, "wish-picture", Screen.CREATE)


def to_home(say: Say) -> InlineKeyboardButton:
    """The way back to the menu."""
    return screen_button(say, "menu-home", Screen.HOME)
