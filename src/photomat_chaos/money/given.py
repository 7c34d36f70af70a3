"""The rules of what is given: gifts, promo codes, invitations, bonuses."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from photomat_chaos.lab.phone import minor_in
from photomat_chaos.money.facts import Books, Outside
from photomat_chaos.money.model import bonus_of, inflows, refunded_of_jobs
from photomat_chaos.money.shop import FRIEND_REWARD, REWARD

WAS_GIVEN: Final = "🎁 Вам подарили"
ACCEPTED: Final = re.compile(r"🎟 Промокод (\S+) принят")
REWARDED: Final = frozenset({"rewarded", "refunded", "taken_back"})


def _gifts(outside: Outside, books: Books) -> Iterator[str]:
    rows = {gift.code: gift for gift in books.gifts}
    for code, (giver_id, minor) in outside.gifts.items():
        row = rows.get(code)
        if row is None or (row.giver_id, row.amount) != (giver_id, minor):
            yield f"user {giver_id} gave {minor} as {code}, our books say {row}"
    takers: defaultdict[int, set[int]] = defaultdict(set)
    for shown in outside.history.screens:
        if shown.text.startswith(WAS_GIVEN):
            takers[minor_in(shown.text) or 0].add(shown.chat_id)
    for gift in books.gifts:
        seen = takers.pop(gift.amount, set())
        if not seen <= {gift.taker_id}:
            yield f"gift {gift.code} of {gift.amount} belongs to {gift.taker_id} and was told to {sorted(seen)}"
    yield from (f"{sorted(chats)} were given {minor}, which nobody gave" for minor, chats in takers.items())


def _promo_codes(outside: Outside, books: Books) -> Iterator[str]:
    told: defaultdict[str, set[int]] = defaultdict(set)
    for shown in outside.history.screens:
        if found := ACCEPTED.search(shown.text):
            told[found[1]].add(shown.chat_id)
    uses: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for use in books.uses:
        uses[use.code][use.user_id] += 1
    for code, promo in outside.promos.items():
        if promo.most_uses is not None and max(uses[code].total(), len(told[code])) > promo.most_uses:
            yield f"{code} may be used {promo.most_uses} times: {dict(uses[code])} used it, {sorted(told[code])} were told so"
        if any(times > promo.per_user for times in uses[code].values()):
            yield f"{code} was used too often by one user: {dict(uses[code])}"
        if not told[code] <= uses[code].keys():
            yield f"{code} was told to be accepted to {sorted(told[code])}, and used by {dict(uses[code])}"


def _invitations(outside: Outside, books: Books) -> Iterator[str]:
    """A picture counts when the friend's own payments, less what went back of them, cover it."""
    back, paid, kept = refunded_of_jobs(outside), Counter[int](), Counter[int]()
    for inflow in inflows(outside, books).values():
        if inflow.user_id is not None:
            paid[inflow.user_id] += inflow.credit
            kept[inflow.user_id] += inflow.credit - inflow.back
    sold = [job for job in outside.history.jobs if job.status == "done" and not job.gift and job.price]
    lasting = [job for job in sold if back.get(job.job_id, 0) < job.price]
    could_earn = {job.chat_id for job in sold if job.price <= paid[job.chat_id]}
    may_keep = {job.chat_id for job in lasting if job.price <= kept[job.chat_id]}
    must_earn = {job.chat_id for job in lasting if job.price <= books.paid_before.get(job.job_id, 0)}
    rows = {row.friend_id: row for row in books.referrals}
    for friend_id, inviter_id in outside.came_by.items():
        row = rows.pop(friend_id, None)
        if row is None or row.inviter_id != inviter_id:
            yield f"user {friend_id} came by a link of {inviter_id}, our books say {row}"
        elif row.state in REWARDED and friend_id not in could_earn:
            yield f"user {friend_id} has paid for no picture, and the invitation is {row.state}"
        elif row.state == "rewarded" and friend_id not in may_keep:
            yield f"what user {friend_id} paid for a picture went back, and the invitation is {row.state}"
        elif friend_id in must_earn and row.state not in REWARDED:
            yield f"user {friend_id} has paid for a picture, and the invitation is {row.state}"
        elif row.state in REWARDED and (row.inviter_reward, row.friend_reward) != (REWARD, FRIEND_REWARD):
            yield f"the invitation of user {friend_id} brought {row.inviter_reward} and {row.friend_reward}"
        elif row.state in {"due", "refunded"}:
            yield f"the invitation of user {friend_id} still waits: {row.state}"
    yield from (f"user {row.friend_id} came by nobody's link, our books say {row}" for row in rows.values())


def _bonuses(outside: Outside, books: Books) -> Iterator[str]:
    """In proportion; each refund of a part may round up by one."""
    rows, paid = {row.payment_id: row for row in books.payments}, inflows(outside, books)
    for use in books.uses:
        if use.payment_id is None or use.code not in outside.promos:
            continue
        row = rows[use.payment_id]
        inflow = paid.get((row.provider, row.external_id))
        if inflow is None:
            continue
        bonus = bonus_of(outside, use.code, inflow.credit)
        least, roundings = bonus * inflow.back // inflow.credit, 8
        whole = inflow.back == inflow.credit
        if use.credited != bonus or not (bonus if whole else least) <= use.taken_back <= min(bonus, least + roundings):
            yield (
                f"{use.code} of user {use.user_id}: {use.credited} given, {use.taken_back} taken back, while {inflow.back} of"
                f" {inflow.credit} went back and the bonus is {bonus}"
            )


GIVEN: Final[Mapping[str, Callable[[Outside, Books], Iterator[str]]]] = {
    "a gift is one person's, or its giver's": _gifts,
    "a promo code is used within its limits": _promo_codes,
    "an invitation is rewarded once, after a paid picture": _invitations,
    "a bonus goes back with its payment": _bonuses,
}
