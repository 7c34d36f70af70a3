"""The workload of `photomat chaos money`: customers pay, spend, give and get refunds while everything breaks.

Operators decide and correct, vendors repeat and forge; afterwards everything is brought to rest, and our books are compared
with those of Telegram, the providers, the screens and the operators.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat.db.pool import connect_pool
from photomat_chaos.lab import rest
from photomat_chaos.lab.callbacks import open_callback_injector
from photomat_chaos.lab.customers import ChatCustomer, Phone
from photomat_chaos.lab.evidence import Observations, stories_of
from photomat_chaos.lab.history import OK
from photomat_chaos.money import payers, settling, verdict
from photomat_chaos.money.books import Books, OutsideRecords, read_books
from photomat_chaos.money.operators import OperatorConsole, ReceiptReviewer
from photomat_chaos.money.payers import Payer
from photomat_chaos.money.schedule import INVITING, PlannedAct, money_disruptions
from photomat_chaos.money.shop import SharedKnowledge, open_money_test_bed
from photomat_chaos.money.vendors import VendorActivity, look_outside
from photomat_chaos.storm.engine import NAMES, Progress, Storm, StormPlan, StormReport, reporting
from photomat_sandbox.transcript import World

DEEDS: Final[Mapping[str, Callable[[Payer, PlannedAct], Awaitable[None]]]] = {
    "stars": payers.by_stars,
    "same link": payers.same_link,
    "yookassa": payers.by_yookassa,
    "crypto": payers.by_crypto,
    "transfer": payers.by_transfer,
    "subscribe": payers.subscribe,
    "unsubscribe": payers.unsubscribe,
    "buy": payers.buy,
    "gift": payers.give,
    "open gift": payers.open_gift,
    "gift back": payers.gift_back,
    "promo": payers.promo,
    "invite": payers.invite,
}


async def run_money_storm(plan: StormPlan, folder: Path, *, progress: Progress | None = None) -> StormReport:
    """Run one storm of money in an empty folder, from the first instance to the verdict."""
    async with open_money_test_bed(folder) as shop, open_callback_injector(shop.arena) as callbacks:
        pool = await connect_pool(shop.arena.dsn, name="storm operator", size=2)
        try:
            shared = SharedKnowledge(shop=shop, over=asyncio.Event(), done=Counter())
            storm = Storm(
                plan=plan,
                arena=shop.arena,
                callbacks=callbacks,
                done=shared.done,
                over=shared.over,
            )
            traffic = MoneyTraffic(storm=storm, shared=shared, console=OperatorConsole(shared=shared, pool=pool))
            storm.headline = traffic.headline
            async with reporting(storm, progress):
                await traffic.run()
                balances = await traffic.settle()
            return await _judge(traffic, balances)
        finally:
            pool.terminate()


@dataclass(slots=True, kw_only=True)
class MoneyTraffic:
    storm: Storm
    shared: SharedKnowledge
    console: OperatorConsole
    payers: list[Payer] = field(default_factory=list)

    async def run(self) -> None:
        self.payers = [self._payer(number) for number in range(self.storm.plan.customers)]
        await self.storm.run(money_disruptions(self.storm.plan.seed), self._start)

    async def settle(self) -> dict[int, int | None]:
        """Bring everything to rest; return the balance the bot then names to each customer."""
        arena = self.storm.arena
        for payer in self.payers:
            payer.phone.unblock()
        arena.faults.clear()
        await arena.start_ready(self.storm.plan.instances)
        await self.console.finish()
        await rest.come_to_rest(arena, step_s=rest.SHORT_STEP_S)
        await settling.last_round(self.shared, self.payers)
        moved = await settling.bring_to_rest(self.shared.shop, self.storm.callbacks, self.console.pool)
        self.shared.done["times the clock was moved on"] = moved
        said = await asyncio.gather(*(payer.says_balance() for payer in self.payers))
        await rest.come_to_rest(arena, step_s=rest.SHORT_STEP_S)
        return {payer.user_id: minor for payer, minor in zip(self.payers, said, strict=True)}

    def headline(self) -> str:
        paid = len(self.storm.arena.telegram.stars.charges) + len(self.shared.bills)
        return f"{paid} paid, {self.shared.done['instances killed']} killed"

    def _start(self, group: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        """Only customers may be cancelled: a verb of an operator must get its answer."""
        seed, shop = self.storm.plan.seed, self.shared.shop
        reviewer = ReceiptReviewer(shared=self.shared, phone=Phone(world=shop.arena.telegram, person=shop.operator))
        group.create_task(reviewer.work_until_over(seed))
        group.create_task(self.console.work_until_over(seed))
        group.create_task(VendorActivity(shared=self.shared).act_until_over(seed))
        group.create_task(self.storm.arena.keep_harvesting(self.storm.over))
        return [group.create_task(payer.live_until_over(seed, DEEDS)) for payer in self.payers]

    def _payer(self, number: int) -> Payer:
        telegram = self.storm.arena.telegram
        person = telegram.add_person(first_name=NAMES[number % len(NAMES)])
        chance = random.Random(f"{self.storm.plan.seed}:{number}")  # noqa: S311  repeatable on purpose
        customer = ChatCustomer(world=telegram, person=person, chance=chance, is_lively=True)
        is_friend = number >= INVITING and number % 2 == 1
        return Payer(shared=self.shared, customer=customer, number=number, is_friend=is_friend)


async def _judge(traffic: MoneyTraffic, balances: Mapping[int, int | None]) -> StormReport:
    storm, arena = traffic.storm, traffic.storm.arena
    deleted = frozenset[tuple[int, int]]().union(*(payer.customer.deleted for payer in traffic.payers))
    history = await rest.evidence_of(arena, Observations(deleted=deleted, forged=tuple(storm.callbacks.forged)))
    async with arena.sql() as connection:
        books = await read_books(connection)
    outside = look_outside(traffic.shared, traffic.console, balances, history)
    violations = verdict.violations(outside, books)
    return StormReport(
        plan=storm.plan,
        figures=_figures(storm.done + storm.callbacks.done, outside, books, arena.notes.counts),
        violations=violations,
        explained=[f"{one.kind} {one.reference}: {why}" for one, why in verdict.explained(outside, books).items()],
        stories=await stories_of(arena, violations),
    )


def _figures(
    done: Counter[str], outside: OutsideRecords, books: Books, counts: Mapping[tuple[World, str], int]
) -> dict[str, int]:
    return {**dict(sorted(done.items())), **_of_misfortunes(outside, counts), **_of_money(outside, books)}


def _of_misfortunes(outside: OutsideRecords, counts: Mapping[tuple[World, str], int]) -> dict[str, int]:
    history = outside.history
    return {
        "faults that struck": sum(count for (_, kind), count in counts.items() if kind == "fault"),
        "notices sent by providers": counts.get(("yookassa", "webhook"), 0) + counts.get(("cryptopay", "webhook"), 0),
        "callbacks forged and refused": sum(forged.status != OK for forged in history.forged),
        "updates handled": len(history.lanes),
        "updates put aside": len(history.parked),
    }


def _of_money(outside: OutsideRecords, books: Books) -> dict[str, int]:
    statuses = Counter(job.status for job in outside.history.jobs)
    gifts = Counter(gift.state for gift in books.gifts)
    payments = Counter(row.provider for row in books.payments)
    return {
        "Stars: payments": len(outside.charges),
        "Stars: given back": sum(charge.refunded for charge in outside.charges),
        **{f"payments by {provider}": count for provider, count in sorted(payments.items())},
        "payments that went back, in whole or in part": sum(bool(row.given_back) for row in books.payments),
        "receipts approved": sum(row.state == "approved" for row in books.receipts),
        "receipts declined": sum(row.state == "declined" for row in books.receipts),
        "gifts made": len(books.gifts),
        "gifts taken": gifts["taken"],
        "gifts taken back": gifts["back"],
        "promo codes used": len(books.uses),
        "bonuses given": sum(use.payment_id is not None for use in books.uses),
        "friends who came by a link": len(books.referrals),
        "invitations rewarded": sum(row.state == "rewarded" for row in books.referrals),
        "jobs bought": len(outside.history.jobs),
        "jobs done": statuses["done"],
        "jobs failed and refunded": statuses["failed"],
        "jobs canceled": statuses["canceled"],
        "notices made": sum(books.notices.values()),
        "differences open": len(books.differences),
        "users": len(books.wallets),
        "all wallets together": sum(books.wallets.values()),
    }
