#!/usr/bin/env python3
"""Make the virtual environment in stages: uv, then what the program needs, then what its tests need.

    bootstrap.py .venv uv | run | audio | extra:sentry,otel | test | pythons | bench

The stage `pythons` is for the test of the built wheel: what the program needs, for every other supported Python found.
The stage `bench` installs the job engines that the benchmark measures beside the product, apart from it.

Runs before anything is installed, so it uses only the standard library. Everything comes from the lock files, checked by
hash. Every failure is one sentence that says what to do.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
SUPPORTED = ("3.11", "3.12", "3.13")
OBAN_PYTHONS = ("3.12", "3.13")
ROOM_BYTES = 1_000_000_000
EXTRAS = ("audio", "sentry", "otel")
"""The optional parts of pyproject.toml that have a lock file of their own."""

NO_VENV = (
    "Python could not make a virtual environment: install its venv module"
    " (Debian and Ubuntu: apt-get install python3-venv), then run the same command again."
)
NO_ROOM = "There is no room left on this disk: make about 1 GB free, then run the same command again."
NO_NETWORK = (
    "The package index did not answer: check the network (or your proxy settings), then run the same command again."
)
WRONG_HASH = (
    "A package is not the one that was locked, so nothing of it was installed: try another index or network,"
    " and if it happens again, tell the authors."
)
NO_WHEEL = (
    "The package index has no file of a locked package for this machine (Linux or macOS on x86-64 or ARM is needed):"
    " its name stands above."
)
UNKNOWN = "The installation failed for the reason above: repair it, then run the same command again."

SIGNS = (
    (NO_ROOM, ("no space left", "disk quota exceeded", "os error 28")),
    (WRONG_HASH, ("hash mismatch", "hashes are required", "do not match the hashes")),
    (
        NO_NETWORK,
        (
            "failed to fetch",
            "error sending request",
            "dns error",
            "connection refused",
            "connection broken",
            "max retries exceeded",
            "name resolution",
            "timed out",
            "no matching distribution found",
        ),
    ),
    (NO_WHEEL, ("no matching platform tag", "is not a supported wheel", "no solution found", "has no wheels")),
)
"""Parts of tools' output, in lower case, and the sentence for each; the first match counts."""


def main(folder: Path, stage: str) -> None:
    """Run one stage, or exit with one sentence."""
    if sys.version_info < OLDEST:
        leave(f"Photomat needs Python 3.11 or newer, this is {sys.version.split()[0]}: make PYTHON=python3.11 …")
    if shutil.disk_usage(folder.resolve().parent).free < ROOM_BYTES:
        leave(NO_ROOM)
    stages = {
        "uv": install_uv,
        "run": install_program,
        "audio": install_audio,
        "test": install_tests,
        "pythons": install_other_pythons,
        "bench": install_bench,
    }
    name, _, which = stage.partition(":")
    if which:
        install_extras(folder, which.split(","))
    else:
        stages[name](folder)


def install_uv(folder: Path) -> None:
    """Make an environment with uv, the only tool installed by pip; replace a broken one."""
    say("Preparing the environment in .venv, about a minute the first time…")
    if not works(folder):
        run([sys.executable, "-m", "venv", "--clear", str(folder)], otherwise=NO_VENV)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--require-hashes", "-r", "requirements/bootstrap.txt"])


def install_program(folder: Path) -> None:
    """The locked dependencies and our own two packages."""
    say("Installing what the bot needs, PostgreSQL included…")
    install(folder, "--require-hashes", "-r", "requirements/run.txt")
    install(folder, "--no-deps", "--no-build-isolation", "--editable", ".")


def install_audio(folder: Path) -> None:
    """The optional package that converts sound."""
    say("Installing what converts voice notes and other sounds…")
    install(folder, "--require-hashes", "-r", "requirements/audio.txt")


def install_extras(folder: Path, names: list[str]) -> None:
    """Optional parts, each from its lock file; an unknown name is refused with the known ones."""
    for name in names:
        if name not in EXTRAS:
            leave(f"There is no optional part {name}: choose from {', '.join(EXTRAS)}.")
        say(f"Installing the optional part {name}…")
        install(folder, "--require-hashes", "-r", f"requirements/{name}.txt")


def install_tests(folder: Path) -> None:
    """The locked tools of the gate."""
    say("Installing what the tests need…")
    install(folder, "--require-hashes", "-r", "requirements/test.txt")


def install_other_pythons(folder: Path) -> None:
    """The locked dependencies in pythons/3.12 and so on; a Python that is not here is named and left out."""
    own = version_of(str(folder / "bin" / "python"))
    for version in SUPPORTED:
        python = None if version == own else find_python(version)
        if python is not None:
            place = folder / "pythons" / version
            run([str(folder / "bin" / "uv"), "venv", "--quiet", "--clear", "--python", python, str(place)])
            install(folder, "--require-hashes", "-r", "requirements/run.txt", into=place)
        elif version != own:
            say(f"Python {version} is not on the PATH: the built wheel is not tested with it.")


def install_bench(folder: Path) -> None:
    """Other job engines in bench/peers, and Oban in bench/oban where there is a Python it runs on."""
    say("Installing the job engines that the benchmark measures beside the product…")
    uv, place = str(folder / "bin" / "uv"), folder / "bench"
    run([uv, "venv", "--quiet", "--clear", "--python", str(folder / "bin" / "python"), str(place / "peers")])
    install(folder, "--require-hashes", "-r", "requirements/bench.txt", into=place / "peers")
    python = next(filter(None, map(find_python, OBAN_PYTHONS)), None)
    if python is None:
        say("Oban is left out: it needs Python 3.12 or newer, and none is on the PATH.")
        return
    run([uv, "venv", "--quiet", "--clear", "--python", python, str(place / "oban")])
    install(folder, "--require-hashes", "-r", "requirements/oban.txt", into=place / "oban")


def find_python(version: str) -> str | None:
    """The interpreter of this version, if it is installed; pyenv finds it only by its name."""
    environment = {**os.environ, "PYENV_VERSION": version}
    try:
        found = subprocess.run(  # noqa: S603  a fixed list
            [f"python{version}", "-c", "import sys; print(sys.executable)"],
            check=False,
            capture_output=True,
            text=True,
            env=environment,
        )
    except FileNotFoundError:
        return None
    path = found.stdout.strip()
    return path if found.returncode == 0 and version_of(path) == version else None


def version_of(python: str) -> str:
    """Its version as 3.11."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603  a fixed list


def install(folder: Path, *what: str, into: Path | None = None) -> None:
    """Install with uv into this environment, or another one."""
    python = (into or folder) / "bin" / "python"
    run([str(folder / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(python), *what])


def works(folder: Path) -> bool:
    """Whether the environment is usable: a copied folder or an incomplete one is not."""
    python = folder / "bin" / "python"
    if not python.exists():
        return False
    probe = subprocess.run(  # noqa: S603  a fixed list
        [str(python), "-c", "import pip, sys; print(sys.prefix)"], check=False, capture_output=True, text=True
    )
    return probe.returncode == 0 and Path(probe.stdout.strip()).resolve() == folder.resolve()


def run(command: list[str], *, otherwise: str = UNKNOWN) -> None:
    """Run a step; if it fails, exit with one sentence, below the tool's output where that says more."""
    environment = {**os.environ, "UV_SYSTEM_CERTS": "1"}
    step = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)  # noqa: S603  a fixed list
    if step.returncode != 0:
        output = step.stdout + step.stderr
        sentence = advice(output, otherwise=otherwise)
        leave(sentence if sentence in {NO_ROOM, NO_NETWORK} else f"{output}\n{sentence}")


def advice(output: str, *, otherwise: str = UNKNOWN) -> str:
    """The sentence for the output of a failed tool."""
    output = output.lower()
    return next((sentence for sentence, signs in SIGNS if any(sign in output for sign in signs)), otherwise)


def say(sentence: str) -> None:
    """Print progress to standard error."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def leave(sentence: str) -> None:
    sys.exit(f"\n{sentence}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
