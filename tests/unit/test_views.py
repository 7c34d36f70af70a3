"""What a customer is shown: escaped, within Telegram's limits, in both languages."""

from datetime import UTC, datetime

import pytest

from photomat.bot.buttons import MAX_BYTES
from photomat.bot.menu.views import help_page, languages
from photomat.bot.order_card.views import change_menu, draft_card, not_enough
from photomat.bot.results.views import Details, details_page
from photomat.bot.view import View
from photomat.catalog.load import load_catalog
from photomat.jobs.history import OwnJob
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, UserId
from photomat.kernel.money import Money
from photomat.orders.draft import Draft
from photomat.texts.load import LANGUAGES, Say, load_texts

CATALOG = load_catalog()
MODEL = CATALOG.get("z-image")
LARGEST = 2**63 - 1
MAX_TEXT_LENGTH, MAX_TOAST_LENGTH = 4096, 200
EVIL = "<b>&" * 250


def rub(minor: int) -> Money:
    return Money(minor, "RUB")


def draft(prompt: str) -> Draft:
    return Draft(
        draft_id=DraftId(LARGEST),
        bot_id=BotId(1),
        user_id=UserId(LARGEST),
        chat_id=ChatId(LARGEST),
        model=MODEL.id,
        inputs={"prompt": prompt, "aspect_ratio": "1:1"},
        price=rub(64),
        revision=2**31 - 1,
        is_closed=False,
    )


def every_view(say: Say, language: str) -> list[View]:
    job = OwnJob(
        model=MODEL.id,
        title=EVIL,
        inputs={"prompt": EVIL},
        corr="0123abcd",
        status=JobStatus.DONE,
        price=rub(64),
        quote=None,
        gift=False,
        created_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    )
    return [
        help_page(say, for_operator=True),
        draft_card(say, MODEL, draft(EVIL), language=language, balance=rub(1)),
        change_menu(say, MODEL, draft(EVIL), language=language),
        details_page(
            say,
            Details(job_id=JobId(LARGEST), job=job, model=MODEL, title=EVIL, price=None, outputs=4),
            language=language,
        ),
        languages(say),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_fits_telegram(language: str) -> None:
    for view in every_view(load_texts().speaker(language), language):
        assert 0 < len(view.text) <= MAX_TEXT_LENGTH
        for button in (button for row in view.rows for button in row):
            assert 1 <= len((button.callback_data or "").encode()) <= MAX_BYTES


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_write_is_never_markup(language: str) -> None:
    say = load_texts().speaker(language)
    card = draft_card(say, MODEL, draft("<i>кот</i> & пёс"), language=language, balance=rub(100)).text
    assert "&lt;i&gt;кот&lt;/i&gt; &amp; пёс" in card
    assert "<i>" not in card


def test_the_card_says_what_is_missing_only_when_something_is() -> None:
    say = load_texts().speaker("ru")
    assert "Не хватает" not in draft_card(say, MODEL, draft("кот"), language="ru", balance=rub(64)).text
    assert (
        f"Не хватает {rub(1).written('ru')}"
        in draft_card(say, MODEL, draft("кот"), language="ru", balance=rub(63)).text
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_alert_about_money_fits_and_names_all_three_sums(language: str) -> None:
    text = not_enough(load_texts().speaker(language), price=rub(1_000_000_64), available=rub(1_000_50))
    assert len(text) <= MAX_TOAST_LENGTH
    for sum_of_money in (rub(1_000_000_64), rub(1_000_50), rub(999_000_14)):
        assert sum_of_money.written(language) in text
