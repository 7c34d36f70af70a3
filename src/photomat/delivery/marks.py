"""Record what cards show, several in one statement: each tests the fence of its own lock, a lost one changes nothing.

A mark holds all that is recorded after the edit: the revision shown, Telegram's file id of the output, the timeline, and that
the completion message is due.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple

from photomat.db.pool import Transaction
from photomat.delivery.outputs import Output
from photomat.delivery.render import LockedCard
from photomat.jobs import timeline
from photomat.jobs.job import TERMINAL
from photomat.kernel.ids import JobId

REPEAT_AFTER: Final = timedelta(minutes=2)
"""After an unknown outcome or a take-over an older edit may still arrive, so the final one is repeated."""


class ShownFile(NamedTuple):
    """Telegram's file of an output, by which it is shown from now on."""

    output: Output
    media: str
    file_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A card whose edit was confirmed; `event` is what its timeline gets, `media_refused` that a text replaced media."""

    card: LockedCard
    ring_kind: str | None
    repeat_later: bool
    file: ShownFile | None = None
    event: Mapping[str, Any] | None = None
    media_refused: bool = False

    def as_json(self) -> dict[str, Any]:
        card = self.card
        fields = {
            "shown": card.wanted,
            "is_result": card.shows_result,
            "ring": self.ring_kind,
            "repeats": self.repeat_later,
            "is_final": card.status in TERMINAL,
            "place": card.wait.place,
            "event": None if self.event is None else _known(self.event),
            "media_refused": self.media_refused,
        }
        return _known(fields)


async def record_marks(tx: Transaction, marks: Sequence[Mark]) -> dict[JobId, bool]:
    """Record what the cards show now, and return which are due again; those whose lock was lost are missing.

    `delivered_at` is set for results only.

    Only the final view clears the doubt: an old progress edit of unknown outcome may still overwrite it.
    """
    rows = await tx.fetch(
        f"""
        WITH mark AS (
            SELECT job_id, fence, detail, (detail ->> 'shown')::int AS shown, (detail ->> 'repeats')::bool AS repeats,
                   detail ->> 'ring' AS ring
              FROM unnest($1::bigint[], $2::bigint[], $3::jsonb[]) AS given (job_id, fence, detail)
        ), locked AS MATERIALIZED (
            SELECT job_id, ring IS NOT NULL AND ring_kind IS DISTINCT FROM ring AND restored_at IS NULL AS is_rung
              FROM generation_jobs JOIN mark USING (job_id)
             WHERE delivery_fence = mark.fence AND num_nonnulls(delivering_at) = 1
             ORDER BY job_id FOR UPDATE OF generation_jobs
        ), changed AS (
            UPDATE generation_jobs AS job
               SET card_shown = shown, delivering_at = NULL, delivering_by = NULL, delivery_error = NULL,
                   delivery_attempts = 0, delivery_failing_since = NULL,
                   card_doubtful = card_doubtful AND NOT (detail ->> 'is_final')::bool,
                   delivered_at = CASE WHEN (detail ->> 'is_result')::bool THEN coalesce(delivered_at, photomat_now())
                                       ELSE delivered_at END,
                   ring_due_at = CASE WHEN is_rung THEN photomat_now() ELSE ring_due_at END,
                   ring_kind = coalesce(ring, ring_kind),
                   deliver_at = CASE WHEN repeats AND card_wanted = shown THEN photomat_now() + $4::interval
                                     ELSE deliver_at END,
                   card_wanted = card_wanted + CASE WHEN repeats AND card_wanted = shown THEN 1 ELSE 0 END,
                   shown_place = (detail ->> 'place')::int,
                   media_refused_at = CASE WHEN (detail ->> 'media_refused')::bool THEN photomat_now()
                                           ELSE media_refused_at END
              FROM mark JOIN locked USING (job_id)
             WHERE job.job_id = mark.job_id
            RETURNING job.job_id, card_shown < card_wanted AND NOT repeats AND deliver_at <= photomat_now() AS is_due, detail
        ), events AS ({timeline.RECORD_MARKED}
        ), files AS (
            UPDATE job_outputs AS output SET media = shown.media, file_id = shown.file_id
              FROM unnest($5::bigint[], $6::int[], $7::text[], $8::text[]) AS shown (job_id, position, media, file_id)
             WHERE output.job_id = shown.job_id AND output.position = shown.position
               AND output.job_id IN (SELECT job_id FROM changed)
        )
        SELECT job_id, is_due FROM changed
        """,  # noqa: S608  a constant statement of the timeline
        [mark.card.job_id for mark in marks],
        [mark.card.fence for mark in marks],
        [mark.as_json() for mark in marks],
        REPEAT_AFTER,
        *_columns([mark.file for mark in marks if mark.file is not None]),
    )
    return {JobId(row["job_id"]): row["is_due"] for row in rows}


def _columns(files: Sequence[ShownFile]) -> tuple[list[Any], ...]:
    return (
        [file.output.job_id for file in files],
        [file.output.position for file in files],
        [file.media for file in files],
        [file.file_id for file in files],
    )


def _known(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
