"""Whatever a model, its customer, an operator and Kie write at their longest: it fits Telegram, and none of it is markup."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from photomat.bot.results.gallery_views import GalleryPage, gallery_page
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Category, Model
from photomat.delivery.caption import MAX_CAPTION_LENGTH, seen_length
from photomat.delivery.fallbacks import FallbackReason, ResultLink
from photomat.delivery.next_steps import NextSteps
from photomat.delivery.render import CardView, plain, render
from photomat.delivery.sender import MAX_LINK_LENGTH, link_text, reason_text
from photomat.jobs.gallery import GalleryFilter, PastJob, PlaceInGallery
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.operators.catalog import MAX_TITLE_LENGTH
from photomat.texts.load import LANGUAGES, load_texts
from support.full_orders import any_value
from unit.test_card import FACES, MAX_ID, NOON, card, outputs

TEXTS, CATALOG = load_texts(), load_catalog()
MAX_TEXT_LENGTH, MAX_BUTTON_BYTES = 4096, 64
EVIL = "😀<u>&amp;</u>\"'"
MARKUP = re.compile(r"</?(?:b|i|a|tg-time)(?: href=\"[^\"<>]*\"| unix=\"\d+\" format=\"dt\")?>")
FULL_PRICE = Money(10**11, "RUB")
every_language = pytest.mark.parametrize("language", LANGUAGES)
every_category = pytest.mark.parametrize("category", sorted({model.category for model in CATALOG.models.values()}))


def longest_value(asked: Input, language: str) -> Any:
    """The longest an input may hold."""
    match asked.type:
        case "text" | "link":
            return EVIL * 700
        case "choice":
            return max(asked.options, key=lambda option: len(asked.label(option, language)))
        case "files":
            return ["https://files.example/1"] * (asked.max_items or 50)
        case "list":
            one = {each.name: longest_value(each, language) for each in asked.fields} if asked.fields else EVIL * 50
            return [one] * (asked.max_items or 50)
        case _:
            return any_value(asked)


def longest_faces(model: Model, language: str) -> list[CardView]:
    """Every face of the longest order of a model, with twelve outputs whose titles are as long as they get."""
    inputs = {each.name: longest_value(each, language) for each in model.inputs}
    shown = [replace(one, title=(EVIL * 20)[:120], seconds=Decimal(86400)) for one in outputs(12)]
    facts = {
        "model": model.id,
        "title": (EVIL * 20)[:MAX_TITLE_LENGTH],
        "job_id": JobId(MAX_ID),
        "inputs": inputs,
        "price": FULL_PRICE,
        "language": language,
        "page": 11,
        "result_object": {"seed": EVIL * 500, "text": "😀" * 5000},
    }
    faces = [
        render(card(**facts | states), found, model=known, texts=TEXTS)
        for states in FACES.values()
        for known in (model, None)
        for found in ([shown, []] if states["status"] is JobStatus.DONE else [[]])
    ]
    return [*faces, *map(plain, faces)]


def assert_fits(face: CardView, language: str) -> None:
    if face.output is None:
        assert 0 < seen_length(face.text) <= MAX_TEXT_LENGTH
    else:
        assert (
            max(seen_length(face.text + reason_text(TEXTS, language, why)) for why in FallbackReason)
            <= MAX_CAPTION_LENGTH
        )
        way = ResultLink(f"https://x/{'&' * (MAX_LINK_LENGTH - 10)}", is_ours=True)
        assert (
            seen_length(
                face.text + reason_text(TEXTS, language, FallbackReason.FILE_TOO_BIG) + link_text(TEXTS, language, way)
            )
            <= MAX_TEXT_LENGTH
        )
    assert "<" not in MARKUP.sub("", face.text), "somebody's words are markup"
    assert "{" not in face.text
    for button in (button for row in face.keyboard for button in row):
        assert 1 <= len(str(button.data).encode()) <= MAX_BUTTON_BYTES
        assert button.text


def models_of(category: Category) -> list[Model]:
    """The models of a category, those first that ask for most."""
    models = [each for each in CATALOG.models.values() if each.category == category]
    return sorted(models, key=lambda model: len(model.inputs), reverse=True)


@every_language
@every_category
def test_every_face_of_the_largest_models_fits_at_its_longest(category: Category, language: str) -> None:
    for model in models_of(category)[:2]:
        for face in longest_faces(model, language):
            assert_fits(face, language)


@pytest.mark.prove
@every_language
@every_category
def test_every_face_of_every_model_fits_at_its_longest(category: Category, language: str) -> None:
    for model in models_of(category):
        for face in longest_faces(model, language):
            assert_fits(face, language)


@every_language
def test_a_page_of_the_history_fits_at_its_longest(language: str) -> None:
    kinds: list[dict[str, Any]] = [
        {"status": status, "gift": gift, "offered": True, "delivered": delivered, "fail_code": code}
        for status in JobStatus
        for gift in (False, True)
        for delivered in (False, True)
        for code in (None, "timeout", "empty", "kie-422", "input-1")
    ]
    for facts in kinds:
        job = PastJob(
            job_id=JobId(MAX_ID),
            model="x" * 60,
            inputs={"prompt": EVIL * 700},
            result_object={"text": EVIL * 900},
            price=FULL_PRICE,
            created_at=NOON,
            title=(EVIL * 20)[:MAX_TITLE_LENGTH],
            **facts,
        )
        page = GalleryPage(
            job=job,
            outputs=[],
            position=0,
            place=PlaceInGallery(number=None, count=500, is_all=False),
            only=GalleryFilter.FAVOURITE,
            model=None,
            title="",
            next_steps=NextSteps(),
            asks_to_hide=True,
        )
        view = gallery_page(TEXTS.speaker(language), page, language=language)
        assert 0 < seen_length(view.text) <= MAX_TEXT_LENGTH
        assert "<" not in MARKUP.sub("", view.text), "somebody's words are markup"
        for shown in (
            view,
            gallery_page(TEXTS.speaker(language), replace(page, asks_to_hide=False), language=language),
        ):
            assert all(1 <= len((one.data or "").encode()) <= MAX_BUTTON_BYTES for row in shown.keyboard for one in row)
