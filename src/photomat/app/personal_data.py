"""The registry of personal data: for every table whether it is exported and what becomes of it when a user is forgotten.

A new table is one line of `TABLES`; one that holds what a user wrote, sent or got also needs an erasure of the slice that owns
it in `ERASURES`, and something that must end before a user can be forgotten a line of `BLOCKERS`. A test walks the schema and
names what is missing; another looks for a forgotten user's words in every column and every file.
"""

from collections.abc import Mapping
from typing import Final

from photomat.app.result_store import result_places
from photomat.app.settings import Settings
from photomat.assistant.calls import forget_calls
from photomat.bot.conversation import forget_conversations
from photomat.broadcasts.recipients import forget_recipient
from photomat.db.pool import Pool, Transaction
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.fallbacks import ResultLinks
from photomat.delivery.forget import CopiesOfUser, forget_deliveries, forget_sends
from photomat.files.forget import forget_files
from photomat.fiscal.forget import forget_fiscal_words
from photomat.inbox.lanes import forget_updates
from photomat.jobs.forget import forget_jobs, forget_late_callbacks, has_running_jobs
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import UserId
from photomat.messages.notices import forget_notices
from photomat.moderation.refusal import forget_texts
from photomat.operators.access import forget_flashes
from photomat.operators.actions import forget_journal
from photomat.orders.draft import forget_drafts
from photomat.payments.forget import (
    forget_contacts,
    forget_invoices,
    forget_receipts,
    has_open_refund,
    has_renewing_subscription,
    has_waiting_receipt,
)
from photomat.privacy.export import ExportBuilder
from photomat.privacy.export_sender import forget_exports
from photomat.privacy.forget import ForgetWorker
from photomat.privacy.personal_data import Blocker, Erasure, PersonalData, PersonalTable
from photomat.storage.places import ResultPlaces
from photomat.support.ticket import forget_tickets
from photomat.texts.load import load_texts

OF_USER: Final = "user_id = $1"
OF_JOBS: Final = "job_id IN (SELECT job.job_id FROM generation_jobs AS job WHERE job.user_id = $1)"
BOOKS: Final = "the books: numbers only, and they must stay complete"
NUMBERS: Final = "numbers only"
ONCE_EACH: Final = "by number only: otherwise a reward could be taken a second time"
OF_OPERATORS: Final = "about operators, not about users"
OF_SHOP: Final = "about the shop: nothing of a user"
OF_MACHINE: Final = "about the machine: nothing of a user"
COSTS: Final = ("cost", "quote", "credits", "credits_consumed")
"""What the shop pays and how it calculates: not about the user, and not for customers."""


async def _forget_refusals(tx: Transaction, user_id: UserId, _limit: int) -> int:
    """All at once: a user has few."""
    await forget_texts(tx, user_id)
    return 0


ERASURES: Final = (
    Erasure(name="conversations", erase=forget_conversations),
    Erasure(name="drafts", erase=forget_drafts),
    Erasure(name="assistant calls", erase=forget_calls),
    Erasure(name="resends", erase=forget_sends),
    Erasure(name="deliveries", erase=forget_deliveries),
    Erasure(name="input files", erase=forget_files),
    Erasure(name="jobs", erase=forget_jobs),
    Erasure(name="late callbacks", erase=forget_late_callbacks),
    Erasure(name="tickets", erase=forget_tickets),
    Erasure(name="receipts", erase=forget_receipts),
    Erasure(name="invoices", erase=forget_invoices),
    Erasure(name="fiscal contacts", erase=forget_contacts),
    Erasure(name="fiscal receipts", erase=forget_fiscal_words),
    Erasure(name="content refusals", erase=_forget_refusals),
    Erasure(name="broadcasts", erase=forget_recipient),
    Erasure(name="exports", erase=forget_exports),
    Erasure(name="notices", erase=forget_notices),
    Erasure(name="journal", erase=forget_journal),
    Erasure(name="flashes", erase=forget_flashes),
    Erasure(name="updates", erase=forget_updates),
)
"""In this order: files before the outputs they came from, updates last, because some may come meanwhile."""

BLOCKERS: Final = (
    Blocker(text_key="forget-blocked-job", stands=has_running_jobs),
    Blocker(text_key="forget-blocked-receipt", stands=has_waiting_receipt),
    Blocker(text_key="forget-blocked-refund", stands=has_open_refund),
    Blocker(text_key="forget-blocked-subscription", stands=has_renewing_subscription),
)


def _nothing(why: str) -> PersonalTable:
    return PersonalTable(not_exported=why, kept=why)


def _kept(of_user: str, why: str) -> PersonalTable:
    return PersonalTable(of_user=of_user, kept=why)


def _only_own(*columns: str) -> Mapping[str, str]:
    """Numbers of users: the user's own stays, another's does not."""
    return {column: f"CASE WHEN {column} = $1 THEN {column} END" for column in columns}


def _without_friends(column: str) -> Mapping[str, str]:
    """References of referral rewards hold the friend's number."""
    return {column: f"regexp_replace({column}, '^(referral(-back)?):[0-9]+:', '\\1:')"}


TABLES: Final[Mapping[str, PersonalTable]] = {
    "users": PersonalTable(of_user=OF_USER, without=("banned_by",), erased_by="names"),
    "conversations": PersonalTable(of_user=OF_USER, erased_by="conversations"),
    "inbox": PersonalTable(of_user="lane = 'u' || $1::bigint::text", erased_by="updates"),
    "lanes": _nothing("a number and counters"),
    "drafts": PersonalTable(of_user=OF_USER, erased_by="drafts"),
    "generation_jobs": PersonalTable(of_user=OF_USER, without=("leased_by", "delivering_by", *COSTS), erased_by="jobs"),
    "job_outputs": PersonalTable(of_user=OF_JOBS, erased_by="jobs"),
    "job_events": PersonalTable(of_user=OF_JOBS, without=("instance",), erased_by="jobs"),
    "result_marks": PersonalTable(of_user=OF_USER, erased_by="jobs"),
    "result_sends": PersonalTable(of_user=OF_JOBS, erased_by="resends"),
    "callbacks": PersonalTable(not_exported="raw answers of Kie: what they say is in the jobs", erased_by="jobs"),
    "orphan_callbacks": PersonalTable(not_exported="raw answers of Kie, of unknown users", erased_by="jobs"),
    "input_files": PersonalTable(of_user=OF_USER, erased_by="input files"),
    "assistant_calls": PersonalTable(of_user=OF_USER, without=COSTS, erased_by="assistant calls"),
    "notices": PersonalTable(of_user="chat_id = $1", changed=_without_friends("key"), erased_by="notices"),
    "tickets": PersonalTable(of_user=OF_USER, without=("assigned_to", "closed_by"), erased_by="tickets"),
    "ticket_messages": PersonalTable(
        of_user="ticket_id IN (SELECT mine.ticket_id FROM tickets AS mine WHERE mine.user_id = $1)",
        without=("author",),
        erased_by="tickets",
    ),
    "broadcast_sends": PersonalTable(of_user=OF_USER, without=("left_by",), erased_by="broadcasts"),
    "consents": _kept(OF_USER, "by number only: the proof that a consent was given and withdrawn"),
    "export_requests": PersonalTable(of_user=OF_USER, erased_by="exports"),
    "forget_requests": _kept(OF_USER, "by number only: repeated after a restore"),
    # money
    "wallets": _kept(OF_USER, BOOKS),
    "ledger_transactions": PersonalTable(
        of_user="transaction_id IN (SELECT mine.transaction_id FROM entries AS mine WHERE mine.user_id = $1)",
        changed=_without_friends("reference"),
        kept=BOOKS,
    ),
    "entries": _kept(OF_USER, BOOKS),
    "holds": _kept(OF_USER, BOOKS),
    "hold_closings": _kept("reference IN (SELECT mine.reference FROM holds AS mine WHERE mine.user_id = $1)", BOOKS),
    "payments": _kept(OF_USER, BOOKS),
    "payment_refunds": PersonalTable(
        of_user="payment_id IN (SELECT mine.payment_id FROM payments AS mine WHERE mine.user_id = $1)",
        without=("asked_by",),
        erased_by="invoices",
    ),
    "topups": _kept(OF_USER, NUMBERS),
    "provider_invoices": PersonalTable(
        of_user="topup_id IN (SELECT mine.topup_id FROM topups AS mine WHERE mine.user_id = $1)", erased_by="invoices"
    ),
    "receipts": PersonalTable(of_user=OF_USER, without=("decided_by",), erased_by="receipts"),
    "fiscal_contacts": PersonalTable(of_user=OF_USER, erased_by="fiscal contacts"),
    "fiscal_refusals": _nothing(OF_SHOP),
    "fiscal_receipts": PersonalTable(of_user=OF_USER, erased_by="fiscal receipts"),
    "fiscal_documents": _nothing("documents of the tax service, by our reference"),
    "fiscal_start": _nothing(OF_SHOP),
    "fiscal_comparisons": _nothing(OF_SHOP),
    "subscriptions": _kept(OF_USER, NUMBERS),
    "stars_listed": _kept(OF_USER, "Telegram's own list of payments, by number"),
    "stars_readings": _nothing(OF_SHOP),
    "comparisons": _nothing(OF_SHOP),
    "differences": _nothing("about the books: references and sums"),
    # rewards
    "promo_uses": _kept(OF_USER, ONCE_EACH),
    "promo_tries": _kept(OF_USER, NUMBERS),
    "pass_uses": _kept("use_id IN (SELECT mine.use_id FROM promo_uses AS mine WHERE mine.user_id = $1)", ONCE_EACH),
    "promo_codes": _nothing(OF_SHOP),
    "invite_codes": _kept(OF_USER, ONCE_EACH),
    "referrals": PersonalTable(
        of_user="friend_id = $1 OR inviter_id = $1", changed=_only_own("friend_id", "inviter_id"), kept=ONCE_EACH
    ),
    "referral_shares": PersonalTable(
        of_user="friend_id = $1"
        " OR friend_id IN (SELECT mine.friend_id FROM referrals AS mine WHERE mine.inviter_id = $1)",
        changed=_only_own("friend_id"),
        kept=ONCE_EACH,
    ),
    "gifts": PersonalTable(
        of_user="giver_id = $1 OR taker_id = $1", changed=_only_own("giver_id", "taker_id"), kept=BOOKS
    ),
    # content rules
    "content_rules": _nothing(OF_SHOP),
    "content_refusals": PersonalTable(
        of_user=OF_USER, without=("forgiven_by", "decided_by"), erased_by="content refusals"
    ),
    "content_verdicts": PersonalTable(of_user=OF_USER, erased_by="content refusals"),
    # operators
    "operator_journal": PersonalTable(
        of_user=OF_USER, without=("operator", "reason", "outcome", "outcome_facts"), erased_by="journal"
    ),
    "console_sessions": PersonalTable(not_exported=OF_OPERATORS, erased_by="flashes"),
    "console_links": _nothing(OF_OPERATORS),
    "console_tries": _nothing(OF_OPERATORS),
    "operators": _nothing(OF_OPERATORS),
    "setting_values": _nothing(OF_SHOP),
    "bot_profile": _nothing(OF_SHOP),
    "controls": _nothing(OF_SHOP),
    "broadcasts": _nothing("what the shop wrote to many"),
    "templates": _nothing(OF_SHOP),
    "examples": _nothing(OF_SHOP),
    "model_prices": _nothing(OF_SHOP),
    "model_settings": _nothing(OF_SHOP),
    "assortment_version": _nothing(OF_SHOP),
    "incidents": _nothing("about the shop: figures and numbers"),
    "incident_notices": _nothing(OF_OPERATORS),
    "watches": _nothing(OF_OPERATORS),
    "audit_runs": _nothing("about the books: references and sums"),
    "audit_slices": _nothing("about the books: references and sums"),
    "sealed_days": _nothing("about the books: hashes"),
    # machinery
    "budgets": _nothing(OF_MACHINE),
    "clock_shift": _nothing(OF_MACHINE),
    "backups": _nothing(OF_MACHINE),
    "restores": _nothing(OF_MACHINE),
    "installation": _nothing(OF_MACHINE),
    "instances": _nothing(OF_MACHINE),
    "kie_readings": _nothing(OF_SHOP),
    "schema_migrations": _nothing(OF_MACHINE),
}


def personal_data(*, places: ResultPlaces) -> PersonalData:
    return PersonalData(
        tables=TABLES,
        erasures=ERASURES,
        blockers=BLOCKERS,
        files=(CopiesOfUser(places=places).delete,),
    )


def export_builder(settings: Settings, pool: Pool) -> ExportBuilder:
    """Builds exports; links lead to our copies where the outside reaches us."""
    places = result_places(settings)
    files = ResultFiles(folder=places.current.folder or settings.results_folder, fetcher=Fetcher(), stores=places)
    return ExportBuilder(
        pool=pool,
        personal=personal_data(places=places),
        archive=ResultArchive(pool=pool, files=files),
        links=ResultLinks(base_url=settings.base_url, secrets=settings.callback_secrets),
        texts=load_texts(),
    )


def forget_worker(settings: Settings, pool: Pool) -> ForgetWorker:
    personal = personal_data(places=result_places(settings))
    return ForgetWorker(pool=pool, personal=personal, record=settings.forgotten_file)
