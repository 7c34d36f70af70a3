"""The tests notice seeded mistakes: two of them here, all of them by `make mutants`."""

from collections import Counter
from pathlib import Path

import pytest

from photomat_chaos.mutants.mutation import DoesNotApply, Mutation, SourceEdit, mutated, one_edit, read_sources
from photomat_chaos.mutants.mutations import MUTATIONS, QUICK
from photomat_chaos.mutants.trial import Verdict, try_all, try_one
from support.source import ROOT

UNNOTICED = one_edit(
    "a-mistake-that-is-none",
    "nothing is wrong",
    SourceEdit(find="OLDEST_S: Final = 300", replace="OLDEST_S: Final = 300 + 0"),
    "tests/unit/test_signatures.py",
)
DOES_NOT_RUN = one_edit(
    "a-mistake-that-cannot-run",
    "a name that does not exist",
    SourceEdit(find="return job_id if any(…) else None", replace="return no_such_name"),
    "tests/unit/test_signatures.py",
)
MODULE = Path("module.py")
SOURCE = """
class Clerk:
    def ask(self):
        return self.post.send(
            '''UPDATE jobs SET due_at = now()
                WHERE job_id = $1 AND fence = $2''',
            job.fence,
        )


def ask():
    return 1
"""


@pytest.fixture(scope="module")
def sources() -> dict[Path, str]:
    return read_sources(ROOT / "src" / "photomat")


def edited(edit: SourceEdit) -> str:
    return mutated(one_edit("a", "mistake", edit), {MODULE: SOURCE})[MODULE]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mistake_can_still_be_made(mutation: Mutation, sources: dict[Path, str]) -> None:
    changed = mutated(mutation, sources)
    assert changed
    assert all(sources[file] != text for file, text in changed.items())


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


@pytest.mark.parametrize("find", ["this stands nowhere", "def ask", "ence = $2"])
def test_a_mistake_whose_place_is_not_found_exactly_once_is_refused(find: str) -> None:
    with pytest.raises(DoesNotApply, match="instead of once"):
        edited(SourceEdit(find=find, replace=""))


def test_a_mistake_that_is_no_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        edited(SourceEdit(find="return 1", replace="return ("))


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (SourceEdit(find="SET due_at = now() WHERE job_id=$1 AND fence = $2", replace="SET x"), "UPDATE jobs SET x"),
        (SourceEdit(find="send('''…''', job.fence)", replace="send('''\\1''')\nlog()"), "$2''')\n        log()"),
        (SourceEdit(find="def ask", replace="def tell", inside="Clerk"), "    def tell(self)"),
        (SourceEdit(find="return …(", replace="yield \\1(", inside="Clerk.ask"), "yield self.post.send("),
    ],
)
def test_a_place_is_found_by_its_words_whatever_their_layout(edit: SourceEdit, wanted: str) -> None:
    assert wanted in edited(edit)


def test_the_tests_notice_the_quick_ones() -> None:
    trials = try_all([mutation for mutation in MUTATIONS if mutation.name in QUICK])
    assert {trial.mutation.name: trial.verdict for trial in trials} == dict.fromkeys(QUICK, Verdict.KILLED), trials


@pytest.mark.prove
def test_a_mistake_that_no_test_notices_is_said_to_survive() -> None:
    assert try_one(UNNOTICED).verdict is Verdict.SURVIVED


@pytest.mark.prove
def test_a_mistake_that_only_breaks_the_code_proves_nothing() -> None:
    assert try_one(DOES_NOT_RUN).verdict is Verdict.NOT_TRIED
