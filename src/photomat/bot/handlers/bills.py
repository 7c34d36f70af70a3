"""Bills of the payment providers: one for the sum that was tapped, and the question whether it is paid."""

from aiogram import Bot, F, Router
from aiogram.types import CallbackQuery

from photomat.bot import pay_view
from photomat.bot.billing import home_link, provider_bill
from photomat.bot.buttons import CheckBillButton, PayButton, PayStep
from photomat.bot.paying import ways_view
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.kernel.money import Money
from photomat.payments.bill_state import ask_bill


async def make(_query: CallbackQuery, callback_data: PayButton, bot: Bot, tap: Tap, visit: Visit) -> None:
    """Show the bill of a sum."""
    offers, draft_id = visit.shop.offers, callback_data.draft_id
    if offers is None or callback_data.way not in visit.shop.providers:
        await tap.answer(visit.say("pay-way-closed"), alert=True)
        await tap.open(await ways_view(visit, draft_id=draft_id))
        return
    amount = Money(callback_data.amount, offers.currency)
    if not offers.least <= amount <= offers.most:
        await tap.answer(visit.say("tap-stale"), alert=True)
        return
    await tap.answer()
    await tap.open(
        await provider_bill(visit, callback_data.way, amount, draft_id=draft_id, return_url=await home_link(bot))
    )


async def check(_query: CallbackQuery, callback_data: CheckBillButton, tap: Tap, visit: Visit) -> None:
    """Have the bill looked at, and say what is known; one that is over shows so. What arrives is told by itself."""
    match await ask_bill(visit.shop.pool, topup_id=callback_data.topup_id, user_id=visit.user_id):
        case "paid":
            await tap.answer(visit.say("pay-check-paid"))
            await tap.replace(pay_view.paid_bill(visit.say))
        case "open":
            await tap.answer(visit.say("pay-check-open"), alert=True)
        case "canceled":
            await tap.answer(visit.say("pay-check-canceled"), alert=True)
            await tap.replace(pay_view.canceled_bill(visit.say))
        case "gone":
            await tap.answer(visit.say("tap-stale"), alert=True)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="bills")
    routes.callback_query.register(make, PayButton.filter((F.step == PayStep.BILL) & (F.way != "stars")))
    routes.callback_query.register(check, CheckBillButton.filter())
    return routes
