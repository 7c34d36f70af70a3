"""A canary runs one model for real: against the made-up Kie it ends as the catalogue says, or complains about what does not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.order import example_facts, example_of
from photomat.kie.client import KieClient
from photomat.kie.port import TaskRefused
from photomat.operators.catalog import CanaryRun, run_canary
from support.kie_sim import KEY, RunningKie, running_kie

CATALOG = load_catalog()


@asynccontextmanager
async def flying(**options: Any) -> AsyncIterator[tuple[RunningKie, KieClient]]:
    async with running_kie(**options) as kie:
        client = KieClient(base_url=kie.url, api_key=KEY)
        try:
            yield kie, client
        finally:
            await client.close()


async def flown(client: KieClient, name: str, patience_s: float = 120, **changes: Any) -> CanaryRun:
    model = CATALOG.get(name)
    inputs = {**example_of(model), **changes}
    callback_url = "http://127.0.0.1:9/cb" if model.needs_callback else None
    return await run_canary(
        client,
        model,
        inputs,
        callback_url=callback_url,
        patience=timedelta(seconds=patience_s),
        measured=example_facts(model, inputs),
        look_every_s=0.12,
    )


@pytest.mark.parametrize(
    "name",
    [
        "z-image",
        "kling-3.0/video",
        "kling-3.0/motion-control",
        "ai-music-api/generate-lyrics",
        "veo3_fast",
        "suno/generate",
    ],
)
async def test_a_model_that_is_as_the_catalogue_says_gives_no_complaint(name: str) -> None:
    async with flying() as (_, client):
        flight = await flown(client, name)
    assert flight.complaints == ()
    assert flight.reading is not None


async def test_another_price_a_failure_and_no_end_are_complaints() -> None:
    async with flying() as (_, client):
        dear = await flown(client, "bytedance/seedance-2-fast")
        failed = await flown(client, "z-image", prompt="кот [fail]")
    assert dear.complaints == ("Kie took 124 credits where 165 were counted",)
    assert failed.complaints[0].startswith("Kie failed: ")
    async with flying(seconds_to_success=60.0) as (_, client):
        endless = await flown(client, "z-image", patience_s=0.5)
    assert endless.complaints == ("the task did not end in time",)


async def test_a_refused_order_is_no_flight() -> None:
    async with flying() as (kie, client):
        with pytest.raises(TaskRefused):
            await flown(client, "z-image", aspect_ratio="7:1")
        assert kie.world.tasks == {}
