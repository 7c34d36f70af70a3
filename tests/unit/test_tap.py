"""A tap is answered exactly once, by its handler or, failing that, at the end."""

from typing import Any

from aiogram.methods import AnswerCallbackQuery
from aiogram.types import CallbackQuery, TelegramObject

from photomat.bot.middlewares import AnswerEveryTap
from photomat.bot.transport import MAX_TOAST_LENGTH, Tap
from support.updates import KeepingSession, keeping_bot, tap_update


def tapped() -> tuple[CallbackQuery, KeepingSession]:
    bot, session = keeping_bot()
    query = tap_update(1, "x")["callback_query"] | {"message": None}
    return CallbackQuery.model_validate(query, context={"bot": bot}), session


async def test_a_handler_that_forgets_the_tap_does_not_leave_it_unanswered() -> None:
    query, session = tapped()

    async def forgets(_event: TelegramObject, _data: dict[str, Any]) -> None:
        """Answer nothing."""

    await AnswerEveryTap()(forgets, query, {})
    assert len(session.sent(AnswerCallbackQuery)) == 1


async def test_a_tap_is_not_answered_twice() -> None:
    query, session = tapped()

    async def answers(_event: TelegramObject, data: dict[str, Any]) -> None:
        tap: Tap = data["tap"]
        await tap.answer("Принято")
        await tap.answer("Принято")

    await AnswerEveryTap()(answers, query, {})
    assert [call.text for call in session.sent(AnswerCallbackQuery)] == ["Принято"]


async def test_an_answer_is_cut_to_what_telegram_takes() -> None:
    query, session = tapped()
    await Tap(query).answer("я" * (MAX_TOAST_LENGTH + 1), alert=True)
    assert session.sent(AnswerCallbackQuery)[0].text == "я" * MAX_TOAST_LENGTH
