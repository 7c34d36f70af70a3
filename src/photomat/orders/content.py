"""Content rules of an order: asked when its card is made, and again inside the purchase, before money is held.

`ContentCheck` runs inside a transaction and reads what the draft says at that moment, so a draft that changed after its card is
judged again. A refusal is recorded with its rule in that transaction; the draft stays and may be changed. A text that an
operator allowed after an appeal passes. Where an external checker is set, the purchase demands its verdict for this very
revision; what it refused and an operator allowed are these texts with these files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from photomat.catalog.model import Model
from photomat.catalog.reference import files_in
from photomat.db.pool import Transaction
from photomat.jobs.strikes import ban_if_due
from photomat.kernel.logs import get_logger
from photomat.moderation import checker as verdicts
from photomat.moderation import refusal as refusals
from photomat.moderation.checker import ALLOWED, ContentChecker, ContentVerdict, Question
from photomat.moderation.order_texts import checked_hash, order_hash, text_hash, texts_of, wished
from photomat.moderation.refusal import CHECKER, NewRefusal, RefusalSource, StrikePolicy
from photomat.moderation.rulebook import RuleBook
from photomat.moderation.rules import Hit, Rule, RuleAction, RuleSet
from photomat.orders.draft import Draft
from photomat.orders.outcome import CardOutdated, ContentRefused, DraftOrder
from photomat.users import standing

ProviderChecker: TypeAlias = Literal["default", "on", "off"]
CHECKED: Final[Mapping[ProviderChecker, bool | None]] = {"default": None, "on": True, "off": False}
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentGate:
    """What orders are checked against. `provider_checker` is sent to a model's own checker."""

    rulebook: RuleBook
    policy: StrikePolicy
    checker: ContentChecker | None = None
    provider_checker: ProviderChecker = "default"

    async def rules(self) -> RuleSet:
        """The rules in force now; read them before a transaction begins, they may come from the database."""
        return await self.rulebook.current()

    def check_of(self, model: Model, rules: RuleSet) -> "ContentCheck":
        return ContentCheck(
            model=model,
            rules=rules,
            policy=self.policy,
            wants_verdict=self.checker is not None,
            provider_checks=CHECKED[self.provider_checker],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Why an order is refused or an operator warned."""

    source: RefusalSource
    rule_id: str
    action: RuleAction
    rule: Rule | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentCheck:
    """The rules of one order; `provider_checks` is sent to the models that have a checker of their own, None: nothing is."""

    model: Model
    rules: RuleSet
    policy: StrikePolicy
    wants_verdict: bool = False
    provider_checks: bool | None = None

    def finds_fault(self, draft: Draft) -> bool:
        """Whether the rules say anything about a draft."""
        return self._hit(draft) is not None

    def _hit(self, draft: Draft) -> Hit | None:
        return self.rules.check(wished(texts_of(self.model, draft.inputs)))

    async def refusal(self, tx: Transaction, draft: Draft) -> ContentRefused | None:
        """Judge a draft by the rules, and record what they refuse; None when it may be ordered."""
        hit = self._hit(draft)
        if hit is None:
            return None
        found = _Found(
            source=RefusalSource.RULES,
            rule_id=hit.rule.id,
            action=hit.rule.action,
            rule=hit.rule,
        )
        return await self._refused(tx, draft, found)

    async def may_refuse(self, tx: Transaction, draft: Draft) -> bool:
        """Whether `refusal_to_buy` has anything to say about a draft; nothing is recorded."""
        if self.finds_fault(draft):
            return True
        verdict = await self._verdict(tx, draft) if self.wants_verdict else ALLOWED
        return verdict is None or not verdict.is_allowed

    async def refusal_to_buy(self, tx: Transaction, draft: Draft) -> ContentRefused | CardOutdated | None:
        """Judge a draft that is being bought, locked, also by the verdict of the external checker."""
        refused = await self.refusal(tx, draft)
        if refused is not None or not self.wants_verdict:
            return refused
        verdict = await self._verdict(tx, draft)
        if verdict is None:
            return CardOutdated(draft=draft)
        return None if verdict.is_allowed else await self._refused(tx, draft, _of_checker(verdict))

    async def _verdict(self, tx: Transaction, draft: Draft) -> ContentVerdict | None:
        return await verdicts.read_stored(
            tx, draft_id=draft.draft_id, revision=draft.revision, order_hash=order_hash(draft.model, draft.inputs)
        )

    async def _refused(self, tx: Transaction, draft: Draft, found: _Found) -> ContentRefused | None:
        written = texts_of(self.model, draft.inputs)
        texts = wished(written)
        is_of_checker = found.source is RefusalSource.CHECKER
        refused_hash = checked_hash(written, draft.inputs) if is_of_checker else text_hash(texts)
        if await refusals.is_allowed(tx, user_id=draft.user_id, text_hash=refused_hash):
            return None
        refusal, is_new_strike = await refusals.record(
            tx,
            NewRefusal(
                user_id=draft.user_id,
                chat_id=draft.chat_id,
                draft_id=draft.draft_id,
                source=found.source,
                rule_id=found.rule_id,
                action=found.action,
                model=draft.model,
                text_hash=refused_hash,
                text="\n\n".join(texts),
                reason=found.reason,
            ),
        )
        if not found.action.refuses:
            return None
        log.info("CONTENT_REFUSED", user_id=draft.user_id, draft_id=draft.draft_id, rule=found.rule_id)
        ban = await (
            ban_if_due(tx, draft.user_id, self.policy) if is_new_strike else standing.read_ban(tx, draft.user_id)
        )
        return ContentRefused(
            draft=draft,
            model=self.model,
            refusal=refusal,
            rule=found.rule,
            strikes=await refusals.count_strikes(tx, draft.user_id, within=self.policy.within),
            policy=self.policy,
            ban=ban,
        )


def _of_checker(verdict: ContentVerdict) -> _Found:
    action = RuleAction.STRIKE if verdict.is_strike else RuleAction.REFUSE
    return _Found(source=RefusalSource.CHECKER, rule_id=CHECKER, action=action, reason=verdict.reason)


def question_about(order: DraftOrder) -> Question:
    """What an external checker is asked about an order."""
    draft, model = order
    return Question(
        user_id=draft.user_id,
        draft_id=draft.draft_id,
        revision=draft.revision,
        model=draft.model,
        kind=model.kind,
        texts=texts_of(model, draft.inputs),
        files=_inputs_with_files(draft.inputs),
    )


def _inputs_with_files(inputs: Mapping[str, Any]) -> list[str]:
    """The name of its input for each file of an order."""
    return [name for name, value in inputs.items() for _ in files_in(value)]
