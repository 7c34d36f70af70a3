"""Only a slice writes its own tables, and the delivery columns are written where the delivery lock is."""

import re
from collections.abc import Iterator

from support.source import SOURCE, modules, strings

SCHEMA = (SOURCE / "photomat" / "db" / "schema.txt").read_text(encoding="utf-8").splitlines()
TABLES = {line.removeprefix("column ").partition(".")[0] for line in SCHEMA if line.startswith("column ")}

WRITERS = {
    "audit_runs": {"audit.proofs"},
    "budgets": {"work.budget"},
    "callbacks": {"jobs.callback"},
    "comparisons": {"payments.compare"},
    "conversations": {"bot.storage"},
    "differences": {"audit.differences"},
    "drafts": {"jobs.draft"},
    "entries": {"wallet.store"},
    "generation_jobs": {"jobs", "delivery"},
    "gifts": {"rewards.gifts", "rewards.book"},
    "hold_closings": {"wallet.store"},
    "holds": {"wallet.store"},
    "inbox": {"inbox.store"},
    "incident_notices": {"alerts.store"},
    "incidents": {"alerts.store"},
    "input_files": {"files.store"},
    "installation": {"db.installation"},
    "instances": {"cluster.instances"},
    "invite_codes": {"rewards.referrals"},
    "job_events": {"jobs.timeline"},
    "job_outputs": {"jobs", "delivery.outputs"},
    "kie_readings": {"jobs.kie_balance"},
    "lanes": {"inbox.store"},
    "ledger_transactions": {"wallet.store"},
    "model_prices": {"catalog.overrides"},
    "model_settings": {"catalog.overrides"},
    "notices": {"notices.tell", "notices.send"},
    "operator_journal": {"operators.journal"},
    "orphan_callbacks": {"jobs.callback", "jobs.orphans"},
    "pass_uses": {"rewards.passes"},
    "payment_refunds": {"payments.refunds", "payments.refunder"},
    "payments": {"payments.receive"},
    "promo_codes": {"rewards.codes", "rewards.promo"},
    "promo_tries": {"rewards.promo"},
    "promo_uses": {"rewards.promo", "rewards.bonus"},
    "provider_invoices": {"payments.invoices"},
    "receipts": {"payments.receipts"},
    "referral_shares": {"rewards.shares", "rewards.book"},
    "referrals": {"rewards.referrals", "rewards.book"},
    "result_sends": {"delivery.ask_again", "delivery.resend"},
    "schema_migrations": {"db.migrate"},
    "sealed_days": {"audit.proofs"},
    "topups": {"payments.topup"},
    "stars_listed": {"payments.stars_reading"},
    "stars_readings": {"payments.stars_reading"},
    "subscriptions": {"payments.subscriptions"},
    "users": {"users.store"},
    "wallets": {"wallet.store"},
    "watches": {"alerts.store"},
}
"""Who may write a table: a module, or a whole slice. `clock_shift` is for tests, so nobody may."""

DELIVERY_COLUMNS = {
    "card_shown": {"delivery.lock"},
    "card_message_id": {"delivery.lock"},
    "delivering_at": {"delivery.lock"},
    "delivering_by": {"delivery.lock"},
    "delivery_fence": {"delivery.lock"},
    "delivery_error": {"delivery.lock"},
    "delivery_failing_since": {"delivery.lock", "delivery.rearm"},
    "delivered_at": {"delivery.lock"},
    "parked_at": {"delivery.lock", "delivery.rearm"},
    "undeliverable_at": {"delivery.lock", "delivery.rearm"},
    "delivery_attempts": {"delivery.lock", "delivery.rearm"},
    "card_page": {"delivery.page"},
    "ring_kind": {"delivery.lock"},
    "rung_at": {"delivery.ring"},
}
"""Everybody may raise `card_wanted` and make the card due; what is shown is recorded here alone."""

REFUSED_ON_PURPOSE = "photomat.checks.money"
"""Tries what the database must refuse, in a session that is rolled back; test_check.py holds it to that."""

KEEPERS = {"audit.proofs", "audit.differences"}
"""What the audit keeps beside what it reads: its own proofs, and the differences others report."""

MONEY_TABLES = ("entries", "ledger_transactions", "holds", "hold_closings")
WRITE = re.compile(
    r"\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?|COPY)\s+(\w+)", re.IGNORECASE
)
ENDS_SET = re.compile(r"\b(WHERE|FROM|RETURNING)\b")


def test_only_its_slice_writes_a_table() -> None:
    strangers = {
        f"{module}: {verb} {table}"
        for module, verb, table in writes()
        if not any(module == writer or module.startswith(f"{writer}.") for writer in WRITERS.get(table, ()))
    }
    assert strangers == set()


def test_every_table_has_its_writer() -> None:
    assert set(WRITERS) | {"clock_shift"} == TABLES
    written = {(table, module) for module, _, table in writes()}
    idle = {
        f"{writer} does not write {table}"
        for table, writers in WRITERS.items()
        for writer in writers
        if not any(name == table and (module == writer or module.startswith(f"{writer}.")) for name, module in written)
    }
    assert idle == set()


def test_delivery_columns_are_written_by_delivery_alone() -> None:
    found: dict[str, set[str]] = {column: set() for column in DELIVERY_COLUMNS}
    for module, columns in job_columns_written():
        for column in columns & set(DELIVERY_COLUMNS):
            found[column].add(module)
    assert found == DELIVERY_COLUMNS


def test_books_are_only_added_to() -> None:
    assert {(verb, table) for _, verb, table in writes() if table in MONEY_TABLES and verb != "INSERT INTO"} == set()


def test_the_audit_and_the_views_for_people_write_nothing() -> None:
    assert [
        found
        for found in writes()
        if found[0].startswith(
            ("audit", "cli", "jobs.listing", "jobs.history", "jobs.story", "wallet.statement", "wallet.explain")
        )
        and found[0] not in KEEPERS
    ] == []


def writes() -> Iterator[tuple[str, str, str]]:
    """Every (module, verb, table) in the SQL of the product."""
    for module in modules("photomat"):
        if module.name == REFUSED_ON_PURPOSE:
            continue
        for text in strings(module.tree):
            for verb, table in WRITE.findall(text):
                if table in TABLES:
                    yield module.name.removeprefix("photomat."), " ".join(verb.upper().split()), table


def job_columns_written() -> Iterator[tuple[str, set[str]]]:
    """Every module that updates generation_jobs, with the columns it sets."""
    for module in modules("photomat"):
        for text in strings(module.tree):
            for start in re.finditer(r"\bUPDATE\s+generation_jobs\b(?:\s+AS\s+\w+)?\s+SET\b", text):
                yield module.name.removeprefix("photomat."), set_columns(text[start.end() :])


def set_columns(text: str) -> set[str]:
    """The columns of a SET clause, up to the WHERE, FROM or RETURNING that is not inside brackets or a CASE."""
    flat = re.sub(r"\bCASE\b.*?\bEND\b", "0", text, flags=re.DOTALL)
    while "(" in (before := flat):
        flat = re.sub(r"\([^()]*\)", "0", flat)
        if flat == before:
            break
    return set(re.findall(r"(\w+)\s*=", ENDS_SET.split(flat, maxsplit=1)[0]))
