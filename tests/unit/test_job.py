"""The moves of a job and the pace of looking at it."""

from datetime import timedelta

from photomat.jobs.job import TERMINAL, TRANSITIONS, JobStatus
from photomat.jobs.poll import next_look, progress_of
from photomat.kie.state_parser import KieState, Reading


def test_every_status_has_its_moves() -> None:
    assert set(TRANSITIONS) == set(JobStatus)


def test_what_is_over_never_runs_again() -> None:
    for status in TERMINAL:
        assert TRANSITIONS[status] <= {JobStatus.DONE}


def test_looking_slows_down_with_age_and_never_stops() -> None:
    first = timedelta(seconds=2)
    ages = [timedelta(seconds=seconds) for seconds in (0, 20, 60, 600, 3000, 40_000)]
    paces = [next_look(age, "image", first) for age in ages]
    assert paces == sorted(paces)
    assert paces[0] == first
    assert paces[-1] == timedelta(minutes=5)


def test_a_slow_kind_is_asked_about_less_often() -> None:
    age, first = timedelta(seconds=10), timedelta(seconds=2)
    assert next_look(age, "video", first) > next_look(age, "image", first)


def test_progress_rises_in_steps_and_is_never_quite_there() -> None:
    seen = [progress_of(Reading(KieState.RUNNING, (), None, progress=percent)) for percent in range(101)]
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] == 90
    assert {step % 10 for step in seen} == {0}


def test_no_progress_is_invented_while_kie_reports_none() -> None:
    assert progress_of(None) == 0, "the state is unknown"
    assert progress_of(Reading(KieState.RUNNING, (), None)) == 0
    assert progress_of(Reading(KieState.SUCCESS, (), None, progress=50)) == 0, "a success without its result"
