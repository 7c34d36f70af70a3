"""How well a planner understands people: its plans for the requests of `requests.toml`, scored. Pure but for the planner.

A request is scored by three questions. Is the wish right? A wish that nothing is sold for is served by no plan. Is everything
filled that the words could fill: no text missing, settings as stated, the description kept? How much would the customer be
asked: what the words could have said, and files they did not send? Reports hold no texts: rules are tuned on one half only.
"""

import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from photomat.assistant.plan import Plan, Request
from photomat.catalog.formula import plain
from photomat.catalog.input import FileKind, Input, Role
from photomat.catalog.order import missing
from photomat.catalog.reference import FileRef
from photomat.catalog.roles import common_value
from photomat.catalog.storefront import Storefront
from photomat.catalog.wishes import model_for, source_input, wishes, with_file

Half: TypeAlias = Literal["dev", "held-out"]
HALVES: Final[tuple[Half, ...]] = get_args(Half)
Planner: TypeAlias = Callable[[Request], Awaitable[Plan | None]]

SENT: Final = frozenset({"file", "files", "task", "track"})
"""What a customer sends or picks, and no words say."""
ANY_FILE: Final = FileRef(1).as_json()


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A request, and the order it means: see the head of `requests.toml`."""

    request: Request
    wish: str
    half: Half
    inputs: Mapping[str, Any] = field(default_factory=dict)
    prompt: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`questions` are inputs left to be said in words, `files` those left to be sent."""

    of: Labelled
    right: bool
    filled: bool
    questions: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    requests: int
    right: int
    filled: int
    most_questions: int
    asked: int

    @property
    def right_share(self) -> float:
        return self.right / self.requests if self.requests else 0.0

    @property
    def filled_share(self) -> float:
        return self.filled / self.requests if self.requests else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    overall: Score
    by_half: Mapping[str, Score]
    by_language: Mapping[str, Score]
    by_wish: Mapping[str, Score]


@cache
def labelled_requests() -> tuple[Labelled, ...]:
    text = resources.files("photomat.assistant").joinpath("requests.toml").read_text("utf-8")
    return tuple(_labelled(each) for each in tomllib.loads(text)["request"])


def _labelled(table: Mapping[str, Any]) -> Labelled:
    return Labelled(
        request=Request(words=table["text"], language=table["language"], attached=table.get("attached")),
        wish=table["wish"],
        half=table["half"],
        inputs=table.get("inputs", {}),
        prompt=tuple(table.get("prompt", "").lower().split()),
    )


async def evaluate(planner: Planner, requests: Iterable[Labelled], storefront: Storefront) -> Report:
    """The scores of a planner."""
    return report_of([judged(each, await planner(each.request), storefront) for each in requests])


def judged(labelled: Labelled, plan: Plan | None, storefront: Storefront) -> Verdict:
    """Whether a plan is what a request means."""
    if plan is None:
        is_unserved = not _is_served(labelled.wish, storefront)
        return Verdict(of=labelled, right=is_unserved, filled=is_unserved)
    left = missing(plan.model, {**plan.inputs, **_sent(plan, labelled.request.attached)})
    unsaid = [each for each in left if each.type not in SENT]
    right = plan.wish.category.id == labelled.wish
    filled = right and not unsaid and _has_stated(plan, labelled) and _keeps_description(plan, labelled)
    return Verdict(of=labelled, right=right, filled=filled, questions=len(unsaid), files=len(left) - len(unsaid))


def _is_served(category: str, storefront: Storefront) -> bool:
    return any(each.category.id == category and model_for(each, storefront) for each in wishes().values())


def _sent(plan: Plan, attached: FileKind | None) -> dict[str, Any]:
    source = source_input(plan.model, attached) if attached is not None else None
    return with_file(source, ANY_FILE) if source is not None else {}


def _has_stated(plan: Plan, labelled: Labelled) -> bool:
    filled = plan.model.filled(plan.inputs)
    asked = {role: plan.model.input_for(cast("Role", role)) for role in labelled.inputs}
    return all(_is(asked[role], filled, value) for role, value in labelled.inputs.items())


def _is(asked: Input | None, filled: Mapping[str, Any], wanted: Any) -> bool:
    own = filled.get(asked.name) if asked is not None else None
    return asked is not None and own is not None and plain(common_value(asked, own)) == plain(wanted)


def _keeps_description(plan: Plan, labelled: Labelled) -> bool:
    """Whether the texts a model is given hold every word of the description; a model that takes none needs none."""
    texts = [each.name for each in plan.model.inputs if each.type == "text"]
    told = " ".join(str(plan.inputs.get(name, "")) for name in texts).lower()
    return not texts or all(word in told for word in labelled.prompt)


def report_of(verdicts: Sequence[Verdict]) -> Report:
    def by(key: Callable[[Verdict], str]) -> dict[str, Score]:
        keys = dict.fromkeys(key(each) for each in verdicts)
        return {name: _score([each for each in verdicts if key(each) == name]) for name in keys}

    return Report(
        overall=_score(verdicts),
        by_half=by(lambda each: each.of.half),
        by_language=by(lambda each: each.of.request.language),
        by_wish=by(lambda each: each.of.wish),
    )


def _score(verdicts: Sequence[Verdict]) -> Score:
    return Score(
        requests=len(verdicts),
        right=sum(each.right for each in verdicts),
        filled=sum(each.filled for each in verdicts),
        most_questions=max((each.questions for each in verdicts), default=0),
        asked=sum(each.questions + each.files > 0 for each in verdicts),
    )
