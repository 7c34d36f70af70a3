#!/usr/bin/env python3
"""Write docs/settings.md and .env.example from `photomat.app.settings`. `make docs` runs it.

Only the order for readers is defined here: sections with a sentence each. A setting without a section is an error, and a test
compares both files with the output.
"""

from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from photomat.app.settings import Settings

ROOT: Final = Path(__file__).resolve().parent.parent
MARKDOWN: Final = ROOT / "docs" / "settings.md"
EXAMPLE: Final = ROOT / ".env.example"

SECTIONS: Final = (
    (
        "Going live",
        "The first two make the sandbox the real bot: both or neither. The third lets Telegram and Kie.ai call us.",
        ("bot_token", "kie_api_key", "public_url", "render_external_url"),
    ),
    (
        "Where things are kept",
        "Without DATABASE_URL a real PostgreSQL runs inside DATA_DIR, for one machine with a disk that lasts.",
        ("database_url", "direct_database_url", "data_dir", "embedded_ok"),
    ),
    (
        "The store of results",
        "A bucket lets every instance reach every result, also on hosts without a disk. See docs/operations/results-store.md.",
        (
            "results_store",
            "aws_endpoint_url",
            "aws_region",
            "aws_access_key_id",
            "aws_secret_access_key",
            "aws_session_token",
        ),
    ),
    (
        "Backups",
        "The ACTIVE instance makes them while it works, and proves each one. See docs/operations/backups.md.",
        ("backup_dir", "backup_every_h", "backup_keep"),
    ),
    (
        "Doors",
        "Where the web server listens, and what opens its callbacks.",
        ("host", "port", "callback_secret", "kie_webhook_key"),
    ),
    (
        "Prices and money",
        "Price = Kie credits x $0.005 x USD_RATE x MARKUP, rounded up to PRICE_STEP, never below cost. Minor units: kopecks.",
        ("currency", "usd_rate", "markup", "price_step", "welcome_credit"),
    ),
    (
        "Ways to pay",
        "A way whose settings are empty is not offered. Providers' notices come to PUBLIC_URL/pay/yookassa and /pay/cryptopay.",
        (
            "topup_sums",
            "topup_least",
            "topup_most",
            "topups_per_day",
            "stars_packages",
            "star_usd",
            "stars_reconcile_s",
            "subscription_stars",
            "subscription_bonus",
            "subscription_credit",
            "yookassa_shop_id",
            "yookassa_secret_key",
            "yookassa_sources",
            "crypto_pay_token",
            "transfer_details",
            "refund_undelivered_days",
            "support_contact",
            "terms_url",
        ),
    ),
    (
        "Fiscal receipts of YooKassa",
        "For a shop that must send them: docs/operations/fiscal-yookassa.md says which. Your accountant decides what applies.",
        (
            "yookassa_receipts",
            "yookassa_vat_code",
            "yookassa_tax_system",
            "yookassa_payment_subject",
            "yookassa_payment_mode",
            "yookassa_receipt_item",
            "yookassa_measure",
            "yookassa_email_only",
        ),
    ),
    (
        "Privacy",
        "See operations/privacy.md.",
        ("privacy_url", "consent_required", "consent_version", "consent_url", "keep_exports_days"),
    ),
    (
        "Fiscal receipts",
        "For a self-employed operator in Russia: docs/operations/fiscal.md. Without these settings payments have no receipt.",
        (
            "my_tax_inn",
            "my_tax_password",
            "my_tax_service_name",
            "my_tax_providers",
            "my_tax_timeout_s",
            "my_tax_unknown_s",
        ),
    ),
    (
        "Rewards",
        "For users who bring others. Minor units.",
        ("referral_reward", "referral_friend_reward", "referral_percent", "referral_free"),
    ),
    (
        "Limits",
        "For each user. A refusal says until when. A free generation that failed or was canceled does not count.",
        ("most_running", "orders_per_minute", "updates_per_minute", "cooldown_s", "free_per_day"),
    ),
    (
        "The bot's profile",
        "What Telegram shows of the bot. Applied when it changed; docs/operations/bot-profile.md says how.",
        (
            "bot_name",
            "bot_name_en",
            "bot_description",
            "bot_description_en",
            "bot_about",
            "bot_about_en",
            "bot_picture",
        ),
    ),
    (
        "People who run it",
        "Operators start the bot once, or Telegram keeps it from writing to them. The console is at /console/.",
        ("admin_ids", "console_password", "timezone"),
    ),
    (
        "Watching it",
        "Metrics, error reports and traces: docs/operations/observability.md says what is sent and what never is.",
        (
            "metrics_token",
            "sentry_dsn",
            "sentry_environment",
            "otel_exporter_otlp_endpoint",
            "otel_exporter_otlp_headers",
        ),
    ),
    (
        "Patience",
        "Seconds. The defaults are meant to be left alone.",
        (
            "poll_first_s",
            "job_overdue_s",
            "job_timeout_s",
            "empty_result_grace_s",
            "lease_s",
            "delivery_lease_s",
            "kie_creates_per_10s",
            "kie_queries_per_s",
            "telegram_calls_per_s",
        ),
    ),
    (
        "Assistant",
        "An optional chat model of Kie, paid with the same key. docs/assistant.md says what it does and what is sent to it.",
        ("assistant_model", "assistant_calls_per_user_day", "assistant_credits_a_day"),
    ),
    (
        "Content rules",
        "What may be ordered, decided before money is held; strikes, checkers, the mark of AI. docs/operations/content.md.",
        (
            "content_rules",
            "strikes_ban",
            "strike_days",
            "strike_ban_days",
            "provider_strikes",
            "provider_checker",
            "content_check_url",
            "content_check_token",
            "content_check_deadline_ms",
            "content_check_fail",
            "ai_mark",
            "keep_refused_texts_days",
            "keep_refusals_days",
        ),
    ),
    (
        "Results",
        "How they are shown. Whatever Telegram refuses is shown by pages, one output at a time.",
        ("rich_results",),
    ),
    (
        "How long things are kept, and the disk",
        "Deleted by the ACTIVE instance every ten minutes, or by `photomat prune`. Jobs and money are never deleted.",
        (
            "keep_result_copies_days",
            "keep_updates_days",
            "keep_callbacks_days",
            "keep_orphans_days",
            "keep_drafts_days",
            "keep_events_days",
            "keep_input_files_days",
            "keep_resends_days",
            "keep_notices_days",
            "keep_incidents_days",
            "keep_proofs_days",
            "keep_tickets_days",
            "keep_readings_days",
            "keep_assistant_calls_days",
            "ticket_alert_min",
            "disk_alert_mb",
            "disk_reserve_mb",
            "database_alert_mb",
        ),
    ),
    (
        "Instances and logs",
        "What more than one instance shares out, and how they speak.",
        ("update_workers", "log_format"),
    ),
    (
        "Servers on the other side",
        "For another Bot API server, a mirror, or a simulator; http addresses are fine. Nothing is uploaded yet.",
        (
            "telegram_api_url",
            "telegram_local_dir",
            "telegram_webhook_url",
            "kie_api_url",
            "kie_upload_url",
            "yookassa_api_url",
            "crypto_pay_api_url",
            "my_tax_api_url",
        ),
    ),
    ("For tests", "Never set it where money is earned.", ("failpoint",)),
)


def fields() -> dict[str, FieldInfo]:
    """Every setting, each in exactly one section; anything else stops here by name."""
    known = Settings.model_fields
    placed = [name for _, _, names in SECTIONS for name in names]
    wrong = {name for name in placed if placed.count(name) > 1} | (set(placed) ^ set(known))
    if wrong:
        raise SystemExit(f"scripts/settings_doc.py must place each setting once; look at: {', '.join(sorted(wrong))}")
    return known


def markdown() -> str:
    """docs/settings.md as it should be."""
    known = fields()
    lines = [
        "# Settings",
        "",
        "<!-- Written by `make docs` from src/photomat/app/settings.py: edit that file, not this one. -->",
        "",
        "Settings come from the environment or from a file `.env` beside the program; the environment wins. All of them are",
        "optional, and an empty value counts as not set. Start-up names every bad value at once and exits with code 2.",
    ]
    for title, sentence, names in SECTIONS:
        lines += [
            "",
            f"## {title}",
            "",
            sentence,
            "",
            "| setting | takes | default | what it does |",
            "|---|---|---|---|",
        ]
        for name in names:
            field = known[name]
            cells = (f"`{name.upper()}`", takes(field.annotation), default(field), field.description or "")
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def example() -> str:
    """.env.example as it should be: every setting explained and switched off."""
    known = fields()
    lines = [
        "# Copy this file to .env and take away the # in front of what you set. Nothing here is needed for the sandbox.",
        "# Written by `make docs` from src/photomat/app/settings.py.",
    ]
    for title, sentence, names in SECTIONS:
        lines += ["", f"# --- {title}. {sentence}"]
        for name in names:
            field = known[name]
            lines += [
                "",
                f"# {field.description}",
                f"#{name.upper()}={'' if field.default is None else plain(field.default)}",
            ]
    return "\n".join(lines) + "\n"


def takes(annotation: Any) -> str:
    """What a setting accepts, in words."""
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(annotation))
    if kinds:
        return takes(kinds[0])
    words = {
        "str": "text",
        "int": "whole number",
        "float": "number",
        "Decimal": "number",
        "bool": "`0` or `1`",
        "Path": "path",
    }
    return words[annotation.__name__]


def default(field: FieldInfo) -> str:
    """The default, in words."""
    if field.default is PydanticUndefined or field.default is None or field.default == "":
        return "not set"
    return f"`{plain(field.default)}`"


def plain(value: object) -> str:
    """A default as it would be written into a file."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def main() -> None:
    """Write both files."""
    MARKDOWN.write_text(markdown(), encoding="utf-8")
    EXAMPLE.write_text(example(), encoding="utf-8")


if __name__ == "__main__":
    main()
