"""aiogram's HTTP session, with a JSON body where a call sends no file.

aiogram sends every call as a multipart form, which takes several times as long to build and to write. The Bot API takes either;
what is nested is JSON inside both. A call with files stays a form. Errors are those of aiogram, so they are translated as ever
(`telegram/errors.py`).
"""

from typing import Any, Final

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.exceptions import TelegramNetworkError
from aiogram.methods import Response, TelegramMethod
from aiogram.methods.base import TelegramType
from aiohttp import ClientError, ClientTimeout

JSON: Final = {"Content-Type": "application/json"}

_answer_types: Final[set[Any]] = set()
"""Kept alive: pydantic would drop unreferenced generic models and rebuild them, milliseconds per call."""


class TelegramSession(AiohttpSession):
    async def make_request(
        self,
        bot: Bot,
        method: TelegramMethod[TelegramType],
        timeout: int | None = None,  # noqa: ASYNC109  aiogram's
    ) -> TelegramType:
        body = self._json_body(bot, method)
        if body is None:
            return await super().make_request(bot, method, timeout)
        session = await self.create_session()
        url = self.api.api_url(token=bot.token, method=method.__api_method__)
        within = ClientTimeout(total=self.timeout if timeout is None else timeout)
        try:
            async with session.post(url, data=body, headers=JSON, timeout=within) as response:
                answer = await response.read()
        except TimeoutError as error:
            raise TelegramNetworkError(method=method, message="Request timeout error") from error
        except ClientError as error:
            raise TelegramNetworkError(method=method, message=f"{type(error).__name__}: {error}") from error
        _answer_types.add(Response.__class_getitem__(method.__returning__))
        checked = self.check_response(bot, method, response.status, answer.decode("utf-8", "replace"))
        return checked.result  # type: ignore[return-value]  # optional in the type, present in a success

    def _json_body(self, bot: Bot, method: TelegramMethod[Any]) -> bytes | None:
        """The arguments that are given; None if there is a file among them."""
        files: dict[str, Any] = {}
        given = self.prepare_value(
            method.model_dump(warnings=False, exclude_none=True), bot=bot, files=files, _dumps_json=False
        )
        if files:
            return None
        return self.json_dumps({name: value for name, value in given.items() if value != ""}).encode()
