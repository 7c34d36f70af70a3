"""Tasks from acceptance to their end: the credits, the steps of the plan, the result files.

A task's step happens when its time has come and the background loop or a query looks, whichever is first.
"""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from photomat_sandbox.faults import Faults
from photomat_sandbox.kie.derived import sound_seconds
from photomat_sandbox.kie.inputs import lacks_input, sources_of
from photomat_sandbox.kie.tasks import PlannedOutcome, Task, TaskOrder, TaskStep, plan_of, planned_outcome
from photomat_sandbox.kie.world import DueCallback, KieWorld
from photomat_sandbox.transcript import Transcript

MAX_SLEEP_S: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRunner:
    """Changes the tasks of a world, and writes each change into the transcript."""

    world: KieWorld
    transcript: Transcript
    faults: Faults

    def accept(self, order: TaskOrder) -> Task:
        """Take the credits and start a task; refuse with 402 when they do not suffice."""
        world = self.world
        world.take_credits(order.credits)
        now = world.clock()
        outcome = planned_outcome(order.prompt, order.output, world.settings.seconds_to_success)
        if lacks_input(world, order):
            outcome = replace(outcome, fails=True, fail_code="500", fail_msg="The input file could not be fetched")
        outcome = self._apply_fault(outcome)
        task = Task(
            task_id=uuid.uuid4().hex,
            order=order,
            created_at=now,
            outcome=outcome,
            plan=plan_of(outcome, created_at=now, is_staged=order.is_staged, skip_states=world.settings.skip_states),
        )
        task.sources = sources_of(world, order)
        if order.output == "audio" and task.sources:
            task.sound_s = sound_seconds(world.uploaded(task.sources)) or task.sound_s
        world.keep_task(task)
        world.wake()
        return task

    def advance(self) -> None:
        """Take every step that is due."""
        now = self.world.clock()
        for task in list(self.world.open_tasks.values()):
            while task.plan and task.plan[0].at <= now:
                self._take_step(task, task.plan.popleft())

    def end(
        self, task: Task, *, fail_code: str | None = None, fail_msg: str = "", result_urls: Sequence[str] | None = None
    ) -> None:
        """End a task now, whatever its plan; one that had ended ends again, with another callback."""
        task.plan.clear()
        task.outcome = replace(task.outcome, fail_code=fail_code or "", fail_msg=fail_msg)
        self._take_step(
            task, TaskStep(at=self.world.clock(), state="fail" if fail_code else "success", calls_back=True)
        )
        if result_urls is not None and not fail_code:
            task.results = list(result_urls)
            self.world.save(task)

    async def run(self) -> None:
        """Advance for ever, waking when a step is due or the world asks for it."""
        while True:
            self.advance()
            self.world.woken.clear()
            try:
                async with asyncio.timeout(self._sleep_s()):
                    await self.world.woken.wait()
            except TimeoutError:
                continue

    def _sleep_s(self) -> float:
        """Return the time until the next step by our clock, but not long: an injected clock may jump."""
        due = min((task.plan[0].at for task in self.world.open_tasks.values() if task.plan), default=None)
        if due is None:
            return MAX_SLEEP_S
        return min(max(due - self.world.clock(), 0.001), MAX_SLEEP_S)

    def _apply_fault(self, outcome: PlannedOutcome) -> PlannedOutcome:
        """Let an armed "task" fault change the outcome of a new task."""
        fault = self.faults.take("kie", "task")
        if fault is None:
            return outcome
        self.transcript.add(world="kie", kind="fault", name="task", summary=f"{fault.action} strikes a new task")
        match fault.action:
            case "never":
                return replace(outcome, never_ends=True)
            case "delay":
                return replace(outcome, seconds=outcome.seconds + fault.delay_s)
            case "error":
                return replace(outcome, fails=True, fail_code=str(fault.code), fail_msg=fault.text)
            case _:
                return outcome

    def _take_step(self, task: Task, step: TaskStep) -> None:
        was_failed = task.state == "fail"
        task.state, task.callback_over = step.state, False
        if task.is_over:
            self._close(task, at=step.at, was_failed=was_failed)
        elif step.state in ("text", "first"):
            self._hand_over(task, at=step.at)
        self.world.save(task)
        self.transcript.add(
            world="kie",
            kind="effect",
            name="task",
            summary=f"task {task.task_id[:8]}… of {task.order.model} is now {task.state}",
            detail={"task_id": task.task_id, "model": task.order.model, "state": task.state, "results": task.results},
        )
        if step.calls_back and task.order.callback_url:
            self.world.outbox.put_nowait(DueCallback(task=task, state=step.state))

    def _close(self, task: Task, *, at: float, was_failed: bool) -> None:
        task.completed_at = at
        self.world.open_tasks.pop(task.task_id, None)
        if task.state == "success":
            task.fail_code = task.fail_msg = None
            if was_failed:
                self.world.credits = round(self.world.credits - task.order.credits, 4)
            self._hand_over(task, at=at)
            return
        task.fail_code, task.fail_msg = task.outcome.fail_code, task.outcome.fail_msg
        if not was_failed:
            self.world.return_credits(task.order.credits)

    def _hand_over(self, task: Task, *, at: float) -> None:
        made = self.world.keep_results(task, made_at=at)
        task.results = [f"{task.order.base_url}/results/{file.name}" for file in made]
