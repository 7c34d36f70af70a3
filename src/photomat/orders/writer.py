"""Drafts are saved and bought together: what comes while one batch is written is the next."""

from collections.abc import Sequence
from functools import partial

from photomat.db.pool import Pool
from photomat.kernel.logs import uncorrelated
from photomat.orders.assortment import AssortmentMark
from photomat.orders.draft import Draft, NewDraft, insert_drafts
from photomat.orders.outcome import PurchaseOutcome
from photomat.orders.purchase import Purchase, buy, buy_together
from photomat.work.batch_writer import BatchWriter


class OrderWriter:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._drafts = BatchWriter(partial(insert_drafts, pool))
        self._purchases = BatchWriter(self._buy)

    async def save(self, draft: NewDraft) -> Draft:
        return await self._drafts.add(draft)

    async def buy(self, purchase: Purchase) -> PurchaseOutcome | AssortmentMark:
        outcome = await self._purchases.add(purchase)
        return outcome if outcome is not None else await buy(self._pool, purchase)

    async def _buy(self, purchases: Sequence[Purchase]) -> list[PurchaseOutcome | AssortmentMark | None]:
        with uncorrelated():
            return await buy_together(self._pool, purchases)
