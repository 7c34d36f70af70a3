"""The models' own content filters: sent under the name and with the meaning each model has, when the setting says so."""

from typing import Any, Final

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.order import example_facts, example_of, request_of
from photomat.jobs.job import frozen_request
from photomat.kie.client import KieClient
from photomat_sandbox.kie.models import check_input, table
from support.kie_sim import KEY, running_kie

CHECKERS: Final = ("nsfw_checker", "enable_safety_checker")
CATALOG: Final = load_catalog()
CHECKED: Final = [model for model in CATALOG.models.values() if model.checkers]


def test_every_model_of_kie_that_accepts_a_checker_names_it() -> None:
    theirs = {
        model.id: tuple(item.name for item in model.inputs if item.name in CHECKERS) for model in table().values()
    }
    assert {model.id: set(model.checkers) for model in CHECKED} == {
        name: set(each) for name, each in theirs.items() if each
    }
    assert len(CHECKED) == 63


@pytest.mark.parametrize("checks", [True, False, None])
def test_an_order_tells_the_checkers_what_the_setting_says_and_is_otherwise_the_same(*, checks: bool | None) -> None:
    for model in CHECKED:
        inputs = example_of(model)
        plain, told = _body(model, inputs, None), _body(model, inputs, checks)
        assert {name: told.get(name) for name in model.checkers} == dict.fromkeys(model.checkers, checks), model.id
        assert {name: value for name, value in told.items() if name not in model.checkers} == plain
        if model.prices:
            facts = example_facts(model, inputs)
            with_checkers = {**inputs, **dict.fromkeys(model.checkers, "true")}
            assert model.credits_for(inputs, facts) == model.credits_for(with_checkers, facts)
        check_input(table()[model.id], told, has_callback=True)


async def test_the_simulator_gets_the_checkers_of_all_63_models() -> None:
    async with running_kie(credits=10.0**9, creates_per_10_s=0, running_limit=0) as kie:
        client = KieClient(base_url=kie.url, api_key=KEY)
        for model in CHECKED:
            task_id = await client.create_task(
                model=model.id,
                inputs=_body(model, example_of(model), checks=True),
                callback_url="http://127.0.0.1:9/kie",
                protocol=model.protocol,
            )
            given = kie.world.tasks[task_id].order.given
            assert {name: given[name] for name in model.checkers} == dict.fromkeys(model.checkers, True), model.id
        await client.close()


def _body(model: Model, inputs: dict[str, Any], checks: bool | None) -> dict[str, Any]:  # noqa: FBT001  as the setting
    """What Kie would be sent; files of an example stand as URLs, as after their upload."""
    frozen = frozen_request(model, inputs, checks=checks)
    _, usual = request_of(model, inputs)
    told = {name: value for name, value in (frozen.body if frozen else {}).items() if name in model.checkers}
    return {**usual["input"], **told}
