"""The buttons under an alert: which actions help with which incident, and the console's page about it."""

from collections.abc import Mapping
from typing import Final

from photomat.alerts.incident import AlertAction, IncidentKind, IncidentNotice, IncidentPhase, known_kind
from photomat.telegram.callback_data import act_on_incident
from photomat.telegram.port import Button, Keyboard
from photomat.texts.load import Say

ACTIONS: Final[Mapping[IncidentKind, tuple[AlertAction, ...]]] = {
    IncidentKind.NO_ACTIVE: (AlertAction.STATE, AlertAction.CHECK),
    IncidentKind.TWO_ACTIVE: (AlertAction.STATE, AlertAction.CHECK),
    IncidentKind.AUDIT: (AlertAction.CHECK,),
    IncidentKind.PROOF_MISSING: (AlertAction.CHECK,),
    IncidentKind.STOPPED_JOBS: (AlertAction.RETRY, AlertAction.JOBS),
    IncidentKind.UNDELIVERED: (AlertAction.REDELIVER, AlertAction.JOBS),
    IncidentKind.PARKED_DELIVERIES: (AlertAction.REDELIVER, AlertAction.JOBS),
    IncidentKind.REFUSED_MEDIA: (AlertAction.REDELIVER, AlertAction.JOBS),
    IncidentKind.UNREAD_RESULTS: (AlertAction.JOBS,),
    IncidentKind.PARKED_UPDATES: (AlertAction.UNPARK,),
    IncidentKind.ORPHANS: (AlertAction.RECONCILE,),
    IncidentKind.KIE_KEY: (AlertAction.CHECK,),
    IncidentKind.KIE_CREDITS: (AlertAction.CHECK,),
    IncidentKind.KIE_PAUSED: (AlertAction.SUBMIT,),
    IncidentKind.OLD_TRANSACTION: (AlertAction.SESSION, AlertAction.CHECK),
    IncidentKind.DISK: (AlertAction.STATE, AlertAction.CHECK),
    IncidentKind.DATABASE_SIZE: (AlertAction.STATE, AlertAction.CHECK),
    IncidentKind.PARTITIONS: (AlertAction.STATE, AlertAction.CHECK),
    IncidentKind.RECEIPTS_WAITING: (AlertAction.RECEIPTS,),
    IncidentKind.TICKETS_WAITING: (AlertAction.TICKETS,),
    IncidentKind.FISCAL_RECEIPTS: (AlertAction.STATE,),
    IncidentKind.TAX_SERVICE: (AlertAction.STATE,),
    IncidentKind.APPEALS_WAITING: (),
    IncidentKind.SHOP_RECEIPTS: (AlertAction.CHECK,),
    IncidentKind.BACKUP: (AlertAction.CHECK,),
    IncidentKind.RESULTS_STORE: (AlertAction.CHECK,),
}
"""Besides these every alert can be taken over."""

PAGES: Final[Mapping[IncidentKind, str]] = {
    IncidentKind.AUDIT: "money/invariants",
    IncidentKind.PROOF_MISSING: "money/invariants",
    IncidentKind.STOPPED_JOBS: "jobs?state=stopped",
    IncidentKind.UNDELIVERED: "jobs?state=undelivered",
    IncidentKind.PARKED_DELIVERIES: "jobs?state=parked",
    IncidentKind.REFUSED_MEDIA: "jobs",
    IncidentKind.UNREAD_RESULTS: "jobs",
    IncidentKind.ORPHANS: "orphans",
    IncidentKind.RECEIPTS_WAITING: "money/receipts",
    IncidentKind.TICKETS_WAITING: "tickets",
    IncidentKind.FISCAL_RECEIPTS: "money/fiscal",
    IncidentKind.TAX_SERVICE: "money/fiscal",
    IncidentKind.APPEALS_WAITING: "moderation",
    IncidentKind.SHOP_RECEIPTS: "settings",
}
"""The console's page about an incident; the others are about health."""


def keyboard_of(say: Say, notice: IncidentNotice, *, console_url: str | None) -> Keyboard:
    """The buttons of an opening: what helps, two in a row, and a last row for who takes it; the end of one has none."""
    kind = known_kind(notice.kind)
    if notice.about is IncidentPhase.OVER or kind is None:
        return ()

    def act(action: AlertAction) -> Button:
        return Button(text=say(f"alert-button-{action}"), data=act_on_incident(notice.incident_id, action))

    helps = [act(action) for action in ACTIONS[kind]]
    last = [act(AlertAction.TAKE)]
    if console_url is not None:
        last.append(Button(text=say("alert-button-console"), url=f"{console_url}/{PAGES.get(kind, 'health')}"))
    return (*(tuple(helps[start : start + 2]) for start in range(0, len(helps), 2)), tuple(last))
