"""A tap is answered exactly once, by its handler or, failing that, at the end."""

from typing import Any, cast

from aiogram.methods import AnswerCallbackQuery
from aiogram.types import CallbackQuery, TelegramObject

from photomat.bot.context import BotConfig, UpdateContext
from photomat.bot.conversation import Conversation
from photomat.bot.middlewares import AnswerEveryTap
from photomat.bot.transport import MAX_TOAST_LENGTH, Tap
from photomat.kernel.ids import BotId, ChatId, ReceivedId, UserId
from photomat.texts.load import load_texts
from photomat.users.user import User
from support.updates import KeepingSession, keeping_bot, tap_update


def tapped() -> tuple[CallbackQuery, KeepingSession]:
    bot, session = keeping_bot()
    query = tap_update(1, "x")["callback_query"] | {"message": None}
    return CallbackQuery.model_validate(query, context={"bot": bot}), session


def context() -> dict[str, Any]:
    """What a middleware finds; the configuration is not looked at."""
    user = User(user_id=UserId(1), first_name="Anna", username=None, language="ru", is_blocked=False, ban=None)
    ctx = UpdateContext(
        config=cast("BotConfig", None),
        received_id=ReceivedId(1),
        corr="c0ffee00",
        user=user,
        is_new_user=False,
        language_code=None,
        conversation=Conversation(bot_id=BotId(1), chat_id=ChatId(1), user_id=user.user_id),
        say=load_texts().speaker("ru"),
    )
    return {"ctx": ctx}


async def test_a_handler_that_forgets_the_tap_does_not_leave_it_unanswered() -> None:
    query, session = tapped()

    async def forgets(_event: TelegramObject, _data: dict[str, Any]) -> None:
        """Answer nothing."""

    await AnswerEveryTap()(forgets, query, context())
    assert len(session.sent(AnswerCallbackQuery)) == 1


async def test_a_tap_is_not_answered_twice() -> None:
    query, session = tapped()

    async def answers(_event: TelegramObject, data: dict[str, Any]) -> None:
        tap: Tap = data["tap"]
        await tap.answer("Принято")
        await tap.answer("Принято")

    await AnswerEveryTap()(answers, query, context())
    assert [call.text for call in session.sent(AnswerCallbackQuery)] == ["Принято"]


async def test_an_answer_is_cut_to_what_telegram_takes() -> None:
    query, session = tapped()
    await Tap(query).answer("я" * (MAX_TOAST_LENGTH + 1), alert=True)
    assert session.sent(AnswerCallbackQuery)[0].text == "я" * MAX_TOAST_LENGTH
