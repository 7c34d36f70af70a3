"""A YooKassa that registers fiscal receipts, as the loops of refunds and of fiscal receipts see it."""

from datetime import timedelta

from aiogram import Bot

from photomat.app.clients import receipt_readers
from photomat.app.wiring import refund_calls
from photomat.db.pool import Pool
from photomat.fiscal.issuer import FiscalIssuer, FiscalPolicy, FiscalTimes
from photomat.payments.refunds import RefundCall
from support.database import shift_clock
from support.pay_sim import RunningPay


def refunds_at(pay: RunningPay) -> RefundCall:
    """How the product asks this shop; Telegram is not asked here."""
    return refund_calls(Bot("1:unused"), {"yookassa": pay.yookassa})["yookassa"]


async def reads(pool: Pool, pay: RunningPay, *, after_s: float = 3600) -> list[tuple[str, str]]:
    """One round of the loop of fiscal receipts; gives what became of each: kind and state."""
    times = FiscalTimes(request=timedelta(seconds=1), unknown_delay=timedelta(seconds=5))
    policy = FiscalPolicy(readers=receipt_readers({"yookassa": pay.yookassa}), tax=None, taxed=frozenset())
    issuer = FiscalIssuer(pool=pool, policy=policy, times=times)
    await shift_clock(pool, after_s)
    for claimed in await issuer.claim(9):
        await issuer.issue(claimed)
    rows = await pool.fetch("SELECT kind, state FROM fiscal_receipts ORDER BY fiscal_id")
    return [(row["kind"], row["state"]) for row in rows]
