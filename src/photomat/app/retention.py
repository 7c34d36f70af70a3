"""What is deleted after a time, by the duty of the ACTIVE instance and by `photomat prune`. Imports no aiogram.

Never deleted: users, jobs and the rows of their results, everything about money (wallets, ledger, holds, payments, receipts,
fiscal receipts and their documents, rewards), consents and requests to be forgotten (by number), the operators' journal,
broadcasts and their counts, pauses (a row a name), the bot's profile (a row a part), differences, sealed days, updates that
were parked, callbacks that never found their job.
"""

from datetime import timedelta
from typing import Final

from photomat.alerts.store import CLOSED_INCIDENTS
from photomat.app.result_store import result_places
from photomat.app.settings import Settings
from photomat.assistant import calls
from photomat.audit.proofs import OLD_PROOFS
from photomat.audit.slices import OLD_SLICES
from photomat.backup.history import OLD_BACKUPS
from photomat.broadcasts import broadcast
from photomat.delivery.archive import RESENDS, OldCopies
from photomat.files.store import UNUSED_FILES
from photomat.inbox.lanes import HANDLED, QUIET_LANES
from photomat.jobs import partitions, sweep
from photomat.jobs.orphans import MATCHED_ORPHANS
from photomat.jobs.partitions import PartitionedRows
from photomat.messages.notices import ENDED_NOTICES
from photomat.moderation import refusal
from photomat.operators.access import OLD_LINKS, OLD_SESSIONS
from photomat.orders.draft import UNBOUGHT_DRAFTS
from photomat.privacy.export_sender import OLD_EXPORTS
from photomat.support.thread import CLOSED_TICKETS
from photomat.work.retention import OldRows, RetentionRule

LANES_KEPT: Final = timedelta(days=2)
TRANSCRIPTS_KEPT: Final = timedelta(days=1)
SESSIONS_KEPT: Final = timedelta(days=8)
"""A day longer than a session lasts."""
SLICES_KEPT: Final = timedelta(days=7)
ALWAYS: Final = "no setting"


def kinds_of(settings: Settings) -> list[RetentionRule]:
    copies = OldCopies(places=result_places(settings))
    return [
        RetentionRule(
            name="result copies",
            keep=_days(settings.keep_result_copies_days),
            count=copies.count,
            delete=copies.delete,
            table="job_outputs",
            setting="KEEP_RESULT_COPIES_DAYS",
        ),
        _rule(settings, "updates", "keep_updates_days", HANDLED),
        _fixed("quiet lanes", LANES_KEPT, QUIET_LANES),
        _rule(settings, "callbacks", "keep_callbacks_days", partitions.CALLBACKS),
        _rule(settings, "matched orphans", "keep_orphans_days", MATCHED_ORPHANS),
        _rule(settings, "unbought drafts", "keep_drafts_days", UNBOUGHT_DRAFTS),
        _rule(settings, "job events", "keep_events_days", partitions.EVENTS),
        _rule(settings, "input files", "keep_input_files_days", UNUSED_FILES),
        _rule(settings, "resends", "keep_resends_days", RESENDS),
        _rule(settings, "notices", "keep_notices_days", ENDED_NOTICES),
        _rule(settings, "tickets", "keep_tickets_days", CLOSED_TICKETS),
        _rule(settings, "exports", "keep_exports_days", OLD_EXPORTS),
        RetentionRule(
            name="refused texts",
            keep=_days(settings.keep_refused_texts_days),
            count=refusal.count_old_texts,
            delete=refusal.forget_old_texts,
            table="content_refusals",
            setting="KEEP_REFUSED_TEXTS_DAYS",
        ),
        _rule(settings, "refusals", "keep_refusals_days", refusal.OLD_REFUSALS),
        _rule(settings, "verdicts of the content checker", "keep_drafts_days", refusal.OLD_VERDICTS),
        RetentionRule(
            name="recipients of broadcasts",
            keep=_days(settings.keep_notices_days),
            count=broadcast.count_old_sends,
            delete=broadcast.delete_old_sends,
            table="broadcast_sends",
            setting="KEEP_NOTICES_DAYS",
        ),
        _rule(settings, "incidents", "keep_incidents_days", CLOSED_INCIDENTS),
        _rule(settings, "audit proofs", "keep_proofs_days", OLD_PROOFS),
        _fixed("slices of the nightly audit", SLICES_KEPT, OLD_SLICES),
        _rule(settings, "records of backups", "keep_proofs_days", OLD_BACKUPS),
        RetentionRule(
            name="transcripts",
            keep=TRANSCRIPTS_KEPT,
            count=calls.count_transcripts,
            delete=calls.forget_transcripts,
            table="assistant_calls",
            setting=ALWAYS,
        ),
        _rule(settings, "assistant calls", "keep_assistant_calls_days", calls.OLD_CALLS),
        _rule(settings, "Kie balance readings", "keep_readings_days", sweep.READINGS),
        _fixed("console sessions", SESSIONS_KEPT, OLD_SESSIONS),
        _fixed("sign-in links", SESSIONS_KEPT, OLD_LINKS),
    ]


def _rule(settings: Settings, name: str, setting: str, rows: OldRows | PartitionedRows) -> RetentionRule:
    return RetentionRule(
        name=name,
        keep=_days(getattr(settings, setting)),
        count=rows.count,
        delete=rows.delete,
        table=rows.table,
        setting=setting.upper(),
        partitions=rows.old_partitions if isinstance(rows, PartitionedRows) else None,
    )


def _fixed(name: str, keep: timedelta, rows: OldRows) -> RetentionRule:
    return RetentionRule(name=name, keep=keep, count=rows.count, delete=rows.delete, table=rows.table, setting=ALWAYS)


def _days(days: int) -> timedelta | None:
    return timedelta(days=days) if days else None
