"""Where a conversation can stand between two updates."""

from aiogram.fsm.state import State, StatesGroup


class Composing(StatesGroup):
    """A form is being filled in; which question is open stands in the conversation's data."""

    answering = State()


class Typing(StatesGroup):
    """Something short is to be typed: a promo code, the sum of a gift, what to look for."""

    promo = State()
    gift = State()
    search = State()


class Transferring(StatesGroup):
    """A transfer by hand: its sum is asked for, then its receipt."""

    naming_sum = State()
    sending_receipt = State()


class Deciding(StatesGroup):
    """An operator types what a receipt is credited with, or why it is declined."""

    naming_sum = State()
    naming_reason = State()


class Paying(StatesGroup):
    """A sum of one's own is to be typed; the way and the waiting order stand in the conversation's data."""

    naming_sum = State()
