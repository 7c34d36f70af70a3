"""Simulated customers: they buy by what they see in the chat, tap twice now and then, and start over without an answer.

Lively ones also cancel, turn pages, order again, accept an offer, delete the card, block the bot, and request a result again.
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
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.world import TelegramWorld

LOOK_EVERY_S: Final = 0.05
PATIENCE_S: Final = 6.0
GLANCE_S: Final = 3.0
AVAILABLE: Final = "💰 Доступно:"
Place: TypeAlias = tuple[int, dict[str, Any]]
"""A message and one of its buttons."""


class NoAnswer(Exception):
    """The bot did not answer in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    world: TelegramWorld
    person: ChatPerson

    def write(self, text: str) -> int:
        """Send a text; return its message id, after which answers are searched."""
        return person_acts.write(self.world, self.person, text).message_id

    def tap(self, message_id: int, button: dict[str, Any]) -> None:
        person_acts.tap(self.world, self.person, message_id, button)

    def unblock(self) -> None:
        person_acts.set_blocked(self.world, self.person, blocked=False)

    def seen(self, since: int) -> list[dict[str, Any]]:
        """The bot's messages after this one, oldest first; only the end of the chat is read."""
        newest = itertools.takewhile(
            lambda message: message.message_id > since, reversed(self.world.chats[self.person.user_id].values())
        )
        return [as_seen(message) for message in newest if message.from_bot and not message.hidden_from_person][::-1]

    def buttons(self, label: str | tuple[str, ...], since: int) -> Iterator[Place]:
        """The buttons whose text begins with the label, or with one of them, oldest first."""
        for seen in self.seen(since):
            for row in seen["inline_keyboard"] or []:
                yield from ((seen["message_id"], button) for button in row if button["text"].startswith(label))

    async def button(self, label: str, since: int) -> Place:
        """Wait for a button whose text begins with the label; return the newest."""
        async with patience():
            while True:
                found = list(self.buttons(label, since))
                if found:
                    return found[-1]
                await asyncio.sleep(LOOK_EVERY_S)

    async def reads(self, words: str, since: int) -> str:
        """Wait for a message that contains these words; return the first."""
        async with patience():
            while True:
                found = [text for text in map(text_of, self.seen(since)) if words in text]
                if found:
                    return found[0]
                await asyncio.sleep(LOOK_EVERY_S)

    async def soon(self, look: Callable[[], list[Place]], *, within_s: float = GLANCE_S) -> list[Place]:
        """What is found on the screen within a short time, or nothing."""
        try:
            async with asyncio.timeout(within_s):
                while not (found := look()):  # noqa: ASYNC110  a screen
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            return []
        return found

    async def asks_balance(self) -> str | None:
        """The answer to /balance; None without one."""
        self.unblock()
        try:
            return await self.reads(AVAILABLE, self.write("/balance"))
        except NoAnswer:
            return None


def text_of(seen: dict[str, Any]) -> str:
    """The text or caption of a message."""
    return str(seen["text"] or seen["caption"] or "")


def minor_in(said: str) -> int | None:
    """The first amount of money in a Russian text; older versions wrote a point instead of a comma."""
    found = re.search(r"(\d[\d\u00a0]*)(?:[.,](\d\d))?\u00a0", said)
    return int(found[1].replace("\u00a0", "")) * 100 + int(found[2] or 0) if found else None


@asynccontextmanager
async def patience() -> AsyncIterator[None]:
    """A time limit that raises NoAnswer."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    except TimeoutError:
        raise NoAnswer from None


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
CANCEL, NEXT_PAGE, TAKE, RESEND, DETAILS = "✖️ Отменить", "▶", "🎁 Забрать", "Не пришло?", "ℹ️"
AGAIN: Final = ("🔁", "🔀")
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


@dataclass(slots=True, kw_only=True)
class ChatCustomer:
    """One simulated person; `chance` is their own."""

    world: TelegramWorld
    person: ChatPerson
    chance: random.Random
    prompts: tuple[str, ...] = PROMPTS
    is_lively: bool = False
    bought: int = 0
    deleted: set[tuple[int, int]] = field(default_factory=set)

    @property
    def phone(self) -> Phone:
        return Phone(world=self.world, person=self.person)

    async def buy_until(self, over: asyncio.Event, *, times: int | None = None) -> None:
        """Buy this many times, or until the storm is over; start over without an answer."""
        while not over.is_set() and (times is None or self.bought < times):
            try:
                async with asyncio.timeout(PATIENCE_S * 3):
                    await self._buy()
            except (NoAnswer, TimeoutError, person_acts.ImpossibleError):
                self.return_to_the_bot()
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))

    def return_to_the_bot(self) -> None:
        self.phone.unblock()

    async def _buy(self) -> None:
        if self.is_lively:
            self._look_back()
        since = self.phone.write("/start")
        for label in (START, MODEL):
            self.phone.tap(*await self.phone.button(label, since))
        await self.phone.reads(THE_QUESTION, since)
        since = self.phone.write(self.chance.choice(self.prompts))
        self.phone.tap(*await self.phone.button(RATIO, since))
        card = await self._confirm(since)
        if self.is_lively:
            await self._follow_a_whim(card)

    async def _confirm(self, since: int) -> int:
        """Tap [Create] on the newest card, sometimes twice."""
        card, button = await self.phone.button(CREATE, since)
        self.phone.tap(card, button)
        if self.chance.random() < 0.3:  # noqa: PLR2004  some
            self.phone.tap(card, button)
        self.bought += 1
        return card

    def _look_back(self) -> None:
        """Sometimes cancel a late job or accept an offer further up in the chat."""
        last = next(reversed(self.world.chats[self.person.user_id]), 0)
        found = [*self.phone.buttons(CANCEL, last - LOOKS_BACK), *self.phone.buttons(TAKE, last - LOOKS_BACK)]
        if found and self.chance.random() < 0.5:  # noqa: PLR2004  some
            self.phone.tap(*self.chance.choice(found))

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
        """Tap a button in the details of a result, sometimes twice; older versions have it in the history, or not at all."""
        since = self.phone.write("/history")
        found = await self.phone.soon(lambda: list(self.phone.buttons((RESEND, DETAILS), since)))
        if found and found[-1][1]["text"].startswith(DETAILS):
            self.phone.tap(*found[-1])
            found = await self.phone.soon(lambda: list(self.phone.buttons(RESEND, since)))
        if found:
            chosen = self.chance.choice(found)
            for _ in range(self.chance.randint(1, 2)):
                self.phone.tap(*chosen)

    async def _tap_on_card(self, card: int, label: str | tuple[str, ...]) -> bool:
        """Tap a button of the card if it appears soon."""
        found = await self.phone.soon(lambda: [one for one in self.phone.buttons(label, card - 1) if one[0] == card])
        if found:
            self.phone.tap(*found[0])
        return bool(found)

    async def asks_balance(self) -> int | None:
        """The balance the bot names, in minor units; None without an answer."""
        said = await self.phone.asks_balance()
        return None if said is None else minor_in(said)
