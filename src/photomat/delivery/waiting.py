"""What a card says about the wait for its result, and the refresh of places in the queue.

The facts are read when cards are locked, for all of them together: the usual time of their models, and their place in the queue
while Kie's limit is the reason that they have not started, or the pause an operator made. `render` gets them with the card and
stays pure.

Places change all the time, so `refresh_places` makes cards due again, at most every ten seconds (`app/duties.py`). It reads the
first `MAX_PLACES` jobs of the queue and no others, whatever waits behind them: those say that more than so many are before
them, and this stays true until they are among the first. Of these a card is due again only if its place is not what it shows
and its last edit is done. Such an edit is progress, for which Telegram's budget has room last; a missed one is made up for by
the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from photomat.db.pool import Pool
from photomat.delivery.render import FAR, MAX_PLACES, PAUSED, LockedCard, Wait
from photomat.jobs.history import usual_seconds_of
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.jobs.submit import is_pause
from photomat.kernel.error_report import describe
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger
from photomat.work import budget
from photomat.work.budget import Budget
from photomat.work.controls import Pause, Pauses, read_pauses

HEAD: Final = """
    SELECT job_id, row_number() OVER (ORDER BY submit_turn, job_id) AS place
      FROM (SELECT job_id, submit_turn FROM generation_jobs
             WHERE status = 'pending' AND NOT needs_files AND least(due_at, submit_at) <= photomat_now()
               AND submit_turn >= coalesce($4, 0::bigint)
               AND (leased_until IS NULL OR leased_until <= photomat_now()) AND bot_id = (SELECT photomat_our_bot($1))
               AND NOT (SELECT photomat_paused_models()) @> ARRAY[model]
             ORDER BY submit_turn, job_id LIMIT $2::bigint) AS waiting"""
"""The first jobs that may be submitted, with their places; jobs of paused models have none. $4 is the floor of the queue."""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queue:
    """The queue while Kie's limit holds it back: nothing goes before `wait_s`, then one each `apart_s` on average."""

    is_paused: bool
    wait_s: float
    apart_s: float

    def starts_s(self, place: int) -> int:
        return max(1, round(self.wait_s + (place - 1) * self.apart_s))


async def with_waits(pool: Pool, cards: Sequence[LockedCard], *, creates: Budget) -> list[LockedCard]:
    """The locked cards with what is known about their waits; without it where that cannot be read now."""
    running = {card.job_id for card in cards if card.status not in TERMINAL}
    if not running:
        return list(cards)
    try:
        usual = await usual_seconds_of(pool, {card.model for card in cards if card.job_id in running})
        waiting = [card.job_id for card in cards if card.status is JobStatus.PENDING]
        pauses = await read_pauses(pool) if waiting else Pauses()
        paused = {card.job_id: pause for card in cards if (pause := _pause_of(card, pauses)) is not None}
        unpaused = [job_id for job_id in waiting if job_id not in paused]
        places = await _places(pool, unpaused, creates=creates) if unpaused else {}
    except Exception as error:  # noqa: BLE001  the cards are locked and must be delivered
        log.warning("WAIT_UNKNOWN", cards=len(cards), error=describe(error))
        return list(cards)
    places |= {job_id: Wait(place=PAUSED, pause=pause) for job_id, pause in paused.items()}
    return [
        replace(card, wait=replace(places.get(card.job_id, Wait()), usual_s=usual.get(card.model)))
        if card.job_id in running
        else card
        for card in cards
    ]


def _pause_of(card: LockedCard, pauses: Pauses) -> Pause | None:
    """Why an operator lets this card's job wait; the provider's pause is the wider one."""
    return (pauses.provider or pauses.of_model(card.model)) if card.status is JobStatus.PENDING else None


async def refresh_places(pool: Pool, *, creates: Budget) -> int:
    """Make the cards due whose place has changed; return how many. Bounded: see above."""
    pauses = await read_pauses(pool)
    paused = await _refresh_paused(pool, pauses) if pauses.provider or pauses.models else 0
    queue = await _held_back(pool, creates) if pauses.provider is None else None
    return paused if queue is None else paused + await _refresh_head(pool, queue)


async def _refresh_paused(pool: Pool, pauses: Pauses) -> int:
    """Make the cards due that do not say yet that an operator has paused the provider or their model."""
    rows = await pool.fetch(
        f"""
        WITH changed AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE status = 'pending' AND least(due_at, submit_at) <= photomat_now()
               AND bot_id = (SELECT photomat_our_bot($1)) AND ($3 OR model = ANY($4::text[]))
               AND shown_place IS DISTINCT FROM {PAUSED} AND card_shown = card_wanted AND delivering_at IS NULL
             LIMIT $2 FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET card_wanted = card_wanted + 1, deliver_at = greatest(deliver_at, photomat_now())
          FROM changed
         WHERE job.job_id = changed.job_id
        RETURNING true
        """,  # noqa: S608  a constant of ours
        pool.bot_id,
        MAX_PLACES,
        pauses.provider is not None,
        sorted(pauses.models),
    )
    return len(rows)


async def _refresh_head(pool: Pool, queue: _Queue) -> int:
    rows = await pool.fetch(
        f"""
        WITH head AS MATERIALIZED ({HEAD}),
        changed AS MATERIALIZED (
            SELECT job_id FROM generation_jobs JOIN head USING (job_id)
             WHERE shown_place IS DISTINCT FROM CASE WHEN $3 THEN {PAUSED} ELSE place END
               AND coalesce(status, '') = 'pending' AND card_shown = card_wanted AND delivering_at IS NULL
               FOR UPDATE OF generation_jobs SKIP LOCKED)
        UPDATE generation_jobs AS job SET card_wanted = card_wanted + 1, deliver_at = greatest(deliver_at, photomat_now())
          FROM changed
         WHERE job.job_id = changed.job_id
        RETURNING true
        """,  # noqa: S608  constants of ours
        pool.bot_id,
        MAX_PLACES,
        queue.is_paused,
        pool.floors.of("submits"),
    )
    return len(rows)


async def _places(pool: Pool, jobs: Sequence[JobId], *, creates: Budget) -> dict[JobId, Wait]:
    """The places of these waiting jobs; nothing while Kie's limit allows the next request."""
    queue = await _held_back(pool, creates)
    if queue is None:
        return {}
    if queue.is_paused:
        return dict.fromkeys(jobs, Wait(place=PAUSED))
    rows = await pool.fetch(
        f"""
        WITH head AS MATERIALIZED ({HEAD})
        SELECT job_id, place FROM generation_jobs LEFT JOIN head USING (job_id)
         WHERE job_id = ANY($3::bigint[]) AND coalesce(status, '') = 'pending' AND NOT needs_files
           AND least(due_at, submit_at) <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())
        """,  # noqa: S608  constants of ours
        pool.bot_id,
        MAX_PLACES,
        jobs,
        pool.floors.of("submits"),
    )
    places = {JobId(row["job_id"]): int(row["place"] or FAR) for row in rows}
    return {job_id: Wait(place=place, starts_s=queue.starts_s(place)) for job_id, place in places.items()}


async def _held_back(pool: Pool, creates: Budget) -> _Queue | None:
    """How Kie's limit holds the queue back; None while it does not."""
    free = await budget.room(pool, creates)
    if free.calls:
        return None
    reason = await budget.blocked_because(pool, creates.name)
    return _Queue(is_paused=reason is not None and is_pause(reason), wait_s=free.wait_s, apart_s=creates.apart_s)
