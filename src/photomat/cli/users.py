"""`photomat users`: find a user and see everything about them; ban, limit, write to them. Each action has a reason."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.operators import users
from photomat.operators.actions import ActionResult
from photomat.operators.privacy import forget_user, note_export
from photomat.privacy.export import new_file
from photomat.privacy.forget import read_forgotten, repeat_forgets
from photomat.reports.users import PAGE, UserFilter, UserLine, UserReport, list_users, read_user
from photomat.users.standing import OwnLimits

NAME = "photomat users"
app = typer.Typer(help="Users: who they are, bans, limits of their own, messages.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Reference = Annotated[str | None, typer.Option(help="A name of your own for it: the same again sends nothing.")]
OwnLimit = Annotated[int | None, typer.Option(min=0, max=users.LARGEST_LIMIT, help="0: no limit; without: as usual.")]


@app.command("list")
def list_command(
    find: Annotated[str, typer.Argument(help="A number, an @username, or how a name begins.")] = "",
    *,
    only: Annotated[UserFilter, typer.Option(help="Which users.")] = UserFilter.ALL,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = PAGE,
    after: Annotated[str | None, typer.Option(help="The cursor of the last user seen.")] = None,
    as_json: AsJson = False,
) -> None:
    """Users, the newest first."""
    try:
        found = query(lambda pool: list_users(pool, find=find, only=only, after=after, limit=limit), name=NAME)
    except ValueError as error:
        raise typer.BadParameter("not a cursor of this list") from error
    if as_json:
        print_json([_as_json(one) for one in found])
        return
    table = Listing("user", "name", "since", "available", "jobs", "state")
    for one in found:
        table.add_row(
            str(one.user_id), _name(one), f"{one.created_at:%Y-%m-%d}", _available(one), str(one.jobs), _state(one)
        )
    print_listing(table if found else "There are no such users.")


@app.command("show")
def show(user_id: int, *, as_json: AsJson = False) -> None:
    """One user: wallet, limits, ban, jobs, payments, friends, and what operators did."""
    found = query(lambda pool: read_user(pool, UserId(user_id)), name=NAME)
    if found is None:
        typer.echo("There is no such user.", err=True)
        raise typer.Exit(1)
    if as_json:
        print_json(_report_as_json(found))
        return
    for line in _words(found):
        typer.echo(line)


@app.command("ban")
def ban(
    user_id: int,
    *,
    days: Annotated[int, typer.Option(min=0, help="For so many days; without days and hours for good.")] = 0,
    hours: Annotated[int, typer.Option(min=0, help="For so many hours.")] = 0,
    reason: Annotated[str, typer.Option(help="Why: for the journal, and the user reads it.")],
    as_json: AsJson = False,
) -> None:
    """Refuse a user's orders and messages; what is queued is canceled and the money is back."""
    lasts = timedelta(days=days, hours=hours) or None
    _do(
        lambda pool: users.ban_user(pool, UserId(user_id), lasts=lasts, operator=operator_name(), reason=reason),
        as_json=as_json,
    )


@app.command("unban")
def unban(user_id: int, *, reason: Reason, as_json: AsJson = False) -> None:
    """End a ban."""
    _do(lambda pool: users.unban_user(pool, UserId(user_id), operator=operator_name(), reason=reason), as_json=as_json)


@app.command("limit")
def limit_command(
    user_id: int,
    *,
    running: OwnLimit = None,
    per_minute: OwnLimit = None,
    free_per_day: OwnLimit = None,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Give a user limits of their own: jobs at once, orders a minute, free generations a day; what is not named is as usual."""
    limits = OwnLimits(running=running, a_minute=per_minute, free_a_day=free_per_day)
    _do(
        lambda pool: users.limit_user(pool, UserId(user_id), limits, operator=operator_name(), reason=reason),
        as_json=as_json,
    )


@app.command("export")
def export(
    user_id: int,
    *,
    out: Annotated[Path, typer.Option(help="The zip to write; it must not exist.")],
    reason: Annotated[str | None, typer.Option(help="Why, for the journal.")] = None,
) -> None:
    """Everything that is held about a user as a zip, with copies of results, whatever its size; readable by you alone."""
    from photomat.app.personal_data import export_builder  # noqa: PLC0415  aiogram takes seconds to load; other commands need none

    settings = load()

    async def act(pool: Pool) -> str:
        noted = await note_export(pool, UserId(user_id), operator=operator_name(), reason=reason)
        if not noted.done:
            raise typer.BadParameter(noted.sentence)
        with new_file(out) as file:
            found = await export_builder(settings, pool).build(UserId(user_id), file, language="en")
        return f"{out}: {sum(found.rows.values())} rows, {len(found.inside)} results, {len(found.listed)} listed."

    try:
        print_outcome(operate(act, name=NAME), done=True)
    except FileExistsError:
        typer.echo(f"{out} exists already: name another file.", err=True)
        raise typer.Exit(1) from None


@app.command("forget")
def forget(user_id: int, *, reason: Reason, as_json: AsJson = False) -> None:
    """Erase what a user wrote, sent and got, as /forget does; the number, the money, rewards and bans stay."""
    from photomat.app.personal_data import forget_worker  # noqa: PLC0415  aiogram takes seconds to load; other commands need none

    settings = load()

    async def act(pool: Pool) -> ActionResult:
        worker = forget_worker(settings, pool)
        result = await forget_user(pool, worker.personal, UserId(user_id), operator=operator_name(), reason=reason)
        await worker.forget_all()
        return result

    _do(act, as_json=as_json)


@app.command("forget-again")
def forget_again(*, as_json: AsJson = False) -> None:
    """After a restore: forget again whom the restored database does not know as forgotten, by DATA_DIR/forgotten.jsonl."""
    from photomat.app.personal_data import forget_worker  # noqa: PLC0415  aiogram takes seconds to load; other commands need none

    settings = load()

    async def act(pool: Pool) -> list[UserId]:
        again = await repeat_forgets(pool, read_forgotten(settings.forgotten_file))
        await forget_worker(settings, pool).forget_all()
        return again

    again = operate(act, name=NAME)
    if as_json:
        print_json(again)
    else:
        typer.echo(f"✓ Forgotten again: {len(again)}.")


@app.command("message")
def message(user_id: int, text: str, *, reason: Reason, reference: Reference = None, as_json: AsJson = False) -> None:
    """Write to a user in the bot's name; plain text."""
    name = f"operator:{reference or secrets.token_hex(6)}"
    _do(
        lambda pool: users.message_user(
            pool, UserId(user_id), text, reference=name, operator=operator_name(), reason=reason
        ),
        as_json=as_json,
    )


def _do(act: Callable[[Pool], Awaitable[ActionResult]], *, as_json: bool) -> None:
    answer = operate(act, name=NAME)
    print_outcome(answer.sentence, done=answer.done, facts={"sentence": answer.sentence} if as_json else None)


def _name(one: UserLine) -> str:
    return " ".join(part for part in (one.first_name, f"@{one.username}" if one.username else "") if part)


def _available(one: UserLine) -> str:
    return "" if one.wallet is None else str(one.wallet.available)


def _state(one: UserLine) -> str:
    owes = one.wallet is not None and one.wallet.owed.minor > 0
    states = (
        ("banned", one.ban),
        ("blocked the bot", one.blocked_at),
        ("forgotten", one.forgotten_at),
        ("in debt", owes),
        ("paid", one.paid),
    )
    return ", ".join(word for word, is_so in states if is_so)


def _as_json(one: UserLine) -> dict[str, Any]:
    wallet = one.wallet
    return asdict(one) | {
        "wallet": None
        if wallet is None
        else {"available": wallet.available.minor, "held": wallet.held.minor, "owed": wallet.owed.minor},
        "paid": None if one.paid is None else one.paid.minor,
        "currency": None if wallet is None else wallet.currency,
        "cursor": one.cursor,
    }


def _report_as_json(found: UserReport) -> dict[str, Any]:
    return {name: _plain(value) for name, value in asdict(found).items()} | {"line": _as_json(found.line)}


def _plain(value: Any) -> Any:
    if isinstance(value, Money):
        return {"minor": value.minor, "currency": value.currency}
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _words(found: UserReport) -> list[str]:
    one, own = found.line, found.limits
    ban, wallet = one.ban, one.wallet
    lines = [
        f"{one.user_id}  {_name(one)}  {one.language}, since {one.created_at:%Y-%m-%d %H:%M}  {_state(one)}",
        "" if wallet is None else f"available {wallet.available} · held {wallet.held} · owed {wallet.owed}",
        f"jobs {one.jobs}, {found.running} on their way, {found.queued} of them queued",
        f"limits: running {_limit(own.running)}, a minute {_limit(own.a_minute)}, free a day {_limit(own.free_a_day)}",
        "" if ban is None else f"banned by {ban.by} {_end(ban.until)}: {ban.reason}",
        ""
        if one.forgotten_at is None
        else f"forgotten {one.forgotten_at:%Y-%m-%d %H:%M} UTC, asked by: {found.forgotten_by}; names, words, files are gone",
        "" if found.inviter_id is None else f"invited by {found.inviter_id}",
        f"friends {found.friends_counted}" if found.friends_counted else "",
    ]
    jobs = [
        f"job {job.job_id}  {job.created_at:%Y-%m-%d %H:%M}  {job.model}  {job.status}  {job.price}"
        for job in found.jobs
    ]
    acts = [
        f"{act.at:%Y-%m-%d %H:%M}  {act.operator}  {act.action}: {act.says.plain} ({act.reason})"
        for act in found.journal
    ]
    return [line for line in (*lines, *jobs, *acts) if line]


def _limit(limit: int | None) -> str:
    return "as usual" if limit is None else str(limit or "without limit")


def _end(until: object) -> str:
    return "for good" if until is None else f"until {until:%Y-%m-%d %H:%M} UTC"
