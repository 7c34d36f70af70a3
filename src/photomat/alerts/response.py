"""What operators do about an incident itself: take it over, ask for a check now. `operators/incidents.py` keeps the journal."""

from dataclasses import dataclass

from photomat.alerts import store
from photomat.alerts.incident import IncidentKind, IncidentNotice, IncidentPhase
from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import ChatId, Fence


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """`taken_by` is the operator who took it over."""

    incident_id: int
    kind: str
    is_open: bool
    taken_by: str | None


async def lock_incident(tx: Transaction, incident_id: int) -> Incident | None:
    """Lock an incident until the commit, so that what is done about it is done one transaction after the other."""
    row = await store.lock_incident(tx, incident_id)
    if row is None:
        return None
    return Incident(
        incident_id=row["incident_id"], kind=row["kind"], is_open=row["is_open"], taken_by=row["acknowledged_by"]
    )


async def read_notice(pool: Pool, incident_id: int, *, chat_id: ChatId, language: str) -> IncidentNotice | None:
    """The opening of an incident as it would be sent now; None once it is over."""
    row = await store.read_open(pool, incident_id)
    if row is None:
        return None
    return IncidentNotice(
        **dict(row),
        admin_id=chat_id,
        about=IncidentPhase.OPEN,
        fence=Fence(0),
        attempts=0,
        lasted=None,
        language=language,
    )


async def acknowledge(tx: Transaction, incident_id: int, *, by: str) -> bool:
    """Take an open incident over; False if another operator has."""
    return await store.write_acknowledged(tx, incident_id, by=by)


async def ask_check(tx: Transaction, kind: IncidentKind, *, chat_id: ChatId) -> None:
    """Have a rule checked now; the chat gets what the check finds."""
    await store.write_asked(tx, kind, chat_id)
