"""A program that buys through `orders` and knows nothing else: `python buying_alone.py <dsn> <bot id> <user id>`."""

import asyncio
import json
import sys
from decimal import Decimal

from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import Rates
from photomat.db.pool import connect_pool
from photomat.kernel.ids import BotId, ChatId, MessageId, UserId
from photomat.orders.draft import Buyer
from photomat.orders.outcome import AlreadyStarted, Created
from photomat.orders.service import OrderService
from photomat.orders.writer import OrderWriter

INPUTS = {"prompt": "кот-космонавт", "aspect_ratio": "1:1"}


async def main(dsn: str, bot_id: int, user_id: int) -> None:
    """Draft, quote, purchase, and the same tap once more; prints what came of it as JSON."""
    pool = await connect_pool(dsn, bot_id=bot_id, size=2)
    rates = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
    orders = OrderService(pool=pool, writer=OrderWriter(pool), catalog=load_catalog(), rates=rates)
    buyer = Buyer(user_id=UserId(user_id), language="ru", bot_id=BotId(bot_id), chat_id=ChatId(user_id))
    model = await orders.model("z-image")
    assert model is not None
    quoted = await orders.quote(buyer.user_id, model, INPUTS)
    draft = await orders.save_draft(buyer, model, INPUTS, origin="alone")
    outcomes = [
        await orders.buy(
            buyer, draft_id=draft.draft_id, revision=draft.revision, message_id=MessageId(1), corr="a10ea10e"
        )
        for _tap in range(2)
    ]
    await pool.close()
    created, again = outcomes
    assert isinstance(created, Created), created
    assert isinstance(again, AlreadyStarted), again
    said = {
        "imported": sorted({name.partition(".")[0] for name in sys.modules}),
        "quoted": quoted.price.minor,
        "draft": draft.price.minor,
        "job_id": created.job_id,
        "second_tap_finds": again.job_id,
    }
    sys.stdout.write(f"\n{json.dumps(said)}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
