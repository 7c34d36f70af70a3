"""The commands of the lab refuse what they cannot run, and end with one line that names the verdict and the seed."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from photomat_chaos import cli
from photomat_chaos.lab.history import HistoryViolation
from photomat_chaos.mutants.mutation import Mutation
from photomat_chaos.mutants.mutations import MUTATIONS
from photomat_chaos.mutants.trial import Trial
from photomat_chaos.storm.engine import StormPlan, StormReport

BROKEN = HistoryViolation(check="no customer is charged twice", sentence="user 1 paid 2 for results worth 1")


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, list(arguments))
    return result.exit_code, result.output


def release(tmp_path: Path, *names: str) -> Path:
    package = tmp_path / "photomat-0.0.1.zip"
    with zipfile.ZipFile(package, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return package


def storm_that_ends(monkeypatch: pytest.MonkeyPatch, *violations: HistoryViolation) -> list[tuple[Path | None, bool]]:
    """Which other version each storm was given, and whether it could be started."""
    seen: list[tuple[Path | None, bool]] = []

    async def run_storm(plan: StormPlan, _folder: Path, *, progress: object) -> StormReport:
        assert progress
        seen.append((plan.old, plan.old is not None and (plan.old / "photomat" / "__main__.py").exists()))
        return StormReport(plan=plan, figures={"jobs bought": 3}, violations=list(violations))

    monkeypatch.setattr(cli, "run_storm", run_storm)
    monkeypatch.setattr(cli, "be_quiet", lambda: None)
    return seen


def test_a_storm_runs_with_a_released_version_in_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = storm_that_ends(monkeypatch)
    package = release(tmp_path, "photomat/__init__.py", "photomat/__main__.py")
    code, said = run("storm", "--seed", "7", "--minutes", "0.5", "--previous", str(package))
    assert code == 0, said
    assert [could_start for _, could_start in seen] == [True]
    assert said.splitlines()[-2:] == ["0 violations", "PASS storm: seed 7, 30 s, 3 instances, 0 violations"]


def test_a_violation_is_the_last_word_and_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    storm_that_ends(monkeypatch, BROKEN)
    code, said = run("storm", "--seed", "9")
    assert code == 1
    assert "✗ no customer is charged twice: user 1 paid 2" in said
    assert said.splitlines()[-1] == "FAIL storm: seed 9, 60 s, 3 instances, 1 violations"


def test_a_zip_without_the_program_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = storm_that_ends(monkeypatch)
    code, _ = run("storm", "--previous", str(release(tmp_path, "README.md")))
    assert (code, seen) == (2, [])


def test_two_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = storm_that_ends(monkeypatch)
    code, _ = run("storm", "--old", str(tmp_path), "--previous", str(release(tmp_path, "photomat/__main__.py")))
    assert (code, seen) == (2, [])


@pytest.mark.parametrize("command", ["matrix", "fuzz", "mutants"])
@pytest.mark.parametrize("shard", ["0/4", "5/4", "x"])
def test_a_shard_that_does_not_exist_is_refused(command: str, shard: str) -> None:
    assert run(command, "--shard", shard)[0] == 2


def test_the_shards_of_the_mutants_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def try_all(chosen: Sequence[Mutation], _progress: object) -> list[Trial]:
        tried.extend(mutation.name for mutation in chosen)
        return []

    monkeypatch.setattr(cli, "try_all", try_all)
    for part in (1, 2, 3):
        run("mutants", "--shard", f"{part}/3")
    assert sorted(tried) == sorted(mutation.name for mutation in MUTATIONS)
