"""Content: what was refused and why, appeals to decide, strikes, the rules with how often each was met, a text to try."""

from collections.abc import Mapping
from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.kernel.ids import UserId
from photomat.moderation.refusal import NO_STRIKES, StrikePolicy
from photomat.moderation.rulebook import stored_rules
from photomat.moderation.rules import Hit, Rule, RuleAction, RuleSet, shipped_rule_set, shipped_rules
from photomat.operators import content
from photomat.reports.moderation import (
    ListedRefusal,
    RefusalFilter,
    count_appeals,
    list_refusals,
    rule_hits,
)

HERE: Final = f"{BASE}/moderation"
RULES: Final = f"{HERE}/rules"
MAX_TRIED: Final = 20_000
HEADER: Final = (
    *("refusal", "time", "user", "name", "rule", "source", "action", "model", "strike", "forgiven"),
    *("appealed", "decided", "accepted", "by", "text"),
)


async def show_refusals(ctx: PageContext) -> web.Response:
    waiting = await count_appeals(ctx.pool)
    usual = RefusalFilter.APPEALS if waiting else RefusalFilter.ALL
    only = RefusalFilter(ctx.query.choice("only", list(RefusalFilter)) or usual)
    found = await list_refusals(
        ctx.pool,
        only=only,
        before=ctx.query.number("before"),
        user_id=ctx.query.number("user"),
        rule_id=ctx.query.text("rule") or None,
        limit=CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1,
    )
    if ctx.wants_csv:
        return csv_response("refusals.csv", HEADER, map(_cells, found))
    counts = {RefusalFilter.APPEALS: waiting}
    return ctx.render(
        "moderation.html",
        rows=found[:PAGE_SIZE],
        next_before=found[PAGE_SIZE - 1].refusal.refusal_id if len(found) > PAGE_SIZE else None,
        only=only,
        choices=[(each.value, ctx.say(f"console-moderation-only-{each}"), counts.get(each)) for each in RefusalFilter],
        user=ctx.query.number("user"),
        rule=ctx.query.text("rule"),
    )


def _cells(one: ListedRefusal) -> tuple[object, ...]:
    refusal = one.refusal
    return (
        *(refusal.refusal_id, refusal.created_at, refusal.user_id, one.first_name, refusal.rule_id),
        *(refusal.source.value, refusal.action.value, refusal.model, refusal.is_strike, refusal.forgiven_at),
        *(refusal.appealed_at, refusal.decided_at, refusal.is_accepted, refusal.decided_by, refusal.text),
    )


async def show_rules(ctx: PageContext) -> web.Response:
    return await _rules_page(ctx)


async def _rules_page(ctx: PageContext, *, tried: str | None = None) -> web.Response:
    rules = await _rules(ctx)
    shipped = {rule.id for rule in shipped_rules()}
    stored = {row.rule_id: row for row in await stored_rules(ctx.pool)}
    edited = stored.get(ctx.query.text("edit") or "")
    return ctx.render(
        "moderation_rules.html",
        rules=rules.rules,
        shipped=shipped,
        stored=stored,
        edited=edited if edited is not None and edited.is_own else None,
        hits=await rule_hits(ctx.pool),
        reason_of=lambda rule: _reason(ctx, rule),
        actions=[each.value for each in RuleAction],
        tried=tried,
        matches=[] if tried is None else _matches(rules, tried),
        policy=_policy(ctx),
    )


def _matches(rules: RuleSet, text: str) -> list[Hit]:
    return rules.matches(text[:MAX_TRIED])


def _reason(ctx: PageContext, rule: Rule) -> str:
    """What a customer reads, in the language of this page as far as the rule has it."""
    if rule.is_shipped:
        return ctx.say(f"content-reason-{rule.id}")
    return rule.reason.get(ctx.language) or next(iter(rule.reason.values()))


async def try_text(ctx: ActionContext) -> web.Response:
    """Show what the rules would say to a text; nothing is recorded."""
    return await _rules_page(ctx, tried=ctx.form.get("text", "").strip()[:MAX_TRIED])


async def accept(ctx: ActionContext) -> web.Response:
    result = await content.accept_appeal(
        ctx.pool, ctx.id("refusal_id"), policy=_policy(ctx), operator=ctx.operator.name, reason=ctx.reason or None
    )
    return await ctx.done(result, back=HERE)


async def decline(ctx: ActionContext) -> web.Response:
    result = await content.decline_appeal(ctx.pool, ctx.id("refusal_id"), operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE)


async def forgive(ctx: ActionContext) -> web.Response:
    user = ctx.id("user_id")
    result = await content.forgive_strikes(
        ctx.pool, UserId(user), policy=_policy(ctx), operator=ctx.operator.name, reason=ctx.reason
    )
    return await ctx.done(result, back=f"{HERE}?only=all&user={user}")


async def switch(ctx: ActionContext) -> web.Response:
    action = ctx.form.get("action", "")
    result = await content.switch_rule(
        ctx.pool,
        ctx.request.match_info["rule_id"],
        rules=await _rules(ctx),
        is_on=ctx.form.get("on") == "1",
        action=RuleAction(action) if action in set(RuleAction) else None,
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    await _refresh(ctx)
    return await ctx.done(result, back=RULES)


async def save(ctx: ActionContext) -> web.Response:
    form = ctx.form
    action = form.get("action", "")
    result = await content.save_rule(
        ctx.pool,
        form.get("rule_id", "").strip().lower(),
        rules=await _rules(ctx),
        action=RuleAction(action) if action in set(RuleAction) else RuleAction.REFUSE,
        why={"ru": form.get("reason_ru", ""), "en": form.get("reason_en", "")},
        words=_lines(form, "words"),
        unless=_lines(form, "unless"),
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    await _refresh(ctx)
    return await ctx.done(result, back=RULES)


async def delete(ctx: ActionContext) -> web.Response:
    result = await content.delete_rule(
        ctx.pool, ctx.request.match_info["rule_id"], operator=ctx.operator.name, reason=ctx.reason
    )
    await _refresh(ctx)
    return await ctx.done(result, back=RULES)


def _lines(form: Mapping[str, str], name: str) -> list[str]:
    return [line.strip() for line in form.get(name, "").splitlines() if line.strip()]


async def _rules(ctx: PageContext) -> RuleSet:
    gate = ctx.config.orders.content
    return shipped_rule_set() if gate is None else await gate.rulebook.current()


async def _refresh(ctx: PageContext) -> None:
    """What was just changed is shown on the next page."""
    if (gate := ctx.config.orders.content) is not None:
        await gate.rulebook.refresh()


def _policy(ctx: PageContext) -> StrikePolicy:
    gate = ctx.config.orders.content
    return NO_STRIKES if gate is None else gate.policy


PAGES: Final = (
    Page("/moderation", show_refusals),
    Page("/moderation/rules", show_rules),
)
ACTIONS: Final = (
    Action("/moderation/try", try_text, needs_reason=False),
    Action("/moderation/rules", save),
    Action("/moderation/rules/{rule_id}/switch", switch),
    Action("/moderation/rules/{rule_id}/delete", delete),
    Action("/moderation/users/{user_id}/forgive", forgive),
    Action("/moderation/{refusal_id}/accept", accept, needs_reason=False),
    Action("/moderation/{refusal_id}/decline", decline),
)
