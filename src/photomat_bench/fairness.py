"""One user with fifty times the load of any other: what the others see, with and without that user, in the same run."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat_bench.flow_run import AUDIT_LIMIT_S, PROMPT, percentiles
from photomat_bench.flows import FlowDriver
from photomat_bench.instances import AUDITED, running_instances
from photomat_bench.wire import serving

OTHERS: Final = 40
OTHER_RATE: Final = 0.1
TIMES: Final = 50
KIE_MS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FairnessFigures:
    alone_ms: dict[str, float]
    beside_ms: dict[str, float]
    heavy_flows: int


async def measure_fairness(seconds: float, *, dsn: str, folder: Path, seed: int) -> FairnessFigures:
    """Forty users order every ten seconds; then one more orders five times a second."""
    driver = FlowDriver(seconds_at_kie=KIE_MS / 1000, prompt=PROMPT)
    async with serving(driver.vendors.answer) as url:
        driver.vendors.url = url
        async with running_instances(1, dsn=dsn, vendors_url=url, folder=folder, settings={}) as instances:
            driver.instances = [instances[0].url]
            await instances[0].until_logged(AUDITED, within_s=AUDIT_LIMIT_S)
            await driver.run_at_rate(OTHERS * OTHER_RATE, 2.0, seed=seed)
            alone = await _others(driver, seconds, seed)
            async with asyncio.TaskGroup() as group:
                heavy = group.create_task(driver.order_as_one(OTHER_RATE * TIMES, seconds, seed=seed))
                beside = await _others(driver, seconds, seed)
            return FairnessFigures(alone_ms=alone, beside_ms=beside, heavy_flows=heavy.result())


async def _others(driver: FlowDriver, seconds: float, seed: int) -> dict[str, float]:
    """From the message to the picture, without the time at Kie and the time until the tap."""
    driver.start_counting()
    await driver.run_at_rate(OTHERS * OTHER_RATE, seconds, seed=seed)
    return percentiles([(flow.pictured - flow.due) * 1000 - KIE_MS for flow in driver.done])
