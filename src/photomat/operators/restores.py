"""A database restored from a backup, or a promoted replica that was behind: paused, uncertain where it must be, until resumed.

What happened between the backup and the loss of the database is not in it, so everything that could happen a second time is
stopped in the transaction that ends the restore: numbers jump ahead, jobs are not submitted, messages that were about to leave
do not, updates that waited are not handled, refunds wait, no operator is signed in. Meanwhile the ACTIVE instance reads
payments again from their providers, back to the moment of the backup; edits of cards, polling and payments work as always.
Fiscal receipts are looked up before they are sent (`fiscal/restored.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.audit.run import violations
from photomat.broadcasts.broadcast import drop_broadcasts
from photomat.cluster.instances import forget_all_instances
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.restoring import end_restore, jump_sequences
from photomat.db.rows import Row, require_row, row_as
from photomat.delivery.lock import drop_rings
from photomat.delivery.resend import drop_resends
from photomat.fiscal.restored import look_first
from photomat.inbox.lanes import drop_waiting
from photomat.jobs.restored import SubmitAgain, UncertainJob, list_uncertain, make_uncertain
from photomat.jobs.restored import submit_again as submit_job_again
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger
from photomat.messages.notices import drop_notices
from photomat.operators.access import end_all_sessions
from photomat.operators.actions import NO_SUCH_JOB, ActionResult, journaled, write_journal
from photomat.privacy.export_sender import drop_exports
from photomat.texts.sentence import Sentence
from photomat.work import controls
from photomat.work.controls import BOT, KIE, RESTORE

PAUSED_BY: Final = "restore"
ABOUT_MONEY: Final = ("payment:", "refund:", "subscription:")
"""Notices of payments that are read again: their payers may have had them before."""
BEFORE_SNAPSHOT: Final = timedelta(hours=1)
"""A payment of that time may have been under way while the backup was made."""
REPLICA: Final = "replica"
NO_FILE: Final = ""
SHOWN: Final = 100
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """One restore; `changed` counts what was stopped, `unread` are providers that have not answered yet."""

    restore_id: int
    restored_at: datetime
    restored_by: str
    snapshot_at: datetime
    file: str
    changed: Mapping[str, int]
    payments_read_at: datetime | None
    payments_before: int
    unread: tuple[str, ...]
    resumed_at: datetime | None
    resumed_by: str | None

    @property
    def read_since(self) -> datetime:
        """How far back payments are read again."""
        return self.snapshot_at - BEFORE_SNAPSHOT


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreState:
    """Everything an operator looks at before resuming."""

    restore: Restore
    uncertain: list[UncertainJob]
    payments_found: int
    differences: int
    wanted_refunds: int
    broken: tuple[str, ...]

    @property
    def problems(self) -> tuple[Sentence, ...]:
        """Why resuming would be too early."""
        found = []
        if self.restore.payments_read_at is None:
            unread = ", ".join(self.restore.unread)
            found.append(
                Sentence("restore-payments-unread", providers=unread)
                if unread
                else Sentence("restore-payments-unasked")
            )
        if self.broken:
            found.append(Sentence("restore-audit-red", names=", ".join(self.broken)))
        return tuple(found)


async def finish_restore(pool: Pool, *, operator: str, snapshot_at: datetime, file: str, sha256: str) -> Restore:
    """Make a loaded backup safe to start on: one transaction with the end of the restore's mark, paused from then on."""
    async with transaction(pool) as tx:
        restore = await _pause(tx, operator=operator, snapshot_at=snapshot_at, file=file, sha256=sha256, reason=file)
        failpoint("restore.before_commit")
        await end_restore(tx)
    log.warning("RESTORED", file=file, snapshot_at=snapshot_at.isoformat(), **restore.changed)
    return restore


async def pause_promoted(pool: Pool, *, operator: str, snapshot_at: datetime, reason: str) -> Restore:
    """Make a promoted replica that was behind safe to start on, as if it were a backup of `snapshot_at`."""
    async with transaction(pool) as tx:
        restore = await _pause(
            tx, operator=operator, snapshot_at=snapshot_at, file=REPLICA, sha256=NO_FILE, reason=reason
        )
    log.warning("RESTORED", file=REPLICA, snapshot_at=snapshot_at.isoformat(), **restore.changed)
    return restore


async def _pause(
    tx: Transaction, *, operator: str, snapshot_at: datetime, file: str, sha256: str, reason: str
) -> Restore:
    changed = await _stop_everything(tx, file)
    restore = await _record(tx, operator=operator, snapshot_at=snapshot_at, file=file, sha256=sha256, changed=changed)
    says = Sentence("restore-done", file=file, jobs=changed["uncertain"])
    await write_journal(
        tx, operator=operator, action="restore", reason=reason, done=True, outcome=says, reference=RESTORE
    )
    return restore


async def _stop_everything(tx: Transaction, file: str) -> dict[str, int]:
    uncertain, known = await make_uncertain(tx)
    changed = {
        "sequences": await jump_sequences(tx),
        "uncertain": uncertain,
        "at_kie": known,
        "rings": await drop_rings(tx),
        "resends": await drop_resends(tx),
        "notices": await drop_notices(tx) + await drop_exports(tx),
        "broadcast": await drop_broadcasts(tx),
        "updates": await drop_waiting(tx),
        "fiscal": await look_first(tx),
        "sessions": await end_all_sessions(tx),
    }
    await forget_all_instances(tx)
    for name in (BOT, KIE, RESTORE):
        await controls.delete_pause(tx, name)
        await controls.write_pause(tx, name, operator=PAUSED_BY, reason=file, notice=None, lasts=None)
    return changed


async def _record(
    tx: Transaction, *, operator: str, snapshot_at: datetime, file: str, sha256: str, changed: Mapping[str, int]
) -> Restore:
    await tx.execute(
        "UPDATE restores SET resumed_at = photomat_now(), resumed_by = $1 WHERE resumed_at IS NULL", PAUSED_BY
    )
    row = await require_row(
        tx,
        """
        INSERT INTO restores (restored_by, snapshot_at, file, sha256, changed, payments_before)
        SELECT $1, $2, $3, $4, $5, coalesce(max(payment_id), 0) FROM payments
        RETURNING *
        """,
        operator,
        snapshot_at,
        file,
        sha256,
        dict(changed),
    )
    return _restore(row)


async def open_restore(pool: Pool) -> Restore | None:
    """The restore that has not been resumed; None where there is none."""
    row = await pool.fetchrow("SELECT * FROM restores WHERE resumed_at IS NULL")
    return None if row is None else _restore(row)


async def read_state(pool: Pool) -> RestoreState | None:
    restore = await open_restore(pool)
    if restore is None:
        return None
    async with pool.acquire() as connection:
        broken = await violations(connection)
        row = await require_row(
            connection,
            """
            SELECT (SELECT count(*) FROM payments WHERE payment_id > $1) AS payments,
                   (SELECT count(*) FROM differences WHERE resolved_at IS NULL) AS differences,
                   (SELECT count(*) FROM payment_refunds WHERE state = 'wanted') AS refunds
            """,
            restore.payments_before,
        )
    return RestoreState(
        restore=restore,
        uncertain=await list_uncertain(pool, limit=SHOWN),
        payments_found=row["payments"],
        differences=row["differences"],
        wanted_refunds=row["refunds"],
        broken=tuple(one.name for one in broken),
    )


async def note_payments_read(pool: Pool, restore: Restore, *, unread: list[str]) -> None:
    """Record a pass over all lists; it counts when every provider has answered."""
    await pool.execute(
        """
        UPDATE restores SET unread = $2, payments_read_at = CASE WHEN $3 THEN photomat_now() ELSE payments_read_at END
         WHERE restore_id = $1 AND resumed_at IS NULL
        """,
        restore.restore_id,
        unread,
        not unread,
    )
    log.info("RESTORE_PAYMENTS_READ", restore_id=restore.restore_id, unread=",".join(unread))


async def resume_restored(pool: Pool, *, operator: str, reason: str, force: bool = False) -> ActionResult:
    """End the pause after a restore; refused while payments are unread or the audit is red, unless forced."""
    state = await read_state(pool)

    async def act(tx: Transaction) -> ActionResult:
        if state is None:
            return ActionResult(done=False, says=Sentence("controls-not-paused"))
        if state.problems and not force:
            return ActionResult(done=False, says=state.problems[0])
        closed = await tx.fetchval(
            """
            UPDATE restores SET resumed_at = photomat_now(), resumed_by = $2
             WHERE restore_id = $1 AND resumed_at IS NULL RETURNING true
            """,
            state.restore.restore_id,
            operator,
        )
        if not closed:
            return ActionResult(done=False, says=Sentence("controls-not-paused"))
        withheld = await drop_notices(tx, about=ABOUT_MONEY)
        for name in (BOT, KIE, RESTORE):
            await controls.delete_pause(tx, name)
        return ActionResult(done=True, says=Sentence("restore-resumed", jobs=len(state.uncertain), withheld=withheld))

    return await journaled(pool, act, action="resume", operator=operator, reason=reason, reference=RESTORE)


SUBMITS: Final[Mapping[SubmitAgain, Sentence]] = {
    SubmitAgain.ALLOWED: Sentence("restore-submit-allowed"),
    SubmitAgain.NO_SUCH_JOB: NO_SUCH_JOB,
    SubmitAgain.NOT_UNCERTAIN: Sentence("restore-submit-certain"),
    SubmitAgain.HAS_TASK: Sentence("restore-submit-task"),
}


async def submit_again(pool: Pool, job_id: JobId, *, operator: str, reason: str) -> ActionResult:
    """Let one uncertain job be submitted: the operator has seen that Kie does not have it."""

    async def act(tx: Transaction) -> ActionResult:
        outcome = await submit_job_again(tx, job_id)
        return ActionResult(done=outcome is SubmitAgain.ALLOWED, says=SUBMITS[outcome])

    return await journaled(pool, act, action="submit-again", job_id=job_id, operator=operator, reason=reason)


def _restore(row: Row) -> Restore:
    return row_as(Restore, row, unread=tuple(row["unread"]))
