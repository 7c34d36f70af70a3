"""How customers pay: Stars by a new link or an old one, bills at both providers, transfers with a receipt, subscriptions."""

import asyncio
import io
from decimal import Decimal
from typing import Any, Final

from PIL import Image

from photomat_chaos.lab.phone import Place
from photomat_chaos.money.payer import Payer
from photomat_chaos.money.plan import Act, one_of
from photomat_chaos.money.square import in_words
from photomat_sandbox.telegram import person_acts

STARS, YOOKASSA, CRYPTO, TRANSFER, SUBSCRIPTION = (
    "⭐ Telegram Stars",
    "💳 Карта или СБП",
    "🪙 Криптовалюта",
    "🏦 Перевод",
    "⭐ Подписка",
)
TOPUP, CREATE, PAY_STARS, SUBSCRIBE, TO_SUBSCRIBE, UNSUBSCRIBE, OWN_SUM = (
    "💳 Пополнить",
    "✅ Создать",
    "⭐ Оплатить",
    "⭐ Подписаться",
    "⭐ Оформить",
    "⏹ Отменить",
    "✍️ Своя сумма",
)
LOOKS_BACK: Final = 300
SOME: Final = 0.25
CANCELS: Final = 0.2
SECONDS_TO_PAY: Final = 2.0
SIDE_PX: Final = 24


async def by_stars(me: Payer, act: Act) -> None:
    """Choose a package, pay its bill, run the order that waited for it."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(STARS, since))
    packages = await me.phone.soon(lambda: [one for one in me.phone.buttons("⭐ ", since) if "→" in one[1]["text"]])
    if packages:
        message_id, package = one_of(packages, act.pick)
        me.phone.tap(message_id, package)
        await _pay_link(me, await _url(me, PAY_STARS, message_id - 1))


async def same_link(me: Payer, act: Act) -> None:
    """Pay a bill once more, one's own or a friend's."""
    links = me.links if act.how < 1 - SOME else me.square.star_links
    if links:
        await _pay_link(me, one_of(links, act.pick))
        me.square.done["links paid again"] += 1


async def by_yookassa(me: Payer, act: Act) -> None:
    """A bill at YooKassa: paid, or canceled."""
    await _by_bill(me, act, "yookassa", YOOKASSA)


async def by_crypto(me: Payer, act: Act) -> None:
    """A bill at Crypto Pay: paid, paid in part, or left alone."""
    await _by_bill(me, act, "cryptopay", CRYPTO)


async def by_transfer(me: Payer, act: Act) -> None:
    """Name a sum, send a receipt; now and then one that was sent before."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(TRANSFER, since))
    await me.phone.reads("На какую сумму", since)
    since = me.phone.write(in_words(me.square.a_sum(10_000)))
    await me.phone.reads("Пришлите сюда чек", since)
    known = me.square.receipts
    picture = one_of(known, act.pick) if known and act.how < SOME else _receipt(len(known))
    known.append(picture)
    await person_acts.send_file(me.phone.world, me.customer.person, picture, kind="photo", caption="перевёл")
    me.square.done["receipts sent"] += 1


async def subscribe(me: Payer, act: Act) -> None:
    """Open the subscription's page and pay the first month."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(SUBSCRIPTION, since))
    offered = await me.phone.soon(lambda: list(me.phone.buttons(TO_SUBSCRIBE, since)))
    if offered:
        me.phone.tap(*offered[-1])
        await _pay_link(me, await _url(me, SUBSCRIBE, since))


async def unsubscribe(me: Payer, act: Act) -> None:
    """End one's subscription in the chat."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(SUBSCRIPTION, since))
    found = await me.phone.soon(lambda: list(me.phone.buttons(UNSUBSCRIBE, since)))
    if found:
        me.phone.tap(*found[-1])
        me.square.done["subscriptions ended in the chat"] += 1


async def _ways(me: Payer, act: Act) -> int:
    """Open the ways to pay: from an order that costs too much where there is one, or by the command."""
    last = next(reversed(me.phone.world.chats[me.user_id]), 0)
    cards = [one for one in me.phone.buttons(TOPUP, last - LOOKS_BACK) if _is_for_an_order(one[1])]
    if not cards or act.how < SOME:
        return me.phone.write("/topup")
    message_id, button = cards[-1]
    me.phone.tap(message_id, button)
    me.square.done["top-ups for an order"] += 1
    return message_id


def _is_for_an_order(button: dict[str, Any]) -> bool:
    return not str(button.get("callback_data", "")).startswith("m:")


async def _url(me: Payer, label: str, since: int) -> str:
    _, button = await me.phone.button(label, since)
    return str(button["url"])


async def _pay_link(me: Payer, link: str) -> None:
    """Pay, and when the money is there run the order that waited."""
    world, since = me.phone.world, next(reversed(me.phone.world.chats[me.user_id]), 0)
    me.links.append(link)
    me.square.star_links.append(link)
    person_acts.pay_bill(world, me.customer.person, world.bills[link])
    me.square.done["bills in Stars gone to pay"] += 1
    await _run_the_order(me, since)


async def _by_bill(me: Payer, act: Act, vendor: str, label: str) -> None:
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(label, since))
    if act.pick < SOME:
        me.phone.tap(*await me.phone.button(OWN_SUM, since))
        await me.phone.reads("Напишите сумму", since)
        since = me.phone.write(in_words(me.square.a_sum(5_000)))
    else:
        sums = await me.phone.soon(lambda: [one for one in me.phone.buttons("", since) if one[1]["text"][0].isdigit()])
        if not sums:
            return
        me.phone.tap(*one_of(sums, act.how))
    url = await _url(me, "Оплатить", since)
    await _go_to_the_page(me, act, vendor, url.rpartition("/")[2])


async def _go_to_the_page(me: Payer, act: Act, vendor: str, bill_id: str) -> None:
    till, since = me.square.shop.till(vendor), next(reversed(me.phone.world.chats[me.user_id]), 0)
    bill = till.bill(bill_id)
    if bill is None or bill.state != "open":
        return
    if act.how < CANCELS:
        till.cancel(bill_id)
        me.square.done[f"bills of {vendor} canceled"] += 1
        return
    in_part = till.allows_partial and act.how > 1 - SOME
    me.square.bills[vendor, bill_id] = me.user_id
    till.pay(bill_id, (bill.amount / 2).quantize(Decimal("0.01")) if in_part else None)
    me.square.done[f"bills of {vendor} paid{' in part' if in_part else ''}"] += 1
    await _run_the_order(me, since)


async def _run_the_order(me: Payer, since: int) -> None:
    """The news of the money may bring the waiting order's button."""

    def offered() -> list[Place]:
        return list(me.phone.buttons(CREATE, since))

    found = await me.phone.soon(offered, within_s=SECONDS_TO_PAY)
    if found:
        me.phone.tap(*found[-1])
        me.square.done["waiting orders run"] += 1
        await asyncio.sleep(0)


def _receipt(number: int) -> bytes:
    """A picture nobody has sent before."""
    picture = Image.new("RGB", (SIDE_PX, SIDE_PX), (number % 256, number // 256 % 256, 77))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
