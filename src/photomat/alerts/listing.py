"""Incidents for the operator's eyes: the open ones first, then the newest that are over. Reads only."""

from typing import Any

from photomat.db.pool import Pool


async def list_incidents(pool: Pool, *, limit: int) -> list[dict[str, Any]]:
    """Each with what was seen last, how long it went on, and how many operators were told."""
    rows = await pool.fetch(
        """
        SELECT incident_id, kind, closed_at IS NULL AS open, figures, opened_at, last_seen_at, closed_at,
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
