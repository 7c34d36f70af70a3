"""Do the tests notice? Each seeded mistake is made in a copy of the tree, and its tests are run there: they must go red.

The copy is imported instead of the original because its `src` comes first on PYTHONPATH; that is tested in every copy before
anything else. Before any mutant the chosen tests must be green on an untouched copy, so that red means "noticed".
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import photomat
from photomat_chaos.mutants.mutation import DoesNotApply, Mutation, mutated, read_sources

ROOT: Final = Path(photomat.__file__).resolve().parents[2]
COPIED: Final = ("src", "tests", "pyproject.toml")
AT_ONCE: Final = 2
RUN_LIMIT_S: Final = 300.0
GREEN, RED = 0, 1
"""Exit codes of pytest; any other means that no test ran."""

OWN_FAULT: Final = re.compile(
    r"^E +((?:Name|Import|ModuleNotFound|Syntax|Indentation)Error: .*|AttributeError: .* object has no .*)",
    re.MULTILINE,
)
"""A mutant that uses a name which no longer exists turns any test red and proves nothing."""


class Verdict(StrEnum):
    KILLED = "killed"
    SURVIVED = "survived"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The outcome of one mutant: the test that noticed, or why none did."""

    mutation: Mutation
    verdict: Verdict
    by: str


def try_all(mutations: Sequence[Mutation], tell: Callable[[Trial], None] = lambda _trial: None) -> list[Trial]:
    """Try every mutant, a few at a time; the untouched tree first."""
    untouched = _untouched_is_green(sorted({test for mutation in mutations for test in mutation.tests}))
    if untouched is not None:
        return [Trial(mutation=each, verdict=Verdict.NOT_TRIED, by=untouched) for each in mutations]
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        tried = {}
        for ended in as_completed([pool.submit(try_one, mutation) for mutation in mutations]):
            trial = ended.result()
            tried[trial.mutation.name] = trial
            tell(trial)
    return [tried[mutation.name] for mutation in mutations]


def try_one(mutation: Mutation) -> Trial:
    """Make the mistake in a copy and run its tests there."""
    with _copy_of_the_tree() as copy:
        for file, text in mutated(mutation, read_sources(copy / "src" / "photomat")).items():
            file.write_text(text, encoding="utf-8")
        code, said = _run_tests(copy, mutation.tests)
    if code == RED and (broken := OWN_FAULT.search(said)):
        return Trial(mutation=mutation, verdict=Verdict.NOT_TRIED, by=f"the mutant itself does not run: {broken[0]}")
    if code == RED:
        return Trial(mutation=mutation, verdict=Verdict.KILLED, by=_first_red(said))
    verdict = Verdict.SURVIVED if code == GREEN else Verdict.NOT_TRIED
    return Trial(mutation=mutation, verdict=verdict, by="" if code == GREEN else said[-300:])


def _untouched_is_green(tests: Sequence[str]) -> str | None:
    """None when the tests pass without any mistake; else what is wrong."""
    with _copy_of_the_tree() as copy:
        code, said = _run_tests(copy, tests)
    return None if code == GREEN else f"not green without any mistake: {_first_red(said) or said[-300:]}"


@contextmanager
def _copy_of_the_tree() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="photomat-mutant-") as folder:
        copy = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                # With what was compiled of it, for Python compiles an edited file again; not with what is just being written.
                shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.pyc.*"))
            else:
                shutil.copy(ROOT / name, copy / name)
        _refuse_the_original(copy)
        yield copy


def _refuse_the_original(copy: Path) -> None:
    """A mutant that is not imported would always survive."""
    ask = [sys.executable, "-c", "import photomat; print(photomat.__file__)"]
    said = subprocess.run(ask, cwd=copy, env=_environment(copy), capture_output=True, text=True, check=True, timeout=60)  # noqa: S603  a fixed list
    if not Path(said.stdout.strip()).resolve().is_relative_to(copy.resolve()):
        raise DoesNotApply(f"the copy is not what is imported, but {said.stdout.strip()}")


def _run_tests(copy: Path, tests: Sequence[str]) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    try:
        done = subprocess.run(  # noqa: S603  a fixed program; the tests are named in our own list
            command, cwd=copy, env=_environment(copy), capture_output=True, text=True, check=False, timeout=RUN_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return RED, "FAILED (no end within the limit) "
    return done.returncode, done.stdout + done.stderr


def _environment(copy: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "FAILPOINT"))}
    return {**kept, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def _first_red(said: str) -> str:
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    return found[1].rpartition("::")[2] if found else ""
