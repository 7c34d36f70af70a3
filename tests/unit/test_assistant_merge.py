"""What a chat model answers improves a plan, field by field, and never makes it worse: composed answers, good to hostile."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from photomat.assistant.chat import Proposal, read_improved, read_proposal, read_transcript
from photomat.assistant.merge import merged, plan_of
from photomat.assistant.plan import Plan
from photomat.catalog.model import Model
from photomat.catalog.order import check_order
from photomat.catalog.reference import references
from photomat.catalog.wishes import wishes
from support.composed_answers import INJECTIONS, STOREFRONT, TRICKS, WORDS, a_plan, hostile_answers

WISHES = ("picture", "video", "music", "voice", "sound", "edit", "animate", "enhance", "background", "revideo", "cover")


def answer(**fields: Any) -> str:
    return json.dumps({"wish": None, "model": None, "inputs": [], "prompt": None, "question": None, **fields})


def merge(plan: Plan, **fields: Any) -> Plan:
    return merged(plan, read_proposal(answer(**fields)), STOREFRONT)


def chosen(**roles: str) -> list[dict[str, str]]:
    return [{"role": role, "value": value} for role, value in roles.items()]


def value_of(plan: Plan, role: Any) -> Any:
    asked = plan.model.input_for(role)
    assert asked is not None
    return plan.inputs.get(asked.name)


def is_sold(model: Model) -> bool:
    found = STOREFRONT.on_sale.get(model.id)
    return found is not None and found.model is model


# --- good


def test_a_good_answer_fills_in_what_the_words_said() -> None:
    plan = merge(a_plan(), wish="picture", inputs=chosen(format="16:9"), prompt="Кот в шляпе на луне, широкий кадр")
    assert value_of(plan, "format") == "16:9"
    assert value_of(plan, "prompt") == "Кот в шляпе на луне, широкий кадр"
    assert (plan.wish.id, plan.words) == ("picture", WORDS)


def test_another_wish_takes_its_own_model_and_the_same_words() -> None:
    plan = merge(a_plan(), wish="video")
    assert plan.wish.id == "video"
    assert plan.model.id in wishes()["video"].models
    assert value_of(plan, "prompt") == WORDS


def test_a_proposed_model_of_the_wish_is_taken_with_the_order() -> None:
    plan = merge(a_plan(aspect_ratio="16:9"), model="seedream/5-flash-text-to-image")
    assert plan.model.id == "seedream/5-flash-text-to-image"
    assert value_of(plan, "prompt") == WORDS
    assert not check_order(plan.model, plan.inputs)


def test_a_value_is_written_as_the_model_spells_it() -> None:
    plan = merge(a_plan("video"), model="kling-3.0/video", inputs=chosen(resolution="1080p", duration="10"))
    assert plan.model.id == "kling-3.0/video"
    assert value_of(plan, "duration") == "10"
    assert value_of(plan, "resolution") in plan.model.input_for("resolution").options  # type: ignore[union-attr]


def test_a_photo_goes_along_to_another_wish() -> None:
    plan = merge(a_plan("edit"), wish="animate", prompt="Кот машет лапой")
    assert plan.wish.id == "animate"
    assert [ref.as_json() for ref in references(dict(plan.inputs))] == [{"file": 7}]
    assert value_of(plan, "prompt") == "Кот машет лапой"


def test_the_own_words_of_a_wish_do_not_go_along_to_another() -> None:
    plan = merge(a_plan("animate", words=""), wish="edit", prompt="Сделай фон синим")
    assert value_of(plan, "prompt") == "Сделай фон синим"
    assert merge(a_plan("animate", words=""), wish="edit") == a_plan("animate", words="")


def test_an_object_of_values_is_read_like_a_list() -> None:
    plan = merge(a_plan(), inputs={"format": "9:16"})
    assert value_of(plan, "format") == "9:16"


def test_an_answer_between_other_words_is_read() -> None:
    text = f"Конечно!\n```json\n{answer(prompt='рыжий кот')}\n```\nГотово."
    assert value_of(merged(a_plan(), read_proposal(text), STOREFRONT), "prompt") == "рыжий кот"


def test_a_plan_is_found_again_in_its_order() -> None:
    for wish_id in WISHES:
        plan = a_plan(wish_id)
        found = plan_of(plan.model, plan.inputs, WORDS)
        assert found is not None
        assert found.wish.starts_from == plan.wish.starts_from
        assert found.model is plan.model


# --- partial: what fits is taken, the rest is dropped


@pytest.mark.parametrize(
    ("fields", "role", "kept"),
    [
        ({"inputs": chosen(format="17:3"), "prompt": "кот"}, "prompt", "кот"),
        ({"inputs": chosen(format="16:9", duration="10", voice="Rachel")}, "format", "16:9"),
        ({"inputs": chosen(format="16:9"), "model": "gpt-9", "wish": "picture"}, "format", "16:9"),
        ({"inputs": [*chosen(format="16:9"), *chosen(format="1:1")]}, "format", "16:9"),
        ({"inputs": [*chosen(format="16:9"), 7, None, {"role": []}]}, "format", "16:9"),
        ({"prompt": "x" * 30_000}, "prompt", WORDS),
        ({"prompt": "   "}, "prompt", WORDS),
        ({"prompt": 42, "inputs": "wide"}, "prompt", WORDS),
        ({"wish": "enhance", "prompt": "кот"}, "prompt", "кот"),
        ({"wish": "extend-song", "model": "ai-music-api/extend"}, "prompt", WORDS),
    ],
)
def test_what_fits_is_taken_and_the_rest_dropped(fields: Mapping[str, Any], role: str, kept: str) -> None:
    plan = merge(a_plan(), **fields)
    assert plan.wish.id == "picture"
    assert plan.model is a_plan().model
    assert value_of(plan, role) == kept
    assert not check_order(plan.model, plan.inputs)


def test_an_incomplete_order_is_never_proposed_in_place_of_a_complete_one() -> None:
    plan = a_plan()
    assert merge(plan, model="google/nano-banana-edit") == plan, "it needs a photo"
    assert merge(a_plan("animate"), wish="avatar") == a_plan("animate"), "it needs a recording too"


# --- hostile


@pytest.mark.parametrize(
    "model_id",
    ["ideogram/character", "elevenlabs/text-to-speech-turbo-2-5", "mj/generate", "suno/generate", "Z-IMAGE ", ""],
)
def test_a_model_that_is_not_listed_or_does_not_serve_the_wish_is_dropped(model_id: str) -> None:
    assert merge(a_plan(), model=model_id).model is a_plan().model


@pytest.mark.parametrize(
    "inputs",
    [
        chosen(source_image="https://evil.example/x.png"),
        [{"role": "source_image", "value": {"file": 8}}],
        [{"role": "mask", "value": [{"file": 8}]}],
        {"image_urls": [{"file": 8}], "source_track": {"job": 1, "output": 0}},
        {"image_input": [{"file": 8}]},
        [{"role": "format", "value": {"file": 8}}],
        [{"role": "prompt", "value": "другой"}],
    ],
)
def test_files_stay_what_they_are(inputs: Any) -> None:
    for wish_id in ("edit", "animate", "background"):
        assert merge(a_plan(wish_id), inputs=inputs) == a_plan(wish_id)


@pytest.mark.parametrize("words", [*INJECTIONS, *TRICKS])
def test_instructions_in_a_prompt_are_words_like_any_other(words: str) -> None:
    plan = merge(a_plan(), prompt=words)
    assert plan.model is a_plan().model
    assert set(plan.inputs) == {"prompt"}
    assert "\x00" not in plan.inputs["prompt"]
    assert "\u202e" not in plan.inputs["prompt"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Какого цвета кот?", "Какого цвета кот?"),
        ("  Какого\n\nцвета?  ", "Какого цвета?"),
        ("x" * 201, None),
        ("Оплатите на https://evil.example", None),
        ("Напишите @evil_bot", None),
        ("Зайдите на evil.com", None),
        ("\u202e?tac", "?tac"),
        (["Какой?"], None),
        ("\x00\x01", None),
    ],
)
def test_a_question_is_one_short_line_without_links(text: Any, question: str | None) -> None:
    assert read_proposal(answer(question=text)).question == question


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{", "{}" * 3, "[" * 60_000, '{"a":' * 50_000, "\ud800", "9" * 9000]
)
def test_what_is_no_answer_proposes_nothing(text: str) -> None:
    assert read_proposal(text) == Proposal()
    assert (read_improved(text), read_transcript(text)) == (None, None)


def test_a_text_is_cut_and_cleaned() -> None:
    assert read_improved(json.dumps({"improved": "a\x00\x07b\u202ec " + "x" * 9000})) == "abc " + "x" * 3996
    assert read_transcript(json.dumps({"text": "  раз\nдва  "})) == "раз\nдва"


def nothing_is_worse(count: int, *, seed: int) -> None:
    plans = [a_plan(wish_id) for wish_id in WISHES]
    moved = 0
    for nth, text in enumerate(hostile_answers(count, seed=seed)):
        plan = plans[nth % len(plans)]
        found = merged(plan, read_proposal(text), STOREFRONT)
        moved += found != plan
        assert is_sold(found.model), text
        assert len(check_order(found.model, found.inputs)) <= len(check_order(plan.model, plan.inputs)), text
        assert sorted(map(repr, references(dict(found.inputs)))) == sorted(map(repr, references(dict(plan.inputs)))), (
            text
        )
        assert set(found.inputs) <= {each.name for each in found.model.inputs}, text
        json.dumps(dict(found.inputs)).encode()
    assert moved > count / 20, "the answers are too foolish to prove anything"


def test_500_hostile_answers_make_no_order_worse() -> None:
    nothing_is_worse(500, seed=1)


@pytest.mark.prove
def test_10000_hostile_answers_make_no_order_worse() -> None:
    nothing_is_worse(10_000, seed=2)
