"""Templates: each makes a complete, valid, priced order in both languages; a mistake is refused with its field."""

from typing import Any

import pytest

from photomat.bot.buttons import MAX_BYTES
from photomat.bot.templates import views
from photomat.bot.templates.views import EVERY_GROUP, OpenSlot
from photomat.catalog.load import load_catalog
from photomat.catalog.order import check_order, example_facts
from photomat.catalog.pricing import quote
from photomat.kernel.errors import Startup
from photomat.templates.load import read_template, shipped_templates
from photomat.templates.template import GROUPS, Template, check_text, sample_order
from photomat.texts.load import LANGUAGES, load_texts
from support.shelves import shelf
from support.shop import RATES

CATALOG = load_catalog()
TEMPLATES = shipped_templates(CATALOG)
MAX_CAPTION_LENGTH = 1024
LOGO: dict[str, Any] = {
    "id": "logo",
    "group": "picture",
    "title": {"ru": "Логотип", "en": "Logo"},
    "models": ["z-image"],
    "prompt": {"ru": "Логотип {name}", "en": "Logo of {name}"},
    "inputs": {"format": "1:1"},
    "slot": [
        {"name": "name", "ask": {"ru": "Чей?", "en": "Whose?"}, "examples": {"ru": ["Кот"], "en": ["Cat"]}},
    ],
}


def test_there_are_thirty_for_every_group() -> None:
    assert len(TEMPLATES) == 30
    assert {each.group for each in TEMPLATES.values()} == set(GROUPS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda each: each.id)
def test_filled_in_it_is_a_complete_order_with_a_price(template: Template, language: str) -> None:
    model = template.model_on(shelf(accepts_callbacks=False))
    assert model is not None, "its models are all off"
    assert model.id == template.models[0]
    inputs = sample_order(template, model, language=language)
    assert check_order(model, inputs, example_facts(model, inputs)) == ()
    assert quote(model, inputs, RATES, measured=example_facts(model, inputs)).price.minor > 0
    prompt = model.input_for("prompt")
    for answer in template.example(language).values():
        assert prompt is not None
        assert answer in inputs[prompt.name]


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda each: each.id)
def test_longest_answers_still_fit_its_first_model(template: Template) -> None:
    model = CATALOG.get(template.models[0])
    for language in LANGUAGES:
        filled = {each.name: "ы" * each.max_length for each in template.slots if each.kind == "text"}
        files = {each.name: "https://files.example/a.jpg" for each in template.slots if each.kind != "text"}
        found = check_order(model, template.order(model, filled | files, language=language))
        assert not [each for each in found if each.key == "form-too-long"]


def test_every_source_of_an_example_is_a_template() -> None:
    named = {name for each in TEMPLATES.values() for name in (each.source, each.source_audio) if name}
    assert named <= set(TEMPLATES)
    assert not any(TEMPLATES[name].source for name in named), "a source needs no source itself"
    for each in TEMPLATES.values():
        kinds = {slot.kind for slot in each.slots}
        assert (each.source is not None) == ("image" in kinds)
        assert (each.source_audio is not None) == ("audio" in kinds)


def test_an_answer_with_braces_stays_as_it_is_written() -> None:
    template, model = TEMPLATES["colouring"], CATALOG.get("z-image")
    assert "{who} {0.x}" in template.order(model, {"what": "{who} {0.x}"}, language="ru")["prompt"]


def test_too_long_an_answer_is_refused_with_the_limit() -> None:
    slot = TEMPLATES["logo"].slots[0]
    assert check_text(slot, "К" * 60) is None
    refused = check_text(slot, "К" * 63)
    assert refused is not None
    assert (refused.key, refused.facts["over"]) == ("form-too-long", 3)
    assert check_text(slot, "") is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_fits_telegram(language: str) -> None:
    say, every = load_texts().speaker(language), list(TEMPLATES.values())
    for template in every:
        assert len(views.example_caption(say, template, language=language, drawn=True)) <= MAX_CAPTION_LENGTH
        rows = views.example_rows(say, template, every)
        for slot in template.slots:
            asked = OpenSlot(template=template, slot=slot, form_id=2**63 - 1, answered=0)
            rows = [*rows, *views.slot_question(say, asked, [], language=language).rows]
        assert all(len((each.callback_data or "").encode()) <= MAX_BYTES for row in rows for each in row)
    for group in (EVERY_GROUP, *GROUPS, "wealth"):
        assert views.ideas_page(say, every, group=group, page=99, language=language).rows


def test_the_last_example_leads_to_the_first() -> None:
    every = list(TEMPLATES.values())[:3]
    rows = views.example_rows(load_texts().speaker("ru"), every[2], every)
    assert [[each.callback_data for each in row] for row in rows] == [["tt:logo"], ["te:product", "te:portrait"]]


def test_the_table_of_a_template_is_read() -> None:
    assert read_template(LOGO, CATALOG, name="mine.toml").id == "logo"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "Лого"}, "id"),
        ({"id": "a" * 25}, "id"),
        ({"group": "wealth"}, "group"),
        ({"title": {"ru": "Лого"}}, "title"),
        ({"title": {"ru": "Л" * 41, "en": "Logo"}}, "title.ru"),
        ({"models": ["no-such-model"]}, "models"),
        ({"models": ["kling/v2-1-standard"]}, "models"),
        ({"prompt": {"ru": "Логотип {whose}", "en": "Logo of {name}"}}, "prompt.ru"),
        ({"prompt": {"ru": "Логотип {name}", "en": "Logo"}}, "prompt.en"),
        ({"prompt": {"ru": "Логотип {name", "en": "Logo of {name}"}}, "prompt.ru"),
        ({"prompt": {"ru": "Логотип {name:>99999}", "en": "Logo of {name}"}}, "prompt.ru"),
        ({"prompt": {"ru": "Логотип {name.__class__}", "en": "Logo of {name}"}}, "prompt.ru"),
        ({"inputs": {"weather": "1:1"}}, "inputs"),
        ({"colour": "red"}, "colour"),
        ({"slot": []}, "slot"),
        ({"slot": [LOGO["slot"][0], LOGO["slot"][0]]}, "slot"),
        ({"slot": [LOGO["slot"][0] | {"examples": {"ru": ["Кот"]}}]}, "slot.name.examples.en"),
        ({"slot": [LOGO["slot"][0], {"name": "photo", "kind": "image", "ask": "Фото"}]}, "slot.photo.kind"),
    ],
)
def test_a_mistake_is_refused_with_file_template_and_field(change: dict[str, Any], field: str) -> None:
    wrong = LOGO | change
    with pytest.raises(Startup) as refused:
        read_template(wrong, CATALOG, name="mine.toml")
    assert str(refused.value).startswith(f"mine.toml: {wrong['id']}: {field}")
