"""What customers do with money besides paying it in: pictures, gifts, promo codes, invitations."""

import asyncio
import re
from typing import Final

from photomat_chaos.lab.phone import LOOK_EVERY_S, minor_in, patience, text_of
from photomat_chaos.money.payer import Payer
from photomat_chaos.money.plan import Act, one_of
from photomat_chaos.money.square import GiftLink, in_words

GIFT: Final = re.compile(r"start=gift_([\w-]+)")
INVITATION: Final = re.compile(r"start=ref_([\w-]+)")
NOT_ENOUGH: Final = "Столько нет"
GIFT_BACK: Final = "↩️ Забрать"
AT_ONCE: Final = 0.4
LATEST: Final = 6


async def buy(me: Payer, _act: Act) -> None:
    """Buy a picture, with whatever people do around that."""
    await me.customer.buy_until(me.square.over, times=me.customer.bought + 1)


async def give(me: Payer, _act: Act) -> None:
    """Put a sum aside for a friend and tell everybody the link."""
    said = await _answer(me, me.phone.write(f"/gift {in_words(me.square.a_sum(500))}"))
    found = GIFT.search(said)
    if found:
        me.square.gifts[found[1]] = GiftLink(code=found[1], giver_id=me.user_id, minor=minor_in(said) or 0)
        me.square.done["gifts seen made"] += 1


async def open_gift(me: Payer, act: Act) -> None:
    """Open a gift's link, some open it twice at once."""
    codes = list(me.square.gifts)[-LATEST:]
    if codes:
        code = one_of(codes, act.pick)
        for _ in range(2 if act.how < AT_ONCE else 1):
            me.phone.write(f"/start gift_{code}")
            me.square.done["links of gifts opened"] += 1


async def gift_back(me: Payer, act: Act) -> None:
    """Take a gift back that nobody has opened, as far as one knows."""
    since = me.phone.write("/gift")
    found = await me.phone.soon(lambda: list(me.phone.buttons(GIFT_BACK, since)))
    if found:
        me.phone.tap(*one_of(found, act.pick))
        me.square.done["gifts asked back"] += 1


async def promo(me: Payer, act: Act) -> None:
    """Type one of the latest codes; it may be anybody's last one."""
    codes = me.square.promo_codes[-LATEST:]
    if codes:
        me.phone.write(f"/promo {one_of(codes, act.pick)}")
        me.square.done["promo codes typed"] += 1


async def invite(me: Payer, _act: Act) -> None:
    """Ask for one's own link and tell everybody."""
    said = await me.phone.reads("Ваша ссылка", me.phone.write("/invite"))
    found = INVITATION.search(said)
    if found:
        me.square.invitations[found[1]] = me.user_id
        me.square.done["invitations sent"] += 1


async def _answer(me: Payer, since: int) -> str:
    """Wait for the gift's link, or for the word that there is not enough."""
    async with patience():
        while True:
            for said in map(text_of, me.phone.seen(since)):
                if GIFT.search(said) or NOT_ENOUGH in said:
                    return said
            await asyncio.sleep(LOOK_EVERY_S)
