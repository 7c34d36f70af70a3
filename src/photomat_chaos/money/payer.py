"""A customer in a storm of money: does what the plan says by what the screen shows, and gives up what does not come."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from photomat_chaos.lab.customers import Customer
from photomat_chaos.lab.phone import NothingComes, Phone, minor_in
from photomat_chaos.money.plan import Act, deeds
from photomat_chaos.money.square import Square
from photomat_sandbox.telegram.person_acts import ImpossibleError

PATIENCE_S: Final = 15.0
INVITATION_PATIENCE_S: Final = 6.0
LOOK_EVERY_S: Final = 0.1
OWED: Final = "Долг:"
ASKS: Final = 3


@dataclass(slots=True, kw_only=True)
class Payer:
    """One customer; `customer` buys pictures as in every storm, `links` are the bills in Stars they were shown."""

    square: Square
    customer: Customer
    number: int
    links: list[str] = field(default_factory=list)
    is_friend: bool = False

    @property
    def phone(self) -> Phone:
        """What they hold in their hand."""
        return self.customer.phone

    @property
    def user_id(self) -> int:
        """Who they are."""
        return self.customer.person.user_id

    async def live_until_over(self, seed: int, ways: Mapping[str, Callable[["Payer", Act], Awaitable[None]]]) -> None:
        """Come in, then do one thing after the other; whatever does not come is left."""
        await self._come_in()
        for act in deeds(seed, self.number):
            if self.square.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await ways[act.kind](self, act)
            except (NothingComes, TimeoutError, ImpossibleError):
                self.phone.unblock()
                self.square.done["deeds nobody answered"] += 1

    async def _come_in(self) -> None:
        """Friends wait for somebody's link and start with it; the others just start."""
        invitation = await self._invitation() if self.is_friend else None
        if invitation is not None:
            self.square.came_by[self.user_id] = invitation[1]
        self.phone.write("/start" if invitation is None else f"/start ref_{invitation[0]}")

    async def _invitation(self) -> tuple[str, int] | None:
        try:
            async with asyncio.timeout(INVITATION_PATIENCE_S):
                while not self.square.invitations:  # noqa: ASYNC110  anybody may put one there
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            return None
        links = list(self.square.invitations.items())
        return links[self.number % len(links)]

    async def says_balance(self) -> int | None:
        """What the bot names in the chat: what is there, less what is owed; None when it says nothing."""
        for _ in range(ASKS):
            said = await self.phone.asks_balance()
            if said is not None:
                _, is_owing, owed = said.partition(OWED)
                return (minor_in(said) or 0) - ((minor_in(owed) or 0) if is_owing else 0)
        return None
