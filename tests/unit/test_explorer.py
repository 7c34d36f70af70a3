"""The model of the product is proved, and the explorer finds the mistake when a part of the safeguards is taken away."""

import pytest

from photomat.jobs.job import TERMINAL, TRANSITIONS, JobStatus
from photomat_chaos.model import state
from photomat_chaos.model.explorer import SWITCHES, explore
from photomat_chaos.model.state import START, Safeguards

MANY_STATES = 100_000
ORDERED_TWICE = "a job is ordered from Kie once at most"
SHOWS_SOMETHING_OLD = "a card that wants nothing more shows what its row says"
PAID_TWICE = "the money of a job is charged or released once, never both"
BREAKS = {
    "fence": ORDERED_TWICE,
    "card_fence": SHOWS_SOMETHING_OLD,
    "guard": PAID_TWICE,
    "order": SHOWS_SOMETHING_OLD,
    "intent": ORDERED_TWICE,
    "lock": SHOWS_SOMETHING_OLD,
    "rescue": ORDERED_TWICE,
    "once_more": SHOWS_SOMETHING_OLD,
    "in_time": SHOWS_SOMETHING_OLD,
}


@pytest.mark.prove
def test_every_reachable_state_keeps_every_rule_and_can_still_end_well() -> None:
    proof = explore(Safeguards())
    assert proof.story is None
    assert proof.states > MANY_STATES, "a model that goes nowhere proves nothing"


@pytest.mark.parametrize("switch", SWITCHES)
def test_with_a_part_of_the_law_taken_away_the_explorer_finds_what_goes_wrong(switch: str) -> None:
    story = explore(SWITCHES[switch]).story
    assert story is not None
    assert story.rule == BREAKS[switch]
    assert 3 <= len(story.steps) <= 12, "a shortest story is short"


def test_the_workers_of_a_story_keep_their_names() -> None:
    story = explore(SWITCHES["fence"]).story
    assert story is not None
    assert story.steps[0] == "the first worker claims the submit"
    assert "the second worker claims the submit" in story.steps


def test_the_model_moves_by_the_products_own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that let a done job be done again would charge twice whoever took an offer."""
    monkeypatch.setattr(state, "TRANSITIONS", {**TRANSITIONS, JobStatus.DONE: frozenset({JobStatus.DONE})})
    story = explore(Safeguards()).story
    assert story is not None
    assert story.rule == PAID_TWICE
    assert "the customer takes the offer and pays" in story.steps


def test_the_table_lets_no_settled_job_run_again() -> None:
    assert all(TRANSITIONS[ended] <= TERMINAL for ended in TERMINAL)
    assert START.status is JobStatus.PENDING
