"""`photomat pause`, `resume`, `pauses` and `instances`: stop selling or submitting for a while, drain one instance."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

import typer

from photomat.catalog.load import load_catalog
from photomat.cli.backup import resume_restore
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.cluster.instances import RunningInstance, running_instances
from photomat.db.pool import Pool
from photomat.operators import controls
from photomat.operators.actions import ActionResult
from photomat.work.controls import BOT, KIE, MODEL, Pause, read_pauses

SESSION: Final = "photomat controls"
app = typer.Typer(help="Running instances, and draining one of them.", no_args_is_help=True)
Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
ModelId = Annotated[str | None, typer.Argument(help="The model's id, for `model`.")]


class Pausable(StrEnum):
    BOT = "bot"
    PROVIDER = "provider"
    MODEL = "model"


class Resumable(StrEnum):
    BOT = "bot"
    PROVIDER = "provider"
    MODEL = "model"
    RESTORE = "restore"


def pause(
    what: Pausable,
    model: ModelId = None,
    *,
    reason: Reason,
    notice: Annotated[str | None, typer.Option(help="One sentence for customers, beside ours.")] = None,
    minutes: Annotated[int | None, typer.Option(min=1, help="It ends by itself after so long.")] = None,
) -> None:
    """Pause the bot, the provider (nothing is submitted) or one model (not sold, not submitted)."""
    name, lasts = _name(what, model), None if minutes is None else timedelta(minutes=minutes)
    _do(lambda pool: controls.pause(pool, name, operator=operator_name(), reason=reason, notice=notice, lasts=lasts))


def resume(
    what: Resumable,
    model: ModelId = None,
    *,
    reason: Reason,
    force: Annotated[
        bool, typer.Option("--force", help="After a restore: although something is not in order.")
    ] = False,
) -> None:
    """End a pause; `restore` after its checklist."""
    if what is Resumable.RESTORE:
        resume_restore(reason=reason, force=force)
        return
    name = _name(Pausable(what), model)
    _do(lambda pool: controls.resume(pool, name, operator=operator_name(), reason=reason))


def pauses(*, as_json: AsJson = False) -> None:
    """What is paused now: since when, until when, by whom and why."""
    found = list(query(read_pauses, name=SESSION).by_name.values())
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        _print_pauses(found)


@app.command("list")
def list_instances(*, as_json: AsJson = False) -> None:
    """The instances that are alive."""
    found = query(running_instances, name=SESSION)
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        _print_instances(found)


@app.command("drain")
def drain(instance: str, *, reason: Reason) -> None:
    """Let an instance claim nothing more: it finishes what it holds and goes on answering HTTP."""
    _do(lambda pool: controls.drain(pool, instance, operator=operator_name(), reason=reason))


@app.command("undrain")
def undrain(instance: str, *, reason: Reason) -> None:
    """Let a drained instance work again."""
    _do(lambda pool: controls.undrain(pool, instance, operator=operator_name(), reason=reason))


def _name(what: Pausable, model: str | None) -> str:
    if (what is Pausable.MODEL) != (model is not None):
        raise typer.BadParameter("a model's id belongs to `model`, and only there")
    if model is not None and model not in load_catalog().models:
        raise typer.BadParameter(f"there is no model {model!r}; `photomat catalog list` shows them")
    return {Pausable.BOT: BOT, Pausable.PROVIDER: KIE, Pausable.MODEL: f"{MODEL}{model}"}[what]


def _do(act: Callable[[Pool], Awaitable[ActionResult]]) -> None:
    answer = operate(act, name=SESSION)
    print_outcome(answer.sentence, done=answer.done)


def _print_pauses(found: Sequence[Pause]) -> None:
    table = Listing("what", "since (UTC)", "until (UTC)", "by", "reason", "customers read")
    for one in found:
        until = "resumed" if one.until_at is None else f"{one.until_at:%m-%d %H:%M}"
        since = f"{one.paused_at:%m-%d %H:%M}"
        table.add_row(one.name, since, until, one.paused_by, one.reason, one.notice or "")
    print_listing(table if found else "Nothing is paused.")


def _print_instances(found: Sequence[RunningInstance]) -> None:
    table = Listing("instance", "state", "version", "host", "pid", "started (UTC)")
    for one in found:
        started = f"{one.started_at:%m-%d %H:%M}"
        table.add_row(one.instance_id, _state(one), one.version, one.host, str(one.pid), started)
    print_listing(table if found else "No instance is running.")


def _state(one: RunningInstance) -> str:
    state = "ACTIVE" if one.active else "PASSIVE"
    if one.drain_wanted_at is None:
        return state
    return f"{state}, draining" if one.drained_at is None else "drained"
