"""The delivery lock: the lease on changing a job's card.

A card is due while `card_shown < card_wanted`. Taking the lock raises the fence, and each later write of its holder tests it,
so an instance whose lease was taken over changes nothing. Each change of a job makes its card due, and the functions at the end
of this file make it due again; what a card shows is recorded here alone, after the edit. A locked card is found by its job:
`num_nonnulls(delivering_at)` is no condition of an index, so the planner does not search among all cards that were ever locked,
which beside a transaction that is open for long are many.

Cards are taken fairly between chats. Only the oldest due and free cards of each rank are read, so a claim costs the same for
any backlog. A chat has at most `MAX_OF_A_CHAT` cards locked, and chats with fewer come first. When one chat fills all that is
read, its surplus is put off to the pace Telegram allows a chat, which uncovers the others.
"""

from datetime import timedelta
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.floors import Queue
from photomat.db.installation import SANDBOX_BOT
from photomat.db.pool import Pool, Transaction
from photomat.delivery.marks import Mark, record_marks
from photomat.delivery.render import LockedCard, locked_card
from photomat.jobs import timeline
from photomat.jobs.sweep import rearm
from photomat.jobs.timeline import Tag
from photomat.kernel.error_report import describe
from photomat.kernel.ids import BotId, ChatId, InstanceId, JobId, MessageId, UserId
from photomat.kernel.logs import get_logger

MAX_OF_A_CHAT: Final = 4
MAX_READ: Final = 64
"""How many due cards of each rank a claim reads."""
IS_DUE: Final = (
    "card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at <= photomat_now()"
)
IS_FREE: Final = "(delivering_at IS NULL OR delivering_at <= photomat_now() - $2::interval)"
"""Its lock is free or expired; `$2` is how long a lock lasts, here and below."""
OURS: Final = "bot_id = (SELECT photomat_our_bot($3))"
"""The card belongs to our bot; `$3` is the bot of the pool, here and below."""
ABOVE_FLOOR: Final = "deliver_at >= coalesce({floor}, '-infinity'::timestamptz)"
RANKS: Final = ("status = 'done'", "status IN ('failed', 'canceled')", "status IN ('pending', 'submitting', 'running')")
"""Results before other ends before progress. Each has its own index, so the statuses are written out."""
OLDEST: Final = " UNION ALL ".join(
    f"(SELECT {rank} AS rank, job_id, bot_id, chat_id, deliver_at AS since FROM generation_jobs"  # noqa: S608  constants of this module
    f" WHERE {statuses} AND {IS_DUE} AND {ABOVE_FLOOR} AND {IS_FREE} AND {OURS} ORDER BY deliver_at LIMIT {MAX_READ})"
    for rank, statuses in enumerate(RANKS)
)
HELD: Final = (
    "SELECT count(*) FROM generation_jobs AS job WHERE job.bot_id = chat.bot_id AND job.chat_id = chat.chat_id"
    " AND delivering_at IS NOT NULL AND delivering_at > photomat_now() - $2::interval"
)
IN_TURN: Final = f"""
    WITH oldest AS MATERIALIZED ({OLDEST}),
    chats AS MATERIALIZED (
        SELECT bot_id, chat_id, ({HELD}) AS held FROM (SELECT DISTINCT bot_id, chat_id FROM oldest) AS chat)
    SELECT job_id, rank, since,
           held + row_number() OVER (PARTITION BY bot_id, chat_id ORDER BY rank, since, job_id) AS turn,
           count(*) OVER (PARTITION BY rank) >= {MAX_READ} AS is_crowded
      FROM oldest JOIN chats USING (bot_id, chat_id)"""  # noqa: S608  constants of this module
"""The oldest due and free cards of each rank with their turn in their chat, after those locked."""
MAX_ROUNDS: Final = 16
"""How often one claim puts off the surplus of chats that hide others."""
RESULTS_SINCE: Final = timedelta(days=7)
"""Results counted as shown but not delivered are searched for among jobs settled since then."""
DELIVERIES: Final = Queue(
    due=f"""
    SELECT 1 FROM generation_jobs
     WHERE {IS_DUE} AND {ABOVE_FLOOR} AND (delivering_at IS NULL OR delivering_at <= photomat_now() - interval '1 second')""",  # noqa: S608  constants of ours
    oldest=f"""
    SELECT least(min(deliver_at), photomat_now()) - interval '1 second' FROM generation_jobs
     WHERE {IS_DUE} AND {ABOVE_FLOOR}""",  # noqa: S608  constants of ours
)
"""Cards that may be locked; one that was locked just now is surely being edited, an older lock may have expired."""
RESULTS_DUE: Final = f"SELECT 1 FROM generation_jobs WHERE {IS_DUE} AND status = 'done' AND delivering_at IS NULL"  # noqa: S608  a constant of ours
"""Results that wait for an instance to show them."""
log = get_logger()


async def try_acquire_delivery_lock(
    pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId, job_id: JobId | None = None
) -> list[LockedCard]:
    """Lock due cards, results before failures before progress, fairly between chats; with `job_id` that one alone."""
    cards, is_crowded = await _lock(pool, limit=limit, lease=lease, instance=instance, job_id=job_id)
    try:
        for _ in range(MAX_ROUNDS):
            if len(cards) >= limit or not is_crowded or not await put_off_surplus(pool, lease=lease):
                break
            left = limit - len(cards)
            more, is_crowded = await _lock(pool, limit=left, lease=lease, instance=instance, job_id=job_id)
            cards += more
    except Exception as error:
        if not cards:
            raise
        log.warning("DELIVERY_CLAIM_SHORT", cards=len(cards), error=describe(error))  # those locked are delivered
    return cards


async def _lock(
    pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId, job_id: JobId | None
) -> tuple[list[LockedCard], bool]:
    """Lock what may be taken now; return also whether the surplus of a chat hides others."""
    rows = await pool.fetch(
        f"""
        WITH in_turn AS MATERIALIZED (
            SELECT * FROM ({IN_TURN.format(floor="$7")}) AS everybody WHERE $4::bigint IS NULL
             UNION ALL SELECT job_id, 0, deliver_at, 1, false FROM generation_jobs WHERE job_id = $4),
        due AS MATERIALIZED (
            SELECT job_id, delivering_at IS NOT NULL AS taken_over FROM generation_jobs JOIN in_turn USING (job_id)
             WHERE turn <= $5 AND {IS_DUE} AND {IS_FREE} AND {OURS}
             ORDER BY rank, turn, since
             LIMIT $1 FOR UPDATE OF generation_jobs SKIP LOCKED),
        changed AS (
            UPDATE generation_jobs AS job
               SET delivery_fence = job.delivery_fence + 1, delivering_at = photomat_now(), delivering_by = $6,
                   delivery_attempts = CASE WHEN job.card_tried = job.card_wanted THEN job.delivery_attempts + 1 ELSE 1 END,
                   delivery_failing_since = CASE WHEN job.card_tried = job.card_wanted THEN job.delivery_failing_since END,
                   card_tried = job.card_wanted, card_doubtful = job.card_doubtful OR due.taken_over
              FROM due
             WHERE job.job_id = due.job_id
            RETURNING job.*, due.taken_over, photomat_now() AS locked_at),
        event AS ({timeline.RECORD_LOCKED})
        SELECT changed.*, hidden.is_crowded, hidden.others_wait,
               EXISTS (SELECT FROM result_marks AS mark
                        WHERE mark.job_id = changed.job_id AND favourite_at IS NOT NULL) AS is_favourite
          FROM (SELECT coalesce(bool_or(is_crowded AND turn > $5), false) AS is_crowded,
                       coalesce(bool_or(turn > $5), false) AS others_wait FROM in_turn) AS hidden
          LEFT JOIN changed ON true
        """,  # noqa: S608  constant statements of ours
        limit,
        lease,
        pool.bot_id,
        job_id,
        MAX_OF_A_CHAT,
        instance,
        pool.floors.of("deliveries"),
    )
    return [locked_card(row) for row in rows if row["job_id"] is not None], rows[0]["is_crowded"]


async def put_off_surplus(pool: Pool, *, lease: timedelta) -> int:
    """Where one rank fills all that is read, put off the surplus of each chat, a second a card; return how many."""
    rows = await pool.fetch(
        f"""
        WITH in_turn AS MATERIALIZED ({IN_TURN.format(floor="$4")}),
        surplus AS MATERIALIZED (
            SELECT job_id, turn FROM generation_jobs JOIN in_turn USING (job_id)
             WHERE is_crowded AND turn > $1 AND {IS_DUE} AND delivering_at IS NULL
               FOR UPDATE OF generation_jobs SKIP LOCKED)
        UPDATE generation_jobs AS job SET deliver_at = photomat_now() + (turn - $1) * interval '1 second'
          FROM surplus
         WHERE job.job_id = surplus.job_id
        RETURNING true
        """,  # noqa: S608  constants of this module
        MAX_OF_A_CHAT,
        lease,
        pool.bot_id,
        pool.floors.of("deliveries"),
    )
    return len(rows)


async def renew(pool: Pool, card: LockedCard) -> bool:
    return bool(
        await pool.fetchval(
            """
            UPDATE generation_jobs SET delivering_at = photomat_now()
             WHERE job_id = $1 AND delivery_fence = $2 AND num_nonnulls(delivering_at) = 1
            RETURNING true
            """,
            card.job_id,
            card.fence,
        )
    )


async def still_ours(pool: Pool, card: LockedCard) -> bool:
    """Whether the fence is unchanged; asked before a late edit."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM generation_jobs
             WHERE job_id = $1 AND delivery_fence = $2 AND num_nonnulls(delivering_at) = 1
            """,
            card.job_id,
            card.fence,
        )
    )


async def mark_delivered(tx: Transaction, card: LockedCard, *, ring_kind: str | None, repeat_later: bool) -> bool:
    """Record what the card shows now; False when the lock was lost. `delivered_at` is set for results only."""
    mark = Mark(card=card, ring_kind=ring_kind, repeat_later=repeat_later)
    return card.job_id in await record_marks(tx, [mark])


async def release(
    tx: Transaction,
    card: LockedCard,
    *,
    after: timedelta,
    error: str,
    counted: bool,
    unknown: bool,
    blameless: bool = False,
) -> bool:
    """Release the lock without a confirmed edit; the next attempt comes `after` so long.

    An attempt that never left is not `counted`; an `unknown` outcome leaves the card doubtful; a `blameless` one, which
    no card could have passed, restarts the days after which a card is given up.
    """
    return await _fenced(
        tx,
        card,
        """
        UPDATE generation_jobs
           SET delivering_at = NULL, delivering_by = NULL, delivery_error = $3, deliver_at = photomat_now() + $4::interval,
               delivery_attempts = greatest(0, delivery_attempts - CASE WHEN $5 THEN 0 ELSE 1 END),
               delivery_failing_since = CASE WHEN $7 THEN NULL ELSE coalesce(delivery_failing_since, photomat_now()) END,
               card_doubtful = card_doubtful OR $6
         WHERE job_id = $1 AND delivery_fence = $2 AND num_nonnulls(delivering_at) = 1
        RETURNING true
        """,
        error,
        after,
        counted,
        unknown,
        blameless,
    )


async def put_off_chat(tx: Transaction, *, bot_id: BotId, chat_id: ChatId, after: timedelta) -> int:
    rows = await tx.fetch(
        f"""
        WITH waiting AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE bot_id = $1 AND chat_id = $2 AND {IS_DUE} AND delivering_at IS NULL
               FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET deliver_at = photomat_now() + $3::interval
          FROM waiting
         WHERE job.job_id = waiting.job_id
        RETURNING true
        """,  # noqa: S608  a constant of this module
        bot_id,
        chat_id,
        after,
    )
    return len(rows)


async def move_card(tx: Transaction, card: LockedCard, message_id: MessageId, *, chat_id: ChatId | None = None) -> bool:
    """A new message replaces the lost one, in another chat where the group has moved."""
    return await _fenced(
        tx,
        card,
        """
        UPDATE generation_jobs SET card_message_id = $3, chat_id = coalesce($4, chat_id), card_slot_for = card_tried
         WHERE job_id = $1 AND delivery_fence = $2 AND num_nonnulls(delivering_at) = 1
        RETURNING true
        """,
        message_id,
        chat_id,
    )


async def mark_undeliverable(tx: Transaction, card: LockedCard, *, error: str) -> bool:
    """The user cannot be reached; the card is due again when they return."""
    return await _fenced(
        tx,
        card,
        """
        UPDATE generation_jobs
           SET undeliverable_at = photomat_now(), delivering_at = NULL, delivering_by = NULL, delivery_error = $3
         WHERE job_id = $1 AND delivery_fence = $2 AND num_nonnulls(delivering_at) = 1
        RETURNING true
        """,
        error,
    )


async def park(tx: Transaction, card: LockedCard, *, error: str) -> bool:
    """Too many unexpected refusals, or days of failures: an operator decides."""
    return await _fenced(
        tx,
        card,
        """
        UPDATE generation_jobs
           SET parked_at = photomat_now(), delivering_at = NULL, delivering_by = NULL, delivery_error = $3
         WHERE job_id = $1 AND delivery_fence = $2 AND num_nonnulls(delivering_at) = 1
        RETURNING true
        """,
        error,
    )


async def drop_rings(tx: Transaction) -> int:
    """A restored database: completion messages that were due may have been sent since the backup, so none is sent now."""
    rows = await tx.fetch(
        """
        UPDATE generation_jobs SET ring_due_at = NULL, rung_at = coalesce(rung_at, photomat_now())
         WHERE ring_due_at IS NOT NULL RETURNING job_id
        """
    )
    return len(rows)


async def give_up_cards_of_others(tx: Transaction, *, bot_id: BotId) -> list[JobId]:
    """Give up the cards of other bots; return the jobs whose result was paid for and never shown.

    Jobs of the sandbox, paid with play money, are not among them.
    """
    await tx.execute(
        "UPDATE generation_jobs SET ring_due_at = NULL WHERE bot_id <> $1 AND ring_due_at IS NOT NULL", bot_id
    )
    rows = await tx.fetch(
        """
        UPDATE generation_jobs
           SET undeliverable_at = photomat_now(), delivering_at = NULL, delivering_by = NULL,
               delivery_error = 'the database was given to another bot'
         WHERE bot_id <> $1 AND settled_at IS NOT NULL AND card_shown < card_wanted
           AND undeliverable_at IS NULL AND parked_at IS NULL
        RETURNING job_id, status = 'done' AND NOT gift AND price > 0 AND delivered_at IS NULL AND bot_id <> $2 AS is_paid
        """,
        bot_id,
        SANDBOX_BOT,
    )
    await timeline.record_all(tx, {JobId(row["job_id"]): {} for row in rows}, Tag.UNDELIVERABLE)
    return [JobId(row["job_id"]) for row in rows if row["is_paid"]]


async def free_locks_of_dead_instances(pool: Pool) -> int:
    """Let the locks of dead instances be taken over at once; return how many. The fence still guards."""
    rows = await pool.fetch(
        """
        UPDATE generation_jobs SET delivering_at = '-infinity'
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND delivering_at > '-infinity'
           AND delivering_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING job_id
        """,
        DEAD_AFTER,
    )
    return len(rows)


async def get_undelivered_jobs(pool: Pool, *, limit: int = 100) -> list[JobId]:
    """Jobs whose result is not shown yet, oldest first."""
    rows = await pool.fetch(
        """
        SELECT job_id FROM generation_jobs
         WHERE status = 'done' AND delivered_at IS NULL AND card_shown < card_wanted
         ORDER BY deliver_at LIMIT $1
        """,
        limit,
    )
    return [JobId(row["job_id"]) for row in rows]


async def is_undelivered(pool: Pool, job_id: JobId) -> bool:
    """Whether the job is one of `get_undelivered_jobs`."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM generation_jobs
             WHERE job_id = $1 AND status = 'done' AND delivered_at IS NULL AND card_shown < card_wanted
            """,
            job_id,
        )
    )


async def rearm_user(tx: Transaction, *, user_id: UserId) -> int:
    """Make the undeliverable cards of a user due again; return how many."""
    return await _rearm(tx, "user_id = $1", user_id)


async def rearm_chat(tx: Transaction, *, bot_id: BotId, chat_id: ChatId) -> int:
    """The bot is back in a group: make its undeliverable cards due again; return how many."""
    return await _rearm(tx, "bot_id = $1 AND chat_id = $2", bot_id, chat_id)


async def _rearm(tx: Transaction, of: str, *args: int) -> int:
    rows = await tx.fetch(
        f"""
        UPDATE generation_jobs
           SET undeliverable_at = NULL, deliver_at = photomat_now(), delivery_attempts = 0, delivery_failing_since = NULL
         WHERE {of} AND undeliverable_at IS NOT NULL
        RETURNING job_id
        """,  # noqa: S608  the two conditions above
        *args,
    )
    await timeline.record_all(tx, {JobId(row["job_id"]): {"by": "return"} for row in rows}, Tag.REARMED)
    return len(rows)


async def rearm_job(tx: Transaction, job_id: JobId, *, by: str = "operator") -> bool:
    """Make one job's card due again, whatever held it back; False when there is no such job, or it was forgotten.

    Safe at any time: a card that is up to date is edited to what it shows. A held lock stays held.
    """
    found = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET undeliverable_at = NULL, parked_at = NULL, delivery_attempts = 0, deliver_at = photomat_now(),
               delivery_failing_since = NULL, card_wanted = card_wanted + 1
         WHERE job_id = $1 AND forgotten_at IS NULL
        RETURNING true
        """,
        job_id,
    )
    if found:
        await timeline.record(tx, job_id, Tag.REARMED, by=by)
    return bool(found)


async def rearm_stuck_cards(pool: Pool) -> int:
    """Make due what no worker would show any more, which only a bug or a manual change leaves behind; return how many."""
    return await rearm(pool, "cards", _rearm_cards) + await rearm(pool, "results", _show_results_again)


async def _rearm_cards(tx: Transaction) -> list[JobId]:
    """Cards that are outdated and never due."""
    rows = await tx.fetch(
        """
        WITH stuck AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at = 'infinity'
             ORDER BY job_id FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET deliver_at = photomat_now()
          FROM stuck
         WHERE job.job_id = stuck.job_id
           AND card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at = 'infinity'
        RETURNING job.job_id
        """
    )
    return [JobId(row["job_id"]) for row in rows]


async def _show_results_again(tx: Transaction) -> list[JobId]:
    """Results that count as shown and were never marked as delivered; rendering them again shows the same result."""
    rows = await tx.fetch(
        """
        WITH stuck AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE settled_at > photomat_now() - $1::interval
               AND status = 'done' AND delivered_at IS NULL AND card_shown = card_wanted
               AND undeliverable_at IS NULL AND parked_at IS NULL AND delivering_at IS NULL
             ORDER BY job_id FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET card_wanted = card_wanted + 1, deliver_at = photomat_now()
          FROM stuck
         WHERE job.job_id = stuck.job_id AND status = 'done' AND delivered_at IS NULL AND card_shown = card_wanted
           AND undeliverable_at IS NULL AND parked_at IS NULL AND delivering_at IS NULL
        RETURNING job.job_id
        """,
        RESULTS_SINCE,
    )
    return [JobId(row["job_id"]) for row in rows]


async def turn_page(tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId, page: int) -> bool:
    """Show another output of a delivered job; False when there is no such page, or it is not the user's."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs AS job
               SET card_page = $4, card_wanted = card_wanted + 1, deliver_at = photomat_now()
             WHERE job_id = $1 AND user_id = $2 AND card_message_id = $3 AND delivered_at IS NOT NULL
               AND EXISTS (SELECT 1 FROM job_outputs AS output WHERE output.job_id = job.job_id AND output.position = $4)
            RETURNING true
            """,
            job_id,
            user_id,
            message_id,
            page,
        )
    )


async def _fenced(tx: Transaction, card: LockedCard, statement: str, *args: object) -> bool:
    """Run an update of a locked card's job ($1) that tests the fence ($2); False when the lock was lost."""
    return bool(await tx.fetchval(statement, card.job_id, card.fence, *args))
