"""A user asks whether their bill is paid: it is looked at once more, and they are told what is known now."""

from typing import Literal, TypeAlias

from photomat.db.pool import Pool
from photomat.kernel.ids import UserId
from photomat.payments.invoices import look_at
from photomat.payments.topup import find_topup

BillState: TypeAlias = Literal["paid", "open", "canceled", "gone"]


async def ask_bill(pool: Pool, *, topup_id: int, user_id: UserId) -> BillState:
    """Make a bill of this user due, and say how it stands; one its provider does not know counts as canceled."""
    topup = await find_topup(pool, topup_id)
    if topup is None or topup.user_id != user_id:
        return "gone"
    if topup.state == "paid":
        return "paid"
    bill = await pool.fetchrow(
        "SELECT provider, external_id, state FROM provider_invoices WHERE topup_id = $1 ORDER BY created_at DESC LIMIT 1",
        topup_id,
    )
    if bill is None:
        return "gone"
    if bill["state"] == "canceled":
        return "canceled"
    await look_at(pool, bill["provider"], bill["external_id"])
    return "canceled" if bill["state"] == "unknown" else "open"
