"""`photomat jobs`: listings and reports of jobs, and the actions of operators, each recorded in the journal."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

import typer

from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query, surroundings
from photomat.db.pool import Pool
from photomat.jobs.listing import (
    JobFilter,
    JobReport,
    find_job,
    list_jobs,
    price_breakdown,
    read_job_report,
    waiting_orphans,
)
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.operators import actions
from photomat.operators.actions import ActionResult, JournalEntry, Reconciliation

TimelineRow = tuple[datetime, str, str, str]
"""When, what, by whom, details."""
SUMS: Final = frozenset({"price", "cost", "amount"})
"""Names of facts that are minor units in rows and events."""
SESSION = "photomat jobs"
NONE_OF = {
    JobFilter.UNDELIVERED: "No result waits to be delivered.",
    JobFilter.STUCK: "No job is stuck.",
}
app = typer.Typer(help="What happened to every job, and what to do about it.", no_args_is_help=True)
Reason = Annotated[str | None, typer.Option(help="Why, for the journal.")]
Act = Callable[[Pool, JobId], Awaitable[ActionResult]]


def _report_as_json(report: JobReport, acts: Sequence[JournalEntry]) -> dict[str, Any]:
    """The columns of the job at the top level, related rows beside them."""
    return {
        **report.row,
        "why": report.why.plain,
        "money": [line.plain for line in price_breakdown(report.row)],
        "taps": [asdict(one) for one in report.taps],
        "holds": [asdict(one) for one in report.holds],
        "callbacks": [asdict(one) for one in report.callbacks],
        "outputs_kept": [asdict(one) for one in report.outputs],
        "timeline": [asdict(one) for one in report.events],
        "operators": [asdict(one) for one in acts],
    }


def print_report(report: JobReport, acts: Sequence[JournalEntry]) -> None:
    typer.secho(report.why.plain, bold=True)
    typer.echo(f"Money: {'; '.join(line.plain for line in price_breakdown(report.row))}.")
    lines = Listing("when (UTC)", "what", "by", "details")
    for at, what, who, details in sorted(_lines(report, acts), key=lambda line: line[0]):
        lines.add_row(f"{at:%Y-%m-%d %H:%M:%S.%f}"[:-3], what, who, details)
    print_listing(lines if lines.rows else "Nothing is recorded about it.")
    for name, value in _facts(report.row).items():
        typer.echo(f"{name:<24}{value}")


def _lines(report: JobReport, acts: Sequence[JournalEntry]) -> Iterator[TimelineRow]:
    for tap in report.taps:
        yield tap.received_at, "tap stored", "", f"update {tap.update_id}, attempts {tap.attempts}"
    for hold in report.holds:
        yield hold.held_at, "money held", "", f"{hold.amount} {hold.reference}"
        if hold.closed_at is not None:
            yield hold.closed_at, f"money: {hold.closed_as}", "", f"{hold.amount} {hold.reference}"
    for callback in report.callbacks:
        yield callback.received_at, "callback stored", "Kie", f"says {callback.state} of {callback.task_id}"
    for output in report.outputs:
        if output.kept_at is not None:
            yield output.kept_at, "output copied", "", f"{output.position}: {output.mime}, {output.size_bytes} bytes"
    for event in report.events:
        yield event.at, event.tag, event.instance, _words(event.detail, report.row["currency"])
    for act in acts:
        yield act.at, f"operator: {act.action}", act.operator, f"{act.outcome} {act.reason or ''}".strip()


def _words(detail: Mapping[str, Any], currency: str) -> str:
    return " ".join(f"{name}={_value(name, value, currency)}" for name, value in detail.items())


def _facts(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: _value(name, value, row["currency"])
        for name, value in row.items()
        if value is not None and name not in {"quote", "currency"}
    }


def _value(name: str, value: object, currency: str) -> str:
    return str(Money(value, currency)) if name in SUMS and isinstance(value, int) else str(value)


@app.command("list")
def list_command(
    *,
    undelivered: Annotated[bool, typer.Option(help="Only results that are not delivered yet.")] = False,
    orphans: Annotated[bool, typer.Option(help="Callbacks that wait for their job instead.")] = False,
    stuck: Annotated[bool, typer.Option(help="Only jobs that do not move as they should.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """The newest jobs, or those that need a look."""
    if undelivered + orphans + stuck > 1:
        raise typer.BadParameter("choose one of --undelivered, --orphans and --stuck")
    if orphans:
        _show_list(
            query(lambda pool: waiting_orphans(pool, limit=limit), name=SESSION), _print_orphans, as_json=as_json
        )
        return
    only = JobFilter.UNDELIVERED if undelivered else JobFilter.STUCK if stuck else JobFilter.ALL
    rows = query(lambda pool: _list(pool, limit=limit, only=only), name=SESSION)
    show = _print_jobs if only is JobFilter.ALL else partial(_print_reasons, none=NONE_OF[only])
    _show_list(rows, show, as_json=as_json)


@app.command("show")
def show_command(job: str, *, as_json: AsJson = False) -> None:
    """Everything about one job, by its id or its task id, and why it is not delivered yet."""
    found = query(lambda pool: _report(pool, job), name=SESSION)
    if found is None:
        raise _unknown(job)
    report, acts = found
    if as_json:
        print_json(_report_as_json(report, acts))
    else:
        print_report(report, acts)


@app.command("reconcile")
def reconcile_command(*, as_json: AsJson = False) -> None:
    """One pass over the orphan callbacks by hand: what matched, what waits."""
    done = operate(lambda pool: actions.reconcile(pool, operator=operator_name()), name=SESSION)
    if as_json:
        print_json({"matched": done.matched, "waiting": done.waiting})
    else:
        _print_reconciliation(done)


@app.command("retry")
def retry_command(job: str, *, reason: Reason = None, as_json: AsJson = False) -> None:
    """Poll a job, or submit it, now; a request that left for Kie is never sent again."""
    _act(job, lambda pool, job_id: actions.retry(pool, job_id, operator=operator_name(), reason=reason), as_json)


@app.command("redeliver")
def redeliver_command(job: str, *, reason: Reason = None, as_json: AsJson = False) -> None:
    """Show a job's card again, a parked or undeliverable one too; free, and never a second picture."""
    _act(job, lambda pool, job_id: actions.redeliver(pool, job_id, operator=operator_name(), reason=reason), as_json)


@app.command("cancel")
def cancel_command(
    job: str, *, reason: Annotated[str, typer.Option(help="Why, for the journal.")], as_json: AsJson = False
) -> None:
    """Release the money of an unfinished job; a result that comes later is offered for its price."""
    _act(job, lambda pool, job_id: actions.cancel(pool, job_id, operator=operator_name(), reason=reason), as_json)


def _act(job: str, act: Act, as_json: bool) -> None:  # noqa: FBT001  the one flag every command has
    async def find_and_act(pool: Pool) -> tuple[JobId, ActionResult] | None:
        job_id = await find_job(pool, job)
        return None if job_id is None else (job_id, await act(pool, job_id))

    found = operate(find_and_act, name=SESSION)
    if found is None:
        raise _unknown(job)
    job_id, answer = found
    facts = {"job_id": job_id, "sentence": answer.sentence} if as_json else None
    print_outcome(f"Job {job_id}: {answer.sentence}", done=answer.done, facts=facts)


async def _list(pool: Pool, *, limit: int, only: JobFilter) -> list[dict[str, Any]]:
    return await list_jobs(pool, limit=limit, only=only, around=await surroundings(pool, load()))


async def _report(pool: Pool, job: str) -> tuple[JobReport, list[JournalEntry]] | None:
    report = await read_job_report(pool, job, await surroundings(pool, load()))
    return None if report is None else (report, await actions.journal_of_job(pool, JobId(report.row["job_id"])))


def _unknown(job: str) -> typer.Exit:
    typer.echo(f"No job and no task is called {job}.", err=True)
    return typer.Exit(1)


def _show_list(
    rows: Sequence[Mapping[str, Any]], show: Callable[[Sequence[Mapping[str, Any]]], None], *, as_json: bool
) -> None:
    if as_json:
        print_json(rows)
    else:
        show(rows)


def _print_jobs(rows: Sequence[Mapping[str, Any]]) -> None:
    table = Listing("job", "corr", "user", "model", "status", "price", "created (UTC)", "delivered")
    for row in rows:
        table.add_row(
            *(str(row[key] or "") for key in ("job_id", "corr", "user_id", "model", "status")),
            str(Money(row["price"], row["currency"])),
            _short(row["created_at"]),
            _short(row["delivered_at"]),
        )
    print_listing(table if rows else "There are no jobs yet.")


def _short(at: str | None) -> str:
    """An ISO timestamp, shortened for a terminal of eighty columns; `--json` has it in full."""
    return f"{datetime.fromisoformat(at):%m-%d %H:%M}" if at else ""


def _print_reasons(rows: Sequence[Mapping[str, Any]], *, none: str) -> None:
    table = Listing("job", "user", "status", "created", "why")
    for row in rows:
        table.add_row(str(row["job_id"]), str(row["user_id"]), row["status"], _short(row["created_at"]), row["why"])
    print_listing(table if rows else none)


def _print_orphans(rows: Sequence[Mapping[str, Any]]) -> None:
    table = Listing("orphan", "task", "received", "why it is one")
    for row in rows:
        table.add_row(str(row["orphan_id"]), row["task_id"], _short(row["received_at"]), str(row.get("error") or ""))
    print_listing(table if rows else "No callback waits for its job.")


def _print_reconciliation(done: Reconciliation) -> None:
    for row in done.matched:
        typer.echo(f"✓ orphan {row['orphan_id']}: task {row['task_id']} is job {row['job_id']} ({row['status']})")
    typer.echo(done.says.plain)
    if done.waiting:
        _print_orphans(done.waiting)
