"""Settings: every bad one named at once, a half-set pair named, secrets derived and rotated."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from photomat.app.settings import SANDBOX_WELCOME, Settings, load
from photomat.kernel.errors import Startup
from photomat.kernel.ids import JobId
from photomat.kie.signature import job_of, sign_job

TOKEN = "123456:ABC-def"
Set = Callable[..., None]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Set:
    """An environment without any of our settings, in a folder without a file .env."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)

    def set_them(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return set_them


def refusal() -> str:
    with pytest.raises(Startup) as caught:
        load()
    return str(caught.value)


def test_nothing_set_is_the_sandbox_with_its_defaults(environment: Set) -> None:
    environment()
    settings = load()
    assert settings.sandboxed
    assert (settings.port, settings.currency) == (8080, "RUB")
    assert (settings.usd_rate, settings.markup) == (Decimal(80), Decimal(2))
    assert (settings.lease_s, settings.delivery_lease_s, settings.poll_first_s) == (30, 300, 2)
    assert (settings.empty_result_grace_s, settings.job_timeout_s, settings.job_overdue_s) == (120, 86400, None)
    assert (settings.update_workers, settings.log_format, settings.base_url) == ("active", "text", None)
    assert settings.welcome == SANDBOX_WELCOME


def test_every_bad_variable_is_named_at_once(environment: Set) -> None:
    bad = {
        "BOT_TOKEN": "nonsense",
        "PORT": "80000",
        "PUBLIC_URL": "ftp://x",
        "KIE_API_URL": "api.kie.ai",
        "CURRENCY": "rubles",
        "USD_RATE": "-1",
        "MARKUP": "two",
        "WELCOME_CREDIT": "-5",
        "LEASE_S": "0",
        "JOB_TIMEOUT_S": "soon",
        "UPDATE_WORKERS": "none",
        "LOG_FORMAT": "xml",
        "ADMIN_IDS": "anna",
        "CALLBACK_SECRET": " , ",
        "EMBEDDED_OK": "perhaps",
        "YOOKASSA_SOURCES": "185.71.76.0/27, yookassa.ru",
        "YOOKASSA_RECEIPTS": "yes",
        "YOOKASSA_VAT_CODE": "0",
        "YOOKASSA_TAX_SYSTEM": "7",
        "YOOKASSA_PAYMENT_SUBJECT": "wish",
        "YOOKASSA_PAYMENT_MODE": "barter",
        "YOOKASSA_RECEIPT_ITEM": "x" * 129,
        "YOOKASSA_MEASURE": "handful",
        "YOOKASSA_EMAIL_ONLY": "perhaps",
    }
    environment(**bad)
    sentence = refusal()
    assert [name for name in bad if f"{name}:" not in sentence] == []


@pytest.mark.parametrize(("given", "missing"), [("BOT_TOKEN", "KIE_API_KEY"), ("KIE_API_KEY", "BOT_TOKEN")])
def test_half_a_pair_of_keys_names_the_other_half(environment: Set, given: str, missing: str) -> None:
    environment(**{given: TOKEN}, PORT="eighty")
    said = refusal()
    assert f"{missing} is missing" in said
    assert "PORT: " in said, "everything wrong is named at once"


@pytest.mark.parametrize(
    ("given", "missing"),
    [("YOOKASSA_SHOP_ID", "YOOKASSA_SECRET_KEY"), ("YOOKASSA_SECRET_KEY", "YOOKASSA_SHOP_ID")],
)
def test_half_of_yookassas_pair_names_the_other_half(environment: Set, given: str, missing: str) -> None:
    environment(**{given: "100500"})
    assert f"{missing} is missing" in refusal()


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"YOOKASSA_VAT_CODE": "4"}, ["YOOKASSA_VAT_CODE has no effect without YOOKASSA_RECEIPTS"]),
        (
            {"YOOKASSA_RECEIPTS": "54fz", "CURRENCY": "KZT", "USD_RATE": "500", "BOT_TOKEN": TOKEN, "KIE_API_KEY": "k"},
            ["YOOKASSA_RECEIPTS needs CURRENCY=RUB", "YOOKASSA_RECEIPTS needs YOOKASSA_SHOP_ID"],
        ),
        (
            {"YOOKASSA_RECEIPTS": "self-employed", "YOOKASSA_VAT_CODE": "1", "YOOKASSA_TAX_SYSTEM": "2"},
            ["YOOKASSA_VAT_CODE is not part", "YOOKASSA_TAX_SYSTEM is not part"],
        ),
    ],
)
def test_receipts_that_cannot_be_are_refused_at_once(environment: Set, given: dict[str, str], wrong: list[str]) -> None:
    environment(**given)
    said = refusal()
    assert [one for one in wrong if one not in said] == []


def test_a_shop_with_receipts_starts_in_the_sandbox_too(environment: Set) -> None:
    environment(YOOKASSA_RECEIPTS="54fz", YOOKASSA_VAT_CODE="11", YOOKASSA_EMAIL_ONLY="1")
    settings = load()
    assert (settings.yookassa_receipts, settings.yookassa_vat_code, settings.sandboxed) == ("54fz", 11, True)


def test_an_empty_value_counts_as_not_set(environment: Set) -> None:
    environment(BOT_TOKEN="", KIE_API_KEY="", PORT="", WELCOME_CREDIT="")
    assert load().sandboxed


def test_a_real_bot_gives_nothing_away_unless_told(environment: Set) -> None:
    environment(BOT_TOKEN=TOKEN, KIE_API_KEY="key")
    assert load().welcome == 0
    environment(WELCOME_CREDIT="500")
    assert load().welcome == 500


def test_addresses_lose_their_last_slash_and_renders_own_stands_in(environment: Set) -> None:
    environment(RENDER_EXTERNAL_URL="https://bot.onrender.com/", KIE_API_URL="http://127.0.0.1:9/")
    settings = load()
    assert (settings.base_url, settings.kie_api_url) == ("https://bot.onrender.com", "http://127.0.0.1:9")
    environment(PUBLIC_URL="https://bot.example/")
    assert load().base_url == "https://bot.example"


def test_secrets_come_from_the_token_and_differ_by_purpose_and_bot(environment: Set) -> None:
    environment(BOT_TOKEN=TOKEN, KIE_API_KEY="key")
    first = load()
    assert first.callback_secrets[0].hex() != first.webhook_secret
    environment(BOT_TOKEN="123456:other")
    second = load()
    assert first.callback_secrets != second.callback_secrets
    assert first.webhook_secret != second.webhook_secret
    assert TOKEN not in first.webhook_secret


def test_of_several_callback_secrets_the_first_signs_and_all_are_valid(environment: Set) -> None:
    environment(CALLBACK_SECRET="new, old ,")
    secrets = load().callback_secrets
    assert secrets == (b"new", b"old")
    job_id = JobId(7)
    assert sign_job(job_id, secrets) == sign_job(job_id, [b"new"])
    assert job_of(sign_job(job_id, [b"old"]), secrets) == job_id
    assert job_of(sign_job(job_id, [b"gone"]), secrets) is None


def test_numbers_are_exact(environment: Set) -> None:
    environment(USD_RATE="92.35", MARKUP="1.15")
    settings = load()
    assert (settings.usd_rate, settings.markup) == (Decimal("92.35"), Decimal("1.15"))


def test_a_file_beside_the_program_is_read_and_the_environment_wins(environment: Set) -> None:
    environment(PORT="9000")
    Path(".env").write_text("PORT=1\nCURRENCY=USD\nUSD_RATE=1\nSOMETHING_ELSE=1\n", encoding="utf-8")
    settings = load()
    assert (settings.port, settings.currency) == (9000, "USD")


def test_every_setting_says_what_it_is_for() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.mark.parametrize(
    ("given", "is_fine"),
    [
        ({"CURRENCY": "USD"}, False),
        ({"CURRENCY": "USD", "USD_RATE": "80"}, False),
        ({"CURRENCY": "USD", "USD_RATE": "1.00"}, True),
        ({"CURRENCY": "EUR"}, False),
        ({"CURRENCY": "EUR", "USD_RATE": ""}, False),
        ({"CURRENCY": "EUR", "USD_RATE": "0.92"}, True),
        ({"CURRENCY": "RUB", "USD_RATE": "90"}, True),
    ],
)
def test_a_currency_needs_its_own_rate(environment: Set, given: dict[str, str], *, is_fine: bool) -> None:
    """The rate of roubles for another currency gives eighty times too much for every Star."""
    environment(**given)
    if is_fine:
        assert load().currency == given["CURRENCY"]
        return
    with pytest.raises(Startup, match="USD_RATE"):
        load()
