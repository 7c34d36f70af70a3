"""Run one model for real at Kie: is it accepted, does it cost what we count, does it return what we expect. It costs credits.

The task is created once. A request whose answer was lost is not repeated: it ends the run, as it would end a job.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.model import Model
from photomat.catalog.order import body_of
from photomat.kernel.errors import Transient
from photomat.kernel.ids import TaskId
from photomat.kie.port import Provider
from photomat.kie.state_parser import KieState, Reading

LOOK_EVERY_S: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRun:
    """What we counted, and what Kie's record says; no reading when the task did not end in time."""

    model: Model
    task_id: TaskId
    counted: Decimal | None
    reading: Reading | None

    @property
    def complaints(self) -> tuple[str, ...]:
        """What differs from the catalogue."""
        if self.reading is None:
            return ("the task did not end in time",)
        if self.reading.state is KieState.FAIL:
            return (f"Kie failed: {self.reading.error or self.reading.fail_code or 'no reason given'}",)
        found = []
        taken = self.reading.credits
        if taken is not None and taken != self.counted:
            counted = "nothing is known" if self.counted is None else f"{self.counted:f} were counted"
            found.append(f"Kie took {taken:f} credits where {counted}")
        if self.model.output == "json" and self.reading.result_object is None:
            found.append("there is no object to read")
        if self.model.output != "json" and not self.reading.urls:
            found.append("there is no file")
        return tuple(found)


async def run_canary(
    provider: Provider,
    model: Model,
    inputs: Mapping[str, Any],
    *,
    callback_url: str | None,
    patience: timedelta,
    measured: Mapping[str, Decimal] | None = None,
    look_every_s: float = LOOK_EVERY_S,
) -> CanaryRun:
    """Create one task and wait for its end. Raises what the provider's create raises."""
    counted = model.credits_for(inputs, measured) if model.prices else None
    task_id = await provider.create_task(
        model=model.id, inputs=body_of(model, inputs), callback_url=callback_url, protocol=model.protocol
    )
    reading = await _end(provider, model, task_id, patience=patience, look_every_s=look_every_s)
    return CanaryRun(model=model, task_id=task_id, counted=counted, reading=reading)


async def _end(
    provider: Provider, model: Model, task_id: TaskId, *, patience: timedelta, look_every_s: float
) -> Reading | None:
    try:
        async with asyncio.timeout(patience.total_seconds()):
            while True:
                await asyncio.sleep(look_every_s)
                reading = await _look(provider, model, task_id)
                if reading is not None and reading.state is not KieState.RUNNING:
                    return reading
    except TimeoutError:
        return None


async def _look(provider: Provider, model: Model, task_id: TaskId) -> Reading | None:
    try:
        return await provider.record(task_id, protocol=model.protocol)
    except Transient:
        return None
