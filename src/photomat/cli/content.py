"""`photomat content`: what was refused, appeals, strikes, and the rules, as on the console's page "Content"."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import load
from photomat.app.terms import rule_book, strikes_of
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, current_settings, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool
from photomat.kernel.ids import UserId
from photomat.kernel.text import cut
from photomat.moderation.refusal import ContentRefusal, StrikePolicy
from photomat.moderation.rules import RuleAction, RuleSet
from photomat.operators import content
from photomat.operators.actions import ActionResult
from photomat.reports.moderation import RefusalFilter, list_refusals, rule_hits, users_with_strikes

app = typer.Typer(help="Content rules: refusals, appeals, strikes, the rules.", no_args_is_help=True)
NAME = "photomat content"
SHOWN_TEXT = 60
Operator = Annotated[str | None, typer.Option(help="Who acts, for the journal; without, the user of this terminal.")]
Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Limit = Annotated[int, typer.Option(min=1, max=1000)]


@app.command("list")
def list_all(
    *,
    only: Annotated[RefusalFilter, typer.Option("--only", help="Which refusals.")] = RefusalFilter.ALL,
    user: Annotated[int | None, typer.Option(help="Of this user only.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """What was refused, the newest first; `--only appeals` waits for a decision."""
    found = query(lambda pool: list_refusals(pool, only=only, user_id=user, limit=limit), name=NAME)
    if as_json:
        print_json([asdict(one.refusal) for one in found])
        return
    table = Listing("refusal", "time", "user", "rule", "action", "state", "text")
    for one in found:
        refusal = one.refusal
        text = cut(" ".join((refusal.text or refusal.reason or "").split()), SHOWN_TEXT)
        at = f"{refusal.created_at:%Y-%m-%d %H:%M}"
        table.add_row(
            str(refusal.refusal_id),
            at,
            str(refusal.user_id),
            refusal.rule_id,
            refusal.action.value,
            _state(refusal),
            text,
        )
    print_listing(table if found else "Nothing was refused.")


@app.command("test")
def try_text(
    text: Annotated[str, typer.Argument(help="What a customer might write.")], *, as_json: AsJson = False
) -> None:
    """Which rules a text meets; nothing is recorded. Exit 1 if it would be refused."""
    hits = query(_rules, name=NAME).matches(text)
    if as_json:
        print_json([{"rule": hit.rule.id, "action": hit.rule.action.value, "words": list(hit.words)} for hit in hits])
    elif not hits:
        typer.echo("No rule objects.")
    else:
        typer.echo("\n".join(f"{hit.rule.id} ({hit.rule.action}): {' … '.join(hit.words)}" for hit in hits))
    if any(hit.rule.action.refuses for hit in hits):
        raise typer.Exit(1)


@app.command("rules")
def rules(*, as_json: AsJson = False) -> None:
    """The rules in force, and how often each was met in 30 days."""

    async def read(pool: Pool) -> list[dict[str, Any]]:
        hits = await rule_hits(pool)
        return [
            {
                "rule": rule.id,
                "on": rule.is_on,
                "action": rule.action.value,
                "own": not rule.is_shipped,
                "hits": hits[rule.id].hits if rule.id in hits else 0,
                "taken_back": hits[rule.id].accepted if rule.id in hits else 0,
            }
            for rule in (await _rules(pool)).rules
        ]

    found = query(read, name=NAME)
    if as_json:
        print_json(found)
        return
    table = Listing("rule", "state", "action", "whose", "hits", "taken back")
    for one in found:
        state, whose = "on" if one["on"] else "off", "own" if one["own"] else "shipped"
        table.add_row(one["rule"], state, one["action"], whose, str(one["hits"]), str(one["taken_back"]))
    print_listing(table)


@app.command("strikes")
def strikes(*, limit: Limit = 50, as_json: AsJson = False) -> None:
    """Users whose strikes count now, most first."""
    within = _policy().within
    found = query(lambda pool: users_with_strikes(pool, within=within, limit=limit), name=NAME)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    table = Listing("user", "strikes", "refusals", "last")
    for one in found:
        table.add_row(str(one.user_id), str(one.strikes), str(one.refusals), f"{one.last_at:%Y-%m-%d %H:%M}")
    print_listing(table if found else "Nobody has strikes.")


@app.command("forgive")
def forgive(user_id: int, *, reason: Reason, operator: Operator = None, as_json: AsJson = False) -> None:
    """Take a user's strikes back; a ban that they alone had caused ends."""
    policy = _policy()
    _do(
        lambda pool, by: content.forgive_strikes(pool, UserId(user_id), policy=policy, operator=by, reason=reason),
        operator,
        as_json=as_json,
    )


@app.command("accept")
def accept(refusal_id: int, *, reason: Reason, operator: Operator = None, as_json: AsJson = False) -> None:
    """Accept an appeal: the text is allowed to this user, the strike is taken back."""
    policy = _policy()
    _do(
        lambda pool, by: content.accept_appeal(pool, refusal_id, policy=policy, operator=by, reason=reason),
        operator,
        as_json=as_json,
    )


@app.command("decline")
def decline(
    refusal_id: int,
    *,
    reason: Annotated[str, typer.Option(help="Why; the customer reads it.")],
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Decline an appeal: the refusal stays."""
    _do(
        lambda pool, by: content.decline_appeal(pool, refusal_id, operator=by, reason=reason),
        operator,
        as_json=as_json,
    )


@app.command("switch")
def switch(
    rule_id: str,
    *,
    is_on: Annotated[bool, typer.Option("--on/--off", help="Whether the rule holds.")],
    action: Annotated[RuleAction | None, typer.Option(help="What it does; without, as before.")] = None,
    reason: Reason,
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Switch a rule on or off, and set what it does, without a restart."""

    async def act(pool: Pool, by: str) -> ActionResult:
        known = await _rules(pool)
        return await content.switch_rule(
            pool, rule_id, rules=known, is_on=is_on, action=action, operator=by, reason=reason
        )

    _do(act, operator, as_json=as_json)


def _do(act: Callable[[Pool, str], Awaitable[ActionResult]], operator: str | None, *, as_json: bool) -> None:
    result = operate(lambda pool: act(pool, operator or operator_name()), name=NAME)
    print_outcome(result.sentence, done=result.done, facts={"sentence": result.sentence} if as_json else None)


async def _rules(pool: Pool) -> RuleSet:
    return await rule_book(await effective(pool, load()), pool).current()


def _policy() -> StrikePolicy:
    return strikes_of(current_settings(name=NAME))


def _state(refusal: ContentRefusal) -> str:
    if refusal.waits:
        return "appeal waits"
    if refusal.decided_at is not None:
        return "taken back" if refusal.is_accepted else "appeal declined"
    return "forgiven" if refusal.forgiven_at is not None else ""
