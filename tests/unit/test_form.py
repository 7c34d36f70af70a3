"""A model's inputs as questions: their order, skipping, going back, changing, and what no order bears."""

import json
from dataclasses import replace

from photomat.bot.order_form.form import (
    VARIANT,
    Form,
    back,
    can_finish,
    can_skip,
    change_form,
    form_from_data,
    leave_out,
    new_form,
    next_question,
    remove,
    skip,
    steps,
    take,
)
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.order import settled, still_valid

CATALOG = load_catalog()
Z_IMAGE = CATALOG.get("z-image")


def opened(model: Model = Z_IMAGE, **inputs: object) -> Form:
    form = next_question(model, new_form(model, form_id=5, inputs=inputs))
    assert form is not None
    return form


def answered(model: Model, form: Form, value: object) -> Form:
    taken = take(model, form, value)
    assert isinstance(taken, Form), taken
    return taken


def following(model: Model, form: Form, value: object) -> Form:
    found = next_question(model, answered(model, form, value))
    assert found is not None
    return found


def test_the_way_to_a_z_image_is_a_prompt_and_a_format() -> None:
    form = opened()
    assert (form.asking, form.is_first, steps(Z_IMAGE, form)) == ("prompt", True, (1, 2))
    second = following(Z_IMAGE, form, "кот")
    assert (second.asking, second.inputs, second.form_id) == ("aspect_ratio", {"prompt": "кот"}, 5)
    assert steps(Z_IMAGE, second) == (2, 2)
    done = answered(Z_IMAGE, second, "1:1")
    assert next_question(Z_IMAGE, done) is None
    assert done.inputs == {"prompt": "кот", "aspect_ratio": "1:1"}


def test_every_question_has_a_turn_of_its_own_so_that_older_buttons_are_stale() -> None:
    form = opened()
    second = following(Z_IMAGE, form, "кот")
    again = back(Z_IMAGE, second)
    assert again is not None
    assert again.asking == form.asking
    assert len({form.turn, second.turn, again.turn}) == 3


def test_a_form_survives_being_stored() -> None:
    full = replace(
        opened(),
        skipped=("a",),
        trail=("a", "b"),
        gathered=({"text": "x", "files": [{"file": 1}]},),
        field="files",
        way=1,
    )
    assert form_from_data(json.loads(json.dumps(full.as_data()))) == full
    assert form_from_data({}) is None
    assert form_from_data({"form_id": 1}) is None, "what another version kept is no form"


def test_a_form_that_the_version_before_kept_goes_on() -> None:
    kept = {"form_id": 5, "model": "z-image", "inputs": {"prompt": "кот"}, "asking": "aspect_ratio", "draft_id": None}
    form = form_from_data(kept)
    assert form is not None
    assert form.turn == 1, "its buttons carry the number of the question"
    assert next_question(Z_IMAGE, answered(Z_IMAGE, form, "1:1")) is None


def test_what_must_be_there_cannot_be_skipped_and_what_has_a_default_can() -> None:
    form = opened()
    assert not can_skip(Z_IMAGE, form)
    second = following(Z_IMAGE, form, "кот")
    assert can_skip(Z_IMAGE, second)
    skipped = skip(second)
    assert next_question(Z_IMAGE, skipped) is None
    assert skipped.inputs == {"prompt": "кот"}


def test_straight_to_the_order_is_offered_when_more_than_the_open_question_could_follow() -> None:
    optional = tuple(Input(name=name, type="text", required=False, place="ask") for name in ("style", "title"))
    model = replace(Z_IMAGE, inputs=(*Z_IMAGE.inputs[:1], *optional))
    form = opened(model)
    assert not can_finish(model, form), "the prompt is still missing"
    style = following(model, form, "кот")
    assert (style.asking, can_finish(model, style)) == ("style", True)
    left_out = leave_out(model, style, ("style", "title"))
    assert next_question(model, left_out) is None
    assert left_out.inputs == {"prompt": "кот"}
    assert not can_finish(model, following(model, style, "масло")), "skipping the last one is the same"


def test_straight_to_the_order_leaves_out_nothing_it_needs() -> None:
    assert next_question(Z_IMAGE, leave_out(Z_IMAGE, opened(), ("prompt", "aspect_ratio"))) is not None


def test_going_back_drops_the_answer_and_asks_again() -> None:
    second = following(Z_IMAGE, opened(), "кот")
    first = back(Z_IMAGE, second)
    assert first is not None
    assert (first.asking, first.inputs, first.trail) == ("prompt", {}, ())
    assert back(Z_IMAGE, first) is None


def test_going_back_over_a_skipped_question_asks_it_again() -> None:
    model = CATALOG.get("wan/2-7-videoedit")
    prompt = following(model, opened(model), {"file": 1})
    assert prompt.asking == "prompt"
    earlier = back(model, skip(prompt))
    assert earlier is not None
    assert (earlier.asking, earlier.skipped) == ("prompt", ())


def test_which_way_to_order_is_asked_first_and_leaves_the_others_out() -> None:
    model = CATALOG.get("pixverse-v6/extend")
    form = opened(model)
    assert form.asking == VARIANT
    task = following(model, form, model.one_of.index(("taskId",)))
    assert task.asking == "taskId"
    assert not can_skip(model, task), "it is the way that was chosen"
    prompt = following(model, task, {"job": 1})
    assert prompt.asking == "prompt"
    done = answered(model, prompt, "дальше")
    assert next_question(model, done) is None
    assert done.inputs == {"prompt": "дальше", "taskId": {"job": 1}}


def test_going_back_to_the_way_lets_choose_another() -> None:
    model = CATALOG.get("pixverse-v6/extend")
    first = following(model, opened(model), 0)
    again = back(model, first)
    assert again is not None
    assert (again.asking, again.way) == (VARIANT, None)


def test_switching_something_on_asks_for_what_it_needs_then() -> None:
    model = CATALOG.get("kling-3.0/video")
    switch = model.input("multi_shots")
    assert switch is not None
    form = change_form(model, switch, form_id=6, draft_id=9, inputs={"prompt": "поезд"})
    shots = following(model, form, "true")
    assert (shots.asking, shots.draft_id) == ("multi_prompt", 9)
    done = answered(model, shots, [{"prompt": "лес", "duration": "3"}])
    assert next_question(model, done) is None


def test_switching_it_off_again_drops_what_it_needed() -> None:
    model = CATALOG.get("kling-3.0/video")
    switch = model.input("multi_shots")
    assert switch is not None
    inputs = {"prompt": "поезд", "multi_shots": "true", "multi_prompt": [{"prompt": "лес", "duration": "3"}]}
    form = change_form(model, switch, form_id=6, draft_id=9, inputs=inputs)
    assert answered(model, form, "false").inputs == {"prompt": "поезд", "multi_shots": "false"}


def test_an_answer_that_does_not_go_with_another_is_refused_by_the_names_of_both() -> None:
    model = CATALOG.get("runway")
    length = model.input("duration")
    assert length is not None
    form = change_form(model, length, form_id=6, draft_id=9, inputs={"prompt": "кот", "quality": "1080p"})
    refused = take(model, form, "10")
    assert isinstance(refused, Refused)
    assert (refused.key, refused.facts["inputs"]) == ("form-never", "duration, quality")
    assert isinstance(take(model, form, "5"), Form)


def test_files_of_several_inputs_count_together() -> None:
    model = CATALOG.get("wan/2-7-r2v")
    videos = model.input("reference_video")
    assert videos is not None
    inputs = {"prompt": "кот", "reference_image": [{"file": number} for number in range(4)]}
    form = change_form(model, videos, form_id=6, draft_id=9, inputs=inputs)
    assert isinstance(take(model, form, [{"file": 9}]), Form)
    refused = take(model, form, [{"file": 8}, {"file": 9}])
    assert isinstance(refused, Refused)
    assert refused.key == "form-too-many"


def test_the_last_way_to_order_cannot_be_removed() -> None:
    model = CATALOG.get("pixverse-v6/extend")
    video = model.input("video_url")
    assert video is not None
    form = change_form(model, video, form_id=6, draft_id=9, inputs={"prompt": "дальше", "video_url": {"file": 1}})
    refused = remove(model, form)
    assert isinstance(refused, Refused)
    assert refused.key == "form-one-of"


def test_another_job_needs_another_track() -> None:
    model = CATALOG.get("ai-music-api/convert-to-wav-format")
    task = model.input("task_id")
    assert task is not None
    inputs = {"task_id": {"job": 1}, "audio_id": {"job": 1, "output": 0}}
    form = change_form(model, task, form_id=6, draft_id=9, inputs=inputs)
    assert following(model, form, {"job": 2}).asking == "audio_id"
    assert answered(model, form, {"job": 1}).inputs == inputs


def test_of_an_earlier_order_stays_what_the_catalogue_still_takes() -> None:
    earlier = {"prompt": "кот", "aspect_ratio": "5:7", "gone": "1"}
    assert still_valid(Z_IMAGE, earlier) == {"prompt": "кот"}
    assert settled(Z_IMAGE, {"aspect_ratio": "1:1", "prompt": "кот"}) == {"prompt": "кот", "aspect_ratio": "1:1"}
