"""Workflows, bill of materials, release notes, hooks: what they run is the gate, what they name is pinned and true."""

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from photomat.db.postgres.release import NEWEST_KNOWN
from support.source import ROOT

WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED: Final = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def script(name: str) -> dict[str, Any]:
    """The names of one of our scripts."""
    return runpy.run_path(str(ROOT / "scripts" / f"{name}.py"))


def jobs(workflow: Path) -> dict[str, Any]:
    """The jobs of a workflow."""
    found: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return found


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.stem)
def test_an_action_is_pinned_by_its_commit_and_says_its_version(workflow: Path) -> None:
    used = re.findall(r"^\s*(?:- )?uses: (.+)$", workflow.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [line for line in used if not line.startswith("./") and not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.stem)
def test_a_workflow_has_no_rights_but_those_its_jobs_name(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    assert re.search(r"^concurrency:$", text, re.MULTILINE)
    for name, job in jobs(workflow).items():
        assert job["permissions"]["contents"] in {"read", "write"}, name
        assert "uses" in job or job["timeout-minutes"] <= 90, name


def test_the_gate_runs_make_test_and_nothing_else_with_every_python_we_name() -> None:
    (gate,) = jobs(ROOT / ".github" / "workflows" / "test.yml").values()
    assert [step["run"] for step in gate["steps"] if "run" in step] == [".ci/run"]
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert gate["strategy"]["matrix"]["python"] == named == list(script("bootstrap")["SUPPORTED"])


def test_the_image_is_for_both_platforms() -> None:
    assert 'platforms  = ["linux/amd64", "linux/arm64"]' in (ROOT / "docker-bake.hcl").read_text(encoding="utf-8")


def test_the_bill_of_materials_names_every_locked_package_with_its_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    bill = script("sbom")["document"]()
    assert bill == script("sbom")["document"](), "the same locks, the same bytes"
    listed = {one["name"]: one for one in bill["components"]}
    lock = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([a-z0-9._-]+)==(\S+) (?!; sys_platform == 'win32')", lock, re.MULTILINE):
        assert listed[name]["version"] == version
        assert listed[name]["scope"] == "required"
        assert listed[name]["licenses"], f"{name} says nothing of its licence"
    hashes = re.findall(r"sha256:(\w{64})", lock.partition("aiogram==")[0])
    told = [one["content"] for one in listed["aiofiles"]["externalReferences"][0]["hashes"]]
    assert told == sorted(hashes)
    assert listed["postgresql"]["version"] == ".".join(map(str, NEWEST_KNOWN))


def test_everything_in_the_bill_of_materials_is_needed_by_something() -> None:
    bill = script("sbom")["document"]()
    graph = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    reached, waiting = set(), [bill["metadata"]["component"]["bom-ref"]]
    while waiting:
        ref = waiting.pop()
        waiting += [one for one in graph[ref] if one not in reached]
        reached.add(ref)
    assert reached == set(graph)


def test_the_time_in_the_bill_of_materials_is_that_of_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert script("sbom")["document"]()["metadata"]["timestamp"] == "1970-01-01T00:00:00+00:00"


def test_release_notes_are_the_part_of_the_changelog_about_that_version() -> None:
    notes = script("release_notes")["notes"]
    changelog = (
        "# Log\n\n## 1.10.0 – unreleased\n\nLater.\n\n## 1.1.0 – 2026-11-15\n\n- A.\n\n### Fixed\n\n- B.\n\n## 1.0.0\n"
    )
    assert notes(changelog, "1.1.0") == "- A.\n\n### Fixed\n\n- B."
    assert notes(changelog, "1.1") is None
    assert notes(changelog, "1.0.0") is None, "a heading without a word below it is no release"
    assert notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), PROJECT["version"])


def test_hooks_run_our_own_tools_so_that_no_version_differs() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        assert hook["language"] in {"system", "pygrep"}
        assert hook["language"] == "pygrep" or hook["entry"].startswith((".venv/bin/", "make ")), hook["id"]


def test_updates_are_looked_for_in_every_lock() -> None:
    renovate = json.loads((ROOT / "renovate.json").read_text(encoding="utf-8"))
    (pattern,) = renovate["pip_requirements"]["managerFilePatterns"]
    locks = [f"requirements/{file.name}" for file in (ROOT / "requirements").glob("*.txt")]
    assert locks
    assert [lock for lock in locks if not re.search(pattern.strip("/"), lock)] == []
