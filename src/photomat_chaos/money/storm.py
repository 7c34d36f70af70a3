"""A storm of money: everybody pays, spends, gives and takes back while everything breaks; then a calm and the verdict.

The decisions come from the seed (`plan`, `weather`); how real processes meet them is theirs.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat.db.pool import connect_pool
from photomat_chaos.lab import calm, testimony
from photomat_chaos.lab.customers import Customer
from photomat_chaos.lab.evidence import Seen
from photomat_chaos.lab.history import Violation
from photomat_chaos.lab.phone import Phone
from photomat_chaos.money import paying, rest, spending, verdict
from photomat_chaos.money.books import read_books
from photomat_chaos.money.console import Console
from photomat_chaos.money.desk import Desk
from photomat_chaos.money.figures import figures_of
from photomat_chaos.money.last_round import last_round
from photomat_chaos.money.mischief import World
from photomat_chaos.money.outside import look_outside
from photomat_chaos.money.payer import Payer
from photomat_chaos.money.plan import INVITING, Act, Plan
from photomat_chaos.money.shop import Shop, open_shop
from photomat_chaos.money.square import Square
from photomat_chaos.money.weather import money_blows
from photomat_chaos.storm.fleet import Fleet
from photomat_chaos.storm.post import Post, open_post
from photomat_chaos.storm.strikes import Strikes

NAMES: Final = ("Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна", "Захар")
TELL_EVERY_S: Final = 0.5
HARVEST_S: Final = 0.5
DEEDS: Final[Mapping[str, Callable[[Payer, Act], Awaitable[None]]]] = {
    "stars": paying.by_stars,
    "same link": paying.same_link,
    "yookassa": paying.by_yookassa,
    "crypto": paying.by_crypto,
    "transfer": paying.by_transfer,
    "subscribe": paying.subscribe,
    "unsubscribe": paying.unsubscribe,
    "buy": spending.buy,
    "gift": spending.give,
    "open gift": spending.open_gift,
    "gift back": spending.gift_back,
    "promo": spending.promo,
    "invite": spending.invite,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was done, what came of it, what was broken; `explained` are the differences somebody made on purpose."""

    plan: Plan
    figures: dict[str, int]
    violations: list[Violation]
    explained: list[str]
    stories: dict[int, str]


@dataclass(slots=True, kw_only=True)
class MoneyStorm:
    """A storm of money while it blows."""

    plan: Plan
    shop: Shop
    post: Post
    console: Console
    square: Square
    payers: list[Payer] = field(default_factory=list)
    left_s: float = 0.0

    async def blow(self) -> None:
        """Let everything happen at once for as long as planned."""
        arena, over, seed = self.shop.arena, self.square.over, self.plan.seed
        fleet = Fleet(arena=arena, size=self.plan.instances, old=None, over=over, done=self.square.done)
        self.payers = [self._payer(number) for number in range(self.plan.customers)]
        desk = Desk(square=self.square, phone=Phone(world=arena.telegram, person=self.shop.operator))
        await fleet.set_out()
        async with asyncio.TaskGroup() as group:
            lives = [group.create_task(payer.live_until_over(seed, DEEDS)) for payer in self.payers]
            group.create_task(desk.work_until_over(seed))
            group.create_task(self.console.work_until_over(seed))
            group.create_task(World(square=self.square).turn_until_over(seed))
            group.create_task(self._keep_harvesting())
            group.create_task(fleet.keep_up())
            await self._rage(Strikes(fleet=fleet, post=self.post, group=group))
            for life in lives:
                life.cancel()
        await fleet.end()

    async def calm_down(self) -> dict[int, int | None]:
        """Bring everything to rest; what the bot names to everybody then."""
        for payer in self.payers:
            payer.phone.unblock()
        self.shop.arena.faults.clear()
        await self.shop.arena.start_ready(self.plan.instances)
        await self.console.finish()
        await calm.come_to_rest(self.shop.arena, step_s=calm.SHORT_STEP_S)
        await last_round(self.square, self.payers)
        moved = await rest.bring_to_rest(self.shop, self.post, self.console.pool)
        self.square.done["times the clock was moved on"] = moved
        said = await asyncio.gather(*(payer.says_balance() for payer in self.payers))
        await calm.come_to_rest(self.shop.arena, step_s=calm.SHORT_STEP_S)
        return {payer.user_id: minor for payer, minor in zip(self.payers, said, strict=True)}

    def _payer(self, number: int) -> Payer:
        person = self.shop.arena.telegram.add_person(first_name=NAMES[number % len(NAMES)])
        chance = random.Random(f"{self.plan.seed}:{number}")  # noqa: S311  repeatable on purpose
        customer = Customer(world=self.shop.arena.telegram, person=person, chance=chance, is_lively=True)
        is_friend = number >= INVITING and number % 2 == 1
        return Payer(square=self.square, customer=customer, number=number, is_friend=is_friend)

    async def _rage(self, strikes: Strikes) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + self.plan.seconds
        try:
            async with asyncio.timeout_at(end):
                for blow in money_blows(self.plan.seed):
                    self.left_s = end - clock()
                    await asyncio.sleep(blow.after_s)
                    await strikes.strike(blow)
        except TimeoutError:
            if clock() < end:
                raise
        finally:
            self.square.over.set()

    async def _keep_harvesting(self) -> None:
        while not self.square.over.is_set():
            self.shop.arena.harvest()
            self.shop.harvest()
            await asyncio.sleep(HARVEST_S)


async def rage(plan: Plan, folder: Path, *, tell: Callable[[MoneyStorm], None] | None = None) -> Report:
    """One storm of money in an empty folder, from the first instance to the verdict; `tell` hears how it goes."""
    async with open_shop(folder) as shop, open_post(shop.arena) as post:
        pool = await connect_pool(shop.arena.dsn, name="storm operator", size=2)
        try:
            square = Square(shop=shop, over=asyncio.Event(), done=Counter())
            console = Console(square=square, pool=pool)
            storm = MoneyStorm(plan=plan, shop=shop, post=post, console=console, square=square)
            async with asyncio.TaskGroup() as group:
                telling = group.create_task(_keep_telling(storm, tell))
                await storm.blow()
                balances = await storm.calm_down()
                telling.cancel()
            return await _judge(storm, balances)
        finally:
            pool.terminate()


async def _judge(storm: MoneyStorm, balances: Mapping[int, int | None]) -> Report:
    arena = storm.shop.arena
    storm.shop.harvest()
    deleted = frozenset[tuple[int, int]]().union(*(payer.customer.deleted for payer in storm.payers))
    history = await calm.evidence_of(arena, Seen(deleted=deleted, forged=tuple(storm.post.forged)))
    async with arena.sql() as connection:
        books = await read_books(connection)
    outside = look_outside(storm.square, storm.console, balances, history)
    violations = verdict.violations(outside, books)
    return Report(
        plan=storm.plan,
        figures=figures_of(storm.square.done + storm.post.done, outside, books, arena.notes.counts),
        violations=violations,
        explained=[f"{one.kind} {one.reference}: {why}" for one, why in verdict.explained(outside, books).items()],
        stories=await testimony.stories_of(arena, violations),
    )


async def _keep_telling(storm: MoneyStorm, tell: Callable[[MoneyStorm], None] | None) -> None:
    while tell is not None:
        tell(storm)
        await asyncio.sleep(TELL_EVERY_S)
