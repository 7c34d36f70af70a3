"""Every statement on `watches` and `incidents`, and those that add rows to `incident_notices`.

"Once" is the key `incidents_one_open_per_kind`, the notices' primary key, and a guard: a check is tested by its `due_at`, so a
late one changes nothing.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from photomat.alerts.incident import AlertRule, Figures, IncidentKind, RuleCheck
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row
from photomat.kernel.ids import ChatId
from photomat.work.retention import OldRows

CLOSED_INCIDENTS: Final = OldRows(table="incidents", age="closed_at")
"""What may be deleted, with its notices."""


async def claim_checks(pool: Pool, rules: Sequence[AlertRule], *, limit: int) -> list[RuleCheck]:
    """Claim the rules that are due, or nearly, each for one check; a new rule is first checked after its interval.

    With half of the shortest interval taken along, all rules soon fall on the same instants, and share their transactions.
    """
    kinds, times = [rule.kind.value for rule in rules], [rule.every for rule in rules]
    async with transaction(pool) as tx:
        await tx.execute(
            """
            INSERT INTO watches (kind, due_at)
            SELECT kind, photomat_now() + every FROM unnest($1::text[], $2::interval[]) AS rota (kind, every)
             WHERE (SELECT photomat_our_bot($3)) IS NOT NULL
               AND NOT EXISTS (SELECT FROM watches WHERE watches.kind = rota.kind)
                ON CONFLICT ON CONSTRAINT watches_pkey DO NOTHING
            """,
            kinds,
            times,
            pool.bot_id,
        )
        rows = await tx.fetch(
            """
            WITH due AS MATERIALIZED (
                SELECT kind FROM watches WHERE due_at <= photomat_now() + $5::interval AND kind = ANY($1::text[])
                   AND (SELECT photomat_our_bot($4)) IS NOT NULL
                 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
            UPDATE watches SET due_at = photomat_now() + rota.every
              FROM due JOIN unnest($1::text[], $2::interval[]) AS rota (kind, every) ON rota.kind = due.kind
             WHERE watches.kind = due.kind
            RETURNING watches.kind, watches.due_at, watches.asked_by
            """,
            kinds,
            times,
            limit,
            pool.bot_id,
            min(times) / 2,
        )
    return [
        RuleCheck(kind=IncidentKind(row["kind"]), next_at=row["due_at"], asked_by=tuple(row["asked_by"]))
        for row in rows
    ]


async def write_checked(
    tx: Transaction, claimed: RuleCheck, *, holds: bool, gap: timedelta, patience: timedelta
) -> bool | None:
    """Record a check; return whether the condition has held long enough to open, None if the claim was lost.

    Checks further apart than `gap` do not add up: what was in between is unknown.
    """
    found: bool | None = await tx.fetchval(
        """
        UPDATE watches
           SET watched_at = photomat_now(), asked_by = '{}',
               holds_since = CASE WHEN NOT $3 THEN NULL
                                  WHEN watched_at > photomat_now() - $4::interval
                                  THEN coalesce(holds_since, photomat_now())
                                  ELSE photomat_now() END
         WHERE kind = $1 AND due_at = $2
        RETURNING coalesce(holds_since <= photomat_now() - $5::interval, false)
        """,
        claimed.kind,
        claimed.next_at,
        holds,
        gap,
        patience,
    )
    return found


async def hurry(tx: Transaction, kind: IncidentKind, *, within: timedelta) -> None:
    await tx.execute(
        "UPDATE watches SET due_at = least(due_at, photomat_now() + $2::interval) WHERE kind = $1", kind, within
    )


async def write_asked(tx: Transaction, kind: str, chat_id: ChatId) -> None:
    """Make a check due now; a check under way loses its claim, so that its answer is not from before the question."""
    await tx.execute(
        """
        UPDATE watches SET due_at = photomat_now(), asked_by = array_append(array_remove(asked_by, $2), $2)
         WHERE kind = $1
        """,
        kind,
        chat_id,
    )


async def answer_asked(tx: Transaction, claimed: RuleCheck) -> bool:
    """Forget who asked, where the check could not find out; False if the claim was lost."""
    return bool(
        await tx.fetchval(
            "UPDATE watches SET asked_by = '{}' WHERE kind = $1 AND due_at = $2 RETURNING true",
            claimed.kind,
            claimed.next_at,
        )
    )


async def write_seen(tx: Transaction, kind: IncidentKind, figures: Figures) -> int | None:
    """The condition holds: refresh the open incident of its kind and return its id, None if there is none."""
    found: int | None = await tx.fetchval(
        """
        UPDATE incidents SET figures = $2, last_seen_at = photomat_now(), quiet_since = NULL
         WHERE kind = $1 AND closed_at IS NULL
        RETURNING incident_id
        """,
        kind,
        dict(figures),
    )
    return found


async def write_opened(tx: Transaction, kind: IncidentKind, figures: Figures) -> int | None:
    """Open an incident and return its id; None if another instance has just done so."""
    found: int | None = await tx.fetchval(
        """
        INSERT INTO incidents (kind, figures) VALUES ($1, $2)
            ON CONFLICT (kind) WHERE closed_at IS NULL DO NOTHING
        RETURNING incident_id
        """,
        kind,
        dict(figures),
    )
    return found


async def write_quiet(tx: Transaction, kind: IncidentKind, *, calm: timedelta) -> Row | None:
    """The condition does not hold: record since when, and close the incident once that is long enough."""
    return await tx.fetchrow(
        """
        UPDATE incidents
           SET quiet_since = coalesce(quiet_since, photomat_now()),
               closed_at = CASE WHEN quiet_since <= photomat_now() - $2::interval THEN photomat_now() END
         WHERE kind = $1 AND closed_at IS NULL
        RETURNING incident_id, closed_at IS NOT NULL AS over, quiet_since - opened_at AS lasted
        """,
        kind,
        calm,
    )


async def add_openings(tx: Transaction, incident_id: int, admins: Sequence[ChatId]) -> None:
    """Notify every admin of the opening who was not notified yet."""
    await tx.execute(
        """
        INSERT INTO incident_notices (incident_id, admin_id, about)
        SELECT $1, admin_id, 'open' FROM unnest($2::bigint[]) AS admin_id
            ON CONFLICT ON CONSTRAINT incident_notices_pkey DO NOTHING
        """,
        incident_id,
        list(admins),
    )


async def add_endings(tx: Transaction, incident_id: int, admins: Sequence[ChatId]) -> None:
    """Notify of the end every admin who was, or will be, notified of the opening."""
    await tx.execute(
        """
        INSERT INTO incident_notices (incident_id, admin_id, about)
        SELECT incident_id, admin_id, 'over' FROM incident_notices
         WHERE incident_id = $1 AND about = 'open' AND admin_id = ANY($2::bigint[])
           AND (due_at IS NOT NULL OR sent_at IS NOT NULL)
            ON CONFLICT ON CONSTRAINT incident_notices_pkey DO NOTHING
        """,
        incident_id,
        list(admins),
    )


async def repeat_openings(tx: Transaction, incident_id: int, admins: Sequence[ChatId]) -> None:
    """Notify these operators of the opening again, with the newest figures."""
    await add_openings(tx, incident_id, admins)
    await tx.execute(
        """
        UPDATE incident_notices SET due_at = photomat_now(), outcome = NULL, sent_at = NULL, attempts = 0
         WHERE incident_id = $1 AND admin_id = ANY($2::bigint[]) AND about = 'open' AND due_at IS NULL
        """,
        incident_id,
        list(admins),
    )


async def open_incident(tx: Transaction, kind: IncidentKind) -> int | None:
    found: int | None = await tx.fetchval(
        "SELECT incident_id FROM incidents WHERE kind = $1 AND closed_at IS NULL", kind
    )
    return found


async def read_open(pool: Pool, incident_id: int) -> Row | None:
    return await pool.fetchrow(
        "SELECT incident_id, kind, figures, opened_at FROM incidents WHERE incident_id = $1 AND closed_at IS NULL",
        incident_id,
    )


async def lock_incident(tx: Transaction, incident_id: int) -> Row | None:
    return await tx.fetchrow(
        """
        SELECT incident_id, kind, closed_at IS NULL AS is_open, acknowledged_by FROM incidents
         WHERE incident_id = $1 FOR UPDATE
        """,
        incident_id,
    )


async def write_acknowledged(tx: Transaction, incident_id: int, *, by: str) -> bool:
    """Record who takes an open incident over; False if another operator has."""
    return bool(
        await tx.fetchval(
            """
            UPDATE incidents SET acknowledged_at = photomat_now(), acknowledged_by = $2
             WHERE incident_id = $1 AND closed_at IS NULL AND acknowledged_at IS NULL
            RETURNING true
            """,
            incident_id,
            by,
        )
    )


async def list_incidents(pool: Pool, *, limit: int) -> list[dict[str, Any]]:
    """Open incidents first, then the newest, each with its last figures, its duration and its notices."""
    rows = await pool.fetch(
        """
        SELECT incident_id, kind, closed_at IS NULL AS open, figures, opened_at, last_seen_at, closed_at,
               acknowledged_at, acknowledged_by,
               extract(epoch FROM coalesce(quiet_since, photomat_now()) - opened_at)::int AS lasted_s,
               (SELECT count(*) FROM incident_notices AS notice
                 WHERE notice.incident_id = incident.incident_id AND about = 'open' AND sent_at IS NOT NULL) AS told,
               (SELECT count(*) FROM incident_notices AS notice
                 WHERE notice.incident_id = incident.incident_id AND outcome IN ('unreachable', 'refused')) AS not_told
          FROM incidents AS incident
         ORDER BY closed_at IS NULL DESC, incident_id DESC LIMIT $1
        """,
        limit,
    )
    return [dict(row) for row in rows]
