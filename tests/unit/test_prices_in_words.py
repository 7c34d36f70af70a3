"""What a customer reads about a price: what it is made of and until when, in both languages, and nothing about our margin."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from photomat.bot import price_views
from photomat.catalog.formula import Count as Counted
from photomat.catalog.formula import Extra, PriceRow, PriceUnit
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.pricing import Override, PriceRules, Rates, quote, quote_from_json
from photomat.orders.outcome import LimitKind, LimitReached
from photomat.texts.load import LANGUAGES, Say, load_texts

RATES = Rates(usd_rate=Decimal("81.5"), markup=Decimal("1.7"), currency="RUB", step=10)
Z_IMAGE = load_catalog().get("z-image")
FILM = Model(
    id="film",
    title="Film <1>",
    kind="video",
    inputs=(),
    prices=(PriceRow(credits=Decimal(14), when=(("resolution", "720p"),)), PriceRow(credits=Decimal(18))),
    unit=PriceUnit(word="second", counts=(Counted(input="duration"),)),
    extras=(
        Extra(
            row=PriceRow(credits=Decimal(12)),
            unit=PriceUnit(word="character", counts=(Counted(input="text", measure="length"),), each=Decimal(1000)),
        ),
    ),
)


def say(language: str = "ru") -> Say:
    return load_texts().speaker(language)


def why(model: Model, inputs: dict[str, object], standing: PriceRules = PriceRules(), language: str = "ru") -> str:  # noqa: B008  a frozen value
    made = quote(model, inputs, RATES, standing)
    return price_views.why_page(say(language), model.title, made, free_a_day=3, rows=[]).text


def test_a_price_is_told_line_by_line() -> None:
    text = why(FILM, {"resolution": "720p", "duration": 5, "text": "x" * 250})
    assert "Почему 50,60\N{NO-BREAK SPACE}₽?" in text
    assert "Film &lt;1&gt;" in text
    assert "• 9,6985\N{NO-BREAK SPACE}₽ за секунду (720p) × 5" in text
    assert "• 250 симв. по 8,313\N{NO-BREAK SPACE}₽ за 1000" in text
    assert "Округлено вверх до 0,10\N{NO-BREAK SPACE}₽" in text
    assert "Итого: <b>50,60" in text


def explained(model_id: str, inputs: dict[str, object], measured: dict[str, Decimal] | None = None) -> str:
    model = load_catalog().get(model_id)
    made = quote(model, inputs, RATES, measured=measured)
    kept = quote_from_json(made.as_json())
    assert kept == made
    return price_views.why_page(say(), model.title, kept, free_a_day=0, rows=[], model=model, language="ru").text


def test_choices_are_named_as_the_customer_chose_them() -> None:
    text = explained("kling-3.0/video", {"prompt": "кот", "mode": "pro", "sound": "true"})
    assert "(Про, 1080p, Звук: да) × 5" in text
    assert "(pro" not in text


def test_the_step_that_was_reached_is_told() -> None:
    text = explained(
        "topaz/image-upscale", {"image_url": "f", "upscale_factor": "4"}, {"image_url:side": Decimal(1000)}
    )
    assert "(4000 px)" in text


def test_tokens_are_told_by_the_thousand_and_explained() -> None:
    text = explained("google/gemini-2-5-pro-tts", {"dialogue_turns": [{"text": "Привет"}]})
    assert "• Токены: 24 по " in text
    assert "₽ за 1000\n" in text
    assert "1000000" not in text
    assert "кусочки слов" in text


def test_a_short_text_is_charged_by_the_begun_thousand_and_said_so() -> None:
    text = explained("elevenlabs/text-to-speech-multilingual-v2", {"text": "x" * 28})
    assert "• 28 симв. по " in text
    assert "за 1000. Начатые 1000 считаются целиком." in text
    assert "×" not in text
    longer = explained("elevenlabs/text-to-speech-multilingual-v2", {"text": "x" * 2000})
    assert "• 2000 симв. по " in longer
    assert "целиком" not in longer


def test_one_picture_needs_no_number_and_megapixels_are_written_with_a_comma() -> None:
    assert "×" not in explained("recraft/remove-background", {"image": "f"})
    assert "× 1,05" in explained("qwen/text-to-image", {"prompt": "кот", "image_size": "square_hd"})
    assert "(8 с)" in explained("gemini-omni-video", {"prompt": "кот", "duration": "8"})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "standing",
    [
        PriceRules(),
        PriceRules(rule=Override(kind="fixed", value=Decimal(500))),
        PriceRules(rule=Override(kind="markup", value=Decimal("1.3"))),
        PriceRules(rule=Override(kind="free")),
        PriceRules(discount=Override(kind="discount", value=Decimal(20), until=datetime(2026, 12, 31, 21, tzinfo=UTC))),
        PriceRules(discount=Override(kind="discount", value=Decimal(95))),
    ],
)
def test_the_margin_is_nobodys_business(language: str, standing: PriceRules) -> None:
    text = why(Z_IMAGE, {}, standing, language)
    made = quote(Z_IMAGE, {}, RATES, standing)
    for secret in ("1.7", "1.3", "81.5", "0.005", "0.8", "credit", "кредит", "markup", "нацен", "себестоим"):
        assert secret not in text
        assert secret.replace(".", ",") not in text
    assert made.raised or made.cost.written(language) not in text


def test_a_rule_a_discount_and_an_end_are_named() -> None:
    end = datetime(2026, 12, 31, 21, tzinfo=UTC)
    standing = PriceRules(
        rule=Override(kind="fixed", value=Decimal(500)),
        discount=Override(kind="discount", value=Decimal(20), until=end),
    )
    text = why(Z_IMAGE, {}, standing)
    assert "установлена одна цена" in text
    assert "Скидка 20 %" in text
    assert "до 31.12.2026 21:00 UTC" in text
    assert "<b>4\N{NO-BREAK SPACE}₽</b>" in text
    assert "3 раза за 24 часа" in why(Z_IMAGE, {}, PriceRules(rule=Override(kind="free")))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 с"),
        (39.1, "40 с"),
        (100, "100 с"),
        (101, "2 мин"),
        (3540, "59 мин"),
        (3541, "1 ч 0 мин"),
        (18_700, "5 ч 12 мин"),
    ],
)
def test_a_wait_is_said_rounded_up(seconds: float, words: str) -> None:
    assert price_views.span(say(), timedelta(seconds=seconds)) == words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("why_not", list(LimitKind))
def test_every_refusal_says_until_when_and_fits_a_toast(language: str, why_not: LimitKind) -> None:
    wait = None if why_not is LimitKind.RUNNING else timedelta(hours=23, minutes=59)
    said = price_views.refusal(say(language), LimitReached(why=why_not, limit=1000, wait=wait))
    until = {"ru": ("как только", "24 ч 0 мин", "23 ч 59 мин"), "en": ("as soon as", "23 h 59 min")}[language]
    assert any(words in said for words in until)
    assert len(said) <= 200
