"""aiogram's HTTP session, with a form written in one piece where a call sends no file, and answers without echoes.

aiogram builds every call as a multipart form of one object per field and writes it in as many pieces, which takes several times
as long. What arrives is the same. A call with files stays as it is. Errors are those of aiogram, so they are translated as ever
(`telegram/errors.py`).

The answer to a send or an edit is the whole message. What it repeats of our own call (`ECHOES`) is not read: the objects of a
keyboard and of the message replied to take several times as long as the rest.
"""

import json
import secrets
from contextlib import suppress
from typing import Any, Final

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.exceptions import TelegramNetworkError
from aiogram.methods import Response, TelegramMethod
from aiogram.methods.base import TelegramType
from aiogram.types import InlineKeyboardMarkup
from aiohttp import ClientError, ClientTimeout
from pydantic_core import PydanticSerializationError

BOUNDARY: Final = secrets.token_hex(16)
"""Random, so that no text can contain it."""
FORM: Final = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}

ECHOES: Final = ("from", "entities", "caption_entities", "reply_markup", "reply_to_message")

_answer_types: Final[dict[type[TelegramMethod[Any]], Any]] = {}
"""Kept alive: pydantic would drop unreferenced generic models and rebuild them, milliseconds per call."""


KEYBOARD: Final = "reply_markup"
"""The buttons of a message are most of its values, none of them is a file or a default: they are written as JSON at once."""


def _field(name: str, given: str) -> str:
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{given}\r\n'


def _read_answer(content: str) -> Any:
    answer = json.loads(content)
    message = answer.get("result") if isinstance(answer, dict) else None
    if isinstance(message, dict) and "message_id" in message:
        for name in ECHOES:
            message.pop(name, None)
    return answer


class TelegramSession(AiohttpSession):
    def __init__(self, **options: Any) -> None:
        super().__init__(json_loads=_read_answer, **options)

    async def make_request(
        self,
        bot: Bot,
        method: TelegramMethod[TelegramType],
        timeout: int | None = None,  # noqa: ASYNC109  aiogram's
    ) -> TelegramType:
        body = self._form_without_files(bot, method)
        if body is None:
            return await super().make_request(bot, method, timeout)
        session = await self.create_session()
        url = self.api.api_url(token=bot.token, method=method.__api_method__)
        within = ClientTimeout(total=self.timeout if timeout is None else timeout)
        try:
            async with session.post(url, data=body, headers=FORM, timeout=within) as response:
                answer = await response.read()
        except TimeoutError as error:
            raise TelegramNetworkError(method=method, message="Request timeout error") from error
        except ClientError as error:
            raise TelegramNetworkError(method=method, message=f"{type(error).__name__}: {error}") from error
        if type(method) not in _answer_types:
            _answer_types[type(method)] = Response.__class_getitem__(method.__returning__)
        checked = self.check_response(bot, method, response.status, answer.decode("utf-8", "replace"))
        return checked.result  # type: ignore[return-value]  # optional in the type, present in a success

    def _form_without_files(self, bot: Bot, method: TelegramMethod[Any]) -> bytes | None:
        """The arguments that are given; None if there is a file among them. Half a character becomes a question mark."""
        files: dict[str, Any] = {}
        fields = []
        markup = getattr(method, KEYBOARD, None)
        keyboard = markup if isinstance(markup, InlineKeyboardMarkup) else None
        besides = {KEYBOARD} if keyboard is not None else None
        for name, value in method.model_dump(warnings=False, exclude_none=True, exclude=besides).items():
            given = self._as_text(value, bot, files)
            if given:
                fields.append(_field(name, given))
        if files:
            return None
        if keyboard is not None:
            fields.append(_field(KEYBOARD, self._as_json(keyboard)))
        return f"{''.join(fields)}--{BOUNDARY}--\r\n".encode("utf-8", "replace")

    def _as_json(self, keyboard: InlineKeyboardMarkup) -> str:
        try:
            return keyboard.model_dump_json(warnings=False, exclude_none=True)
        except PydanticSerializationError:  # half a character in a label, which JSON can escape and UTF-8 cannot hold
            return self.json_dumps(keyboard.model_dump(warnings=False, exclude_none=True))

    def _as_text(self, value: Any, bot: Bot, files: dict[str, Any]) -> str | None:
        """As `prepare_value`, which looks at every value of an object; only one that is no JSON needs that."""
        if isinstance(value, str):
            return value
        if isinstance(value, dict | list):
            with suppress(TypeError):
                return self.json_dumps(value)
        prepared: str | None = self.prepare_value(value, bot=bot, files=files)
        return prepared
