"""The made-up Kie.ai refuses what is made from something that is not there, and old music without a callback address."""

from typing import Any, Final

import pytest

from photomat_sandbox.kie.families import SUNO_MUSIC
from photomat_sandbox.kie.models import KieModel, ModelInput, table
from support.kie_sim import RunningKie, running_kie

SONG: Final = {"prompt": "песня", "custom_mode": False, "instrumental": False, "model": "V5"}
PARENTED: Final = [
    model
    for model in {each.id: each for each in table().values()}.values()
    if any(item.name in {"task_id", "taskId"} and item.required for item in model.inputs)
]
NOWHERE: Final = "0" * 32


def order_of(model: KieModel, **known: str) -> dict[str, Any]:
    """The required inputs of a model, with what is known in its place."""
    return {item.name: known.get(item.name) or _sample(item) for item in model.inputs if item.required}


def _sample(item: ModelInput) -> Any:
    if item.enum:
        return item.enum[0]
    text = "https://files.example/voice.mp3" if item.format == "url" else "слово"
    return {"string": text, "boolean": False}.get(item.type, item.min or 1)


async def refusal(kie: RunningKie, model: str, order: dict[str, Any]) -> tuple[int, str]:
    reply = await kie.create(model=model, input=order)
    return reply["code"], reply["msg"]


async def song(kie: RunningKie) -> tuple[str, str]:
    task = await kie.task(model="ai-music-api/generate", input=SONG)
    await kie.ended(task)
    return task, next(name for name, owner in kie.world.tracks.items() if owner == task)


@pytest.mark.parametrize("model", PARENTED, ids=lambda model: model.id)
async def test_an_unknown_task_is_no_parent(model: KieModel) -> None:
    async with running_kie(credits=1000.0) as kie:
        task, track = await song(kie)
        left = kie.world.credits
        both = {"task_id": task, "taskId": task, "audio_id": track}
        lost = both | {"task_id": NOWHERE, "taskId": NOWHERE}
        assert await refusal(kie, model.id, order_of(model, **lost)) == (422, "Record does not exist")
        assert kie.world.credits == left
        assert (await kie.create(model=model.id, input=order_of(model, **both)))["code"] == 200


def test_there_are_many_models_that_are_made_from_a_task() -> None:
    assert len(PARENTED) >= 13


async def test_a_task_that_is_at_work_or_failed_is_no_parent() -> None:
    async with running_kie(seconds_to_success=60.0) as kie:
        task = await kie.task(model="veo-3-1", input={"prompt": "море"})
        order = {"task_id": task, "prompt": "дальше"}
        assert (await refusal(kie, "veo/extend", order))[0] == 422
        await kie.post(f"/sandbox/tasks/{task}", {"state": "fail"})
        assert (await refusal(kie, "veo/extend", order))[0] == 422
        await kie.post(f"/sandbox/tasks/{task}", {"state": "success"})
        assert (await refusal(kie, "veo/extend", order))[0] == 200


async def test_a_track_must_be_one_of_its_task() -> None:
    async with running_kie(credits=1000.0) as kie:
        task, track = await song(kie)
        other, _ = await song(kie)
        for task_id, audio_id, code in ((task, track, 200), (other, track, 422), (task, "nobody", 422)):
            order = {"task_id": task_id, "audio_id": audio_id}
            assert (await refusal(kie, "ai-music-api/convert-to-wav-format", order))[0] == code


async def test_a_lone_track_nobody_knows_is_taken_and_fails_later() -> None:
    order = {"default_param_flag": False, "model": "V5"}
    async with running_kie(credits=1000.0) as kie:
        _, track = await song(kie)
        for audio_id, state in ((track, "success"), ("nobody", "fail")):
            task = await kie.task(model="ai-music-api/extend", input=order | {"audio_id": audio_id})
            assert (await kie.ended(task))["state"] == state


@pytest.mark.parametrize("place", ["files", "results"])
async def test_a_lost_file_is_noticed_inside_a_line_of_a_list_too(place: str) -> None:
    async with running_kie() as kie:
        reference = {"image_url": f"{kie.url}/{place}/kieai/1001/in/gone.png", "type": "subject", "ref_name": "кот"}
        needed = {item.name: item for item in table()["pixverse-v6/reference-to-video"].inputs if item.required}
        order = {name: item.enum[0] if item.enum else "слово" for name, item in needed.items()}
        order |= {name: 5 for name, item in needed.items() if item.type in {"integer", "number"} and not item.enum}
        task = await kie.task(model="pixverse-v6/reference-to-video", input=order | {"image_references": [reference]})
        record = await kie.ended(task)
    assert (record["state"], record["failCode"]) == ("fail", "500")


@pytest.mark.parametrize("path", [path for path, needed in SUNO_MUSIC.items() if "callBackUrl" in needed])
async def test_old_music_is_refused_without_a_callback_address(path: str) -> None:
    body = dict.fromkeys(SUNO_MUSIC[path], "1") | {"callBackUrl": ""}
    async with running_kie() as kie:
        reply = await kie.post(f"/api/v1/{path}", body)
        assert (reply["code"], reply["msg"], kie.world.tasks) == (422, "Please enter callBackUrl.", {})
