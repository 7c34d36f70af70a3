"""What an operator may do about content: decide appeals, take strikes back, switch rules and write rules of their own.

Each writes the journal in its transaction, refusals too. An appeal is decided once. Accepted, its strike is
taken back, a ban that strikes alone had caused ends, and the customer may order this very text.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeAlias

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import UserId
from photomat.kernel.text import cut
from photomat.moderation import refusal as refusals
from photomat.moderation import rulebook
from photomat.moderation.appeal import notify_accepted, notify_declined
from photomat.moderation.refusal import BANNED_BY, StrikePolicy
from photomat.moderation.rules import RULE_ID, BadRules, RuleAction, RuleSet, make_rule
from photomat.operators.actions import ActionResult, journaled
from photomat.orders.draft import reopen_for_appeal
from photomat.texts.sentence import Sentence
from photomat.users import standing

MAX_REASON: Final = 200
MAX_WORDS: Final = 500
MAX_WORD: Final = 200
MAX_ANSWER: Final = 500
NO_SUCH_APPEAL: Final = Sentence("content-no-appeal")
Act: TypeAlias = Callable[[Transaction], Awaitable[ActionResult]]


async def accept_appeal(
    pool: Pool, refusal_id: int, *, policy: StrikePolicy, operator: str, reason: str | None
) -> ActionResult:
    """Allow the text to this user, take the strike back, and notify the customer."""

    async def act(tx: Transaction) -> ActionResult:
        refusal = await refusals.find_refusal(tx, refusal_id)
        if refusal is None or not await refusals.decide(
            tx, refusal_id, is_accepted=True, by=operator, answer=cut(reason, MAX_ANSWER) if reason else None
        ):
            return ActionResult(done=False, says=NO_SUCH_APPEAL)
        is_open = refusal.draft_id is not None and await reopen_for_appeal(
            tx, draft_id=refusal.draft_id, refused_at=refusal.created_at
        )
        await notify_accepted(tx, refusal, can_go_on=is_open)
        unbanned = await _unban_if_due(tx, refusal.user_id, policy)
        return ActionResult(
            done=True, says=Sentence("content-appeal-was-accepted", number=refusal_id, unbanned=int(unbanned))
        )

    return await _journaled_about(pool, act, refusal_id, action="accept appeal", operator=operator, reason=reason)


async def decline_appeal(pool: Pool, refusal_id: int, *, operator: str, reason: str | None) -> ActionResult:
    """Leave the refusal as it is; the customer reads the reason."""

    async def act(tx: Transaction) -> ActionResult:
        refusal = await refusals.find_refusal(tx, refusal_id)
        answer = cut(reason, MAX_ANSWER) if reason else ""
        if refusal is None or not await refusals.decide(
            tx, refusal_id, is_accepted=False, by=operator, answer=answer or None
        ):
            return ActionResult(done=False, says=NO_SUCH_APPEAL)
        await notify_declined(tx, refusal, answer=answer)
        return ActionResult(done=True, says=Sentence("content-appeal-was-declined", number=refusal_id))

    return await _journaled_about(pool, act, refusal_id, action="decline appeal", operator=operator, reason=reason)


async def forgive_strikes(
    pool: Pool, user_id: UserId, *, policy: StrikePolicy, operator: str, reason: str, refusal_id: int | None = None
) -> ActionResult:
    """Take back one strike of a user, or all; a ban that strikes alone had caused ends."""

    async def act(tx: Transaction) -> ActionResult:
        count = await refusals.forgive(tx, user_id, by=operator, refusal_id=refusal_id)
        if not count:
            return ActionResult(done=False, says=Sentence("content-no-strikes", user=user_id))
        unbanned = await _unban_if_due(tx, user_id, policy)
        return ActionResult(
            done=True, says=Sentence("content-forgiven", user=user_id, count=count, unbanned=int(unbanned))
        )

    return await journaled(pool, act, action="forgive strikes", operator=operator, reason=reason, user_id=user_id)


async def switch_rule(
    pool: Pool,
    rule_id: str,
    *,
    rules: RuleSet,
    is_on: bool,
    action: RuleAction | None = None,
    operator: str,
    reason: str,
) -> ActionResult:
    """Switch a rule on or off, and set what it does."""

    async def act(tx: Transaction) -> ActionResult:
        rule = rules.find(rule_id)
        if rule is None:
            return ActionResult(done=False, says=Sentence("content-no-rule", rule=rule_id))
        await rulebook.switch_rule(tx, rule_id=rule_id, is_on=is_on, action=action or rule.action, by=operator)
        does = (action or rule.action).value
        return ActionResult(
            done=True, says=Sentence("content-rule-on" if is_on else "content-rule-off", rule=rule_id, action=does)
        )

    return await journaled(pool, act, action="switch rule", operator=operator, reason=reason, reference=rule_id)


async def save_rule(
    pool: Pool,
    rule_id: str,
    *,
    rules: RuleSet,
    action: RuleAction,
    why: Mapping[str, str],
    words: Sequence[str],
    unless: Sequence[str],
    operator: str,
    reason: str,
) -> ActionResult:
    """Add a rule of the operators' own, or change it; `why` is what the customer reads, by language."""

    async def act(tx: Transaction) -> ActionResult:
        said = {language: text.strip() for language, text in why.items() if text.strip()}
        known = rules.find(rule_id)
        if known is not None and known.is_shipped:
            return ActionResult(done=False, says=Sentence("content-rule-shipped", rule=rule_id))
        wrong = _objection(rule_id, action, said, words, unless)
        if wrong is not None:
            return ActionResult(done=False, says=Sentence("content-rule-wrong", why=wrong))
        if known is None and await rulebook.count_own_rules(tx) >= rulebook.MAX_OWN_RULES:
            return ActionResult(done=False, says=Sentence("content-rules-full", most=rulebook.MAX_OWN_RULES))
        await rulebook.save_rule(
            tx, rule_id=rule_id, action=action, reason=said, words=words, unless=unless, by=operator
        )
        return ActionResult(done=True, says=Sentence("content-rule-saved", rule=rule_id, words=len(words)))

    return await journaled(pool, act, action="save rule", operator=operator, reason=reason, reference=rule_id)


async def delete_rule(pool: Pool, rule_id: str, *, operator: str, reason: str) -> ActionResult:
    """Delete a rule of the operators' own, or set a shipped one back to what it was."""

    async def act(tx: Transaction) -> ActionResult:
        done = await rulebook.delete_rule(tx, rule_id)
        says = Sentence("content-rule-deleted" if done else "content-no-rule", rule=rule_id)
        return ActionResult(done=done, says=says)

    return await journaled(pool, act, action="delete rule", operator=operator, reason=reason, reference=rule_id)


def _objection(
    rule_id: str, action: RuleAction, why: Mapping[str, str], words: Sequence[str], unless: Sequence[str]
) -> Sentence | None:
    """Why a rule cannot be saved."""
    if re.fullmatch(RULE_ID, rule_id) is None:
        return Sentence("content-rule-id-wrong")
    if not why or any(len(text) > MAX_REASON for text in why.values()):
        return Sentence("content-rule-reason-wrong", most=MAX_REASON)
    if not 0 < len(words) <= MAX_WORDS or any(len(word) > MAX_WORD for word in (*words, *unless)):
        return Sentence("content-rule-words-wrong", most=MAX_WORDS)
    try:
        make_rule(rule_id=rule_id, action=action, is_on=True, words=words, unless=unless, reason=why)
    except BadRules as error:
        return Sentence("action-plain", words=str(error))
    return None


async def _unban_if_due(tx: Transaction, user_id: UserId, policy: StrikePolicy) -> bool:
    """End a ban that strikes alone had caused, once fewer are left than it takes."""
    ban = (await standing.lock_standing(tx, user_id)).ban
    if ban is None or ban.by != BANNED_BY:
        return False
    strikes = await refusals.count_strikes(tx, user_id, within=policy.within)
    return strikes < policy.limit and await standing.unban(tx, user_id)


async def _journaled_about(
    pool: Pool, act: Act, refusal_id: int, *, action: str, operator: str, reason: str | None
) -> ActionResult:
    user_id = await refusals.user_of(pool, refusal_id)
    return await journaled(
        pool,
        act,
        action=action,
        operator=operator,
        reason=reason,
        user_id=user_id,
        reference=f"refusal:{refusal_id}",
    )
