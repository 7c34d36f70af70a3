"""Customers in a storm: they buy by what they see, tap twice now and then, and start over when nothing comes.

Lively ones also do what people do afterwards: cancel, turn pages, order again, take an offer, delete the card, block the bot,
ask for a result once more.
"""

import asyncio
import itertools
import random
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.messages import as_seen
from photomat_sandbox.telegram.people import Person
from photomat_sandbox.telegram.world import TelegramWorld

LOOK_EVERY_S: Final = 0.05
PATIENCE_S: Final = 6.0
GLANCE_S: Final = 3.0
LOOKS_BACK: Final = 200
"""Over so many messages of all chats together."""

PROMPTS: Final = (
    "кот-космонавт",
    "утро в горах",
    "робот пьёт чай",
    "маяк [fail]",
    "лиса на льду",
    "четыре ветра [many]",
    "старая башня [fail]",
    "снег в июле [slow]",
)
START, MODEL, RATIO, CREATE = "🖼 Создать картинку", "Z-Image", "1:1", "✅ Создать"
CANCEL, NEXT_PAGE, AGAIN, TAKE, RESEND = "✖️ Отменить", "▶", "🔁", "🎁 Забрать", "Не пришло?"
WHIMS: Final = (
    ("nothing", 40),
    ("cancel", 20),
    ("turn", 15),
    ("again", 12),
    ("delete", 8),
    ("block", 4),
    ("resend", 12),
)
THE_QUESTION: Final = "✍️"
AVAILABLE: Final = "💰 Доступно:"
Place: TypeAlias = tuple[int, dict[str, Any]]
"""A message and one of its buttons."""


class NothingComes(Exception):
    """The bot did not answer for longer than anybody waits."""


@dataclass(slots=True, kw_only=True)
class Customer:
    """One person with Telegram in their hand; `chance` is theirs alone."""

    world: TelegramWorld
    person: Person
    chance: random.Random
    prompts: tuple[str, ...] = PROMPTS
    is_lively: bool = False
    bought: int = 0
    deleted: set[tuple[int, int]] = field(default_factory=set)

    async def buy_until(self, over: asyncio.Event, *, times: int | None = None) -> None:
        """Buy so many times, or until told that it is over; whatever does not come is begun anew."""
        while not over.is_set() and (times is None or self.bought < times):
            try:
                async with asyncio.timeout(PATIENCE_S * 3):
                    await self._buy()
            except (NothingComes, TimeoutError, person_acts.ImpossibleError):
                self.return_to_the_bot()
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))

    def return_to_the_bot(self) -> None:
        """Unblock it, if it was blocked."""
        person_acts.set_blocked(self.world, self.person, blocked=False)

    async def _buy(self) -> None:
        if self.is_lively:
            self._look_back()
        since = person_acts.write(self.world, self.person, "/start").message_id
        for label in (START, MODEL):
            self._tap(*await self._button(label, since))
        await self._reads(THE_QUESTION, since)
        since = person_acts.write(self.world, self.person, self.chance.choice(self.prompts)).message_id
        self._tap(*await self._button(RATIO, since))
        card = await self._confirm(since)
        if self.is_lively:
            await self._follow_a_whim(card)

    async def _confirm(self, since: int) -> int:
        """Tap [Create] on the newest card; some people tap twice."""
        card, button = await self._button(CREATE, since)
        self._tap(card, button)
        if self.chance.random() < 0.3:  # noqa: PLR2004  some
            self._tap(card, button)
        self.bought += 1
        return card

    def _look_back(self) -> None:
        """Some have second thoughts about what stands higher up in the chat: a late job is canceled, an offer taken."""
        last = next(reversed(self.world.chats[self.person.user_id]), 0)
        found = [*self._buttons(CANCEL, last - LOOKS_BACK), *self._buttons(TAKE, last - LOOKS_BACK)]
        if found and self.chance.random() < 0.5:  # noqa: PLR2004  some
            self._tap(*self.chance.choice(found))

    async def _follow_a_whim(self, card: int) -> None:
        whims, weights = zip(*WHIMS, strict=True)
        match self.chance.choices(whims, weights)[0]:
            case "cancel":
                await self._tap_on_card(card, CANCEL)
            case "turn":
                for _ in range(self.chance.randint(1, 3)):
                    await self._tap_on_card(card, NEXT_PAGE)
            case "again":
                if await self._tap_on_card(card, AGAIN):
                    await self._confirm(card)
            case "delete":
                await asyncio.sleep(self.chance.uniform(0.0, GLANCE_S))
                person_acts.delete(self.world, self.person, card, for_both=True)
                self.deleted.add((self.person.user_id, card))
            case "block":
                await asyncio.sleep(self.chance.uniform(0.0, 1.0))
                person_acts.set_blocked(self.world, self.person, blocked=True)
                await asyncio.sleep(self.chance.uniform(0.2, GLANCE_S))
                self.return_to_the_bot()
            case "resend":
                await self._ask_for_a_result_again()

    async def _ask_for_a_result_again(self) -> None:
        """Look into the history, tap one of its buttons, some twice; a version that has no history shows none."""
        since = person_acts.write(self.world, self.person, "/history").message_id
        found = await self._soon(lambda: list(self._buttons(RESEND, since)))
        if found:
            chosen = self.chance.choice(found)
            for _ in range(self.chance.randint(1, 2)):
                self._tap(*chosen)

    async def _tap_on_card(self, card: int, label: str) -> bool:
        """Tap a button of the card if it is there soon."""
        found = await self._soon(lambda: [one for one in self._buttons(label, card - 1) if one[0] == card])
        if found:
            self._tap(*found[0])
        return bool(found)

    async def _soon(self, look: Callable[[], list[Place]]) -> list[Place]:
        """What is found on the screen within a glance, or nothing."""
        try:
            async with asyncio.timeout(GLANCE_S):
                while not (found := look()):  # noqa: ASYNC110  a screen
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            return []
        return found

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
        """The bot's messages after this one, oldest first; only the end of the chat is read, however long it is."""
        newest = itertools.takewhile(
            lambda message: message.message_id > since, reversed(self.world.chats[self.person.user_id].values())
        )
        return [as_seen(message) for message in newest if message.from_bot and not message.hidden_from_person][::-1]

    async def asks_balance(self) -> int | None:
        """What the bot says to /balance, in minor units; None when it says nothing."""
        self.return_to_the_bot()
        since = person_acts.write(self.world, self.person, "/balance").message_id
        try:
            await self._reads(AVAILABLE, since)
        except NothingComes:
            return None
        said = next(str(seen["text"]) for seen in self._seen(since) if AVAILABLE in str(seen["text"]))
        return minor_in(said)


def minor_in(said: str) -> int | None:
    """The first sum of money in a text."""
    found = re.search(r"(\d[\d\u00a0]*)(?:\.(\d\d))?\u00a0", said)
    return int(found[1].replace("\u00a0", "")) * 100 + int(found[2] or 0) if found else None


@asynccontextmanager
async def _patience() -> AsyncIterator[None]:
    """A bound that ends as NothingComes."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    except TimeoutError:
        raise NothingComes from None
