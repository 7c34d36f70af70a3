"""Checks the alert rules: claim → evaluate → record, opening and ending incidents, each once.

Every instance checks, PASSIVE ones too, because "no instance is ACTIVE" is one of the rules. Killed between claim and record:
the rule is checked again at its usual time. Frozen in between: the claim has passed on, and the result is not written.

Rules that are due together are checked in one transaction, each in a savepoint: one that fails is logged and changes nothing
for the others. Those that take long or ask an outside service (`checked_alone`) follow, outside of it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from photomat.alerts import store
from photomat.alerts.incident import AlertRule, Figures, IncidentKind, ProbeContext, RuleCheck
from photomat.alerts.rules import RULES
from photomat.db.pool import OneSession, Transaction, is_unavailable, transaction
from photomat.db.rows import Row
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Transient
from photomat.kernel.ids import ChatId
from photomat.kernel.logs import get_logger
from photomat.messages.notices import notify

OUR_KINDS: Final = ", ".join(f"'{kind.value}'" for kind in IncidentKind)
WATCHES_DUE: Final = f"SELECT 1 FROM watches WHERE due_at <= photomat_now() AND kind IN ({OUR_KINDS})"  # noqa: S608  no input
"""After a step back the table may hold rules of a newer version, which this one cannot check."""

GAP_CHECKS: Final = 3
"""Checks further apart than this do not add up: what was in between is unknown."""

log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChecker:
    """Checks rules that are due and notifies `admins`."""

    context: ProbeContext
    admins: Sequence[ChatId]
    rules: Sequence[AlertRule] = RULES

    async def claim(self, limit: int) -> list[RuleCheck]:
        return await store.claim_checks(self.context.pool, self.rules, limit=limit)

    async def claim_together(self) -> list[list[RuleCheck]]:
        """Claim everything that is due, as one item."""
        claimed = await self.claim(len(self.rules))
        return [claimed] if claimed else []

    async def check_together(self, claimed: Sequence[RuleCheck]) -> None:
        """Check rules; one that fails is logged, and checked again at its usual time."""
        inside = [each for each in claimed if not self._rule_of(each).checked_alone]
        if inside:
            async with transaction(self.context.pool) as tx:
                session = OneSession(tx, self.context.pool.bot_id)
                checker = replace(self, context=replace(self.context, pool=session))
                for each in inside:
                    with _logged_errors():
                        async with tx.transaction():
                            await checker.check(each)
        for each in claimed:
            if each not in inside:
                with _logged_errors():
                    await self.check(each)

    def _rule_of(self, claimed: RuleCheck) -> AlertRule:
        return next(one for one in self.rules if one.kind is claimed.kind)

    async def check(self, claimed: RuleCheck) -> None:
        """Check one rule; if an outside service does not answer, nothing is recorded."""
        rule = self._rule_of(claimed)
        try:
            figures = await rule.condition(self.context)
        except Transient:
            await self._answer_unknown(claimed)
            return
        opened = ended = None
        async with transaction(self.context.pool) as tx:
            gap = rule.every * GAP_CHECKS
            ripe = await store.write_checked(tx, claimed, holds=figures is not None, gap=gap, patience=rule.patience)
            if ripe is not None and figures is not None:
                opened = await self._open_or_refresh(tx, rule, figures, ripe=ripe)
            elif ripe is not None:
                ended = await self._end_when_calm(tx, rule)
            if ripe is not None:
                await _answer(tx, claimed, holds=figures is not None)
        if opened is not None:
            log.error("INCIDENT_OPEN", incident=opened, kind=rule.kind, **figures or {})
        if ended is not None:
            lasted_s = round(ended["lasted"].total_seconds())
            log.info("INCIDENT_OVER", incident=ended["incident_id"], kind=rule.kind, lasted_s=lasted_s)

    async def _answer_unknown(self, claimed: RuleCheck) -> None:
        """Notify who asked that it cannot be known now."""
        if claimed.asked_by:
            async with transaction(self.context.pool) as tx:
                if await store.answer_asked(tx, claimed):
                    await _tell_all(tx, claimed, "alert-checked-unknown")

    async def _open_or_refresh(self, tx: Transaction, rule: AlertRule, figures: Figures, *, ripe: bool) -> int | None:
        """Return the incident if it was opened now."""
        known = await store.write_seen(tx, rule.kind, figures)
        opened = await store.write_opened(tx, rule.kind, figures) if known is None and ripe else None
        incident_id = opened if known is None else known
        if incident_id is not None:
            await store.add_openings(tx, incident_id, self.admins)
        return opened

    async def _end_when_calm(self, tx: Transaction, rule: AlertRule) -> Row | None:
        """Return the incident if it ended now."""
        row = await store.write_quiet(tx, rule.kind, calm=rule.calm)
        if row is None:
            return None
        if not row["over"]:
            await store.hurry(tx, rule.kind, within=rule.calm)
            return None
        await store.add_endings(tx, row["incident_id"], self.admins)
        return row


@contextmanager
def _logged_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if is_unavailable(error):
            raise
        log.error("STEP_ERROR", step="watches", error=describe(error))
        report_crash(error, "STEP_ERROR")


async def _answer(tx: Transaction, claimed: RuleCheck, *, holds: bool) -> None:
    """Notify who asked for this check of what it found: the alert again with its newest figures, or that all is well."""
    if not claimed.asked_by:
        return
    incident_id = await store.open_incident(tx, claimed.kind) if holds else None
    if incident_id is not None:
        await store.repeat_openings(tx, incident_id, claimed.asked_by)
    else:
        await _tell_all(tx, claimed, "alert-checked-again" if holds else "alert-checked-fine")


async def _tell_all(tx: Transaction, claimed: RuleCheck, text_key: str) -> None:
    for chat_id in claimed.asked_by:
        key = f"alert-check:{claimed.kind}:{claimed.next_at.isoformat()}:{chat_id}"
        await notify(tx, key=key, chat_id=chat_id, text_key=text_key)
