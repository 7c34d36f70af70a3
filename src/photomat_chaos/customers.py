"""Customers in a storm: they buy by what they see, tap twice now and then, and start over when nothing comes."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.messages import as_seen
from photomat_sandbox.telegram.people import Person
from photomat_sandbox.telegram.world import TelegramWorld

LOOK_EVERY_S: Final = 0.05
PATIENCE_S: Final = 6.0
PROMPTS: Final = ("кот-космонавт", "утро в горах", "робот пьёт чай", "маяк [fail]", "лиса на льду")
START, MODEL, RATIO, CREATE = "🖼 Создать картинку", "Z-Image", "1:1", "✅ Создать"
THE_QUESTION: Final = "✍️"


class NothingComes(Exception):
    """The bot did not answer for longer than anybody waits."""


@dataclass(slots=True, kw_only=True)
class Customer:
    """One person with Telegram in their hand; `chance` is theirs alone."""

    world: TelegramWorld
    person: Person
    chance: random.Random
    prompts: tuple[str, ...] = PROMPTS
    bought: int = 0

    async def buy_until(self, over: asyncio.Event, *, times: int | None = None) -> None:
        """Buy so many times, or until told that it is over; whatever does not come is begun anew."""
        while not over.is_set() and (times is None or self.bought < times):
            try:
                async with asyncio.timeout(PATIENCE_S * 3):
                    await self._buy()
            except (NothingComes, TimeoutError, person_acts.ImpossibleError):
                continue
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))

    async def _buy(self) -> None:
        since = person_acts.write(self.world, self.person, "/start").message_id
        for label in (START, MODEL):
            self._tap(*await self._button(label, since))
        await self._reads(THE_QUESTION, since)
        since = person_acts.write(self.world, self.person, self.chance.choice(self.prompts)).message_id
        self._tap(*await self._button(RATIO, since))
        card, button = await self._button(CREATE, since)
        self._tap(card, button)
        if self.chance.random() < 0.3:  # noqa: PLR2004  some people tap twice
            self._tap(card, button)
        self.bought += 1

    def _tap(self, message_id: int, button: dict[str, Any]) -> None:
        person_acts.tap(self.world, self.person, message_id, button)

    async def _button(self, label: str, since: int) -> tuple[int, dict[str, Any]]:
        async with _patience():
            while True:
                found = list(self._buttons(label, since))
                if found:
                    return found[-1]
                await asyncio.sleep(LOOK_EVERY_S)

    async def _reads(self, words: str, since: int) -> None:
        async with _patience():
            while not any(words in str(seen["text"]) for seen in self._seen(since)):  # noqa: ASYNC110  a screen
                await asyncio.sleep(LOOK_EVERY_S)

    def _buttons(self, label: str, since: int) -> Iterator[tuple[int, dict[str, Any]]]:
        for seen in self._seen(since):
            for row in seen["inline_keyboard"] or []:
                yield from ((seen["message_id"], button) for button in row if button["text"].startswith(label))

    def _seen(self, since: int) -> list[dict[str, Any]]:
        messages = self.world.chat_messages(self.person.user_id)
        return [as_seen(message) for message in messages if message.from_bot and message.message_id > since]


@asynccontextmanager
async def _patience() -> AsyncIterator[None]:
    """A bound that ends as NothingComes."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    except TimeoutError:
        raise NothingComes from None
