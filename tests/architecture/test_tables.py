"""Only a slice writes its own tables, and the delivery columns are written where the delivery lock is."""

import re
from collections.abc import Iterator

from support import pages
from support.source import ROOT, SOURCE, modules, strings

SCHEMA = (SOURCE / "photomat" / "db" / "schema.txt").read_text(encoding="utf-8").splitlines()
TABLES = {line.removeprefix("column ").partition(".")[0] for line in SCHEMA if line.startswith("column ")}

WRITTEN_BY_MIGRATIONS = {"clock_shift": "db", "fiscal_start": "fiscal", "assortment_version": "orders"}
"""Their slice only reads them."""
WRITERS = {
    "assistant_calls": {"assistant"},
    "audit_runs": {"audit"},
    "audit_slices": {"audit"},
    "backups": {"backup"},
    "bot_profile": {"telegram"},
    "broadcast_sends": {"broadcasts"},
    "broadcasts": {"broadcasts"},
    "budgets": {"work"},
    "callbacks": {"jobs"},
    "comparisons": {"payments"},
    "consents": {"users"},
    "controls": {"work"},
    "console_links": {"operators"},
    "console_sessions": {"operators"},
    "console_tries": {"operators"},
    "conversations": {"bot"},
    "differences": {"audit"},
    "drafts": {"orders"},
    "entries": {"wallet"},
    "fiscal_comparisons": {"fiscal"},
    "fiscal_documents": {"fiscal"},
    "fiscal_receipts": {"fiscal"},
    "generation_jobs": {"delivery", "jobs"},
    "examples": {"templates"},
    "fiscal_contacts": {"fiscal"},
    "fiscal_refusals": {"payments"},
    "export_requests": {"privacy"},
    "forget_requests": {"privacy"},
    "gifts": {"rewards"},
    "hold_closings": {"wallet"},
    "holds": {"wallet"},
    "inbox": {"inbox"},
    "incident_notices": {"alerts"},
    "incidents": {"alerts"},
    "input_files": {"files"},
    "installation": {"db"},
    "instances": {"cluster"},
    "invite_codes": {"rewards"},
    "job_events": {"jobs"},
    "job_outputs": {"delivery", "jobs"},
    "kie_readings": {"jobs"},
    "lanes": {"inbox"},
    "ledger_transactions": {"wallet"},
    "model_prices": {"catalog"},
    "model_settings": {"catalog"},
    "notices": {"messages"},
    "operator_journal": {"operators"},
    "operators": {"operators"},
    "orphan_callbacks": {"jobs"},
    "pass_uses": {"rewards"},
    "payment_refunds": {"payments"},
    "payments": {"payments"},
    "promo_codes": {"rewards"},
    "promo_tries": {"rewards"},
    "promo_uses": {"rewards"},
    "provider_invoices": {"payments"},
    "receipts": {"payments"},
    "referral_shares": {"rewards"},
    "referrals": {"rewards"},
    "restores": {"operators"},
    "result_marks": {"jobs"},
    "result_sends": {"delivery"},
    "schema_migrations": {"db"},
    "setting_values": {"operators"},
    "sealed_days": {"audit"},
    "templates": {"templates"},
    "ticket_messages": {"support"},
    "tickets": {"support"},
    "content_rules": {"moderation"},
    "content_refusals": {"moderation"},
    "content_verdicts": {"moderation"},
    "topups": {"payments"},
    "stars_listed": {"payments"},
    "stars_readings": {"payments"},
    "subscriptions": {"payments"},
    "users": {"users"},
    "wallets": {"wallet"},
    "watches": {"alerts"},
}
"""Which slices write a table. `clock_shift` is for tests: no slice does."""

DELIVERY_COLUMNS = {
    "card_shown",
    "card_message_id",
    "delivering_at",
    "delivering_by",
    "delivery_fence",
    "delivery_error",
    "delivery_failing_since",
    "delivered_at",
    "parked_at",
    "undeliverable_at",
    "delivery_attempts",
    "card_page",
    "ring_kind",
    "rung_at",
}
"""Every slice may raise `card_wanted` and make the card due; what is shown is recorded by `delivery` alone."""

REFUSED_ON_PURPOSE = "photomat.checks.money"
"""Tries what the database must refuse, in a session that is rolled back; test_check.py holds it to that."""

KEEPERS = {"audit.proofs", "audit.slices", "audit.differences"}
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
        if module.partition(".")[0] not in WRITERS.get(table, ())
    }
    assert strangers == set()


def test_every_table_has_its_writer() -> None:
    assert set(WRITERS) | set(WRITTEN_BY_MIGRATIONS) == TABLES
    written = {(table, module.partition(".")[0]) for module, _, table in writes()}
    assert {(table, slice_) for table, slices in WRITERS.items() for slice_ in slices} == written


def test_the_architecture_page_lists_the_tables_of_each_slice() -> None:
    rows = pages.table(ROOT / "docs" / "architecture.md", "Slices")
    listed = {
        (owned, re.sub(r"[^\w].*", "", row[0].lstrip("["))) for row in rows for owned in re.findall(r"`(\w+)`", row[2])
    }
    written = {(owned, slice_) for owned, slices in WRITERS.items() for slice_ in slices}
    assert listed == written | set(WRITTEN_BY_MIGRATIONS.items())


def test_delivery_columns_are_written_by_delivery_alone() -> None:
    found = {
        (module.partition(".")[0], column)
        for module, columns in job_columns_written()
        for column in columns & DELIVERY_COLUMNS
    }
    assert found == {("delivery", column) for column in DELIVERY_COLUMNS}


def test_books_are_only_added_to() -> None:
    assert {(verb, table) for _, verb, table in writes() if table in MONEY_TABLES and verb != "INSERT INTO"} == set()


def test_the_audit_and_the_views_for_people_write_nothing() -> None:
    assert [
        found
        for found in writes()
        if found[0].startswith(
            ("audit", "cli", "jobs.listing", "jobs.history", "jobs.story", "payments.statement", "operators.explain")
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
