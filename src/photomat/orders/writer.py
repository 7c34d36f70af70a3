"""Drafts are saved and bought together: what comes while one batch is written is the next.

No batch waits for a lock of something else. A purchase that has to is made alone, and no more than `MAX_ALONE` at a time: the
connections of the pool are for everything else too.
"""

import asyncio
from functools import partial
from typing import Final

from photomat.db.pool import Pool
from photomat.orders.assortment import AssortmentMark
from photomat.orders.draft import Draft, NewDraft, insert_drafts
from photomat.orders.outcome import PurchaseOutcome
from photomat.orders.purchase import Purchase, buy, buy_together
from photomat.work.batch_writer import BatchWriter

MAX_ALONE: Final = 3


class OrderWriter:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._drafts = BatchWriter(partial(insert_drafts, pool))
        self._purchases = BatchWriter(partial(buy_together, pool))
        self._alone = asyncio.Semaphore(MAX_ALONE)

    async def save(self, draft: NewDraft) -> Draft:
        return await self._drafts.add(draft)

    async def buy(self, purchase: Purchase) -> PurchaseOutcome | AssortmentMark:
        outcome = await self._purchases.add(purchase)
        if outcome is not None:
            return outcome
        async with self._alone:
            return await buy(self._pool, purchase)
