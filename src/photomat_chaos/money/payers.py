"""Customers in a storm of money: they pay, buy, give and invite by what the screen shows, and give up without an answer.

They pay in Stars by a new link or an old one, by bills at both providers, by transfer with a receipt, and by subscription.
"""

import asyncio
import io
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from PIL import Image

from photomat_chaos.lab.customers import LOOK_EVERY_S, ChatCustomer, NoAnswer, Phone, Place, minor_in, patience, text_of
from photomat_chaos.money.schedule import PlannedAct, customer_acts, one_of
from photomat_chaos.money.shop import GiftLink, SharedKnowledge, in_words
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.person_acts import ImpossibleError

PATIENCE_S: Final = 15.0
INVITATION_PATIENCE_S: Final = 6.0
OWED: Final = "Долг:"
ASKS: Final = 3


@dataclass(slots=True, kw_only=True)
class Payer:
    """One customer; `customer` buys pictures as in every storm, `links` are the Stars bills they were shown."""

    shared: SharedKnowledge
    customer: ChatCustomer
    number: int
    links: list[str] = field(default_factory=list)
    is_friend: bool = False

    @property
    def phone(self) -> Phone:
        return self.customer.phone

    @property
    def user_id(self) -> int:
        return self.customer.person.user_id

    async def live_until_over(
        self, seed: int, ways: Mapping[str, Callable[["Payer", PlannedAct], Awaitable[None]]]
    ) -> None:
        """Start the bot, then act by the plan; give up what gets no answer."""
        await self._come_in()
        for act in customer_acts(seed, self.number):
            if self.shared.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await ways[act.kind](self, act)
            except (NoAnswer, TimeoutError, ImpossibleError):
                self.phone.unblock()
                self.shared.done["deeds nobody answered"] += 1

    async def _come_in(self) -> None:
        """Friends wait for another customer's link and start with it; the others just start."""
        invitation = await self._invitation() if self.is_friend else None
        if invitation is not None:
            self.shared.came_by[self.user_id] = invitation[1]
        self.phone.write("/start" if invitation is None else f"/start ref_{invitation[0]}")

    async def _invitation(self) -> tuple[str, int] | None:
        try:
            async with asyncio.timeout(INVITATION_PATIENCE_S):
                while not self.shared.invitations:  # noqa: ASYNC110  any user may put one there
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            return None
        links = list(self.shared.invitations.items())
        return links[self.number % len(links)]

    async def says_balance(self) -> int | None:
        """The balance the bot names in the chat, less the debt; None without an answer."""
        for _ in range(ASKS):
            said = await self.phone.asks_balance()
            if said is not None:
                _, is_owing, owed = said.partition(OWED)
                return (minor_in(said) or 0) - ((minor_in(owed) or 0) if is_owing else 0)
        return None


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


async def by_stars(me: Payer, act: PlannedAct) -> None:
    """Choose a package, pay its bill, run the order that waited for it."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(STARS, since))
    packages = await me.phone.soon(lambda: [one for one in me.phone.buttons("⭐ ", since) if "→" in one[1]["text"]])
    if packages:
        message_id, package = one_of(packages, act.pick)
        me.phone.tap(message_id, package)
        await _pay_link(me, await _url(me, PAY_STARS, message_id - 1))


async def same_link(me: Payer, act: PlannedAct) -> None:
    """Pay a bill again, one's own or a friend's."""
    links = me.links if act.how < 1 - SOME else me.shared.star_links
    if links:
        await _pay_link(me, one_of(links, act.pick))
        me.shared.done["links paid again"] += 1


async def by_yookassa(me: Payer, act: PlannedAct) -> None:
    """A bill at YooKassa: paid, or canceled."""
    await _by_bill(me, act, "yookassa", YOOKASSA)


async def by_crypto(me: Payer, act: PlannedAct) -> None:
    """A bill at Crypto Pay: paid, paid in part, or left alone."""
    await _by_bill(me, act, "cryptopay", CRYPTO)


async def by_transfer(me: Payer, act: PlannedAct) -> None:
    """Enter an amount and send a receipt, sometimes one that was sent before."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(TRANSFER, since))
    await me.phone.reads("На какую сумму", since)
    since = me.phone.write(in_words(me.shared.a_sum(10_000)))
    await me.phone.reads("Пришлите сюда чек", since)
    known = me.shared.receipts
    picture = one_of(known, act.pick) if known and act.how < SOME else _receipt(len(known))
    known.append(picture)
    await person_acts.send_file(me.phone.world, me.customer.person, picture, kind="photo", caption="перевёл")
    me.shared.done["receipts sent"] += 1


async def subscribe(me: Payer, act: PlannedAct) -> None:
    """Open the subscription's page and pay the first month."""
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(SUBSCRIPTION, since))
    offered = await me.phone.soon(lambda: list(me.phone.buttons(TO_SUBSCRIBE, since)))
    if offered:
        me.phone.tap(*offered[-1])
        await _pay_link(me, await _url(me, SUBSCRIBE, since))


async def unsubscribe(me: Payer, act: PlannedAct) -> None:
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(SUBSCRIPTION, since))
    found = await me.phone.soon(lambda: list(me.phone.buttons(UNSUBSCRIBE, since)))
    if found:
        me.phone.tap(*found[-1])
        me.shared.done["subscriptions ended in the chat"] += 1


async def _ways(me: Payer, act: PlannedAct) -> int:
    """Open the payment methods: from an order that costs too much where there is one, or by the command."""
    last = next(reversed(me.phone.world.chats[me.user_id]), 0)
    cards = [one for one in me.phone.buttons(TOPUP, last - LOOKS_BACK) if _is_for_an_order(one[1])]
    if not cards or act.how < SOME:
        return me.phone.write("/topup")
    message_id, button = cards[-1]
    me.phone.tap(message_id, button)
    me.shared.done["top-ups for an order"] += 1
    return message_id


def _is_for_an_order(button: dict[str, Any]) -> bool:
    return not str(button.get("callback_data", "")).startswith("m:")


async def _url(me: Payer, label: str, since: int) -> str:
    _, button = await me.phone.button(label, since)
    return str(button["url"])


async def _pay_link(me: Payer, link: str) -> None:
    """Pay, and run the waiting order when the money has arrived."""
    world, since = me.phone.world, next(reversed(me.phone.world.chats[me.user_id]), 0)
    me.links.append(link)
    me.shared.star_links.append(link)
    person_acts.pay_bill(world, me.customer.person, world.bills[link])
    me.shared.done["bills in Stars gone to pay"] += 1
    await _run_the_order(me, since)


async def _by_bill(me: Payer, act: PlannedAct, vendor: str, label: str) -> None:
    since = await _ways(me, act)
    me.phone.tap(*await me.phone.button(label, since))
    if act.pick < SOME:
        me.phone.tap(*await me.phone.button(OWN_SUM, since))
        await me.phone.reads("Напишите сумму", since)
        since = me.phone.write(in_words(me.shared.a_sum(5_000)))
    else:
        sums = await me.phone.soon(lambda: [one for one in me.phone.buttons("", since) if one[1]["text"][0].isdigit()])
        if not sums:
            return
        me.phone.tap(*one_of(sums, act.how))
    url = await _url(me, "Оплатить", since)
    await _go_to_the_page(me, act, vendor, url.rpartition("/")[2])


async def _go_to_the_page(me: Payer, act: PlannedAct, vendor: str, bill_id: str) -> None:
    till, since = me.shared.shop.till(vendor), next(reversed(me.phone.world.chats[me.user_id]), 0)
    bill = till.bill(bill_id)
    if bill is None or bill.state != "open":
        return
    if act.how < CANCELS:
        till.cancel(bill_id)
        me.shared.done[f"bills of {vendor} canceled"] += 1
        return
    in_part = till.allows_partial and act.how > 1 - SOME
    me.shared.bills[vendor, bill_id] = me.user_id
    till.pay(bill_id, (bill.amount / 2).quantize(Decimal("0.01")) if in_part else None)
    me.shared.done[f"bills of {vendor} paid{' in part' if in_part else ''}"] += 1
    await _run_the_order(me, since)


async def _run_the_order(me: Payer, since: int) -> None:
    """The notice of the payment may carry the waiting order's button."""

    def offered() -> list[Place]:
        return list(me.phone.buttons(CREATE, since))

    found = await me.phone.soon(offered, within_s=SECONDS_TO_PAY)
    if found:
        me.phone.tap(*found[-1])
        me.shared.done["waiting orders run"] += 1
        await asyncio.sleep(0)


def _receipt(number: int) -> bytes:
    """A picture that was not sent before."""
    picture = Image.new("RGB", (SIDE_PX, SIDE_PX), (number % 256, number // 256 % 256, 77))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


GIFT: Final = re.compile(r"start=gift_([\w-]+)")
INVITATION: Final = re.compile(r"start=ref_([\w-]+)")
NOT_ENOUGH: Final = "Столько нет"
GIFT_BACK: Final = "↩️ Забрать"
AT_ONCE: Final = 0.4
LATEST: Final = 6


async def buy(me: Payer, _act: PlannedAct) -> None:
    """Buy a picture, with the usual whims."""
    await me.customer.buy_until(me.shared.over, times=me.customer.bought + 1)


async def give(me: Payer, _act: PlannedAct) -> None:
    """Make a gift and publish its link."""
    said = await _answer(me, me.phone.write(f"/gift {in_words(me.shared.a_sum(500))}"))
    found = GIFT.search(said)
    if found:
        me.shared.gifts[found[1]] = GiftLink(code=found[1], giver_id=me.user_id, minor=minor_in(said) or 0)
        me.shared.done["gifts seen made"] += 1


async def open_gift(me: Payer, act: PlannedAct) -> None:
    """Open a gift's link, sometimes twice at once."""
    codes = list(me.shared.gifts)[-LATEST:]
    if codes:
        code = one_of(codes, act.pick)
        for _ in range(2 if act.how < AT_ONCE else 1):
            me.phone.write(f"/start gift_{code}")
            me.shared.done["links of gifts opened"] += 1


async def gift_back(me: Payer, act: PlannedAct) -> None:
    """Take back a gift that is probably unopened."""
    since = me.phone.write("/gift")
    found = await me.phone.soon(lambda: list(me.phone.buttons(GIFT_BACK, since)))
    if found:
        me.phone.tap(*one_of(found, act.pick))
        me.shared.done["gifts asked back"] += 1


async def promo(me: Payer, act: PlannedAct) -> None:
    """Enter one of the latest codes."""
    codes = me.shared.promo_codes[-LATEST:]
    if codes:
        me.phone.write(f"/promo {one_of(codes, act.pick)}")
        me.shared.done["promo codes typed"] += 1


async def invite(me: Payer, _act: PlannedAct) -> None:
    """Request one's own invitation link and publish it."""
    said = await me.phone.reads("Ваша ссылка", me.phone.write("/invite"))
    found = INVITATION.search(said)
    if found:
        me.shared.invitations[found[1]] = me.user_id
        me.shared.done["invitations sent"] += 1


async def _answer(me: Payer, since: int) -> str:
    """Wait for the gift's link, or for the refusal."""
    async with patience():
        while True:
            for said in map(text_of, me.phone.seen(since)):
                if GIFT.search(said) or NOT_ENOUGH in said:
                    return said
            await asyncio.sleep(LOOK_EVERY_S)
