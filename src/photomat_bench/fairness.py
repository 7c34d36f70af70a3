"""One user with fifty times the orders of any other: what the others see, with and without that user.

The others are customers who come again and again, each at the same pace, with a message and a tap. The heavy user taps on
cards that were prepared: by words the product lets one user open twelve cards a minute, and by the menu Telegram's limit for
one chat allows one message a second. So every tap can buy, and as many orders as bought are made at Kie; their cards are
edited as fast as the chat's limit allows, and the others meet a queue that grows. Each of the two runs has an instance and a
database of its own with the same warm-up; which is first changes with the seed.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.db.pool import connect
from photomat.telegram.callback_data import create_from_draft
from photomat_bench.flow_run import AUDIT_LIMIT_S, PROMPT, percentiles
from photomat_bench.flows import HEAVY_USER, FlowDriver
from photomat_bench.instances import AUDITED, running_instances
from photomat_bench.wire import serving

OTHERS: Final = 60
OTHER_RATE: Final = 0.1
"""Orders a second of each."""
TIMES: Final = 50
LEAST_TIMES: Final = 45
"""Below that the heavy user was not heavy, and the figures say nothing."""
KIE_MS: Final = 100
WARM_UP_S: Final = 12.0
"""Each of the others has ordered once."""
SPARE_CARDS: Final = 1.5
"""Orders come at random instants: there must be a card for each."""
PREPARE: Final = """
    INSERT INTO drafts (origin, bot_id, user_id, chat_id, model, inputs, price, currency, said, expires_at)
    SELECT 'bench:' || number, bot_id, user_id, chat_id, model, inputs, price, currency, said, expires_at
      FROM drafts, generate_series(1, $2::int) AS number
     WHERE user_id = $1
    RETURNING draft_id, revision
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersFigures:
    """What the others had, and how many orders the heavy user bought meanwhile."""

    flow_ms: dict[str, float]
    flows: int
    lost: int
    refused: int
    heavy_orders: int

    @property
    def times(self) -> float:
        """The orders of the heavy user beside those of one of the others."""
        return round(self.heavy_orders * OTHERS / self.flows, 1) if self.flows else 0.0


async def measure_fairness(
    seconds: float, *, alone_dsn: str, beside_dsn: str, folder: Path, seed: int
) -> tuple[OthersFigures, OthersFigures]:
    """The others without and beside the heavy user, each on a migrated database."""

    async def measure(dsn: str, *, beside: bool) -> OthersFigures:
        place = folder / ("beside" if beside else "alone")
        return await _measure(seconds, dsn=dsn, folder=place, seed=seed, beside=beside)

    if is_alone_first(seed):
        alone, beside = await measure(alone_dsn, beside=False), await measure(beside_dsn, beside=True)
    else:
        beside, alone = await measure(beside_dsn, beside=True), await measure(alone_dsn, beside=False)
    if beside.times < LEAST_TIMES:
        raise RuntimeError(
            f"the heavy user bought {beside.times:g} times what one of the others did, not {TIMES} times"
        )
    return alone, beside


def is_alone_first(seed: int) -> bool:
    return seed % 2 == 0


async def _measure(seconds: float, *, dsn: str, folder: Path, seed: int, beside: bool) -> OthersFigures:
    driver = FlowDriver(seconds_at_kie=KIE_MS / 1000, prompt=PROMPT, seed=seed, customers=OTHERS)
    async with serving(driver.vendors.answer) as url:
        driver.vendors.url = url
        async with running_instances(1, dsn=dsn, vendors_url=url, folder=folder, settings={}) as instances:
            driver.instances = [instances[0].url]
            await instances[0].until_logged(AUDITED, within_s=AUDIT_LIMIT_S)
            cards = await _prepared(driver, dsn, seconds) if beside else []
            async with asyncio.TaskGroup() as group:
                group.create_task(driver.tap_as_one(cards, OTHER_RATE * TIMES, WARM_UP_S + seconds, seed=seed))
                await driver.run_at_rate(OTHERS * OTHER_RATE, WARM_UP_S, seed=seed)
                driver.start_counting()
                before = await _heavy_orders(dsn)
                await driver.run_at_rate(OTHERS * OTHER_RATE, seconds, seed=seed + 1)
                bought = await _heavy_orders(dsn) - before
            # From the message to the picture, without the time at Kie and the time until the tap.
            took = [(flow.pictured - flow.due) * 1000 - KIE_MS for flow in driver.done]
            return OthersFigures(
                flow_ms=percentiles(took),
                flows=len(took),
                lost=driver.lost,
                refused=driver.refused,
                heavy_orders=bought,
            )


async def _prepared(driver: FlowDriver, dsn: str, seconds: float) -> list[str]:
    """The buttons of as many cards as the heavy user will tap; the first is made in the chat, the others are its copies."""
    await driver.order_as_one()
    count = round(OTHER_RATE * TIMES * (WARM_UP_S + seconds) * SPARE_CARDS)
    connection = await connect(dsn, name="bench cards")
    try:
        rows = await connection.fetch(PREPARE, HEAVY_USER, count)
    finally:
        await connection.close(timeout=5)
    return [create_from_draft(row["draft_id"], row["revision"]) for row in rows]


async def _heavy_orders(dsn: str) -> int:
    connection = await connect(dsn, name="bench meter")
    try:
        found: int = await connection.fetchval("SELECT count(*) FROM generation_jobs WHERE user_id = $1", HEAVY_USER)
    finally:
        await connection.close(timeout=5)
    return found
