"""What every way of paying asks first: which ways are open, what the order lacks, and whether one may pay now."""

from dataclasses import replace
from datetime import timedelta

from photomat.bot.forms.order import draft_on_sale
from photomat.bot.pay_view import Waiting, ways_page
from photomat.bot.price_words import span
from photomat.bot.shop import Shop
from photomat.bot.transfer_view import waiting_lines
from photomat.bot.views import View, missing
from photomat.bot.visit import Visit
from photomat.kernel.ids import DraftId
from photomat.payments.limit import wait_to_pay
from photomat.payments.offers import Way
from photomat.payments.receipts import waiting_of
from photomat.texts.load import Say


def open_ways(shop: Shop) -> tuple[Way, ...]:
    """The ways that are switched on, the usual one first."""
    if shop.offers is None:
        return ()
    ways: dict[Way, object] = {
        "stars": shop.offers.packages,
        "yookassa": shop.providers.get("yookassa"),
        "cryptopay": shop.providers.get("cryptopay"),
        "transfer": shop.offers.transfer_details,
    }
    return tuple(way for way, switched_on in ways.items() if switched_on)


async def ways_view(visit: Visit, *, draft_id: int = 0) -> View:
    """The menu of ways."""
    balance, offers = await visit.balance(), visit.shop.offers
    page = ways_page(
        visit.say,
        open_ways(visit.shop),
        plan=offers is not None and offers.plan is not None,
        balance=balance.available,
        waiting=await waiting_order(visit, draft_id),
    )
    on_their_way = waiting_lines(visit.say, await waiting_of(visit.shop.pool, visit.user_id))
    return replace(page, text="\n\n".join([page.text, *on_their_way]))


async def waiting_order(visit: Visit, draft_id: int) -> Waiting:
    """The order that waits for money, while it can still be bought and the wallet does not cover it."""
    found = await draft_on_sale(visit, draft_id) if draft_id else None
    if found is None or found[0].expired:
        return Waiting()
    balance = await visit.balance()
    price = found[0].price
    lacks = missing(price, balance.available) if balance.available < price else None
    return Waiting(draft_id=draft_id, missing=lacks)


async def limit_reached(visit: Visit) -> str | None:
    """Why one may not pay now, and until when; None when one may."""
    offers = visit.shop.offers
    if offers is None:
        return visit.say("pay-nothing-open")
    wait = await wait_to_pay(visit.shop.pool, visit.user_id, a_day=offers.a_day)
    return None if wait is None else visit.say("pay-limit", limit=offers.a_day, wait=span(visit.say, wait))


def in_words(say: Say, facts: dict[str, object]) -> dict[str, object]:
    """Facts of a refusal with its waits written out."""
    return {name: span(say, fact) if isinstance(fact, timedelta) else fact for name, fact in facts.items()}


def draft_of(draft_id: int) -> DraftId | None:
    """The draft a button carries; 0 is none."""
    return DraftId(draft_id) if draft_id else None
