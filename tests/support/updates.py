"""Updates as Telegram sends them, made by hand, and a bot whose calls are kept instead of sent."""

from collections.abc import AsyncGenerator
from typing import Any

from aiogram import Bot
from aiogram.client.session.base import BaseSession
from aiogram.methods import SendMessage, TelegramMethod
from aiogram.types import Message

BOT_ID = 7000000001
"""The one bot of the tests, the default of the simulated Telegram too; every test database is stamped with it."""

GROUP = -100500


def text_update(
    update_id: int, *, user_id: int = 7, text: str = "привет", chat_id: int | None = None, reply_to_bot: bool = False
) -> dict[str, Any]:
    """A message; in a group when a chat is named."""
    message: dict[str, Any] = {
        "message_id": update_id,
        "date": 1_800_000_000,
        "from": sender(user_id),
        "chat": chat_of(user_id, chat_id),
        "text": text,
    }
    if text.startswith("/"):
        message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text.partition(" ")[0])}]
    if reply_to_bot:
        message["reply_to_message"] = bot_message(1, user_id=user_id, chat_id=chat_id)
    return {"update_id": update_id, "message": message}


def tap_update(
    update_id: int, data: str, *, user_id: int = 7, chat_id: int | None = None, message_id: int = 500
) -> dict[str, Any]:
    """A tap on a button of a message of the bot."""
    message = bot_message(message_id, user_id=user_id, chat_id=chat_id)
    query = {"id": str(update_id), "from": sender(user_id), "chat_instance": "1", "message": message, "data": data}
    return {"update_id": update_id, "callback_query": query}


def checkout_update(update_id: int, *, user_id: int = 7) -> dict[str, Any]:
    """A pre-checkout query."""
    query = {
        "id": str(update_id),
        "from": sender(user_id),
        "currency": "XTR",
        "total_amount": 1,
        "invoice_payload": "x",
    }
    return {"update_id": update_id, "pre_checkout_query": query}


def sender(user_id: int) -> dict[str, Any]:
    """A person."""
    return {"id": user_id, "is_bot": False, "first_name": f"Клиент {user_id}", "language_code": "ru"}


def chat_of(user_id: int, chat_id: int | None) -> dict[str, Any]:
    """The private chat of a person, or a group."""
    if chat_id is None:
        return {"id": user_id, "type": "private", "first_name": f"Клиент {user_id}"}
    return {"id": chat_id, "type": "supergroup", "title": "Друзья"}


def bot_message(message_id: int, *, user_id: int, chat_id: int | None) -> dict[str, Any]:
    """Something the bot said."""
    return {
        "message_id": message_id,
        "date": 1_800_000_000,
        "from": {"id": BOT_ID, "is_bot": True, "first_name": "Photomat"},
        "chat": chat_of(user_id, chat_id),
        "text": "…",
    }


class KeepingSession(BaseSession):
    """Keeps every call; answers the way Telegram would, or with the trouble a test put in `troubles`."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[TelegramMethod[Any]] = []
        self.troubles: list[Exception] = []

    async def make_request(self, bot: Bot, method: TelegramMethod[Any], timeout: int | None = None) -> Any:  # noqa: ARG002, ASYNC109  aiogram's signature
        """Keep the call and answer it."""
        self.calls.append(method)
        if self.troubles:
            raise self.troubles.pop(0)
        if not isinstance(method, SendMessage):
            return True
        message = {"message_id": len(self.calls), "date": 0, "chat": chat_of(7, None), "text": method.text}
        return Message.model_validate(message, context={"bot": bot})

    def stream_content(self, *_anything: Any, **_more: Any) -> AsyncGenerator[bytes, None]:
        """No test downloads through the bot."""
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is open."""

    def sent(self, kind: type[TelegramMethod[Any]]) -> list[Any]:
        """The calls of one kind."""
        return [call for call in self.calls if isinstance(call, kind)]


def keeping_bot() -> tuple[Bot, KeepingSession]:
    """A bot that talks to nobody."""
    session = KeepingSession()
    return Bot(f"{BOT_ID}:TEST", session=session), session
