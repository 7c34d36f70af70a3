"""Customers in a storm: they buy by what they see, tap twice now and then, and start over when nothing comes.

Lively ones also do what people do afterwards: cancel, turn pages, order again, take an offer, delete the card, block the bot,
ask for a result once more.
"""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Final

from photomat_chaos.lab.phone import GLANCE_S, PATIENCE_S, NothingComes, Phone, minor_in
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.world import TelegramWorld

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


@dataclass(slots=True, kw_only=True)
class Customer:
    """One person with Telegram in their hand; `chance` is theirs alone."""

    world: TelegramWorld
    person: ChatPerson
    chance: random.Random
    prompts: tuple[str, ...] = PROMPTS
    is_lively: bool = False
    bought: int = 0
    deleted: set[tuple[int, int]] = field(default_factory=set)

    @property
    def phone(self) -> Phone:
        """What they hold in their hand."""
        return Phone(world=self.world, person=self.person)

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
        """Tap [Create] on the newest card; some people tap twice."""
        card, button = await self.phone.button(CREATE, since)
        self.phone.tap(card, button)
        if self.chance.random() < 0.3:  # noqa: PLR2004  some
            self.phone.tap(card, button)
        self.bought += 1
        return card

    def _look_back(self) -> None:
        """Some have second thoughts about what stands higher up in the chat: a late job is canceled, an offer taken."""
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
        """Look into the history, tap one of its buttons, some twice; a version that has no history shows none."""
        since = self.phone.write("/history")
        found = await self.phone.soon(lambda: list(self.phone.buttons(RESEND, since)))
        if found:
            chosen = self.chance.choice(found)
            for _ in range(self.chance.randint(1, 2)):
                self.phone.tap(*chosen)

    async def _tap_on_card(self, card: int, label: str) -> bool:
        """Tap a button of the card if it is there soon."""
        found = await self.phone.soon(lambda: [one for one in self.phone.buttons(label, card - 1) if one[0] == card])
        if found:
            self.phone.tap(*found[0])
        return bool(found)

    async def asks_balance(self) -> int | None:
        """What the bot says to /balance, in minor units; None when it says nothing."""
        said = await self.phone.asks_balance()
        return None if said is None else minor_in(said)
