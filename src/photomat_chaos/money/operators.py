"""The operators in a storm of money: one decides about receipts in the chat, one uses the verbs of `operators`.

A verb is repeated under the same reference until it is answered; its last answer is evidence. PostgreSQL may die under any of
them; a verb that was never answered is repeated when the faults are over, so that no outcome stays unknown.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import asyncpg

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.ids import JobId, UserId
from photomat.operators import money
from photomat.operators.money import NO_WAY_BACK, create_promo, refund_payment
from photomat.rewards.promo import PromoCode
from photomat_chaos.lab.customers import PATIENCE_S, NoAnswer, Phone, Place, minor_in, text_of
from photomat_chaos.money.books import OperatorAction
from photomat_chaos.money.schedule import PlannedAct, one_of, operator_acts, receipt_decisions
from photomat_chaos.money.shop import CURRENCY, SharedKnowledge, in_words
from photomat_sandbox.telegram.person_acts import ImpossibleError

NUMBER: Final = re.compile(r"чек(?:е)? № (\d+)", re.IGNORECASE)
FLAGGED: Final = "⚠️ Зачислить"
APPROVE: Final = ("✅ Зачислить", FLAGGED)
ANYWAY, OTHER_SUM, DECLINE, REASON = "⚠️ Всё равно", "✏️ Другая сумма", "❌ Отклонить", "Перевод не пришёл"
INSISTS: Final = 0.4
LOOKS_BACK: Final = 400
LIST_EVERY: Final = 30
PAUSE_S: Final = 0.4


@dataclass(slots=True, kw_only=True)
class ReceiptReviewer:
    """The operator in the chat, and the messages already decided on."""

    shared: SharedKnowledge
    phone: Phone
    _had: set[int] = field(default_factory=set)

    async def work_until_over(self, seed: int) -> None:
        """Decide about one receipt after the other; ask for the list now and then, since a message may be lost."""
        self.phone.write("/start")
        for turn, act in enumerate(receipt_decisions(seed), 1):
            if self.shared.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                if not await self.decide(act):
                    await asyncio.sleep(PAUSE_S)
            except (NoAnswer, ImpossibleError):
                self.shared.done["receipts not answered about"] += 1
            if turn % LIST_EVERY == 0:
                self.phone.write("/receipts")

    async def decide(self, act: PlannedAct) -> bool:
        """Decide about the oldest undecided message; False when there is none."""
        found = next(self._undecided(), None)
        if found is None:
            return False
        message_id, number, amount = found
        self._had.add(message_id)
        doubtful = bool(self._on(message_id, FLAGGED)) and act.how >= INSISTS
        ruling = "decline" if doubtful else act.kind
        match ruling:
            case "decline":
                await self._decline(message_id, number)
            case "other sum":
                await self._another_sum(message_id, number)
            case _:
                await self._approve(message_id, number, amount, act)
        self.shared.done[f"receipts: {ruling}"] += 1
        return True

    def _undecided(self) -> Iterator[tuple[int, int, int]]:
        """Messages about waiting receipts: message, number, amount."""
        last = next(reversed(self.phone.world.chats[self.phone.person.user_id]), 0)
        for seen in self.phone.seen(last - LOOKS_BACK):
            message_id, said = int(seen["message_id"]), text_of(seen)
            number = NUMBER.search(said)
            if number and message_id not in self._had and self._on(message_id, *APPROVE):
                yield message_id, int(number[1]), minor_in(self._on(message_id, *APPROVE)[0][1]["text"]) or 0

    async def _approve(self, message_id: int, number: int, amount: int, act: PlannedAct) -> None:
        button = self._on(message_id, *APPROVE)[0]
        self.shared.decisions[number].add(amount)
        for _ in range(2 if act.kind == "approve twice" else 1):
            self.phone.tap(*button)
        if act.how < INSISTS:
            doubts = await self.phone.soon(lambda: self._about(ANYWAY, number, message_id), within_s=1.0)
            if doubts:
                self.phone.tap(*doubts[-1])
                self.shared.done["receipts credited anyway"] += 1

    async def _another_sum(self, message_id: int, number: int) -> None:
        self.phone.tap(*self._on(message_id, OTHER_SUM)[0])
        await self.phone.reads(f"Чек № {number} на", message_id)
        minor = self.shared.a_sum(7_000)
        self.shared.decisions[number].add(minor)
        self.phone.write(in_words(minor))

    async def _decline(self, message_id: int, number: int) -> None:
        self.phone.tap(*self._on(message_id, DECLINE)[0])
        reasons = await self.phone.soon(lambda: self._about(REASON, number, message_id), within_s=PATIENCE_S)
        if reasons:
            self.shared.decisions[number].add(None)
            self.phone.tap(*reasons[-1])

    def _on(self, message_id: int, *labels: str) -> list[Place]:
        """The buttons of one message that begin with these labels."""
        return [one for label in labels for one in self.phone.buttons(label, message_id - 1) if one[0] == message_id]

    def _about(self, label: str, number: int, since: int) -> list[Place]:
        """The buttons of later messages about this receipt."""
        speaking = {seen["message_id"] for seen in self.phone.seen(since) if f"№ {number}" in text_of(seen)}
        return [one for one in self.phone.buttons(label, since) if one[0] in speaking]


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
Attempt = Callable[[], Awaitable[OperatorAction]]


@dataclass(slots=True, kw_only=True)
class OperatorConsole:
    """Executes verbs; `answered` are the outcomes, `open` the verbs without an answer yet."""

    shared: SharedKnowledge
    pool: Pool
    answered: list[OperatorAction] = field(default_factory=list)
    open: list[Attempt] = field(default_factory=list)
    promos: dict[str, PromoCode] = field(default_factory=dict)
    _number: int = 0

    async def work_until_over(self, seed: int) -> None:
        for act in operator_acts(seed):
            if self.shared.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                attempt = await self._verb(act)
            except UNREACHABLE:
                continue
            if attempt is not None:
                await self._insist(attempt)

    async def finish(self) -> None:
        """Repeat the verbs that were never answered."""
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
                self.shared.done[f"verbs: {done.verb}{'' if done.done else ' (refused)'}"] += 1
                return
        self.open.append(attempt)

    async def _verb(self, act: PlannedAct) -> Attempt | None:
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

    async def _any(self, query: str, act: PlannedAct) -> Row | None:
        rows = await self.pool.fetch(query)
        return one_of(rows, act.pick) if rows else None

    def _move(self, act: PlannedAct, user_id: UserId, reference: str) -> Attempt:
        minor = self.shared.a_sum(300)
        verb = money.credit_user if act.kind == "credit" else money.debit_user

        async def attempt() -> OperatorAction:
            answer = await verb(self.pool, user_id, minor, reference=reference, operator=BY, reason=WHY)
            sign = 1 if act.kind == "credit" else -1
            return OperatorAction(
                verb=act.kind, reference=reference, user_id=user_id, minor=sign * minor, done=answer.done
            )

        return attempt

    def _correct(self, credit: OperatorAction) -> Attempt:
        async def attempt() -> OperatorAction:
            answer = await money.correct_move(self.pool, credit.reference, operator=BY, reason=WHY)
            reference = f"correction:{credit.reference}"
            return replace(credit, verb="correct", reference=reference, minor=-(credit.minor or 0), done=answer.done)

        return attempt

    def _refund_job(self, job: Row, reference: str, act: PlannedAct) -> Attempt:
        """All of it, or a part small enough to be left the first times."""
        minor = None if act.how < WHOLE else max(1, job["price"] // 4)

        async def attempt() -> OperatorAction:
            job_id, user_id = JobId(job["job_id"]), job["user_id"]
            answer = await money.refund_job(self.pool, job_id, minor, reference=reference, operator=BY, reason=WHY)
            return OperatorAction(
                verb="refund job", reference=reference, user_id=user_id, minor=minor, done=answer.done, job_id=job_id
            )

        return attempt

    def _refund_payment(self, paid: Row, act: PlannedAct) -> Attempt:
        by_hand = paid["provider"] in NO_WAY_BACK

        async def attempt() -> OperatorAction:
            payment_id, owing = paid["payment_id"], act.how < OWING
            answer = await refund_payment(self.pool, payment_id, owing=owing, by_hand=by_hand, operator=BY, reason=WHY)
            return OperatorAction(
                verb=f"refund of a payment by {paid['provider']}",
                reference=f"payment {payment_id}",
                user_id=paid["user_id"],
                minor=-paid["credit"],
                done=answer.done,
                payment_id=payment_id,
            )

        return attempt

    def _promo(self, act: PlannedAct) -> Attempt:
        pattern = one_of(PROMOS, act.pick)
        promo = replace(pattern, code=f"{pattern.code}{self._number}")

        async def attempt() -> OperatorAction:
            answer = await create_promo(self.pool, promo, operator=BY, reason=WHY)
            self.promos[promo.code] = promo
            self.shared.promo_codes.append(promo.code)
            return OperatorAction(verb="promo", reference=promo.code, user_id=0, minor=0, done=answer.done)

        return attempt
