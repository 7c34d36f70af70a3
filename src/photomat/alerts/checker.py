"""Checks the alert rules: claim → evaluate → record, opening and ending incidents, each once.

Every instance checks, PASSIVE ones too, because "no instance is ACTIVE" is one of the rules. Killed between claim and record:
the rule is checked again at its usual time. Frozen in between: the claim has passed on, and the result is not written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.alerts import store
from photomat.alerts.incident import AlertRule, Figures, IncidentKind, ProbeContext, RuleCheck
from photomat.alerts.rules import RULES
from photomat.db.pool import Transaction, transaction
from photomat.kernel.errors import Transient
from photomat.kernel.ids import ChatId
from photomat.kernel.logs import get_logger
from photomat.work.retention import OldRows

OUR_KINDS: Final = ", ".join(f"'{kind.value}'" for kind in IncidentKind)
WATCHES_DUE: Final = f"SELECT 1 FROM watches WHERE due_at <= photomat_now() AND kind IN ({OUR_KINDS})"  # noqa: S608  no input
"""After a step back the table may hold rules of a newer version, which this one cannot check."""

GAP_CHECKS: Final = 3
"""Checks further apart than this do not add up: what was in between is unknown."""

CLOSED_INCIDENTS: Final = OldRows(table="incidents", age="closed_at")
"""What may be deleted, with its notices."""

log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOpened:
    """An incident that a check opened."""

    incident_id: int
    kind: IncidentKind
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOver:
    """An incident that a check ended."""

    incident_id: int
    kind: IncidentKind
    lasted: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChecker:
    """Checks rules that are due and notifies `admins`."""

    context: ProbeContext
    admins: Sequence[ChatId]
    rules: Sequence[AlertRule] = RULES

    async def claim(self, limit: int) -> list[RuleCheck]:
        return await store.claim_checks(self.context.pool, self.rules, limit=limit)

    async def check(self, claimed: RuleCheck) -> None:
        """Check one rule; if an outside service does not answer, nothing is recorded."""
        rule = next(one for one in self.rules if one.kind is claimed.kind)
        try:
            figures = await rule.condition(self.context)
        except Transient:
            return
        async with transaction(self.context.pool) as tx:
            change = await self._record(tx, rule, claimed, figures)
        _say(change)

    async def _record(
        self, tx: Transaction, rule: AlertRule, claimed: RuleCheck, figures: Figures | None
    ) -> IncidentOpened | IncidentOver | None:
        gap = rule.every * GAP_CHECKS
        ripe = await store.write_checked(tx, claimed, holds=figures is not None, gap=gap, patience=rule.patience)
        if ripe is None:
            return None
        return await (self._quiet(tx, rule) if figures is None else self._seen(tx, rule, figures, ripe=ripe))

    async def _seen(self, tx: Transaction, rule: AlertRule, figures: Figures, *, ripe: bool) -> IncidentOpened | None:
        known = await store.write_seen(tx, rule.kind, figures)
        if known is not None:
            await store.add_openings(tx, known, self.admins)
            return None
        opened = await store.write_opened(tx, rule.kind, figures) if ripe else None
        if opened is None:
            return None
        await store.add_openings(tx, opened, self.admins)
        return IncidentOpened(incident_id=opened, kind=rule.kind, figures=figures)

    async def _quiet(self, tx: Transaction, rule: AlertRule) -> IncidentOver | None:
        row = await store.write_quiet(tx, rule.kind, calm=rule.calm)
        if row is None:
            return None
        if not row["over"]:
            await store.hurry(tx, rule.kind, within=rule.calm)
            return None
        await store.add_endings(tx, row["incident_id"], self.admins)
        return IncidentOver(incident_id=row["incident_id"], kind=rule.kind, lasted=row["lasted"])


def _say(change: IncidentOpened | IncidentOver | None) -> None:
    match change:
        case IncidentOpened():
            log.error("INCIDENT_OPEN", incident=change.incident_id, kind=change.kind, **change.figures)
        case IncidentOver():
            lasted_s = round(change.lasted.total_seconds())
            log.info("INCIDENT_OVER", incident=change.incident_id, kind=change.kind, lasted_s=lasted_s)
        case None:
            pass
