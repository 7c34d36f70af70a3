"""Settings that change without a restart: which they are, what they accept, and the ones that hold now.

    environment or .env  >  the operators' values (rows of `setting_values`)  >  defaults

Every instance reads the rows once a second, so a change applies everywhere within two seconds of its commit, and again after
a restart. Whatever depends on a live setting is made by `LiveSettings.following`: it is rebuilt when these change, and one
update, one alert check or one reward sees one set of them from begin to end. A value that no longer fits (the environment
changed, an older version runs) is not used, and logged. Imports no aiogram.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, TypeVar, get_args
from urllib.parse import urlsplit

from pydantic import ValidationError

from photomat.app.settings import GivenSettings, Settings
from photomat.db.pool import UNMIGRATED, Pool
from photomat.kernel.logs import get_logger
from photomat.operators.settings import (
    MAX_LENGTH,
    ResolvedValues,
    SettingKind,
    SettingRefused,
    SettingRules,
    SettingSpec,
    StartSetting,
    read_values,
)
from photomat.payments.options import read_packages, read_sums
from photomat.texts.sentence import Sentence

LIVE: Final[Mapping[str, tuple[str, ...]]] = {
    "prices": ("usd_rate", "markup", "price_step"),
    "topups": (
        "topup_sums",
        "topup_least",
        "topup_most",
        "topups_per_day",
        "stars_packages",
        "star_usd",
        "subscription_stars",
        "subscription_bonus",
        "subscription_credit",
        "transfer_details",
    ),
    "limits": ("most_running", "orders_per_minute", "updates_per_minute", "cooldown_s", "free_per_day"),
    "rewards": ("welcome_credit", "referral_reward", "referral_friend_reward", "referral_percent", "referral_free"),
    "service": ("refund_undelivered_days", "support_contact", "terms_url", "rich_results", "timezone"),
    "profile": ("bot_name", "bot_name_en", "bot_description", "bot_description_en", "bot_about", "bot_about_en"),
    "privacy": ("privacy_url", "consent_required", "consent_version", "consent_url"),
    "content": (
        "strikes_ban",
        "strike_days",
        "strike_ban_days",
        "provider_strikes",
        "provider_checker",
        "ai_mark",
    ),
    "assistant": ("assistant_calls_per_user_day", "assistant_credits_a_day"),
    "alerts": ("disk_alert_mb", "database_alert_mb", "ticket_alert_min"),
    "keeping": tuple(name for name in Settings.model_fields if name.startswith("keep_")),
}
"""The live settings by their group on the page. Never secrets, currency, database, tokens or servers of others."""
SHOWN: Final = frozenset(
    {
        "host",
        "public_url",
        "render_external_url",
        "telegram_api_url",
        "telegram_local_dir",
        "telegram_webhook_url",
        "bot_picture",
        "kie_api_url",
        "kie_upload_url",
        "admin_ids",
        "currency",
        "yookassa_shop_id",
        "yookassa_api_url",
        "yookassa_sources",
        "yookassa_receipts",
        "yookassa_payment_subject",
        "yookassa_payment_mode",
        "yookassa_receipt_item",
        "yookassa_measure",
        "crypto_pay_api_url",
        "my_tax_inn",
        "my_tax_api_url",
        "my_tax_providers",
        "my_tax_service_name",
        "assistant_model",
        "sentry_environment",
        "otel_exporter_otlp_endpoint",
        "content_rules",
        "content_check_url",
        "content_check_fail",
        "update_workers",
        "log_format",
        "data_dir",
        "results_store",
        "aws_endpoint_url",
        "aws_region",
    }
)
"""Texts read at the start that are no secret; every other text is shown as set or not set."""
MINOR: Final = frozenset(
    {
        "price_step",
        "topup_least",
        "topup_most",
        "subscription_credit",
        "welcome_credit",
        "referral_reward",
        "referral_friend_reward",
    }
)
LINES: Final = frozenset({"transfer_details", "bot_description", "bot_description_en"})
LEAST_SECRET: Final = 8
"""Shorter parts of secrets are ordinary words and numbers."""
MAX_DIGITS: Final = 30
T = TypeVar("T")
log = get_logger()


@dataclass(slots=True)
class LiveSettings:
    """The settings of this process: `base` as it was started, `current` with the operators' values."""

    base: Settings
    current: Settings = field(init=False)
    rules: SettingRules = field(init=False)
    _seen: Mapping[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.current = self.base
        self.rules = rules_of(self.base)

    def following(self, make: Callable[[], T]) -> Callable[[], T]:
        """What `make` makes of the current settings; rebuilt only when they have changed."""
        made: list[tuple[Settings, T]] = []

        def latest() -> T:
            if not made or made[0][0] is not self.current:
                made[:] = [(self.current, make())]
            return made[0][1]

        return latest

    async def refresh(self, pool: Pool) -> None:
        self.take_over(await read_values(pool))

    def take_over(self, values: Mapping[str, str]) -> None:
        """Apply what operators have changed since the last time; the due poller reads the values once a second."""
        if values == self._seen:
            return
        before, (self.current, unused) = self.current, with_values(self.base, values)
        self._seen = values
        for name in live_names():
            now = getattr(self.current, name)
            if now != getattr(before, name):
                log.info("SETTING_APPLIED", setting=name.upper(), value=as_text(now))
        for name, refused in unused.items():
            log.warning("SETTING_UNUSED", setting=name, reason=refused.says.plain)


async def effective(pool: Pool, base: Settings) -> Settings:
    """The settings with the operators' values, for a command; without its table there are none yet."""
    try:
        return with_values(base, await read_values(pool))[0]
    except UNMIGRATED:
        return base


def with_values(base: Settings, values: Mapping[str, str]) -> tuple[Settings, dict[str, SettingRefused]]:
    """The settings with the operators' values, and those that could not be used, with the reason."""
    used, unused = _parsed(base, values)
    while (refused := _objection(settings := base.model_copy(update=used))) is not None:
        names, why = refused
        if not (dropped := [name for name in names if name in used]):
            break
        for name in dropped:
            unused[name.upper()] = why
            del used[name]
    return settings, unused


def rules_of(base: Settings) -> SettingRules:
    """What may be changed while the program runs that was started with `base`, and what is accepted."""

    def accept(name: str, value: str, others: Mapping[str, str]) -> str:
        parsed = parse(name.lower(), value)
        used, _ = _parsed(base, others)
        refused = _objection(base.model_copy(update={**used, name.lower(): parsed}))
        if refused is not None:
            raise refused[1]
        return as_text(parsed)

    def resolve(values: Mapping[str, str]) -> ResolvedValues:
        settings, unused = with_values(base, values)
        return ResolvedValues(
            values={name.upper(): _value_of(settings, name) for name in live_names()},
            unused={name: refused.says for name, refused in unused.items()},
        )

    return SettingRules(
        specs={spec.name: spec for spec in _specs(base)},
        accept=accept,
        resolve=resolve,
        at_start=tuple(_at_start(base)),
    )


def live_names() -> Iterable[str]:
    return (name for names in LIVE.values() for name in names)


def parse(name: str, value: str) -> Any:
    """The value of a setting from text, by its own field; `SettingRefused` says why not."""
    value, kind = value.strip(), kind_of(name)
    if len(value) > MAX_LENGTH or (kind == "text" and "\n" in value):
        raise SettingRefused(Sentence("setting-too-long", name=name.upper(), most=MAX_LENGTH))
    if not value and name in {"terms_url", "privacy_url", "consent_url"}:
        return None
    given: dict[str, Any] = {name: value.replace(",", ".") if kind == "number" else value}
    try:
        parsed = getattr(GivenSettings(**given), name)
    except ValidationError as error:
        raise SettingRefused(_in_words(name.upper(), error.errors()[0])) from None
    if kind == "number" and len(as_text(parsed)) > MAX_DIGITS:
        raise SettingRefused(Sentence("setting-no-number", name=name.upper()))
    _check_list(name, value)
    return parsed


def _check_list(name: str, value: str) -> None:
    """Object to a list of sums or packages that the payment options could not read."""
    if name == "topup_sums":
        try:
            read_sums(value, currency="RUB")
        except ValueError:
            raise SettingRefused(Sentence("setting-no-sums", name=name.upper())) from None
    if name == "stars_packages":
        try:
            read_packages(value, star_worth=Decimal(1), currency="RUB")
        except ValueError:
            raise SettingRefused(Sentence("setting-no-packages", name=name.upper())) from None


def as_text(value: object) -> str:
    """A value as it is kept and shown."""
    match value:
        case None:
            return ""
        case bool():
            return str(int(value))
        case Decimal():
            return f"{value.normalize():f}"
        case float():
            return repr(value).removesuffix(".0")
        case _:
            return str(value)


def kind_of(name: str) -> SettingKind:
    """How a setting is written."""
    if name in LINES or name in MINOR:
        return "lines" if name in LINES else "minor"
    annotation = Settings.model_fields[name].annotation
    kinds = {annotation, *get_args(annotation)}
    if bool in kinds:
        return "switch"
    if int in kinds:
        return "whole"
    return "number" if kinds & {float, Decimal} else "text"


def _specs(base: Settings) -> Iterable[SettingSpec]:
    for group, names in LIVE.items():
        for name in names:
            is_given = name in base.model_fields_set
            yield SettingSpec(
                name=name.upper(),
                group=group,
                kind=kind_of(name),
                start=_value_of(base, name),
                default=as_text(Settings.model_fields[name].default) if is_given else _value_of(base, name),
                from_environment=is_given,
            )


def _at_start(base: Settings) -> Iterable[StartSetting]:
    """The settings that need a restart; numbers and switches are never secrets."""
    live = set(live_names())
    for name in Settings.model_fields:
        if name not in live:
            value = as_text(getattr(base, name))
            is_public = name in SHOWN or kind_of(name) != "text"
            yield StartSetting(
                name=name.upper(),
                value=value if is_public else None,
                is_set=bool(value),
                from_environment=name in base.model_fields_set,
            )


def secrets_of(settings: Settings) -> frozenset[str]:
    """Every secret of the settings, and what is derived from the bot's token: texts that are never shown, their parts too."""
    hidden = [name for name in Settings.model_fields if name not in SHOWN and name not in set(live_names())]
    texts = [as_text(getattr(settings, name)) for name in hidden if kind_of(name) == "text"]
    parts = [part for text in texts for part in _secret_parts(text)]
    derived = [settings.webhook_secret, *(secret.hex() for secret in settings.callback_secrets)]
    return frozenset(text for text in (*texts, *parts, *derived) if len(text) >= LEAST_SECRET)


def _secret_parts(text: str) -> Iterator[str]:
    """What of a secret may stand alone: the password of a URL, items by comma, what follows a colon or an equals sign."""
    if "://" in text:
        yield urlsplit(text).password or ""
        return
    for item in text.split(","):
        yield item.strip()
        yield from (item.partition(mark)[2].strip() for mark in ":=")


def _parsed(base: Settings, values: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, SettingRefused]]:
    """The values that may be used, by field; what the environment gives is left out silently, it is shown on the page."""
    used: dict[str, Any] = {}
    unused: dict[str, SettingRefused] = {}
    names = set(live_names()) - base.model_fields_set
    for key, value in values.items():
        if key.lower() in names:
            try:
                used[key.lower()] = parse(key.lower(), value)
            except SettingRefused as refused:
                unused[key] = refused
    return used, unused


def _objection(settings: Settings) -> tuple[tuple[str, ...], SettingRefused] | None:
    """Why these settings do not fit together, and which of them are at fault."""
    if settings.currency == "USD" and settings.usd_rate != 1:
        return ("usd_rate",), SettingRefused(Sentence("setting-usd-rate"))
    if settings.topup_least > settings.topup_most:
        least, most = (str(each) for each in (settings.topup_least, settings.topup_most))
        return ("topup_least", "topup_most"), SettingRefused(
            Sentence("setting-least-above-most", least=least, most=most)
        )
    return None


def _value_of(settings: Settings, name: str) -> str:
    """The value that holds, also where the default of a setting follows from another one."""
    derived = {"welcome_credit": settings.welcome, "updates_per_minute": settings.updates_a_minute}
    return as_text(derived[name] if name in derived else getattr(settings, name))


def _in_words(name: str, error: Mapping[str, Any]) -> Sentence:
    """The reason of a refused value."""
    facts = error.get("ctx", {})
    match error["type"]:
        case "greater_than":
            return Sentence("setting-not-above", name=name, least=as_text(facts["gt"]))
        case "greater_than_equal":
            return Sentence("setting-too-small", name=name, least=as_text(facts["ge"]))
        case "less_than_equal":
            return Sentence("setting-too-large", name=name, most=as_text(facts["le"]))
        case "value_error":
            return Sentence("setting-no-zone") if name == "TIMEZONE" else Sentence("setting-no-url", name=name)
        case "literal_error" | "string_too_long" as kind:
            return _text_in_words(name, kind, facts)
        case "bool_parsing":
            return Sentence("setting-no-switch", name=name)
        case "int_parsing" | "int_from_float" | "int_parsing_size":
            return Sentence("setting-no-whole-number", name=name)
        case _:
            return Sentence("setting-no-number", name=name)


def _text_in_words(name: str, kind: str, facts: Mapping[str, Any]) -> Sentence:
    if kind == "string_too_long":
        return Sentence("setting-too-long", name=name, most=int(facts["max_length"]))
    return Sentence("setting-no-choice", name=name, choices=str(facts["expected"]).replace("'", ""))
