"""Where a conversation can stand between two updates."""

from aiogram.fsm.state import State, StatesGroup


class Composing(StatesGroup):
    """A form is being filled in; which question is open stands in the conversation's data."""

    answering = State()
