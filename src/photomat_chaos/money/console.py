"""The operator at the console: the verbs of `operators`, asked again under the same reference until they are answered.

Each verb's last answer is evidence. PostgreSQL may die under any of them; a verb that was never answered is asked again when
everything is calm, so that nothing stays unknown.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final

import asyncpg

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.ids import JobId, UserId
from photomat.operators import money
from photomat.operators.payments import NO_WAY_BACK, refund_payment
from photomat.operators.promo import create_promo
from photomat.rewards.promo_code import PromoCode
from photomat_chaos.money.facts import Done
from photomat_chaos.money.plan import Act, one_of, verbs
from photomat_chaos.money.shop import CURRENCY
from photomat_chaos.money.square import Square

BY: Final = "storm"
WHY: Final = "the storm wants it"
OWING: Final = 0.6
WHOLE: Final = 0.3
LATEST: Final = 40
ATTEMPTS: Final = 3
UNREACHABLE: Final = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, TimeoutError)
PROMOS: Final[tuple[PromoCode, ...]] = (
    PromoCode(code="SUM", kind="sum", currency=CURRENCY, amount=1_100, most_uses=3),
    PromoCode(code="LAST", kind="sum", currency=CURRENCY, amount=900, most_uses=1),
    PromoCode(code="MORE", kind="percent", currency=CURRENCY, percent=20, amount=1_500, most_uses=3),
    PromoCode(code="PLUS", kind="percent", currency=CURRENCY, percent=7, most_uses=2),
    PromoCode(code="FREE", kind="free", currency=CURRENCY, amount=100_000, generations=2, most_uses=2),
)
Attempt = Callable[[], Awaitable[Done]]


@dataclass(slots=True, kw_only=True)
class Console:
    """Does verbs; `answered` is what came of each, `open` what nobody has answered yet."""

    square: Square
    pool: Pool
    answered: list[Done] = field(default_factory=list)
    open: list[Attempt] = field(default_factory=list)
    promos: dict[str, PromoCode] = field(default_factory=dict)
    _number: int = 0

    async def work_until_over(self, seed: int) -> None:
        """One verb after the other."""
        for act in verbs(seed):
            if self.square.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                attempt = await self._verb(act)
            except UNREACHABLE:
                continue
            if attempt is not None:
                await self._insist(attempt)

    async def finish(self) -> None:
        """Ask once more for whatever was never answered."""
        waiting, self.open = self.open, []
        for attempt in waiting:
            await self._insist(attempt)

    async def _insist(self, attempt: Attempt) -> None:
        for _ in range(ATTEMPTS):
            try:
                done = await attempt()
            except UNREACHABLE:
                await asyncio.sleep(0.3)
            else:
                self.answered.append(done)
                self.square.done[f"verbs: {done.verb}{'' if done.done else ' (refused)'}"] += 1
                return
        self.open.append(attempt)

    async def _verb(self, act: Act) -> Attempt | None:
        self._number += 1
        reference = f"storm:{self._number}"
        match act.kind:
            case "credit" | "debit":
                user = await self._any("SELECT user_id FROM wallets ORDER BY user_id", act)
                return None if user is None else self._move(act, UserId(user["user_id"]), reference)
            case "correct":
                known = [done for done in self.answered if done.verb == "credit" and done.done]
                return self._correct(one_of(known[-LATEST:], act.pick)) if known else None
            case "refund job":
                job = await self._any(
                    "SELECT job_id, user_id, price FROM generation_jobs WHERE status = 'done' ORDER BY job_id DESC LIMIT 40",
                    act,
                )
                return None if job is None else self._refund_job(job, reference, act)
            case "refund payment":
                paid = await self._any(
                    "SELECT payment_id, user_id, credit, provider FROM payments ORDER BY payment_id DESC LIMIT 40", act
                )
                return None if paid is None else self._refund_payment(paid, act)
            case _:
                return self._promo(act)

    async def _any(self, query: str, act: Act) -> Row | None:
        rows = await self.pool.fetch(query)
        return one_of(rows, act.pick) if rows else None

    def _move(self, act: Act, user_id: UserId, reference: str) -> Attempt:
        minor = self.square.a_sum(300)
        verb = money.credit if act.kind == "credit" else money.debit

        async def attempt() -> Done:
            answer = await verb(self.pool, user_id, minor, reference=reference, operator=BY, reason=WHY)
            sign = 1 if act.kind == "credit" else -1
            return Done(verb=act.kind, reference=reference, user_id=user_id, minor=sign * minor, done=answer.done)

        return attempt

    def _correct(self, credit: Done) -> Attempt:
        async def attempt() -> Done:
            answer = await money.correct_move(self.pool, credit.reference, operator=BY, reason=WHY)
            reference = f"correction:{credit.reference}"
            return replace(credit, verb="correct", reference=reference, minor=-(credit.minor or 0), done=answer.done)

        return attempt

    def _refund_job(self, job: Row, reference: str, act: Act) -> Attempt:
        """All of it, or a part that is always left of it the first times."""
        minor = None if act.how < WHOLE else max(1, job["price"] // 4)

        async def attempt() -> Done:
            job_id, user_id = JobId(job["job_id"]), job["user_id"]
            answer = await money.refund_job(self.pool, job_id, minor, reference=reference, operator=BY, reason=WHY)
            return Done(
                verb="refund job", reference=reference, user_id=user_id, minor=minor, done=answer.done, job_id=job_id
            )

        return attempt

    def _refund_payment(self, paid: Row, act: Act) -> Attempt:
        by_hand = paid["provider"] in NO_WAY_BACK

        async def attempt() -> Done:
            payment_id, owing = paid["payment_id"], act.how < OWING
            answer = await refund_payment(self.pool, payment_id, owing=owing, by_hand=by_hand, operator=BY, reason=WHY)
            return Done(
                verb=f"refund of a payment by {paid['provider']}",
                reference=f"payment {payment_id}",
                user_id=paid["user_id"],
                minor=-paid["credit"],
                done=answer.done,
                payment_id=payment_id,
            )

        return attempt

    def _promo(self, act: Act) -> Attempt:
        pattern = one_of(PROMOS, act.pick)
        promo = replace(pattern, code=f"{pattern.code}{self._number}")

        async def attempt() -> Done:
            answer = await create_promo(self.pool, promo, operator=BY, reason=WHY)
            self.promos[promo.code] = promo
            self.square.promo_codes.append(promo.code)
            return Done(verb="promo", reference=promo.code, user_id=0, minor=0, done=answer.done)

        return attempt
