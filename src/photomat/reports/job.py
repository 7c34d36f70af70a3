"""One job from tap to ring for operators: its steps in order, its money, its card and its files. Reads only.

Prompts and answers of the customer are part of it: the page that shows them needs a session, and nothing here is logged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from photomat.db.pool import Pool
from photomat.db.rows import Row, require_row, row_as
from photomat.delivery.outputs import Output, outputs_of
from photomat.delivery.render import LockedCard, locked_card
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import JobReport, price_breakdown, read_job_report
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.reports.journal import JournalLine, JournalQuery, list_journal
from photomat.texts.sentence import Sentence

MAX_ACTS: Final = 100
MAX_TICKETS: Final = 10
SUMS: Final = frozenset({"price", "cost", "amount"})
"""Details of steps that are minor units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStep:
    """One thing that happened: who did it, how long after the step before, details for a reader of logs."""

    at: datetime
    says: Sentence
    by: str
    detail: str
    rank: int
    """The order of steps of one moment: what caused it comes first."""
    after: timedelta | None = None
    is_ours: bool = False
    """Done by an operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRefund:
    reference: str
    reason: str
    amount: Money
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMoney:
    """`kept` is what was charged less what was given back; `margin` is known once Kie said what it took."""

    price: Money
    charged: Money
    refunded: Money
    kept: Money
    cost: Money | None
    margin: Money | None
    breakdown: Sequence[Sentence]
    refunds: Sequence[JobRefund]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTicket:
    ticket_id: int
    state: str
    opened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStory:
    report: JobReport
    card: LockedCard
    outputs: Sequence[Output]
    user_name: str | None
    money: JobMoney
    steps: Sequence[TimelineStep]
    acts: Sequence[JournalLine]
    tickets: Sequence[JobTicket]

    @property
    def row(self) -> Mapping[str, Any]:
        return self.report.row


async def read_job_story(pool: Pool, job_id: JobId, around: Surroundings) -> JobStory | None:
    """Everything about one job; None when there is no such job."""
    report = await read_job_report(pool, str(job_id), around)
    if report is None or report.row["job_id"] != job_id:
        return None
    row = await require_row(
        pool,
        """
        SELECT job.*, photomat_now() AS locked_at, username, first_name,
               EXISTS (SELECT FROM result_marks AS mark
                        WHERE mark.job_id = job.job_id AND favourite_at IS NOT NULL) AS is_favourite,
               (SELECT created_at FROM drafts WHERE drafts.draft_id = job.draft_id) AS drafted_at
          FROM generation_jobs AS job
          LEFT JOIN (SELECT user_id, username, first_name FROM users) AS person USING (user_id) WHERE job_id = $1
        """,
        job_id,
    )
    acts = (await list_journal(pool, JournalQuery(job_id=job_id), limit=MAX_ACTS)).lines
    return JobStory(
        report=report,
        card=locked_card(row),
        outputs=await outputs_of(pool, job_id),
        user_name=f"@{row['username']}" if row["username"] else row["first_name"],
        money=await _money(pool, report, job_id),
        steps=_in_order(_steps(report, acts, drafted_at=row["drafted_at"])),
        acts=acts,
        tickets=await _tickets(pool, job_id),
    )


async def _tickets(pool: Pool, job_id: JobId) -> list[JobTicket]:
    rows = await pool.fetch(
        "SELECT ticket_id, state, opened_at FROM tickets WHERE job_id = $1 ORDER BY ticket_id DESC LIMIT $2",
        job_id,
        MAX_TICKETS,
    )
    return [row_as(JobTicket, row) for row in rows]


async def _money(pool: Pool, report: JobReport, job_id: JobId) -> JobMoney:
    currency = report.row["currency"]
    charged = sum(hold.amount.minor for hold in report.holds if hold.closed_as == "charge")
    refunds = [_refund(row) for row in await _refunds(pool, job_id)]
    refunded = sum(refund.amount.minor for refund in refunds)
    cost = report.row["cost"]
    is_over = report.row["settled_at"] is not None
    return JobMoney(
        price=Money(report.row["price"], currency),
        charged=Money(charged, currency),
        refunded=Money(refunded, currency),
        kept=Money(charged - refunded, currency),
        cost=None if cost is None else Money(cost, currency),
        margin=None if cost is None or not is_over else Money(charged - refunded - cost, currency),
        breakdown=price_breakdown(report.row, refunded=refunded),
        refunds=refunds,
    )


async def _refunds(pool: Pool, job_id: JobId) -> list[Row]:
    return await pool.fetch(
        """
        SELECT reference, reason, booked_at, currency, sum(amount)::bigint AS amount
          FROM ledger_transactions JOIN entries USING (transaction_id)
         WHERE job_id = $1 AND refunds IS NOT NULL AND user_id IS NOT NULL
         GROUP BY transaction_id, reference, reason, booked_at, currency ORDER BY transaction_id
        """,
        job_id,
    )


def _refund(row: Row) -> JobRefund:
    return JobRefund(
        reference=row["reference"],
        reason=row["reason"],
        amount=Money(row["amount"], row["currency"]),
        at=row["booked_at"],
    )


def _in_order(steps: Iterator[TimelineStep]) -> list[TimelineStep]:
    """By time, each with the time since the one before."""
    ordered = sorted(steps, key=lambda step: (step.at, step.rank))
    return [
        replace(step, after=step.at - earlier.at) if earlier is not None else step
        for step, earlier in zip(ordered, [None, *ordered], strict=False)
    ]


def _steps(report: JobReport, acts: Sequence[JournalLine], *, drafted_at: datetime | None) -> Iterator[TimelineStep]:
    if drafted_at is not None:
        yield _step(drafted_at, Sentence("step-drafted"), rank=0)
    for tap in report.taps:
        detail = f"update={tap.update_id} attempts={tap.attempts}"
        yield _step(tap.received_at, Sentence("step-tapped"), rank=0, detail=detail)
    for hold in report.holds:
        yield _step(hold.held_at, Sentence("step-held", amount=hold.amount), rank=3, detail=hold.reference)
        if hold.closed_at is not None:
            is_charge = hold.closed_as == "charge"
            says = Sentence("step-charged" if is_charge else "step-hold-released", amount=hold.amount)
            yield _step(hold.closed_at, says, rank=3, detail=hold.reference)
    for callback in report.callbacks:
        says = Sentence("step-callback", state=callback.state)
        yield _step(callback.received_at, says, rank=0, by="Kie", detail=f"task={callback.task_id}")
    for output in report.outputs:
        if output.kept_at is not None:
            says = Sentence("step-copied", number=output.position + 1)
            yield _step(output.kept_at, says, rank=4, detail=f"{output.mime} {output.size_bytes}")
    for event in report.events:
        detail = _words(event.detail, report.row["currency"])
        yield _step(event.at, _event(event.tag), rank=2, by=event.instance, detail=detail)
    for act in acts:
        says = Sentence("step-operator-did" if act.done else "step-operator-refused", action=act.did, outcome=act.says)
        yield _step(act.at, says, rank=1, by=act.operator, detail=act.reason or "", is_ours=True)


def _event(tag: str) -> Sentence:
    """What happened; a tag of another release is shown as it is."""
    return Sentence(f"step-{tag.replace(' ', '-')}") if tag in list(Tag) else Sentence("step-other", tag=tag)


def _step(
    at: datetime, says: Sentence, *, rank: int, by: str = "", detail: str = "", is_ours: bool = False
) -> TimelineStep:
    return TimelineStep(at=at, says=says, rank=rank, by=by, detail=detail, is_ours=is_ours)


def _words(detail: Mapping[str, Any], currency: str) -> str:
    return " ".join(
        f"{name}={Money(value, currency) if name in SUMS and isinstance(value, int) else value}"
        for name, value in detail.items()
    )


async def find_output(pool: Pool, job_id: JobId, position: int) -> Output | None:
    return next((output for output in await outputs_of(pool, job_id) if output.position == position), None)
