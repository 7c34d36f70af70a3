"""Random histories of payments, refunds, orders, codes, rewards and gifts agree with a model at every step and pass the audit.

Every action on money may be cut off first: rolled back after some of its statements, as if the process had died there.
"""

import asyncio
import contextlib
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.payments.receive import receive_payment
from photomat.payments.refunds import (
    ClaimedRefund,
    Refunder,
    ask_refund,
    end_refund,
    finish_refund,
    put_back,
    take_back_reported,
)
from photomat.rewards import gifts
from photomat.rewards.payouts import book_share
from photomat.rewards.promo import CodeAccepted, use_code
from photomat.wallet import ledger, refunds
from support.audit import ONE_PLAN, wrongs
from support.crashes import Cut, Verb, answer_of, cut_off, cuts
from support.database import connection_of
from support.money import buy, give_back, make_user, rub, sell
from support.payments import arrived, offer, stars
from support.payments_model import PERCENT, ModelPayments
from support.rewards import a_code, invite
from support.sessions import as_pool
from support.wallet_model import ModelLedger

users = st.sampled_from([0, 1])
names = st.integers(0, 2)
sums = st.integers(1, 60)
ASKED, OFFERED = 40, 100


class PaymentMachine(RuleBasedStateMachine):
    """The same actions on both sides; each real one is a transaction of its own."""

    dsn: ClassVar[str]
    jobs = Bundle("jobs")
    open_gifts = Bundle("open_gifts")

    def __init__(self) -> None:
        super().__init__()
        self.model = ModelLedger()
        self.payments = ModelPayments(self.model)
        self.gone: set[str] = set()
        self.used: set[str] = set()
        self.coded: dict[str, UserId] = {}
        self.runner = asyncio.Runner()
        self.opened = contextlib.AsyncExitStack()
        self.connection = self.run(self.opened.enter_async_context(connection_of(self.dsn)))
        self.run(self.connection.execute(ONE_PLAN))

    @initialize()
    def two_users_with_an_offer(self) -> None:
        first = self.run(self.connection.fetchval("SELECT coalesce(max(user_id), 0) + 1 FROM users"))
        self.users = [UserId(first), UserId(first + 1)]
        for user in self.users:
            self.run(make_user(self.connection, user))
        topup = offer(
            self.connection, asked=stars(ASKED), credit=rub(OFFERED), origin=f"{first}", user_id=self.users[0]
        )
        self.topup_id = self.run(topup).topup_id
        inviter, friend = self.users
        self.payments.inviter, self.payments.friend = inviter, friend
        self.code = f"TENTH{first}"
        self.run(self.an_invitation_and_a_code(inviter, friend))

    async def an_invitation_and_a_code(self, inviter: UserId, friend: UserId) -> None:
        await invite(self.connection, inviter, friend)
        await a_code(as_pool(self.connection), self.code, kind="percent", amount=None, percent=PERCENT, per_user=1000)
        for user in (inviter, friend):
            await use_code(self.connection, user_id=user, written=self.code, origin=f"first code of {user}")
            self.payments.waiting[user] += 1

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def answer(self, verb: Verb, cut: Cut | None = None) -> object:
        if cut is not None:
            self.run(cut_off(self.dsn, verb, cut))
        return self.run(answer_of(self.connection, verb))

    def name(self, number: int) -> str:
        return f"{self.users[0]}:{number}"

    @rule(user=users, number=names, paid=sums, cut=cuts)
    def pay(self, user: int, number: int, paid: int, cut: Any) -> None:
        """The same few charges again and again, with the same facts or with others."""
        owner, name = self.users[user], self.name(number)
        expected = self.payments.receive(name, owner, paid=paid, asked=ASKED, credit=OFFERED)

        async def verb(tx: Transaction) -> object:
            told = arrived(user_id=owner, external_id=name, topup_id=self.topup_id, paid=stars(paid))
            received = await receive_payment(tx, told)
            return received.credit.minor, received.is_new

        assert expected == self.answer(verb, cut)

    @rule(user=users, number=names, cut=cuts)
    def use_a_code(self, user: int, number: int, cut: Any) -> None:
        """The next top-up brings more; the same few updates again and again."""
        owner, origin = self.users[user], f"code:{self.name(number)}"
        if self.coded.setdefault(origin, owner) != owner:
            return
        is_new = origin not in self.used
        self.used.add(origin)

        async def verb(tx: Transaction) -> object:
            return isinstance(await use_code(tx, user_id=owner, written=self.code, origin=origin), CodeAccepted)

        assert self.answer(verb, cut) is True
        self.payments.waiting[owner] += is_new

    @rule(cut=cuts)
    def the_inviter_is_rewarded(self, cut: Any) -> None:
        rows = self.run(
            self.connection.fetch("SELECT payment_id FROM referral_shares WHERE friend_id = $1", self.users[1])
        )
        for row in rows:
            share = partial(book_share, payment_id=row["payment_id"], percent=PERCENT)
            self.answer(share, cut)
            self.answer(share)
        self.payments.book_shares()

    @rule(number=names, owing=st.booleans(), cut=cuts)
    def ask_for_a_refund(self, number: int, owing: bool, cut: Any) -> None:  # noqa: FBT001  hypothesis names it
        name = self.name(number)

        async def verb(tx: Transaction) -> object:
            found = await tx.fetchval("SELECT payment_id FROM payments WHERE external_id = $1", name)
            await ask_refund(tx, payment_id=found or 0, asked_by="olga", owing=owing, by_hand=False)
            return None

        assert self.payments.ask(name, owing=owing) == self.answer(verb, cut)

    @rule(state=st.sampled_from(["done", "refused"]), cut=cuts)
    def the_provider_answers(self, state: Any, cut: Any) -> None:
        due: list[ClaimedRefund] = self.run(Refunder(pool=as_pool(self.connection), calls={}).claim(1))
        if not due:
            return
        claimed = due[0]

        async def verb(tx: Transaction) -> object:
            if state == "refused":
                await put_back(tx, claimed, "no")
            elif await end_refund(tx, claimed.refund_id, "done"):
                await finish_refund(tx, claimed.payment, refund_id=claimed.refund_id, amount=claimed.amount)
            return None

        self.answer(verb, cut)
        self.answer(verb)
        self.payments.answer(claimed.payment.external_id, state)

    @rule(number=names, refunded=st.integers(0, 70), cut=cuts)
    def the_provider_tells_of_a_refund(self, number: int, refunded: int, cut: Any) -> None:
        name = self.name(number)
        self.payments.told(name, refunded)

        async def verb(tx: Transaction) -> object:
            await take_back_reported(tx, provider="stars", external_id=name, refunded=stars(refunded), via="test")
            return None

        self.answer(verb, cut)

    @rule(target=jobs, user=users, price=sums, cut=cuts)
    def buy(self, user: int, price: int, cut: Any) -> JobId | None:
        owner = self.users[user]
        affordable = self.model.available(owner) >= price
        answer = self.answer(lambda tx: buy(tx, owner, price=price), cut)
        assert affordable == isinstance(answer, int)
        if not isinstance(answer, int):
            return None
        job_id = JobId(answer)
        self.model.hold(owner, price, f"job:{job_id}", job_id)
        return job_id

    @rule(job=jobs, cut=cuts)
    def sell(self, job: JobId | None, cut: Any) -> None:
        if job is not None:
            assert self.model.close(f"job:{job}", "charge") == self.answer(lambda tx: sell(tx, job), cut)

    @rule(job=jobs, cut=cuts)
    def release(self, job: JobId | None, cut: Any) -> None:
        if job is not None:
            assert self.model.close(f"job:{job}", "release") == self.answer(lambda tx: give_back(tx, job), cut)

    @rule(job=jobs, cut=cuts)
    def refund_job(self, job: JobId | None, cut: Any) -> None:
        if job is None:
            return

        async def verb(tx: Transaction) -> object:
            refund = await refunds.refund_charge(tx, job_id=job, reference=f"refund:{job}")
            return refund.amount.minor, refund.is_new

        assert self.model.refund(job, None, f"refund:{job}") == self.answer(verb, cut)

    @rule(user=users, amount=sums, number=names, cut=cuts)
    def operator_credits_or_debits(self, user: int, amount: int, number: int, cut: Any) -> None:
        owner, reference = self.users[user], f"operator:{self.name(number)}"
        is_credit = number % 2 == 0
        verb = ledger.credit if is_credit else ledger.debit
        expected = (
            self.model.credit(owner, amount, reference, "operator")
            if is_credit
            else self.model.debit(owner, amount, reference)
        )
        assert expected == self.answer(
            lambda tx: verb(tx, user_id=owner, amount=rub(amount), reference=reference, reason="operator"), cut
        )

    @rule(number=names, cut=cuts)
    def operator_turns_it_round(self, number: int, cut: Any) -> None:
        of = f"operator:{self.name(number)}"
        assert self.model.correct(of, f"correction:{of}") == self.answer(
            lambda tx: refunds.correct(tx, of=of, reference=f"correction:{of}"), cut
        )

    @rule(target=open_gifts, user=users, amount=st.integers(100, 130), cut=cuts)
    def give(self, user: int, amount: int, cut: Any) -> str | None:
        giver = self.users[user]
        origin = f"{giver}:{len(self.model.asked)}:{amount}:{self.model.posted(giver)}:{len(self.gone)}"
        if origin in self.gone:
            return None
        expected = self.model.debit(giver, amount, f"gift:{origin}")

        async def verb(tx: Transaction) -> object:
            return (await gifts.give(tx, giver_id=giver, amount=rub(amount), origin=origin)).code

        answer = self.answer(verb, cut)
        if expected is not True:
            assert answer == expected
            return None
        self.gone.add(origin)
        return f"{answer}|{giver}|{amount}"

    @rule(gift=open_gifts, user=users, cut=cuts)
    def take(self, gift: str | None, user: int, cut: Any) -> None:
        if gift is None:
            return
        code, giver, amount = gift.split("|")
        taker = self.users[user]

        async def verb(tx: Transaction) -> object:
            return (await gifts.take(tx, code=code, taker_id=taker)) is not None

        assert self.answer(verb, cut) is True
        if gift not in self.gone and taker != int(giver):
            self.gone.add(gift)
            self.model.come(taker, int(amount))

    @invariant()
    def both_sides_agree(self) -> None:
        for user in getattr(self, "users", []):
            wallet = self.run(ledger.balance(self.connection, user_id=user))
            real = (wallet.posted.minor, wallet.held.minor, wallet.owed.minor)
            assert real == (self.model.posted(user), self.model.held(user), self.model.debts[user])
            assert min(real) >= 0
        for name, expected in self.payments.states().items():
            rows = self.run(
                self.connection.fetch(
                    """
                    SELECT amount, back.paid_amount, state FROM payment_refunds AS back JOIN payments USING (payment_id)
                     WHERE payments.external_id = $1 ORDER BY refund_id
                    """,
                    name,
                )
            )
            assert [tuple(row) for row in rows] == expected

    @invariant()
    def the_audit_is_content(self) -> None:
        assert self.run(wrongs(self.connection)) == []

    def teardown(self) -> None:
        """Nothing that is wanted is left to the next history."""
        if hasattr(self, "users"):
            for refund in self.run(Refunder(pool=as_pool(self.connection), calls={}).claim(99)):
                self.run(put_back(self.connection, refund, "over"))
        self.run(self.opened.aclose())
        self.runner.close()


@pytest.mark.parametrize("histories", [3, pytest.param(200, marks=pytest.mark.prove)])
def test_random_histories_of_payments_agree_with_the_model(database: str, histories: int) -> None:
    class Machine(PaymentMachine):
        dsn = database

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=50,
            phases=[Phase.generate],
            report_multiple_bugs=False,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
