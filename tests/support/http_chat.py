"""A chat with the sandbox's bot over the HTTP of the simulated Telegram, which runs in another process."""

from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from support.patience import until_found


class Chat:
    """One person's chat, over the simulator's HTTP."""

    def __init__(self, telegram: ClientSession, user_id: int, log: Path) -> None:
        self._telegram = telegram
        self.user_id = user_id
        self._place = f"/sandbox/chats/{user_id}"
        self._log = log

    async def buys_a_picture(self, prompt: str) -> None:
        await self.says("/start")
        for label in ("🖼 Создать картинку", "Z-Image"):
            await self.taps(label)
        await self.sees(lambda message: "Опишите" in (message["text"] or ""))
        await self.says(prompt)
        for label in ("1:1", "✅ Создать"):
            await self.taps(label)

    async def sees(self, wanted: Any) -> dict[str, Any]:
        """Wait for a message of the bot; give the newest."""

        async def found() -> dict[str, Any] | None:
            return next((one for one in reversed(await self.messages()) if one["from"] == "bot" and wanted(one)), None)

        return await until_found(found, about=lambda: self._log.read_text()[-4000:])

    async def says(self, text: str) -> None:
        (await self._telegram.post(f"{self._place}/text", json={"text": text})).raise_for_status()

    async def taps(self, label: str) -> None:
        def has_it(message: dict[str, Any]) -> bool:
            return any(button["text"].startswith(label) for row in message["inline_keyboard"] or [] for button in row)

        message = await self.sees(has_it)
        data = next(
            button["callback_data"]
            for row in message["inline_keyboard"]
            for button in row
            if button["text"].startswith(label)
        )
        order = {"message_id": message["message_id"], "data": data}
        (await self._telegram.post(f"{self._place}/tap", json=order)).raise_for_status()

    async def messages(self) -> list[dict[str, Any]]:
        chat = await (await self._telegram.get(self._place)).json()
        messages: list[dict[str, Any]] = chat["messages"]
        return messages
