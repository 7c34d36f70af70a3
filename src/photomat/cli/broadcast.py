"""`photomat broadcast`: write a message to many users, look at it, start it, stop it, see what became of it."""

import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from photomat.app.settings import load
from photomat.broadcasts.broadcast import (
    Broadcast,
    BroadcastCounts,
    Send,
    counts_of,
    find_broadcast,
    list_broadcasts,
    list_sends,
)
from photomat.broadcasts.content import BroadcastButton, BroadcastContent, BroadcastMedia, MediaKind
from photomat.broadcasts.segment import Reach, Segment, count_reach
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, minor_units, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool
from photomat.kernel.ids import ChatId
from photomat.operators import broadcasts as operators
from photomat.operators.actions import ActionResult

NAME: Final = "photomat broadcast"
SHOWN: Final = 60
FORMULA_STARTS: Final = ("=", "+", "-", "@")
app = typer.Typer(help="Broadcasts: one message to many users.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Limit = Annotated[int, typer.Option(min=1, max=1_000_000)]


class ListedOutcome(StrEnum):
    UNKNOWN = "unknown"
    REFUSED = "refused"
    BLOCKED = "blocked"


@app.command("list")
def list_command(*, limit: Limit = 30, as_json: AsJson = False) -> None:
    """The newest broadcasts and what became of them."""

    async def read(pool: Pool) -> list[tuple[Broadcast, BroadcastCounts]]:
        return [(one, await counts_of(pool, one)) for one in await list_broadcasts(pool, limit=limit)]

    found = query(read, name=NAME)
    if as_json:
        print_json([_as_json(one, counts) for one, counts in found])
        return
    table = Listing("broadcast_id", "state", "recipients", "sent", "unknown", "blocked", "refused", "waiting", "text")
    for one, counts in found:
        outcomes = (counts.sent, counts.unknown, counts.blocked + one.known_blocked, counts.refused, counts.waiting)
        words = " ".join(one.content.text_ru.split())[:SHOWN]
        table.add_row(str(one.broadcast_id), one.state, str(one.recipients), *map(str, outcomes), words)
    print_listing(table if found else "There are no broadcasts yet; `photomat broadcast create` makes one.")


@app.command("show")
def show(broadcast_id: int, *, as_json: AsJson = False) -> None:
    """One broadcast: whom it is for, how far it is; the reach as it is now while it was not started."""

    async def read(pool: Pool) -> tuple[Broadcast, BroadcastCounts, Reach] | None:
        one = await find_broadcast(pool, broadcast_id)
        return None if one is None else (one, await counts_of(pool, one), await count_reach(pool, one.segment))

    found = query(read, name=NAME)
    if found is None:
        typer.echo(f"There is no broadcast {broadcast_id}.", err=True)
        raise typer.Exit(1)
    one, counts, reach = found
    if as_json:
        print_json(_as_json(one, counts) | {"reach_now": reach.reach, "blocked_now": reach.blocked})
        return
    conditions = "; ".join(each.plain for each in operators.conditions_of(one.segment, currency=load().currency))
    typer.echo(f"Broadcast {one.broadcast_id}: {one.state}, by {one.created_by}. To: {conditions}.")
    typer.echo(_progress(one, counts, reach))
    typer.echo(one.content.text_ru)


@app.command("create")
def create(
    text: Annotated[str, typer.Argument(help="The Russian text in Telegram's HTML; - reads standard input.")],
    *,
    english: Annotated[str | None, typer.Option(help="The English text.")] = None,
    photo: Annotated[str | None, typer.Option(help="A file, or a file_id of Telegram's.")] = None,
    video: Annotated[str | None, typer.Option(help="A file, or a file_id of Telegram's.")] = None,
    button: Annotated[str | None, typer.Option(help="The label of a button below it.")] = None,
    button_english: Annotated[str | None, typer.Option(help="Its label in English.")] = None,
    url: Annotated[str | None, typer.Option(help="Where the button leads.")] = None,
    opens: Annotated[
        str | None, typer.Option(help="What it opens instead: topup, model:<id> or template:<id>.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Only users of this language: ru or en.")] = None,
    paid: Annotated[bool | None, typer.Option("--paid/--never-paid", help="Only who topped up, or never did.")] = None,
    ordered_within: Annotated[int | None, typer.Option(help="Only who ordered within so many days.")] = None,
    not_ordered_for: Annotated[int | None, typer.Option(help="Only who ordered, but not for so many days.")] = None,
    balance_from: Annotated[str | None, typer.Option(help="Only who has at least so much.")] = None,
    never_ordered: Annotated[bool, typer.Option("--never-ordered", help="Only who never ordered.")] = False,
    kind: Annotated[str | None, typer.Option(help="Only who ordered this kind: image, video, audio or text.")] = None,
    model: Annotated[str | None, typer.Option(help="Only who ordered this model.")] = None,
    users: Annotated[str | None, typer.Option(help="Only these ids, with commas.")] = None,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Save a broadcast; nothing is sent. Conditions are combined: all of them must hold."""
    content = BroadcastContent(
        text_ru=sys.stdin.read() if text == "-" else text,
        text_en=english,
        media=_media("photo", photo) or _media("video", video),
        button=_button(button, button_english, url, opens),
    )
    segment = Segment(
        language=language,
        paid=paid,
        ordered_within_days=ordered_within,
        not_ordered_for_days=not_ordered_for,
        balance_from=None if balance_from is None else minor_units(balance_from),
        never_ordered=never_ordered,
        kind=kind,
        model=model,
        user_ids=_ids(users),
    )
    made = operate(
        lambda pool: operators.create_broadcast(pool, content, segment, operator=operator_name(), reason=reason),
        name=NAME,
    )
    _print(made.answer, as_json=as_json, broadcast_id=made.broadcast_id)


@app.command("preview")
def preview(
    broadcast_id: int,
    *,
    to: Annotated[int, typer.Option(help="Your own Telegram id; you must have started the bot.")],
    as_json: AsJson = False,
) -> None:
    """Show it in your own chat; the running bot sends it."""
    answer = operate(
        lambda pool: operators.preview_broadcast(pool, broadcast_id, chat_id=ChatId(to), operator=operator_name()),
        name=NAME,
    )
    _print(answer, as_json=as_json, broadcast_id=broadcast_id)


@app.command("start")
def start(
    broadcast_id: int,
    *,
    reach: Annotated[int, typer.Option(help="How many recipients `show` said; refused if that changed by a tenth.")],
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Send it, once to each of them."""
    answer = operate(
        lambda pool: operators.start_broadcast(
            pool, broadcast_id, reach=reach, operator=operator_name(), reason=reason
        ),
        name=NAME,
    )
    _print(answer, as_json=as_json, broadcast_id=broadcast_id)


@app.command("stop")
def stop(broadcast_id: int, *, reason: Reason, as_json: AsJson = False) -> None:
    """Send no more of it, at once."""
    answer = operate(
        lambda pool: operators.stop_broadcast(pool, broadcast_id, operator=operator_name(), reason=reason), name=NAME
    )
    _print(answer, as_json=as_json, broadcast_id=broadcast_id)


@app.command("resume")
def resume(broadcast_id: int, *, reason: Reason, as_json: AsJson = False) -> None:
    """Go on with a stopped one, to those who have not got it."""
    answer = operate(
        lambda pool: operators.resume_broadcast(pool, broadcast_id, operator=operator_name(), reason=reason), name=NAME
    )
    _print(answer, as_json=as_json, broadcast_id=broadcast_id)


@app.command("delete")
def delete(broadcast_id: int, *, reason: Reason, as_json: AsJson = False) -> None:
    """Forget one that was never started."""
    answer = operate(
        lambda pool: operators.delete_broadcast(pool, broadcast_id, operator=operator_name(), reason=reason), name=NAME
    )
    _print(answer, as_json=as_json, broadcast_id=broadcast_id)


@app.command("export")
def export(
    broadcast_id: int,
    *,
    outcome: Annotated[ListedOutcome, typer.Option(help="Which recipients.")] = ListedOutcome.UNKNOWN,
    limit: Limit = 100_000,
    as_json: AsJson = False,
) -> None:
    """The recipients of unknown outcome, or those refused or blocked, as CSV."""
    found = query(lambda pool: list_sends(pool, broadcast_id, outcome=outcome, limit=limit), name=NAME)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    table = csv.writer(sys.stdout)
    table.writerow(["user_id", "username", "outcome", "left_at", "attempts", "error"])
    table.writerows(_cells(each) for each in found)


def _media(kind: MediaKind, given: str | None) -> BroadcastMedia | None:
    if given is None:
        return None
    file = Path(given)
    return (
        BroadcastMedia(kind=kind, upload=file.read_bytes())
        if file.is_file()
        else BroadcastMedia(kind=kind, file_id=given)
    )


def _button(title: str | None, english: str | None, url: str | None, opens: str | None) -> BroadcastButton | None:
    if title is None:
        if url is not None or opens is not None:
            raise typer.BadParameter("--url and --opens need --button, its label")
        return None
    return BroadcastButton(title_ru=title, title_en=english, url=url, opens=opens)


def _ids(written: str | None) -> Sequence[int] | None:
    if written is None:
        return None
    try:
        return sorted({int(each) for each in written.replace(",", " ").split()})
    except ValueError as error:
        raise typer.BadParameter("--users takes numbers with commas") from error


def _progress(one: Broadcast, counts: BroadcastCounts, reach: Reach) -> str:
    if one.is_open:
        return f"It reaches {reach.reach} users now; {reach.blocked} more have blocked the bot and are not tried."
    said = ", ".join(f"{count} {name}" for name, count in asdict(counts).items())
    return f"{one.recipients} recipients (expected {one.reach}), {one.known_blocked} had blocked the bot: {said}."


def _cells(send: Send) -> list[object]:
    cells = [send.user_id, send.username or "", send.outcome, send.left_at or "", send.attempts, send.error or ""]
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell for cell in cells]


def _as_json(one: Broadcast, counts: BroadcastCounts) -> dict[str, Any]:
    facts = asdict(one) | {"counts": asdict(counts), "segment": one.segment.as_json()}
    content: dict[str, Any] = facts.pop("content")
    return facts | content


def _print(answer: ActionResult, *, as_json: bool, broadcast_id: int | None) -> None:
    facts = {"broadcast_id": broadcast_id, "sentence": answer.sentence} if as_json else None
    print_outcome(answer.sentence, done=answer.done, facts=facts)
