"""One task of the simulated Kie.ai: what was ordered, the steps it will take, how far it is."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from photomat_sandbox.kie.models import Output

State = Literal["waiting", "generating", "text", "first", "success", "fail"]
Family = Literal["jobs", "veo", "suno", "runway", "aleph", "gpt4o-image", "flux-kontext"]

TERMINAL: Final = frozenset({"success", "fail"})
PACE: Final[Mapping[Output, float]] = {"image": 1.0, "json": 1.0, "audio": 1.5, "video": 2.0}
GENERATING_FROM: Final = 0.3
SLOW_S: Final = 60.0
MANY: Final = 4
SOUND_S: Final = 4.032
"""How long a tune is that was not made from another sound: sixteen notes."""
POLICY_TEXT: Final = "Your prompt was flagged as violating content policies"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStep:
    """A change of state at its time; some families call back in between."""

    at: float
    state: State
    calls_back: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedOutcome:
    """What the words in square brackets of a prompt, or a fault, ask for."""

    seconds: float
    fails: bool = False
    never_ends: bool = False
    fail_code: str = "400"
    fail_msg: str = POLICY_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOrder:
    """What a create call asked for."""

    family: Family
    model: str
    output: Output
    shape: str
    sent: Mapping[str, Any]
    """The whole request body, as it was sent."""
    given: Mapping[str, Any]
    """The inputs: `input` of a job, the body itself in the old families."""
    credits: float
    base_url: str
    count: int = 1
    operation: str = ""

    @property
    def callback_url(self) -> str | None:
        url = self.sent.get("callBackUrl")
        return url if isinstance(url, str) and url else None

    @property
    def prompt(self) -> str:
        """The prompt, whatever the field is called in this model."""
        return prompt_of(self.given)

    @property
    def is_staged(self) -> bool:
        """Whether the task has intermediate stages with callbacks of their own."""
        return self.family == "suno" and self.shape == "music"


@dataclass(slots=True, kw_only=True)
class Task:
    """A task and its present state; only the task runner changes it."""

    task_id: str
    order: TaskOrder
    created_at: float
    outcome: PlannedOutcome
    plan: deque[TaskStep]
    state: State = "waiting"
    completed_at: float | None = None
    results: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    """The files it is made from, as `files/<path>` or `results/<name>`."""
    sound_s: float = SOUND_S
    fail_code: str | None = None
    fail_msg: str | None = None
    callback_tries: int = 0
    callback_given_up: bool = False
    callback_over: bool = False
    """Whether the last callback was accepted, lost on purpose or given up, so that none is owed."""

    @property
    def is_over(self) -> bool:
        return self.state in TERMINAL

    @property
    def has_tracks(self) -> bool:
        """Whether its results are music tracks, each with an id of its own."""
        return self.order.shape in ("music", "suno")

    @property
    def credits_consumed(self) -> float:
        """What the task costs as far as is known now: everything from the start, nothing once it failed."""
        return 0 if self.state == "fail" else self.order.credits


def prompt_of(given: Mapping[str, Any]) -> str:
    """Find the prompt among the inputs."""
    for name in ("prompt", "text", "content", "description", "title"):
        if isinstance(given.get(name), str) and given[name]:
            return str(given[name])
    lines = given.get("dialogue") or given.get("dialogue_turns")
    if not isinstance(lines, list):
        return ""
    return " ".join(str(line.get("text", "")) for line in lines if isinstance(line, dict))


def planned_outcome(prompt: str, output: Output, seconds_to_success: float) -> PlannedOutcome:
    """Read the demonstration words of a prompt."""
    usual_s = seconds_to_success * PACE[output]
    return PlannedOutcome(
        seconds=SLOW_S if "[slow]" in prompt else usual_s,
        fails="[fail]" in prompt,
        never_ends="[never]" in prompt,
    )


def plan_of(outcome: PlannedOutcome, *, created_at: float, is_staged: bool, skip_states: bool) -> deque[TaskStep]:
    """Lay out the steps of a task; a staged one calls back at each, one that never ends stops before the last."""
    end: State = "fail" if outcome.fails else "success"
    stages: Iterable[tuple[float, State]] = () if skip_states else ((GENERATING_FROM, "generating"),)
    if is_staged and not skip_states:
        stages = ((0.3, "text"), (0.6, "first"))
    steps = [
        TaskStep(at=created_at + part * outcome.seconds, state=state, calls_back=is_staged) for part, state in stages
    ]
    if not outcome.never_ends:
        steps.append(TaskStep(at=created_at + outcome.seconds, state=end, calls_back=True))
    elif not steps:
        steps.append(TaskStep(at=created_at, state="generating", calls_back=False))
    return deque(steps)
