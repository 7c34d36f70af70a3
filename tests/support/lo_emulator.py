"""The bot with `lo-bot-api-emulator` in Telegram's place, and a customer who writes and taps through it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from lo_bot_api_emulator import LoBotApiEmulator, updates

from support.patience import until
from support.telegram_sim import served
from support.updates import BOT_ID

TOKEN: Final = f"{BOT_ID}:lo-emulator"
PERSON: Final = {"id": 5001, "is_bot": False, "first_name": "Анна", "language_code": "ru"}
CHAT: Final = {"id": 5001, "type": "private", "first_name": "Анна"}
NEWER_UPDATES: Final = frozenset({"subscription"})
"""Kinds of updates that are newer than the emulator, which refuses a poll that names one it does not know."""


class RecordingEmulator(LoBotApiEmulator):  # type: ignore[misc]  # the library has no types
    """The emulator, which also keeps what each call said and what became of it."""

    def __init__(self) -> None:
        super().__init__()
        self.screen: dict[int, dict[str, Any]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.refusals: list[str] = []

    def validate(self, method: str, fields: dict[str, Any], uploads: dict[str, Any]) -> Any:
        """Check a call as the emulator does, and keep it."""
        try:
            result = super().validate(method, fields, uploads)
        except Exception as error:
            self.refusals.append(f"{method}: {getattr(error, 'description', error)}")
            raise
        self.calls.append((method, dict(fields)))
        if isinstance(result, dict) and "message_id" in result:
            self.screen[result["message_id"]] = result
        return result


@dataclass(slots=True, kw_only=True)
class EmulatedChat:
    """One person's chat with the bot."""

    url: str
    emulator: RecordingEmulator
    story: Callable[[], str] = field(default=str)

    async def says(self, text: str) -> None:
        """Write to the bot."""
        message = {"message_id": self._next_id(), "from": PERSON, "chat": CHAT, "date": 1, "text": text}
        if text.startswith("/"):
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
        await self.emulator.enqueue_update({"message": message}, token=TOKEN)

    async def taps(self, label: str) -> int:
        """Wait for a button whose text starts so and press it; return its message."""

        def found() -> list[tuple[int, str]]:
            return [
                (number, button["callback_data"])
                for number, message in self.emulator.screen.items()
                for row in message.get("reply_markup", {}).get("inline_keyboard", [])
                for button in row
                if button["text"].startswith(label)
            ]

        await until(found, about=lambda: self._sought(f"[{label}]"))
        number, data = found()[-1]
        tap = {"id": str(self._next_id()), "from": PERSON, "chat_instance": "1", "data": data}
        await self.emulator.enqueue_update({"callback_query": {**tap, "message": self._shown(number)}}, token=TOKEN)
        return number

    async def sees(self, text: str, *, on: int | None = None) -> None:
        """Wait until a message, or this one, contains the text."""

        def found() -> bool:
            shown = [message for number, message in self.emulator.screen.items() if on in {None, number}]
            return any(text in str(message.get("text", "")) for message in shown)

        await until(found, about=lambda: self._sought(f"«{text}»"))

    def _shown(self, number: int) -> dict[str, Any]:
        bot = {"id": 7, "is_bot": True, "first_name": "Fixture"}
        return {**self.emulator.screen[number], "from": bot, "chat": CHAT}

    def _next_id(self) -> int:
        self.emulator.next_id += 1
        return int(self.emulator.next_id - 1)

    def _sought(self, what: str) -> str:
        texts = [str(message.get("text", ""))[:80] for message in self.emulator.screen.values()]
        refused = json.dumps(sorted(set(self.emulator.refusals)), ensure_ascii=False)
        return f"{what} in {texts}; refused: {refused}\n{self.story()[-6000:]}"


@asynccontextmanager
async def emulated_chat(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EmulatedChat]:
    """Run the emulator on loopback."""
    monkeypatch.setattr(updates, "ALLOWED_UPDATE_TYPES", updates.ALLOWED_UPDATE_TYPES | NEWER_UPDATES)
    emulator = RecordingEmulator()
    async with served(emulator.app()) as url:
        yield EmulatedChat(url=url, emulator=emulator)
