"""Every setting, once: name, type, default and a line of help. Only `app`, `checks` and `cli` read them.

Values come from the environment and from a file `.env`. All wrong ones are reported at once.
"""

import hashlib
import hmac
import os
import re
from decimal import Decimal
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from photomat.kernel.errors import Startup
from photomat.kernel.ids import BotId, ChatId
from photomat.storage.address import NO_KEYS, BucketAddress, parse_address

SANDBOX_WELCOME = 100_000
SANDBOX_FOLDER = "sandbox"
MAX_S = 366 * 86400
ROLES = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE")
"""Set where the machine itself has the right to the bucket."""
UPDATES_PER_MINUTE = 120
FOR_54FZ = (
    "yookassa_vat_code",
    "yookassa_tax_system",
    "yookassa_payment_subject",
    "yookassa_payment_mode",
    "yookassa_measure",
)
MAX_MINOR = 10**12
"""Far above any price, far below what a bigint holds."""


def _kept(days: int, what: str, *, least: int = 0, most: int = 36_500) -> Any:
    forever = "" if least else "; 0: for ever"
    return Field(days, ge=least, le=most, description=f"Days to keep {what}{forever}.")


class Settings(BaseSettings):
    """What the operator can set. An empty value counts as not set."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", env_ignore_empty=True, extra="ignore", frozen=True
    )

    bot_token: str | None = Field(None, description="The token from @BotFather. Without it and KIE_API_KEY: sandbox.")
    kie_api_key: str | None = Field(None, description="The API key of your Kie.ai account.")
    database_url: str | None = Field(
        None,
        description="PostgreSQL 15 or newer; without it an embedded one in DATA_DIR. The sandbox never uses it.",
    )
    direct_database_url: str | None = Field(
        None, description="The same database without a pooler, for locks and LISTEN."
    )
    data_dir: Path = Field(
        Path("var"),
        description="Folder of the embedded database and of result copies; the sandbox uses `sandbox` below it.",
    )

    results_store: str | None = Field(
        None,
        description="Where copies of results are kept: a folder, or s3://bucket/prefix. Empty: `results` in DATA_DIR.",
    )
    aws_endpoint_url: str | None = Field(
        None, description="The server of the bucket, such as https://storage.example. Empty: AWS itself."
    )
    aws_region: str | None = Field(None, description="Its region. Empty: us-east-1.")
    aws_access_key_id: str | None = Field(None, repr=False, description="The id of the bucket's key.")
    aws_secret_access_key: str | None = Field(None, repr=False, description="The key itself.")
    aws_session_token: str | None = Field(None, repr=False, description="Its token, for temporary keys.")

    embedded_ok: bool = Field(default=False, description="Allow the embedded database on a disk that may not last.")
    host: str = Field("0.0.0.0", description="The address the web server listens on.")  # noqa: S104  the contract's default
    port: int = Field(8080, ge=0, le=65535, description="Its port. The sandbox also takes the two ports after it.")
    public_url: str | None = Field(
        None, description="Where Telegram and Kie reach us. Empty: long polling, no callbacks."
    )
    render_external_url: str | None = Field(None, description="Set by Render; stands in for PUBLIC_URL.")
    telegram_api_url: str = Field("https://api.telegram.org", description="The Bot API server.")

    telegram_local_dir: Path | None = Field(
        None,
        description="The working folder of your own Bot API server (run with --local), as mounted here: files up to 2000 MB.",
    )
    telegram_webhook_url: str | None = Field(
        None, description="Where your own Bot API server reaches us, such as http://bot:8080. Empty: PUBLIC_URL."
    )

    bot_name: str = Field("", max_length=64, description="The bot's name. Empty: as @BotFather has it.")
    bot_name_en: str = Field("", max_length=64, description="Its name for English-speaking users. Empty: BOT_NAME.")
    bot_description: str = Field(
        "",
        max_length=512,
        description="What an empty chat with the bot shows. Empty: a text of ours, unless there is one.",
    )
    bot_description_en: str = Field("", max_length=512, description="The same in English. Empty: BOT_DESCRIPTION.")
    bot_about: str = Field(
        "",
        max_length=120,
        description="The line on the bot's profile page. Empty: a text of ours, unless there is one.",
    )
    bot_about_en: str = Field("", max_length=120, description="The same in English. Empty: BOT_ABOUT.")
    bot_picture: Path | None = Field(
        None, description="A JPEG or PNG file that becomes the bot's picture. Empty: the picture stays."
    )

    kie_api_url: str = Field("https://api.kie.ai", description="Kie's API server.")
    kie_upload_url: str = Field("https://kieai.redpandaai.co", description="Kie's upload server.")
    kie_webhook_key: str | None = Field(None, description="Kie's webhook key: then callbacks must carry its signature.")
    callback_secret: str | None = Field(
        None,
        description="Signs callback URLs; by comma: the first signs, all are valid. Default: from BOT_TOKEN.",
    )
    admin_ids: str = Field("", description="Telegram ids of operators, by comma: they get alerts and decide receipts.")
    console_password: str | None = Field(
        None, description="Opens the operators' console as its owner; without it a link from the bot does."
    )
    metrics_token: str | None = Field(
        None, description="GET /metrics asks for it: `Authorization: Bearer …`. Without it only this machine may ask."
    )

    sentry_dsn: str | None = Field(None, description="Unexpected errors are reported there; needs the extra `sentry`.")
    sentry_environment: str = Field("production", description="How this installation is called there.")
    otel_exporter_otlp_endpoint: str | None = Field(
        None, description="Traces are sent there (OTLP over HTTP, without /v1/traces); needs the extra `otel`."
    )
    otel_exporter_otlp_headers: str | None = Field(
        None, description="What that collector asks for, such as a key: `name=value`, by comma."
    )

    currency: str = Field(
        "RUB",
        pattern=r"^[A-Z]{3}$",
        description="The currency of wallets and prices; it cannot change once there are any.",
    )
    usd_rate: Decimal = Field(
        Decimal(80), gt=0, le=10**9, description="How much of it one US dollar costs. Not RUB: set it."
    )
    markup: Decimal = Field(Decimal("2.0"), gt=0, le=1000, description="Price = Kie's cost x this.")
    price_step: int = Field(
        1, ge=1, le=1_000_000, description="Prices are rounded up to a multiple of this (minor units)."
    )
    most_running: int = Field(10, ge=0, le=1000, description="Jobs one user may have running at once; 0: no limit.")
    orders_per_minute: int = Field(30, ge=0, le=1000, description="Orders one user may make in a minute; 0: no limit.")
    updates_per_minute: int | None = Field(
        None,
        ge=0,
        le=10_000,
        description="Messages and taps of one user handled in a minute; 0: no limit. Default 120; none if ORDERS_PER_MINUTE=0.",
    )
    cooldown_s: float = Field(0, ge=0, le=86400, description="Seconds one user waits between two orders; 0: no wait.")
    free_per_day: int = Field(5, ge=0, le=1000, description="Free generations of one user in 24 hours; 0: no limit.")
    welcome_credit: int | None = Field(
        None, ge=0, le=MAX_MINOR, description="A new user's credit, minor units. Default 0, sandbox 100000."
    )
    topup_sums: str = Field(
        "100,300,500,1000,3000", description="Sums offered for a top-up, by comma, in whole units of CURRENCY."
    )
    topup_least: int = Field(5_000, ge=1, le=MAX_MINOR, description="The least top-up, in minor units.")
    topup_most: int = Field(3_000_000, ge=1, le=MAX_MINOR, description="The largest one, in minor units.")
    topups_per_day: int = Field(20, ge=0, le=1000, description="Payments one user may make in 24 hours; 0: no limit.")
    stars_packages: str = Field(
        "50,100,250,500+5%,1000+10%",
        description="Packages of Telegram Stars, by comma, each with the percent it adds. Empty: no Stars.",
    )
    star_usd: Decimal = Field(
        Decimal("0.013"), gt=0, le=100, description="What one Star is worth to you, in US dollars."
    )
    stars_reconcile_s: float = Field(
        180, gt=0, le=86400, description="Seconds between two comparisons with Telegram's list of Stars."
    )
    subscription_stars: int = Field(
        0, ge=0, le=10_000, description="Price of a month's subscription in Stars; 0: none."
    )
    subscription_bonus: int = Field(
        10, ge=0, le=1000, description="Percent that a subscription's month credits above the worth of its Stars."
    )
    subscription_credit: int = Field(
        0,
        ge=0,
        le=MAX_MINOR,
        description="Its monthly credit, minor units; 0: the worth of the Stars and SUBSCRIPTION_BONUS.",
    )
    transfer_details: str = Field("", description="Bank details for transfers by hand. Empty: no transfers.")
    yookassa_shop_id: str | None = Field(None, description="YooKassa: your shop's id.")
    yookassa_secret_key: str | None = Field(None, description="YooKassa: its secret key.")
    yookassa_api_url: str = Field("https://api.yookassa.ru", description="YooKassa's API server.")
    yookassa_sources: str = Field(
        "185.71.76.0/27,185.71.77.0/27,77.75.153.0/25,77.75.156.11,77.75.156.35,77.75.154.128/25,2a02:5180::/32",
        description="The networks YooKassa's notices come from, by comma.",
    )

    yookassa_receipts: Literal["54fz", "self-employed"] | None = Field(
        None,
        description="Fiscal receipts inside YooKassa's payments: the form of 54-FZ or of the self-employed. Empty: none.",
    )
    yookassa_vat_code: int = Field(
        1, ge=1, le=99, description="Their VAT code by YooKassa's list: 1 no VAT, 2 0 %, 4 20 %, … 54-FZ only."
    )
    yookassa_tax_system: int | None = Field(
        None, ge=1, le=6, description="Their tax system, 1 to 6, where the shop has several. 54-FZ only."
    )
    yookassa_payment_subject: Literal[
        "service", "payment", "commodity", "job", "intellectual_activity", "property_right", "composite", "another"
    ] = Field("service", description="Their subject of payment. 54-FZ only.")
    yookassa_payment_mode: Literal["full_payment", "full_prepayment", "advance"] = Field(
        "full_payment",
        description="Their mode of payment. The other two need a closing receipt later, which is yours to make. 54-FZ only.",
    )
    yookassa_receipt_item: str = Field(
        "", max_length=128, description="What they say was sold. Default: a top-up of the balance, in Russian."
    )
    yookassa_measure: Literal["piece", "minute", "hour", "day", "another"] | None = Field(
        None, description="Their unit of measure, where the cash register wants one. 54-FZ only."
    )
    yookassa_email_only: bool = Field(
        default=False, description="Ask for an e-mail address, not a phone number: «Чеки от ЮKassa» go to e-mail only."
    )

    crypto_pay_token: str | None = Field(None, description="Crypto Pay (@CryptoBot): your app's token.")
    crypto_pay_api_url: str = Field("https://pay.crypt.bot", description="Crypto Pay's API server.")

    my_tax_inn: str | None = Field(
        None,
        pattern=r"^[0-9]{12}$",
        description="«Мой налог»: the INN of the self-employed operator; with a password, receipts are registered there.",
    )
    my_tax_password: str | None = Field(None, description="«Мой налог»: the password of the taxpayer's account.")
    my_tax_service_name: str = Field(
        "Пополнение баланса",
        min_length=1,
        max_length=120,
        description="What a receipt of «Мой налог» says was sold; our number is added.",
    )
    my_tax_providers: str = Field(
        "stars,cryptopay,transfer",
        description="The ways to pay whose receipts are registered there, by comma: stars, cryptopay, transfer, yookassa.",
    )
    my_tax_api_url: str = Field("https://lknpd.nalog.ru/api/v1", description="The API server of «Мой налог».")
    my_tax_timeout_s: float = Field(20, gt=0, le=120, description="Seconds one request to «Мой налог» may take.")
    my_tax_unknown_s: float = Field(
        900,
        gt=0,
        le=86400,
        description="Seconds after which a request to «Мой налог» without an answer cannot arrive any more.",
    )

    referral_reward: int = Field(
        2_000, ge=0, le=MAX_MINOR, description="The inviter's reward for a friend's first paid job, in minor units."
    )
    referral_friend_reward: int = Field(2_000, ge=0, le=MAX_MINOR, description="What the friend gets then.")
    referral_percent: int = Field(0, ge=0, le=50, description="The inviter's percent of a friend's top-ups; 0: none.")
    referral_free: int = Field(
        1, ge=0, le=100, description="Extra free generations a day for each friend who has paid (ten friends at most)."
    )
    refund_undelivered_days: int = Field(
        7, ge=0, le=365, description="Days until a result that could not be delivered is refunded; 0: never."
    )
    support_contact: str = Field("", description="Whom /paysupport names: a @username, an address, a link.")
    terms_url: str | None = Field(None, description="Your terms of sale; without it /terms shows a short text.")

    privacy_url: str | None = Field(None, description="Your privacy policy; without it /privacy shows a complete text.")
    consent_required: bool = Field(
        default=False, description="Ask every user for consent, once with the first card; nothing is made without it."
    )
    consent_version: str = Field(
        "1", min_length=1, max_length=40, description="The version of the consent; another one asks everybody again."
    )
    consent_url: str | None = Field(None, description="Your consent document; without it our own text is shown.")
    keep_exports_days: int = _kept(90, "records of exports that users asked for; their files are never kept")

    timezone: str = Field(
        "Europe/Moscow",
        description="The time zone of days and times in the console and in reports, such as Asia/Almaty.",
    )
    delivery_lease_s: float = Field(300, gt=0, le=MAX_S, description="How long a delivery lock lasts.")
    lease_s: float = Field(30, gt=0, le=MAX_S, description="How long any other claim lasts.")
    poll_first_s: float = Field(2, gt=0, le=MAX_S, description="Seconds from creating a task to its first poll.")
    empty_result_grace_s: float = Field(
        120, ge=0, le=MAX_S, description="Seconds a success without a result is polled again."
    )
    job_overdue_s: float | None = Field(
        None, gt=0, le=MAX_S, description="Seconds until a job is overdue. Default: by kind."
    )
    job_timeout_s: float = Field(
        86400, gt=0, le=MAX_S, description="Seconds until a job is given up and its money released."
    )
    keep_result_copies_days: int = _kept(90, "copies of what Telegram keeps unchanged; copies of photos and GIFs stay")
    keep_updates_days: int = _kept(2, "Telegram's updates once handled (2 to 6, no more)", least=2, most=6)
    keep_callbacks_days: int = _kept(30, "the bodies of callbacks, once their job is settled")
    keep_orphans_days: int = _kept(30, "callbacks that found their job late; those that never did stay")
    keep_drafts_days: int = _kept(30, "drafts that were not bought, after they expired")
    keep_events_days: int = _kept(365, "the timelines of jobs, after a job was settled")
    keep_input_files_days: int = _kept(90, "what is known of files customers sent, when nothing open uses them")
    keep_resends_days: int = _kept(90, "records of results that were sent again")
    keep_notices_days: int = _kept(90, "notices that were sent, or could not be sent")
    keep_incidents_days: int = _kept(90, "incidents that are over")
    keep_proofs_days: int = _kept(400, "the proofs of the nightly audit; sealed days stay")
    keep_assistant_calls_days: int = _kept(
        90, "what calls to the chat model cost; texts go at once, transcripts after a day"
    )
    keep_tickets_days: int = _kept(365, "closed tickets of support, with their messages")
    keep_readings_days: int = _kept(90, "hourly readings of the balance at Kie")
    ticket_alert_min: int = Field(
        60,
        ge=0,
        le=525_600,
        description="Alert when a customer waits so many minutes for an answer of support; 0: never.",
    )
    disk_alert_mb: int = Field(
        1024, ge=0, le=10**9, description="Alert when the disk of DATA_DIR has fewer free MB; 0: never."
    )
    disk_reserve_mb: int = Field(
        200, ge=0, description="With fewer free MB no result is copied: the rest is for the database."
    )
    database_alert_mb: int = Field(
        0, ge=0, le=10**9, description="Alert when the database is larger than this, in MB; 0: never."
    )

    backup_dir: Path | None = Field(
        None, description="Folder of backups the bot makes by itself: on another disk than DATA_DIR. Empty: none."
    )
    backup_every_h: float = Field(24, ge=0, le=8760, description="Hours between two of them; 0: none by itself.")
    backup_keep: int = Field(14, ge=0, le=10_000, description="How many of them stay; 0: all.")

    kie_creates_per_10s: int = Field(
        20, ge=1, le=20_000, description="Tasks per 10 s Kie allows this account; we stay a little below."
    )
    kie_queries_per_s: int = Field(
        10, ge=1, le=1000, description="Queries per second Kie allows this account; we stay a little below."
    )
    telegram_calls_per_s: int = Field(
        30, ge=1, le=10_000, description="Calls per second Telegram allows this bot; we stay a little below."
    )
    rich_results: bool = Field(
        default=False, description="Several outputs as one rich message (Telegram of June 2026 or newer)."
    )
    update_workers: Literal["active", "all"] = Field("active", description="Which instances handle updates.")
    log_format: Literal["text", "json"] = Field("text", description="Logs for people or for machines.")
    assistant_model: str = Field(
        "",
        pattern=r"^([a-z0-9][a-z0-9.-]{0,63})?$",
        description="A chat model of Kie, such as gemini-3-flash, that improves orders in plain words. Empty: rules only.",
    )
    assistant_calls_per_user_day: int = Field(
        30, ge=0, le=10_000, description="Calls to it for one user in 24 hours; 0: no limit."
    )
    assistant_credits_a_day: int = Field(
        500, ge=0, le=10_000_000, description="Kie credits that all its calls may take in 24 hours; 0: no limit."
    )

    content_rules: Path | None = Field(
        None,
        description="A TOML file with content rules of your own (docs/operations/content.md); read again when it changes.",
    )
    strikes_ban: int = Field(
        5, ge=0, le=1000, description="Strikes within STRIKE_DAYS after which a user is banned for a while; 0: never."
    )
    strike_days: int = Field(30, ge=1, le=3650, description="Days a strike counts.")
    strike_ban_days: int = Field(7, ge=1, le=3650, description="Days such a ban lasts.")
    provider_strikes: bool = Field(
        default=False, description="Count what Kie's models refuse for its content as a strike, too."
    )
    provider_checker: Literal["default", "on", "off"] = Field(
        "default", description="The models' own content filters, where they have one: as Kie sets them, on, or off."
    )
    content_check_url: str | None = Field(
        None, description="A checker of your own that is asked about every order before its purchase."
    )
    content_check_token: str | None = Field(None, description="It gets this: `Authorization: Bearer …`.")
    content_check_deadline_ms: int = Field(
        2000, ge=100, le=3000, description="How long an order waits for its answer, in milliseconds."
    )
    content_check_fail: Literal["allow", "refuse"] = Field(
        "refuse", description="What becomes of an order that it does not answer in time."
    )
    ai_mark: str = Field(
        "",
        max_length=100,
        description="A line under results: `on` for “Made with AI” in the reader's language, or your own words. Empty: none.",
    )
    keep_refused_texts_days: int = _kept(30, "the texts of refused orders; those whose appeal waits stay")
    keep_refusals_days: int = _kept(365, "refusals without their texts; strikes count for STRIKE_DAYS")

    failpoint: str | None = Field(
        None,
        description="Tests only: die with SIGKILL at the named point (name or name:N). "
        "`stop@name` freezes there, `cut@name` drops every connection, `tell` logs each pass.",
    )

    @field_validator("bot_token")
    @classmethod
    def _looks_like_a_token(cls, value: str | None) -> str | None:
        if value is not None and re.fullmatch(r"[0-9]{1,18}:\S+", value, re.ASCII) is None:
            raise ValueError("must look like 123456:ABC…, as @BotFather gives it")
        return value

    @field_validator(
        "public_url",
        "render_external_url",
        "telegram_api_url",
        "telegram_webhook_url",
        "kie_api_url",
        "kie_upload_url",
        "aws_endpoint_url",
        "yookassa_api_url",
        "crypto_pay_api_url",
        "my_tax_api_url",
        "terms_url",
        "otel_exporter_otlp_endpoint",
        "privacy_url",
        "consent_url",
        "content_check_url",
    )
    @classmethod
    def _is_a_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be an http or https address")
        return value.rstrip("/")

    @field_validator("callback_secret")
    @classmethod
    def _holds_a_secret(cls, value: str | None) -> str | None:
        if value is not None and not value.replace(",", "").strip():
            raise ValueError("must hold at least one secret")
        return value

    @field_validator("aws_endpoint_url")
    @classmethod
    def _holds_no_keys(cls, value: str | None) -> str | None:
        if value is not None and ("@" in value or "?" in value or "#" in value):
            raise ValueError(NO_KEYS)
        return value

    @field_validator("results_store")
    @classmethod
    def _is_a_store(cls, value: str | None) -> str | None:
        if value is not None:
            parse_address(value)
        return value

    @field_validator("yookassa_sources")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        for part in filter(None, map(str.strip, value.split(","))):
            try:
                ip_network(part)
            except ValueError:
                raise ValueError(f"{part} is not a network such as 185.71.76.0/27") from None
        return value

    @field_validator("my_tax_providers")
    @classmethod
    def _are_ways_to_pay(cls, value: str) -> str:
        for part in filter(None, map(str.strip, value.split(","))):
            if part not in {"stars", "cryptopay", "transfer", "yookassa"}:
                raise ValueError(f"{part} is not a way to pay: stars, cryptopay, transfer, yookassa")
        return value

    @field_validator("admin_ids")
    @classmethod
    def _are_ids(cls, value: str) -> str:
        if not all(part.strip().lstrip("-").isdigit() for part in value.split(",") if part.strip()):
            raise ValueError("must be Telegram ids by comma")
        return value

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, value: str) -> str:
        if value != "UTC" and ("/" not in value or value not in available_timezones()):
            raise ValueError("must be a time zone such as Europe/Moscow")
        return value

    @property
    def sandboxed(self) -> bool:
        """Whether neither key is set, so that everything outside is simulated."""
        return self.bot_token is None and self.kie_api_key is None

    def in_sandbox(self) -> "Settings":
        """These settings without keys, in the sandbox's folder below DATA_DIR."""
        below = None if self.results_store is None else f"{self.results_store.rstrip('/')}/{SANDBOX_FOLDER}"
        return self.model_copy(
            update={
                "bot_token": None,
                "kie_api_key": None,
                "data_dir": self.data_dir / SANDBOX_FOLDER,
                "results_store": below,
            }
        )

    def with_defaults(self, **values: object) -> "Settings":
        """These settings with other defaults: only what was not given is replaced, and it still counts as not given."""
        missing = {name: value for name, value in values.items() if name not in self.model_fields_set}
        changed = self.model_copy(update=missing)
        changed.model_fields_set.difference_update(missing)
        return changed

    @property
    def bot_id(self) -> BotId | None:
        """The bot's own id, the number before its token's colon; None in the sandbox."""
        return None if self.bot_token is None else BotId(int(self.bot_token.partition(":")[0]))

    @property
    def updates_a_minute(self) -> int:
        """The limit of a user's updates: above what the allowed orders need, and none where those are unlimited."""
        if self.updates_per_minute is not None:
            return self.updates_per_minute
        return UPDATES_PER_MINUTE if self.orders_per_minute else 0

    @property
    def base_url(self) -> str | None:
        """The URL where the outside reaches us; None if it cannot."""
        return self.public_url or self.render_external_url

    @property
    def webhook_url(self) -> str | None:
        """Where Telegram sends updates; None: they are fetched by long polling."""
        base = self.telegram_webhook_url or self.base_url
        return None if base is None else f"{base}/telegram/webhook"

    @property
    def has_assistant(self) -> bool:
        """Whether a chat model is configured."""
        return bool(self.assistant_model and self.kie_api_key)

    @property
    def results_folder(self) -> Path:
        """The folder of results below DATA_DIR, which is also used while a bucket does not answer."""
        return Path(self.data_dir) / "results"

    @property
    def tmp_folder(self) -> Path:
        return Path(self.data_dir) / "tmp"

    @property
    def forgotten_file(self) -> Path:
        """Who was forgotten, by number: after a restore they are forgotten again."""
        return Path(self.data_dir) / "forgotten.jsonl"

    @property
    def examples_folder(self) -> Path:
        return Path(self.data_dir) / "examples"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def admins(self) -> tuple[ChatId, ...]:
        """The chats of operators, notified of incidents; without duplicates."""
        return tuple(dict.fromkeys(ChatId(int(part)) for part in self.admin_ids.split(",") if part.strip()))

    @property
    def callback_secrets(self) -> tuple[bytes, ...]:
        """The secrets of callback URLs: the first signs, all are valid."""
        if self.callback_secret:
            return tuple(part.strip().encode() for part in self.callback_secret.split(",") if part.strip())
        return (self.derived("kie callback"),)

    @property
    def webhook_secret(self) -> str:
        """The token of Telegram's secret header."""
        return self.derived("telegram webhook").hex()

    def derived(self, purpose: str) -> bytes:
        """A secret for one purpose, derived from the bot's token."""
        return hmac.new((self.bot_token or "").encode(), purpose.encode(), hashlib.sha256).digest()

    @property
    def welcome(self) -> int:
        """The welcome credit of a new user, in minor units."""
        if self.welcome_credit is not None:
            return self.welcome_credit
        return SANDBOX_WELCOME if self.sandboxed else 0


class GivenSettings(Settings):
    """The same fields and rules, filled from arguments alone: to try the values of the settings page."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  this signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


class _Keys(BaseSettings):
    """The two keys as they were given, to see which is missing even when something else is wrong."""

    model_config = Settings.model_config
    bot_token: str | None = None
    kie_api_key: str | None = None


class _YooKassaKeys(BaseSettings):
    """YooKassa's pair, likewise."""

    model_config = Settings.model_config
    yookassa_shop_id: str | None = None
    yookassa_secret_key: str | None = None


class _MyTaxKeys(BaseSettings):
    """The pair of «Мой налог», likewise."""

    model_config = Settings.model_config
    my_tax_inn: str | None = None
    my_tax_password: str | None = None


def load() -> Settings:
    """Read the settings, or refuse to start naming every bad and every missing one at once."""
    try:
        missing = _missing_of(_Keys())
        unpaired = _missing_of(_YooKassaKeys())
        without_tax = _missing_of(_MyTaxKeys())
    except UnicodeDecodeError:
        raise Startup("The file .env is not UTF-8 text: save it as UTF-8, or remove it.") from None
    problems = []
    if len(missing) == 1:
        problems.append(
            f"{missing[0]} is missing (set both BOT_TOKEN and KIE_API_KEY for the real bot, neither for the sandbox)"
        )
    if len(unpaired) == 1:
        problems.append(
            f"{unpaired[0]} is missing (set both YOOKASSA_SHOP_ID and YOOKASSA_SECRET_KEY, or neither for no YooKassa)"
        )
    if len(without_tax) == 1:
        problems.append(
            f"{without_tax[0]} is missing (set both MY_TAX_INN and MY_TAX_PASSWORD, or neither for no «Мой налог»)"
        )
    try:
        settings = Settings()
    except ValidationError as error:
        problems += [
            f"{str(one['loc'][0]).upper()}: {one['msg'].removeprefix('Value error, ')}" for one in error.errors()
        ]
    else:
        problems += _wrong_rate(settings) + _wrong_receipts(settings) + _wrong_store(settings)
    if problems:
        raise Startup("These settings are wrong: " + "; ".join(problems) + ".") from None
    return settings.in_sandbox() if settings.sandboxed else settings


def _wrong_store(settings: Settings) -> list[str]:
    """A bucket needs both parts of its key, unless the machine has a role."""
    if settings.results_store is None or not isinstance(parse_address(settings.results_store), BucketAddress):
        return []
    keys = {"AWS_ACCESS_KEY_ID": settings.aws_access_key_id, "AWS_SECRET_ACCESS_KEY": settings.aws_secret_access_key}
    missing = [name for name, value in keys.items() if value is None]
    if len(missing) == len(keys) and any(name in os.environ for name in ROLES):
        return []
    return [f"{name} is missing (RESULTS_STORE is a bucket)" for name in missing]


def _wrong_rate(settings: Settings) -> list[str]:
    """The usual rate is that of roubles: in another currency it would give away most of every Star."""
    if settings.currency == "USD" and settings.usd_rate != 1:
        return ["USD_RATE must be 1 where CURRENCY is USD"]
    if settings.currency != "RUB" and "usd_rate" not in settings.model_fields_set:
        return [f"USD_RATE is missing (how much {settings.currency} one US dollar costs)"]
    return []


def _wrong_receipts(settings: Settings) -> list[str]:
    """Fiscal receipts are about roubles and part of YooKassa's payments; those of the self-employed have fewer fields."""
    given = [name for name in FOR_54FZ if name in settings.model_fields_set]
    if settings.yookassa_receipts is None:
        return [f"{name.upper()} has no effect without YOOKASSA_RECEIPTS" for name in given]
    problems = []
    if settings.currency != "RUB":
        problems.append("YOOKASSA_RECEIPTS needs CURRENCY=RUB")
    if settings.yookassa_shop_id is None and not settings.sandboxed:
        problems.append("YOOKASSA_RECEIPTS needs YOOKASSA_SHOP_ID and YOOKASSA_SECRET_KEY")
    if settings.yookassa_receipts == "self-employed":
        problems += [f"{name.upper()} is not part of receipts of the self-employed: leave it empty" for name in given]
    return problems


def _missing_of(keys: BaseSettings) -> list[str]:
    return [name.upper() for name, value in keys if value is None]
