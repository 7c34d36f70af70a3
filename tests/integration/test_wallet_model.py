"""Random histories of two users, run on PostgreSQL and on a model of it, agree after every step and pass the audit."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from photomat.audit.run import violations
from photomat.db.pool import Transaction
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import JobId, UserId
from photomat.wallet import ledger
from photomat.wallet.posting import CreditReason
from support.database import connection_of
from support.money import accept_offer, buy, give_back, make_user, mark, rub, sell
from support.wallet_model import REFUSED, TOO_POOR, ModelLedger

users = st.sampled_from([0, 1])
amounts = st.integers(min_value=1, max_value=60)
reasons = st.sampled_from(["topup", "operator"])
endings = st.sampled_from(["failed", "canceled"])

Verb = Callable[[Transaction], Coroutine[Any, Any, object]]


class WalletMachine(RuleBasedStateMachine):
    """The same actions on both sides; each real one is a transaction of its own, rolled back when it is refused."""

    dsn: ClassVar[str]
    jobs = Bundle("jobs")

    def __init__(self) -> None:
        super().__init__()
        self.model = ModelLedger()
        self.prices: dict[JobId, tuple[UserId, int]] = {}
        self.runner = asyncio.Runner()
        self.opened = contextlib.AsyncExitStack()
        self.connection = self.run(self.opened.enter_async_context(connection_of(self.dsn)))
        first = self.run(self.connection.fetchval("SELECT coalesce(max(user_id), 0) + 1 FROM users"))
        self.users = [UserId(first), UserId(first + 1)]
        for user in self.users:
            self.run(make_user(self.connection, user))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def answer(self, verb: Verb) -> object:
        """What the real ledger says, in the model's words."""

        async def in_transaction() -> object:
            async with self.connection.transaction():
                return await verb(self.connection)

        try:
            return self.run(in_transaction())
        except NotEnough:
            return TOO_POOR
        except Corrupt:
            return REFUSED

    @rule(user=users, amount=amounts, number=st.integers(0, 5), reason=reasons)
    def credit(self, user: int, amount: int, number: int, reason: CreditReason) -> None:
        """A few references only, so many come again, with the same parameters or with others."""
        owner, reference = self.users[user], f"credit:{self.users[0]}:{number}"
        expected = self.model.credit(owner, amount, reference, reason)
        assert expected == self.answer(
            lambda tx: ledger.credit(tx, user_id=owner, amount=rub(amount), reference=reference, reason=reason)
        )

    @rule(number=st.integers(0, 5))
    def credit_again(self, number: int) -> None:
        reference = f"credit:{self.users[0]}:{number}"
        if reference not in self.model.credits:
            return
        owner, amount, _ = self.model.credits[reference]
        reason: CreditReason = "topup" if self.model.credits[reference][2] == "topup" else "operator"
        assert not self.answer(
            lambda tx: ledger.credit(tx, user_id=UserId(owner), amount=rub(amount), reference=reference, reason=reason)
        )

    @rule(target=jobs, user=users, price=amounts)
    def buy(self, user: int, price: int) -> JobId | None:
        owner = self.users[user]
        answer = self.answer(lambda tx: buy(tx, owner, price=price))
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

    @rule(job=jobs)
    def sell(self, job: JobId | None) -> None:
        if job is not None and not self.is_accepted_offer(job):
            assert self.model.close(f"job:{job}", "charge") == self.answer(lambda tx: sell(tx, job))

    @rule(job=jobs, status=endings)
    def give_back(self, job: JobId | None, status: Any) -> None:
        if job is not None and not self.is_accepted_offer(job):
            assert self.model.close(f"job:{job}", "release") == self.answer(lambda tx: give_back(tx, job, status))

    @rule(job=jobs)
    def accept_offer(self, job: JobId | None) -> None:
        if job is None or self.model.holds[f"job:{job}"].closed_as != "release":
            return
        owner, price = self.prices[job]
        tried = self.model.copy()
        held = tried.hold(owner, price, f"offer:{job}", job)
        expected = held if held is not None else tried.close(f"offer:{job}", "charge")
        assert expected == self.answer(lambda tx: accept_offer(tx, owner, job, price=price))
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
            real = (wallet.posted.minor, wallet.held.minor, wallet.available.minor)
            assert real == (self.model.posted(user), self.model.held(user), self.model.available(user))
            assert min(real) >= 0

    @invariant()
    def the_audit_is_content(self) -> None:
        assert self.run(violations(self.connection)) == []

    def teardown(self) -> None:
        self.run(self.opened.aclose())
        self.runner.close()


@pytest.mark.parametrize("steps", [12, 50])
def test_random_histories_agree_with_the_model(database: str, steps: int) -> None:
    class Machine(WalletMachine):
        dsn = database

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=600 // steps,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
