"""The tests notice seeded mistakes: three of them here, all of them by `make mutants`."""

from collections import Counter

import pytest

from photomat_chaos.mutants.mutation import Edit, Mutation
from photomat_chaos.mutants.mutations import MUTATIONS, QUICK
from photomat_chaos.mutants.trial import DoesNotApply, Verdict, mutated, source_of, try_all, try_one
from support.source import ROOT

UNNOTICED = Mutation(
    name="a-mistake-that-is-none",
    mistake="nothing is wrong",
    edits=(Edit(file="kie/signature.py", before="OLDEST_S: Final = 300", after="OLDEST_S: Final = 300 + 0"),),
    tests=("tests/unit/test_signatures.py",),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mistake_can_still_be_made(mutation: Mutation) -> None:
    texts = {edit.file: source_of(edit).read_text(encoding="utf-8") for edit in mutation.edits}
    for edit in mutation.edits:
        before = texts[edit.file]
        texts[edit.file] = mutated(before, edit)
        assert texts[edit.file] != before


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mistake_names_tests_that_exist(mutation: Mutation) -> None:
    assert mutation.tests
    for test in mutation.tests:
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / file).read_text(encoding="utf-8")


def test_there_are_enough_mistakes_and_each_is_its_own() -> None:
    assert len(MUTATIONS) >= 14
    assert Counter(mutation.name for mutation in MUTATIONS).most_common(1)[0][1] == 1
    assert set(QUICK) <= {mutation.name for mutation in MUTATIONS}


@pytest.mark.parametrize("before", ["this stands nowhere", "def "])
def test_a_mistake_whose_place_is_not_found_exactly_once_is_refused(before: str) -> None:
    text = source_of(UNNOTICED.edits[0]).read_text(encoding="utf-8")
    with pytest.raises(DoesNotApply, match="instead of once"):
        mutated(text, Edit(file="kie/signature.py", before=before, after=""))


def test_the_tests_notice_the_quick_ones() -> None:
    trials = try_all([mutation for mutation in MUTATIONS if mutation.name in QUICK])
    assert {trial.mutation.name: trial.verdict for trial in trials} == dict.fromkeys(QUICK, Verdict.KILLED), trials


def test_a_mistake_nobody_notices_is_said_to_survive() -> None:
    assert try_one(UNNOTICED).verdict is Verdict.SURVIVED
