"""aiogram's HTTP session, with a form written in one piece where a call sends no file.

aiogram builds every call as a multipart form of one object per field and writes it in as many pieces, which takes several times
as long. What arrives is the same. A call with files stays as it is. Errors are those of aiogram, so they are translated as ever
(`telegram/errors.py`).
"""

import secrets
from typing import Any, Final

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.exceptions import TelegramNetworkError
from aiogram.methods import Response, TelegramMethod
from aiogram.methods.base import TelegramType
from aiohttp import ClientError, ClientTimeout

BOUNDARY: Final = secrets.token_hex(16)
"""Random, so that no text can contain it."""
FORM: Final = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}

_answer_types: Final[set[Any]] = set()
"""Kept alive: pydantic would drop unreferenced generic models and rebuild them, milliseconds per call."""


class TelegramSession(AiohttpSession):
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
        _answer_types.add(Response.__class_getitem__(method.__returning__))
        checked = self.check_response(bot, method, response.status, answer.decode("utf-8", "replace"))
        return checked.result  # type: ignore[return-value]  # optional in the type, present in a success

    def _form_without_files(self, bot: Bot, method: TelegramMethod[Any]) -> bytes | None:
        """The arguments that are given; None if there is a file among them. Half a character becomes a question mark."""
        files: dict[str, Any] = {}
        fields = []
        for name, value in method.model_dump(warnings=False, exclude_none=True).items():
            given = self.prepare_value(value, bot=bot, files=files)
            if given:
                fields.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{given}\r\n')
        if files:
            return None
        return f"{''.join(fields)}--{BOUNDARY}--\r\n".encode("utf-8", "replace")
