"""A customer in the chat: says, taps, waits, and looks at the screen. What they see is the truth of every story."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.people import ChatPerson
from support.database import connection_of
from support.patience import until, until_found
from support.telegram_sim import RunningTelegram

PROMPT: Final = "кот-космонавт"
RING: Final = "✅ Генерация завершена"
STORY_CHARS: Final = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One person; `story` gives all logs so far, for the message of a failure."""

    telegram: RunningTelegram
    database: str
    person: ChatPerson
    story: Callable[[], str]

    def screen(self) -> list[dict[str, Any]]:
        """Every message as the person sees it."""
        return self.telegram.seen(self.person)

    def message(self, message_id: int) -> dict[str, Any] | None:
        """One message, if it is (still) there."""
        return next((one for one in self.screen() if one["message_id"] == message_id), None)

    def words(self, message_id: int) -> str:
        """What a message says; nothing when it is gone."""
        found = self.message(message_id)
        return "" if found is None else words_of(found)

    def pictures(self) -> list[dict[str, Any]]:
        """The pictures on the screen."""
        return [one for one in self.screen() if one["from"] == "bot" and one["kind"] == "photo"]

    def rings(self) -> list[dict[str, Any]]:
        """The rings on the screen."""
        return [one for one in self.screen() if one["from"] == "bot" and one["text"] == RING]

    def toasts(self) -> list[str]:
        """What the bot answered to this person's taps, oldest first; "None" where it said nothing."""
        messages = self.telegram.world.chats[self.person.user_id]
        return [
            str(event.detail["text"]).replace("\u00a0", " ")
            for event in self.telegram.world.transcript.since(0, limit=5000)
            if event.kind == "effect" and event.name == "answer" and event.detail["message_id"] in messages
        ]

    async def is_answered(self, text: str, *, times: int = 1) -> None:
        """Wait until so many taps were answered with a line that contains the text."""
        await until(
            lambda: sum(text in toast for toast in self.toasts()) >= times,
            about=lambda: self._sought(f"the answer «{text}» among {self.toasts()}"),
        )

    def says(self, text: str) -> None:
        """Write to the bot."""
        person_acts.write(self.telegram.world, self.person, text)

    async def sees(self, text: str, *, times: int = 1) -> dict[str, Any]:
        """Wait for a message of the bot that contains the text; give the newest."""

        def found() -> list[dict[str, Any]]:
            return [one for one in self.screen() if one["from"] == "bot" and text in words_of(one)]

        await until(lambda: len(found()) >= times, about=lambda: self._sought(f"«{text}»"))
        return found()[-1]

    async def finds(self, label: str, *, message_id: int | None = None) -> tuple[int, dict[str, Any]]:
        """Wait for a button whose text starts so, on the newest message that has one; give message and button."""

        def found() -> list[tuple[int, dict[str, Any]]]:
            return [
                (message["message_id"], button)
                for message in self.screen()
                if message_id in {None, message["message_id"]}
                for row in message["inline_keyboard"] or []
                for button in row
                if button["text"].startswith(label)
            ]

        await until(found, about=lambda: self._sought(f"[{label}]"))
        return found()[-1]

    async def taps(self, label: str, *, message_id: int | None = None) -> int:
        """Wait for a button and press it; give its message."""
        place, button = await self.finds(label, message_id=message_id)
        self.presses(place, button)
        return place

    def presses(self, message_id: int, button: dict[str, Any]) -> str:
        """Press a button that was there; give the question's id."""
        return person_acts.tap(self.telegram.world, self.person, message_id, button)

    async def fills_in(self, prompt: str = PROMPT, ratio: str = "1:1") -> None:
        """From /start to the card."""
        self.says("/start")
        await self.taps("🖼 Создать картинку")
        await self.taps("Z-Image")
        await self._is_asked_for_a_prompt()
        self.says(prompt)
        await self.taps(ratio)

    async def buys(self, prompt: str = PROMPT, ratio: str = "1:1") -> int:
        """From /start to the tap on [Create]; give the card's message id."""
        await self.fills_in(prompt, ratio)
        return await self.taps("✅ Создать")

    async def gets_a_picture(self) -> dict[str, Any]:
        """Wait for the picture; give its message."""
        await until(self.pictures, about=lambda: self._sought("a picture"))
        return self.pictures()[0]

    async def is_rung(self, times: int) -> None:
        """Wait until the phone has rung so often, and no more; a ring is recorded a moment before it is sent."""
        await until(lambda: len(self.rings()) >= times, about=lambda: self._sought(f"{times} rings"))
        assert len(self.rings()) == times, self._sought(f"not {len(self.rings())} rings but {times}")

    async def has(self, money: str) -> None:
        """Ask for the balance and wait for the answer that names this sum; the version before wrote a point in it."""
        self.says("/balance")
        answers = {f"Доступно: {money}", f"Доступно: {money.replace(',', '.')}"}
        await until(
            lambda: any(answer in words_of(one) for one in self.screen() for answer in answers),
            about=lambda: self._sought(f"«{money}»"),
        )

    async def _is_asked_for_a_prompt(self) -> None:
        async with connection_of(self.database) as connection:

            async def expected() -> bool | None:
                count = await connection.fetchval(
                    "SELECT count(*) FROM conversations WHERE user_id = $1 AND state IS NOT NULL", self.person.user_id
                )
                return True if count else None

            await until_found(expected, about=lambda: self._sought("the question for a prompt"))

    def _sought(self, what: str) -> str:
        return f"{what} in {[words_of(one)[:60] for one in self.screen()]}\n{self.story()[-STORY_CHARS:]}"


def words_of(message: dict[str, Any]) -> str:
    """The text or caption of a message, with plain spaces."""
    return str(message["text"] or message["caption"] or "").replace("\u00a0", " ")
