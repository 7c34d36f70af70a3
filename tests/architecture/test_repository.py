"""A clone works anywhere: locks without addresses, no path of anybody's machine, make and its helpers as promised."""

import os
import re
import runpy
import subprocess
from pathlib import Path

import pytest

from support.source import ROOT, our_files

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
A_REQUIREMENT = re.compile(r"[a-z0-9][a-z0-9._-]*==[^\s;]+(?: ; .+)?")
A_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
MACHINE_PATH = re.compile(rb"(?<![\w.~-])/(?:home|Users|work|workspace|root|mnt|builds)/[\w.-]+")
BINARY = {".png", ".jpg", ".ico", ".woff2", ".ttf"}
TARGETS = ("help", "setup", "run", "test", "prove", "lint", "format", "lock")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_holds_names_versions_and_hashes_only(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    for requirement in _requirements(text):
        head, *rest = requirement.split(" \\\n")
        assert A_REQUIREMENT.fullmatch(head), f"{lock.name}: {head!r} is not name==version"
        assert rest, f"{lock.name}: {head} has no hash"
        assert all(A_HASH.fullmatch(line.strip()) for line in rest), f"{lock.name}: {head}"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_has_no_header(lock: Path) -> None:
    assert not lock.read_text(encoding="utf-8").startswith("#"), "a header records how and where it was made"


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    found = {
        f"{file.relative_to(ROOT)}: {hit.decode()}"
        for file in our_files()
        if file.suffix not in BINARY
        for hit in MACHINE_PATH.findall(file.read_bytes())
    }
    assert found == set()


def test_no_secret_and_no_data_is_in_the_tree() -> None:
    names = {str(file.relative_to(ROOT)) for file in our_files()}
    assert ".env" not in names
    assert not any(name.startswith(("var/", ".venv/")) for name in names)


def test_make_help_lists_every_target_with_a_sentence() -> None:
    said = subprocess.run(
        ["/usr/bin/env", "make", "--no-print-directory", "-C", str(ROOT), "help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    listed = dict(re.findall(r"^  make ([a-z]+)\s+(\S.*)$", said, re.MULTILINE))
    assert set(TARGETS) <= set(listed)


def test_uv_uses_the_certificates_of_the_system() -> None:
    assert re.search(r"^export UV_SYSTEM_CERTS := 1$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_continuous_integration_runs_the_gate_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert lines == ["set -eu", 'cd "$(dirname "$0")/.."', "make test"]
    assert os.access(script, os.X_OK)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("error: Request failed after 3 retries\n  cause: Failed to fetch: an address", "NO_NETWORK"),
        ("ERROR: No matching distribution found for uv==0.13.7", "NO_NETWORK"),
        ("error: failed to write: No space left on device (os error 28)", "NO_ROOM"),
        ("error: Hash mismatch for aiogram==3.31.0", "WRONG_HASH"),
        ("something nobody has seen", "UNKNOWN"),
    ],
)
def test_what_a_tool_says_becomes_one_sentence(said: str, expected: str) -> None:
    bootstrap = runpy.run_path(str(ROOT / "scripts" / "bootstrap.py"))
    assert bootstrap["advice"](said) == bootstrap[expected]


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("1", 1)], ids=["at home", "where CI is set"])
def test_a_missing_tool_is_said_loudly_and_is_red_in_ci(tmp_path: Path, ci: str, code: int) -> None:
    _program(tmp_path / "id", "echo 1000")
    _program(tmp_path / "pgbouncer", "exit 0")
    _program(tmp_path / "postgres", "exit 0")
    _program(tmp_path / "caddy", "exit 0")
    done = _need_tools(tmp_path, ci=ci)
    assert done.returncode == code
    assert done.stderr.startswith("SOME TESTS CANNOT RUN: missing: chromium;")
    assert done.stderr.count("\n") == 1


def test_tools_that_are_there_are_enough(tmp_path: Path) -> None:
    _program(tmp_path / "google-chrome", "exit 0")
    _program(tmp_path / "pgbouncer", "exit 0")
    _program(tmp_path / "postgres", "exit 0")
    _program(tmp_path / "caddy", "exit 0")
    done = _need_tools(tmp_path, ci="1")
    assert (done.returncode, done.stderr) == (0, "")


def test_root_on_debian_gets_the_tools_by_apt(tmp_path: Path) -> None:
    _program(tmp_path / "id", "echo 0")
    _program(tmp_path / "mktemp", f"echo {tmp_path}/words")
    _program(tmp_path / "rm", "exit 0")
    _program(tmp_path / "apt-get", f'echo "$@" >> {tmp_path}/asked')
    assert _need_tools(tmp_path, ci="1").returncode == 0
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[0] for line in asked] == ["update", "install", "install", "install", "install"]
    assert [line.split()[-1] for line in asked[1:]] == ["chromium", "pgbouncer", "postgresql-15", "caddy"]


def test_a_tool_this_release_does_not_have_does_not_keep_the_others_away(tmp_path: Path) -> None:
    _program(tmp_path / "id", "echo 0")
    _program(tmp_path / "mktemp", f"echo {tmp_path}/words")
    _program(tmp_path / "rm", "exit 0")
    _program(tmp_path / "tail", "exit 0")
    _program(tmp_path / "apt-get", f'echo "$@" >> {tmp_path}/asked; case "$*" in *postgresql*) exit 1;; esac')
    done = _need_tools(tmp_path, ci="1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("SOME TESTS CANNOT RUN: missing: postgresql-15;")


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def _need_tools(path: Path, *, ci: str) -> subprocess.CompletedProcess[str]:
    """Run the script where nothing but these programs is on the PATH."""
    return subprocess.run(
        ["/bin/bash", str(ROOT / "scripts" / "need_tools")],
        env={"PATH": str(path), "SBIN": str(path), "PG15": str(path), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def _requirements(text: str) -> list[str]:
    """Each requirement with its hashes; the comments that say who wants it are left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [entry.strip().removesuffix(" \\") for entry in re.split(r"\n(?=\S)", "\n".join(lines))]
