"""Creating and stopping promo codes, with the journal."""

from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import ActionResult, journaled
from photomat.rewards.promo import PromoCode, add_code, normalize_code, stop_code

HOW_WRITTEN: Final = "A code has 3 to 32 letters (English or Russian), digits, - or _."


async def create_promo(pool: Pool, promo: PromoCode, *, operator: str, reason: str) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        if normalize_code(promo.code) != promo.code:
            return ActionResult(done=False, sentence=HOW_WRITTEN)
        if promo.amount is not None and promo.amount <= 0:
            return ActionResult(done=False, sentence="The sum must be more than nothing.")
        if not await add_code(tx, promo, operator=operator, reason=reason):
            return ActionResult(done=False, sentence=f"There is a code {promo.code} already; a code is never changed.")
        return ActionResult(done=True, sentence=f"{promo.code}: {in_words(promo)}.")

    reference = f"promo:{promo.code}"
    return await journaled(pool, act, action="promo", operator=operator, reason=reason, reference=reference)


async def stop_promo(pool: Pool, written: str, *, operator: str, reason: str) -> ActionResult:
    """Stop a code; what it gave before stays given."""
    code = normalize_code(written)

    async def act(tx: Transaction) -> ActionResult:
        stopped = await stop_code(tx, code)
        sentence = (
            f"{code} is stopped; who has used it keeps what it gave." if stopped else "There is no such code to stop."
        )
        return ActionResult(done=stopped, sentence=sentence)

    return await journaled(
        pool, act, action="stop promo", operator=operator, reason=reason, reference=f"promo:{code or written}"
    )


def in_words(promo: PromoCode) -> str:
    """What a code gives, to whom, how often and until when."""
    match promo.kind:
        case "sum":
            gives = f"{promo.money} at once"
        case "percent":
            most = "" if promo.money is None else f", {promo.money} at most"
            gives = f"{promo.percent} % of the next top-up{most}"
        case _:
            gives = f"{promo.generations} free generations of up to {promo.money} each"
    often = (
        "any number of uses"
        if promo.most_uses is None
        else f"{promo.most_uses} use{'' if promo.most_uses == 1 else 's'}"
    )
    until = "" if promo.expires_at is None else f", until {promo.expires_at:%Y-%m-%d %H:%M} UTC"
    whom = ", new users only" if promo.only_new else ""
    return f"{gives}, {often}, {promo.per_user} per user{whom}{until}"
