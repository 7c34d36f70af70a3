"""What somebody pays, moves or is given is shown in their private chat alone; whoever asks in a group is told so.

Asked before every other router that could show it, so that none of them has to look where it is.
"""

from typing import Final

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import (
    CheckBillButton,
    GiftBackButton,
    MenuButton,
    MoveButton,
    PayButton,
    RewardButton,
    Screen,
    StatementButton,
    SubscriptionButton,
    TopupButton,
    TransferButton,
    TransferReceiptButton,
    TransferSumButton,
)
from photomat.bot.filters import InGroup
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit

COMMANDS: Final = ("topup", "statement", "promo", "invite", "gift", "paysupport")
BUTTONS: Final = (
    CheckBillButton,
    GiftBackButton,
    MoveButton,
    PayButton,
    RewardButton,
    StatementButton,
    SubscriptionButton,
    TopupButton,
    TransferButton,
    TransferReceiptButton,
    TransferSumButton,
)


async def by_command(message: Message, visit: Visit) -> None:
    """Answer a command of theirs."""
    await send(message, View(text=visit.say("only-private"), rows=[]))


async def by_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Answer a tap of theirs."""
    await tap.answer(visit.say("only-private"), alert=True)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="private")
    routes.message.register(by_command, Command(*COMMANDS), InGroup())
    routes.callback_query.register(by_button, MenuButton.filter(F.screen == Screen.TOPUP), InGroup())
    for button in BUTTONS:
        routes.callback_query.register(by_button, button.filter(), InGroup())
    return routes
