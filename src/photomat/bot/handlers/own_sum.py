"""A sum of one's own, typed, within the bounds of the shop; then its bill."""

from typing import cast

from aiogram import Bot, F, Router
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import pay_view
from photomat.bot.billing import home_link, provider_bill
from photomat.bot.buttons import PayButton, PayStep
from photomat.bot.filters import SpokenToUs
from photomat.bot.paying import open_ways, ways_view
from photomat.bot.screen import Tap, send
from photomat.bot.states import Paying
from photomat.bot.visit import Visit
from photomat.kernel.money import Money, read_minor
from photomat.payments.offers import Offers, Way


async def ask(_query: CallbackQuery, callback_data: PayButton, tap: Tap, visit: Visit) -> None:
    """Wait for a sum."""
    offers, way, draft_id = visit.shop.offers, callback_data.way, callback_data.draft_id
    if offers is None or way not in open_ways(visit.shop):
        await tap.answer(visit.say("pay-way-closed"), alert=True)
        return
    await tap.answer()
    await visit.state.set_state(Paying.naming_sum)
    await visit.state.set_data({"way": way, "paying_for": draft_id})
    await tap.open(pay_view.ask_own_sum(visit.say, offers, way, draft_id))


async def take(message: Message, bot: Bot, visit: Visit) -> None:
    """Take the typed sum, or say which ones do."""
    offers, data = visit.shop.offers, await visit.state.get_data()
    way, draft_id = str(data.get("way")), int(data.get("paying_for") or 0)
    if offers is None or way not in visit.shop.providers:
        await visit.state.clear()
        await send(message, await ways_view(visit))
        return
    amount = _read(message.text or "", offers)
    if amount is None:
        await send(message, pay_view.wrong_sum(visit.say, offers, cast("Way", way), draft_id))
        return
    await visit.state.clear()
    link = await home_link(bot)
    await send(message, await provider_bill(visit, cast("Way", way), amount, draft_id=draft_id, return_url=link))


def _read(text: str, offers: Offers) -> Money | None:
    try:
        amount = Money(read_minor(text), offers.currency)
    except ValueError:
        return None
    return amount if offers.least <= amount <= offers.most else None


def router() -> Router:
    """The ways to get here; commands are not sums."""
    routes = Router(name="own-sum")
    routes.message.register(take, StateFilter(Paying.naming_sum), SpokenToUs(), ~F.text.startswith("/"))
    routes.callback_query.register(ask, PayButton.filter(F.step == PayStep.OWN))
    return routes
