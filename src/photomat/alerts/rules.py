"""Every watch with its thresholds, on one page. `docs/operations.md` has the same table for people."""

from datetime import timedelta
from typing import Final

from photomat.alerts import conditions
from photomat.alerts.incident import Condition, Kind, Watch

OFTEN: Final = timedelta(seconds=5)
"""For who is ACTIVE: a handover is over before its turn has come twice."""

SOON: Final = timedelta(seconds=15)
NOW_AND_THEN: Final = timedelta(minutes=3)
SELDOM: Final = timedelta(minutes=10)
"""For the audit, which reads more than the others."""

PROOF_AFTER: Final = timedelta(hours=26)
"""A proof is kept every night: a day, and two hours for a late or long one."""

CATCHING_UP: Final = timedelta(hours=1)
"""After days of standstill the proof is kept soon after the start; no alert before that."""

AT_ONCE: Final = timedelta(0)
CALM: Final = timedelta(minutes=1)
PAUSE_CALM: Final = timedelta(minutes=4)
"""While submitting is paused, one job tries once a minute: a few tries must be missing before it counts as over."""

DISK_CALM: Final = timedelta(minutes=5)
"""Instances on several machines take turns, each with its own disk: one that has room does not end the other's incident."""

HANDOVER: Final = timedelta(seconds=15)
"""Two ACTIVEs for a moment are an ordinary deploy; each of them must have gone on beating for so long."""

LEADERLESS: Final = timedelta(seconds=30)

UNDELIVERED_AFTER: Final = timedelta(minutes=10)
NOTED_WITHIN: Final = timedelta(days=1)
"""Jobs keep such a note for ever, so only new ones count."""

PARKED_WITHIN: Final = timedelta(minutes=30)
ORPHANS_AT_LEAST: Final = 5
ORPHAN_AFTER: Final = timedelta(minutes=2)
"""Orphans are matched every minute: younger ones may still find their job."""

ORPHANS_WITHIN: Final = timedelta(hours=1)
CREDITS_BELOW: Final = 50
IDLE_TRANSACTION: Final = timedelta(minutes=5)
LONG_TRANSACTION: Final = timedelta(minutes=30)
RECEIPT_AFTER: Final = timedelta(hours=1)


def watch(
    kind: Kind, condition: Condition, *, every: timedelta = SOON, patience: timedelta = AT_ONCE, calm: timedelta = CALM
) -> Watch:
    """A watch; most have their turn soon, opened at once and over after a minute of calm."""
    return Watch(kind=kind, condition=condition, every=every, patience=patience, calm=calm)


WATCHES: Final = (
    watch(Kind.NO_ACTIVE, conditions.no_active, every=OFTEN, patience=LEADERLESS),
    watch(Kind.TWO_ACTIVE, conditions.two_active, every=OFTEN, patience=HANDOVER),
    watch(Kind.AUDIT, conditions.audit_red, every=SELDOM),
    watch(
        Kind.PROOF_MISSING,
        conditions.proof_missing(longer_than=PROOF_AFTER),
        every=SELDOM,
        patience=CATCHING_UP,
    ),
    watch(Kind.STOPPED_JOBS, conditions.stopped_jobs),
    watch(Kind.UNDELIVERED, conditions.undelivered(longer_than=UNDELIVERED_AFTER)),
    watch(Kind.PARKED_DELIVERIES, conditions.parked_deliveries),
    watch(Kind.REFUSED_MEDIA, conditions.refused_media(within=NOTED_WITHIN)),
    watch(Kind.UNREAD_RESULTS, conditions.unread_results(within=NOTED_WITHIN)),
    watch(Kind.PARKED_UPDATES, conditions.parked_updates(within=PARKED_WITHIN)),
    watch(
        Kind.ORPHANS,
        conditions.orphan_spike(at_least=ORPHANS_AT_LEAST, older_than=ORPHAN_AFTER, within=ORPHANS_WITHIN),
    ),
    watch(Kind.KIE_KEY, conditions.kie_key_refused, every=NOW_AND_THEN),
    watch(Kind.KIE_CREDITS, conditions.kie_credits(below=CREDITS_BELOW), every=NOW_AND_THEN),
    watch(Kind.KIE_PAUSED, conditions.kie_paused, calm=PAUSE_CALM),
    watch(
        Kind.OLD_TRANSACTION,
        conditions.old_transaction(idle=IDLE_TRANSACTION, any_longer_than=LONG_TRANSACTION),
        every=timedelta(minutes=1),
    ),
    watch(Kind.DISK, conditions.disk_low, calm=DISK_CALM),
    watch(Kind.DATABASE_SIZE, conditions.database_large, every=SELDOM),
    watch(Kind.RECEIPTS_WAITING, conditions.receipts_waiting(longer_than=RECEIPT_AFTER)),
)
