"""The made-up Kie takes every example of the catalogue as it would be sent, over HTTP, and charges no more than was counted."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.order import SAMPLE_TASK, SAMPLE_TRACK, example_facts, example_of, request_of
from photomat.kie.protocol import FAMILIES, JOBS
from photomat_sandbox.kie.models import KieRefusal, check_input, price, table
from support.cases import for_each
from support.full_orders import full_order
from support.kie_sim import RunningKie, running_kie, until

CATALOG: Final = load_catalog()
CALLBACK: Final = "http://127.0.0.1:9/kie"
UNLIMITED: Final[Mapping[str, Any]] = {"credits": 10.0**9, "creates_per_10_s": 0, "running_limit": 0}
KNOWN: Final = [model for model in CATALOG.models.values() if model.can_be_ordered]
OVER_JOBS: Final = [model for model in KNOWN if model.protocol == JOBS]
OVER_OLDER: Final = [model for model in KNOWN if model.protocol != JOBS]
PARENTS: Final[Mapping[str, str]] = {"veo": "veo3_fast", "runway": "runway/generate", "suno": "suno/generate"}


def test_nothing_the_simulator_knows_is_missing() -> None:
    assert {model.id for model in table().values()} <= CATALOG.models.keys()
    assert {alias for model in CATALOG.models.values() for alias in model.aliases} <= table().keys()


async def test_every_example_over_the_common_protocol_creates_a_task() -> None:
    async with running_kie(**UNLIMITED) as kie:
        parent = await _made(kie, "ai-music-api/generate")
        refused = {
            model.id: reply
            for model in OVER_JOBS
            if (reply := await _created(kie, model, parent=parent))["code"] != 200
        }
    assert refused == {}
    assert {model.id for model in OVER_JOBS} == {model.id for model in table().values()}


async def test_every_example_over_the_older_protocols_creates_a_task() -> None:
    async with running_kie(**UNLIMITED) as kie:
        refused: dict[str, Any] = {}
        made = {family: await _made(kie, model) for family, model in PARENTS.items()}
        for model in OVER_OLDER:
            task = made.get(model.protocol.partition("/")[0], SAMPLE_TASK)
            reply = await _created(kie, model, parent=task)
            refused |= {} if reply["code"] == 200 else {model.id: reply}
    assert refused == {}
    assert {FAMILIES[model.protocol].create for model in OVER_OLDER} >= {"generate", "veo/generate", "aleph/generate"}


@for_each(OVER_JOBS, name=lambda model: model.id)
def test_an_example_costs_at_least_what_the_simulator_takes_for_it(model: Model) -> None:
    inputs = example_of(model)
    _, body = request_of(model, inputs)
    taken = price(table()[model.id], body["input"])
    if model.prices and table()[model.id].per != "1M output tokens":
        assert float(model.credits_for(inputs, example_facts(model, inputs))) >= taken


@for_each(OVER_JOBS, name=lambda model: model.id)
def test_an_example_without_a_required_input_is_refused_so_the_check_is_strict(model: Model) -> None:
    _, body = request_of(model, example_of(model))
    needed = next((item.name for item in table()[model.id].inputs if item.required), None)
    if needed is not None:
        lacking = {name: value for name, value in body["input"].items() if name != needed}
        with pytest.raises(KieRefusal):
            check_input(table()[model.id], lacking, has_callback=True)


@for_each(OVER_JOBS, name=lambda model: model.id)
def test_an_order_with_everything_it_can_take_is_taken(model: Model) -> None:
    inputs = full_order(model)
    _, body = request_of(model, inputs)
    assert check_input(table()[model.id], body["input"], has_callback=True) == body["input"]
    known = {item.name for item in table()[model.id].inputs}
    assert body["input"].keys() <= known


def test_such_an_order_has_the_optional_inputs_too() -> None:
    sent = [len(full_order(model)) - len(example_of(model)) for model in OVER_JOBS]
    assert sum(sent) > 600


async def _created(kie: RunningKie, model: Model, parent: str = SAMPLE_TASK) -> dict[str, Any]:
    path, body = request_of(model, example_of(model), callback_url=CALLBACK if model.needs_callback else None)
    track = next((name for name, task in kie.world.tracks.items() if task == parent), SAMPLE_TRACK)
    return await kie.post(path, _in_place(body, {SAMPLE_TASK: parent, SAMPLE_TRACK: track}))


async def _made(kie: RunningKie, model: str) -> str:
    """Make what others are made from; the simulator minds only that it ended well and that a track is its own."""
    task_id = str((await _created(kie, CATALOG.get(model)))["data"]["taskId"])
    await until(lambda: kie.world.tasks[task_id].is_over)
    return task_id


def _in_place(body: Mapping[str, Any], real: Mapping[str, str]) -> dict[str, Any]:
    """An order with what is there in the place of what the example made up."""
    return {
        name: _in_place(value, real)
        if isinstance(value, dict)
        else real.get(value, value)
        if isinstance(value, str)
        else value
        for name, value in body.items()
    }
