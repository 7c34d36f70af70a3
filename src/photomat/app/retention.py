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
from photomat.backup.history import OLD_BACKUPS
from photomat.broadcasts import broadcast
from photomat.delivery.archive import RESENDS, OldCopies
from photomat.files.store import UNUSED_FILES
from photomat.inbox.lanes import HANDLED, QUIET_LANES
from photomat.jobs import sweep
from photomat.jobs.orphans import MATCHED_ORPHANS
from photomat.messages.notices import ENDED_NOTICES
from photomat.moderation import refusal
from photomat.operators.access import OLD_LINKS, OLD_SESSIONS
from photomat.orders.draft import UNBOUGHT_DRAFTS
from photomat.privacy.export_sender import OLD_EXPORTS
from photomat.support.thread import CLOSED_TICKETS
from photomat.work.retention import OldRows, RetentionRule

LANES_KEPT: Final = timedelta(days=2)
TRANSCRIPTS_KEPT: Final = timedelta(days=1)
SESSIONS_KEPT_DAYS: Final = 8
"""A day longer than a session lasts."""


def kinds_of(settings: Settings) -> list[RetentionRule]:
    copies = OldCopies(places=result_places(settings))
    return [
        RetentionRule(
            name="result copies",
            keep=_days(settings.keep_result_copies_days),
            count=copies.count,
            delete=copies.delete,
        ),
        _rows("updates", settings.keep_updates_days, HANDLED),
        RetentionRule(name="quiet lanes", keep=LANES_KEPT, count=QUIET_LANES.count, delete=QUIET_LANES.delete),
        _rows("callbacks", settings.keep_callbacks_days, sweep.CALLBACKS),
        _rows("matched orphans", settings.keep_orphans_days, MATCHED_ORPHANS),
        _rows("unbought drafts", settings.keep_drafts_days, UNBOUGHT_DRAFTS),
        _rows("job events", settings.keep_events_days, sweep.EVENTS),
        _rows("input files", settings.keep_input_files_days, UNUSED_FILES),
        _rows("resends", settings.keep_resends_days, RESENDS),
        _rows("notices", settings.keep_notices_days, ENDED_NOTICES),
        _rows("tickets", settings.keep_tickets_days, CLOSED_TICKETS),
        _rows("exports", settings.keep_exports_days, OLD_EXPORTS),
        RetentionRule(
            name="refused texts",
            keep=_days(settings.keep_refused_texts_days),
            count=refusal.count_old_texts,
            delete=refusal.forget_old_texts,
        ),
        _rows("refusals", settings.keep_refusals_days, refusal.OLD_REFUSALS),
        _rows("verdicts of the content checker", settings.keep_drafts_days, refusal.OLD_VERDICTS),
        RetentionRule(
            name="recipients of broadcasts",
            keep=_days(settings.keep_notices_days),
            count=broadcast.count_old_sends,
            delete=broadcast.delete_old_sends,
        ),
        _rows("incidents", settings.keep_incidents_days, CLOSED_INCIDENTS),
        _rows("audit proofs", settings.keep_proofs_days, OLD_PROOFS),
        _rows("records of backups", settings.keep_proofs_days, OLD_BACKUPS),
        RetentionRule(
            name="transcripts", keep=TRANSCRIPTS_KEPT, count=calls.count_transcripts, delete=calls.forget_transcripts
        ),
        _rows("assistant calls", settings.keep_assistant_calls_days, calls.OLD_CALLS),
        _rows("Kie balance readings", settings.keep_readings_days, sweep.READINGS),
        _rows("console sessions", SESSIONS_KEPT_DAYS, OLD_SESSIONS),
        _rows("sign-in links", SESSIONS_KEPT_DAYS, OLD_LINKS),
    ]


def _rows(name: str, days: int, rows: OldRows) -> RetentionRule:
    return RetentionRule(name=name, keep=_days(days), count=rows.count, delete=rows.delete)


def _days(days: int) -> timedelta | None:
    return timedelta(days=days) if days else None
