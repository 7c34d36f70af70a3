"""Random histories of two users, run on PostgreSQL and on a model of it, agree after every step and pass the audit.

Every real action may be cut off: the session is rolled back after some of its statements, or killed, before it is done
once more to its end. What is cut off leaves nothing.
"""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, ClassVar

import asyncpg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from photomat.db.connection import Isolation
from photomat.db.pool import Transaction, connect
from photomat.kernel.errors import Corrupt, NotEnough, Rejected
from photomat.kernel.ids import JobId, UserId
from photomat.wallet import ledger, refunds
from photomat.wallet.postings import CreditReason
from support.audit import ONE_PLAN, wrongs
from support.crashes import CutOffError, Verb, fragile
from support.database import connection_of
from support.money import accept_offer, buy, give_back, make_user, mark, move_between, rub, sell
from support.statements import statement_adds_up
from support.wallet_model import NO, REFUSED, TOO_POOR, ModelLedger

users = st.sampled_from([0, 1])
amounts = st.integers(min_value=1, max_value=60)
reasons = st.sampled_from(["welcome", "operator"])
endings = st.sampled_from(["failed", "canceled"])
numbers = st.integers(0, 5)
cuts = st.sampled_from(
    [None, None, None, (1, "roll back"), (2, "roll back"), (3, "roll back"), (9, "roll back"), (2, "kill")]
)
"""Where an action is cut off before it is done: after so many statements, and how."""


class WalletMachine(RuleBasedStateMachine):
    """The same actions on both sides; each real one is a transaction of its own, rolled back when it is refused."""

    dsn: ClassVar[str]
    isolation: ClassVar[Isolation]
    jobs = Bundle("jobs")

    def __init__(self) -> None:
        super().__init__()
        self.model = ModelLedger()
        self.prices: dict[JobId, tuple[UserId, int]] = {}
        self.runner = asyncio.Runner()
        self.opened = contextlib.AsyncExitStack()
        self.connection = self.run(self.opened.enter_async_context(connection_of(self.dsn)))
        self.run(self.connection.execute(ONE_PLAN))
        first = self.run(self.connection.fetchval("SELECT coalesce(max(user_id), 0) + 1 FROM users"))
        self.users = [UserId(first), UserId(first + 1)]
        for user in self.users:
            self.run(make_user(self.connection, user))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def answer(self, verb: Verb, cut: tuple[int, str] | None = None) -> object:
        """What the real ledger says, in the model's words; first cut off, if so wished."""
        if cut is not None:
            self.run(self.cut_off(verb, *cut))

        async def in_transaction() -> object:
            async with self.connection.transaction(isolation=self.isolation):
                return await verb(self.connection)

        try:
            return self.run(in_transaction())
        except NotEnough:
            return TOO_POOR
        except Rejected:
            return NO
        except Corrupt:
            return REFUSED

    async def cut_off(self, verb: Verb, statements: int, how: str) -> None:
        """Do so many statements of it in a session of its own, and end that: rolled back, or killed by the server."""
        session = await connect(self.dsn, name="photomat test, cut off")
        try:
            begun = session.transaction(isolation=self.isolation)
            await begun.start()
            pid = session.get_server_pid()
            with contextlib.suppress(CutOffError, Corrupt, Rejected, asyncpg.PostgresError):
                await verb(fragile(session, statements))
            if how == "kill":
                gone = await self.connection.fetchval("SELECT pg_terminate_backend($1, 30000)", pid, timeout=35)
                assert gone, "the killed session is still there"
            else:
                await begun.rollback()
        finally:
            session.terminate()

    def key(self, verb: str, number: int) -> str:
        """A few references only, so many come again, with the same parameters or with others."""
        return f"{verb}:{self.users[0]}:{number}"

    @rule(user=users, amount=amounts, number=numbers, reason=reasons, cut=cuts)
    def credit(self, user: int, amount: int, number: int, reason: CreditReason, cut: Any) -> None:
        owner, reference = self.users[user], self.key("credit", number)
        expected = self.model.credit(owner, amount, reference, reason)
        assert expected == self.answer(
            lambda tx: ledger.credit(tx, user_id=owner, amount=rub(amount), reference=reference, reason=reason), cut
        )

    @rule(number=numbers)
    def credit_again(self, number: int) -> None:
        reference = self.key("credit", number)
        if reference not in self.model.asked:
            return
        _, owner, amount, reason = self.model.asked[reference]
        again: Any = {"user_id": owner, "amount": rub(int(str(amount))), "reason": reason}
        assert self.answer(lambda tx: ledger.credit(tx, reference=reference, **again)) is False

    @rule(user=users, amount=amounts, number=numbers, cut=cuts)
    def debit(self, user: int, amount: int, number: int, cut: Any) -> None:
        owner, reference = self.users[user], self.key("debit", number)
        assert self.model.debit(owner, amount, reference) == self.answer(
            lambda tx: ledger.debit(tx, user_id=owner, amount=rub(amount), reference=reference, reason="operator"), cut
        )

    @rule(user=users, amount=amounts, number=numbers, cut=cuts)
    def take_back(self, user: int, amount: int, number: int, cut: Any) -> None:
        owner, reference = self.users[user], self.key("take-back", number)

        async def verb(tx: Transaction) -> object:
            taken = await refunds.take_back(tx, user_id=owner, amount=rub(amount), reference=reference)
            return taken.from_wallet.minor, taken.as_debt.minor, taken.is_new

        assert self.model.take_back(owner, amount, reference) == self.answer(verb, cut)

    @rule(user=users, amount=amounts, number=numbers, cut=cuts)
    def transfer(self, user: int, amount: int, number: int, cut: Any) -> None:
        giver, taker, reference = self.users[user], self.users[1 - user], self.key("gift", number)
        assert self.model.transfer(giver, taker, amount, reference) == self.answer(
            lambda tx: move_between(tx, giver=giver, taker=taker, amount=rub(amount), reference=reference), cut
        )

    @rule(job=jobs, amount=st.none() | amounts, number=st.integers(0, 2), cut=cuts)
    def refund(self, job: JobId | None, amount: int | None, number: int, cut: Any) -> None:
        if job is None:
            return
        reference = f"refund:{job}:{number}"

        async def verb(tx: Transaction) -> object:
            given = None if amount is None else rub(amount)
            refund = await refunds.refund_charge(tx, job_id=job, amount=given, reference=reference)
            return refund.amount.minor, refund.is_new

        assert self.model.refund(job, amount, reference) == self.answer(verb, cut)

    @rule(verb=st.sampled_from(["credit", "debit", "take-back"]), number=numbers, second=st.booleans(), cut=cuts)
    def correct(self, verb: str, number: int, second: bool, cut: Any) -> None:  # noqa: FBT001  hypothesis names it
        of = self.key(verb, number)
        reference = f"correction:{of}" + (":2" if second else "")
        assert self.model.correct(of, reference) == self.answer(
            lambda tx: refunds.correct(tx, of=of, reference=reference), cut
        )

    @rule(target=jobs, user=users, price=amounts, cut=cuts)
    def buy(self, user: int, price: int, cut: Any) -> JobId | None:
        owner = self.users[user]
        answer = self.answer(lambda tx: buy(tx, owner, price=price), cut)
        if self.model.available(owner) < price:
            assert answer == TOO_POOR
            return None
        assert isinstance(answer, int)
        job_id = JobId(answer)
        self.prices[job_id] = (owner, price)
        assert self.model.hold(owner, price, f"job:{job_id}", job_id) is None
        return job_id

    @rule(job=jobs, user=users, price=amounts, same=st.booleans())
    def hold_again(self, job: JobId | None, user: int, price: int, same: bool) -> None:  # noqa: FBT001  hypothesis names it
        if job is None:
            return
        owner, amount = self.prices[job] if same else (self.users[user], price)
        expected = self.model.hold(owner, amount, f"job:{job}", job)
        assert expected == self.answer(
            lambda tx: ledger.hold(tx, user_id=owner, amount=rub(amount), reference=f"job:{job}", job_id=job)
        )

    @rule(job=jobs, cut=cuts)
    def sell(self, job: JobId | None, cut: Any) -> None:
        if job is not None and not self.is_accepted_offer(job):
            assert self.model.close(f"job:{job}", "charge") == self.answer(lambda tx: sell(tx, job), cut)

    @rule(job=jobs, status=endings, cut=cuts)
    def give_back(self, job: JobId | None, status: Any, cut: Any) -> None:
        if job is not None and not self.is_accepted_offer(job):
            assert self.model.close(f"job:{job}", "release") == self.answer(lambda tx: give_back(tx, job, status), cut)

    @rule(job=jobs, cut=cuts)
    def accept_offer(self, job: JobId | None, cut: Any) -> None:
        if job is None or self.model.holds[f"job:{job}"].closed_as != "release":
            return
        owner, price = self.prices[job]
        tried = self.model.copy()
        held = tried.hold(owner, price, f"offer:{job}", job)
        expected = held if held is not None else tried.close(f"offer:{job}", "charge")
        assert expected == self.answer(lambda tx: accept_offer(tx, owner, job, price=price), cut)
        if held is None:
            self.model = tried

    @rule(job=jobs)
    def give_away(self, job: JobId | None) -> None:
        """A late success after a release: delivered, not charged."""
        if (
            job is not None
            and self.model.holds[f"job:{job}"].closed_as == "release"
            and not self.is_accepted_offer(job)
        ):
            self.answer(lambda tx: mark(tx, job, "failed"))
            self.answer(lambda tx: mark(tx, job, "done", gift=True))

    def is_accepted_offer(self, job: JobId) -> bool:
        return f"offer:{job}" in self.model.holds

    @invariant()
    def both_sides_agree(self) -> None:
        for user in self.users:
            wallet = self.run(ledger.balance(self.connection, user_id=user))
            real = (wallet.posted.minor, wallet.held.minor, wallet.available.minor, wallet.owed.minor)
            model = self.model
            assert real == (model.posted(user), model.held(user), model.available(user), model.debts[user])
            assert min(real) >= 0
            assert not wallet.owed.minor or not wallet.unheld.minor, "free money lies beside a debt"

    @invariant()
    def the_audit_is_content(self) -> None:
        assert self.run(wrongs(self.connection)) == []

    def teardown(self) -> None:
        """In the end each statement is read in pages of every size."""
        try:
            for user in self.users:
                for limit in (1, 2, 3, 8):
                    self.run(statement_adds_up(self.connection, user, limit=limit))
        finally:
            self.run(self.opened.aclose())
            self.runner.close()


@pytest.mark.parametrize(
    ("steps", "isolation", "histories"),
    [
        (12, "read_committed", 5),
        (50, "read_committed", 1),
        (30, "serializable", 1),
        pytest.param(12, "read_committed", 200, marks=pytest.mark.prove),
        pytest.param(50, "read_committed", 48, marks=pytest.mark.prove),
        pytest.param(30, "serializable", 80, marks=pytest.mark.prove),
    ],
)
def test_random_histories_agree_with_the_model(database: str, steps: int, isolation: Isolation, histories: int) -> None:
    class Machine(WalletMachine):
        dsn = database

    Machine.isolation = isolation
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
