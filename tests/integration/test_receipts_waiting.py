"""A receipt nobody looks at wakes the operators after an hour, and the incident ends with the decision."""

from photomat.alerts import rules
from photomat.alerts.incident import ProbeContext
from photomat.operators.money import decline_receipt
from support.alerts import ToldAccount
from support.database import shift_clock
from support.transfers import receipt_picture, transfer_shop


async def test_a_receipt_that_waits_for_an_hour_is_seen_until_it_is_decided(database: str) -> None:
    waiting = rules.receipts_waiting
    async with transfer_shop(database) as shop:
        eyes = ProbeContext(pool=shop.pool, account=ToldAccount())
        await shop.anna.pays(data=receipt_picture("red"))
        await shift_clock(shop.pool, 3540)
        assert await waiting(eyes) is None
        await shop.anna.pays(data=receipt_picture("blue"))
        await shift_clock(shop.pool, 120)
        assert await waiting(eyes) == {"count": 1, "receipt": 1, "minutes": 61}
        assert (await decline_receipt(shop.pool, 1, operator="olga", reason="not-arrived")).done
        assert await waiting(eyes) is None
