"""Telegram in a person's hand: what stands on the screen, and a finger that taps it. Nobody waits for ever."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.messages import as_seen
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.world import TelegramWorld

LOOK_EVERY_S: Final = 0.05
PATIENCE_S: Final = 6.0
GLANCE_S: Final = 3.0
AVAILABLE: Final = "💰 Доступно:"
Place: TypeAlias = tuple[int, dict[str, Any]]
"""A message and one of its buttons."""


class NothingComes(Exception):
    """The bot did not answer for longer than anybody waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """One person's chat with the bot."""

    world: TelegramWorld
    person: ChatPerson

    def write(self, text: str) -> int:
        """Send a text; gives its message, after which answers are looked for."""
        return person_acts.write(self.world, self.person, text).message_id

    def tap(self, message_id: int, button: dict[str, Any]) -> None:
        """Press a button."""
        person_acts.tap(self.world, self.person, message_id, button)

    def unblock(self) -> None:
        """Let the bot write again, if it was blocked."""
        person_acts.set_blocked(self.world, self.person, blocked=False)

    def seen(self, since: int) -> list[dict[str, Any]]:
        """The bot's messages after this one, oldest first; only the end of the chat is read, however long it is."""
        newest = itertools.takewhile(
            lambda message: message.message_id > since, reversed(self.world.chats[self.person.user_id].values())
        )
        return [as_seen(message) for message in newest if message.from_bot and not message.hidden_from_person][::-1]

    def buttons(self, label: str, since: int) -> Iterator[Place]:
        """The buttons that begin so, oldest first."""
        for seen in self.seen(since):
            for row in seen["inline_keyboard"] or []:
                yield from ((seen["message_id"], button) for button in row if button["text"].startswith(label))

    async def button(self, label: str, since: int) -> Place:
        """Wait for a button that begins so; the newest."""
        async with patience():
            while True:
                found = list(self.buttons(label, since))
                if found:
                    return found[-1]
                await asyncio.sleep(LOOK_EVERY_S)

    async def reads(self, words: str, since: int) -> str:
        """Wait for a message with these words; the first that has them."""
        async with patience():
            while True:
                found = [text for text in map(text_of, self.seen(since)) if words in text]
                if found:
                    return found[0]
                await asyncio.sleep(LOOK_EVERY_S)

    async def soon(self, look: Callable[[], list[Place]], *, within_s: float = GLANCE_S) -> list[Place]:
        """What is found on the screen within a glance, or nothing."""
        try:
            async with asyncio.timeout(within_s):
                while not (found := look()):  # noqa: ASYNC110  a screen
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            return []
        return found

    async def asks_balance(self) -> str | None:
        """What the bot says to /balance; None when it says nothing."""
        self.unblock()
        try:
            return await self.reads(AVAILABLE, self.write("/balance"))
        except NothingComes:
            return None


def text_of(seen: dict[str, Any]) -> str:
    """The words of a message, under a picture too."""
    return str(seen["text"] or seen["caption"] or "")


def minor_in(said: str) -> int | None:
    """The first sum of money in a Russian text; the version before wrote a point where this one writes a comma."""
    found = re.search(r"(\d[\d\u00a0]*)(?:[.,](\d\d))?\u00a0", said)
    return int(found[1].replace("\u00a0", "")) * 100 + int(found[2] or 0) if found else None


@asynccontextmanager
async def patience() -> AsyncIterator[None]:
    """A bound that ends as NothingComes."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    except TimeoutError:
        raise NothingComes from None
