"""`photomat completion`: the printed script in a real shell offers commands, options and names, and starts no program."""

import shutil
import subprocess
from functools import cache
from typing import Final

import pytest
from typer.testing import CliRunner

from photomat.catalog.load import load_catalog
from photomat.cli.main import app

RUNS: Final = {
    "bash": 'cd /; PATH=/nowhere; source /dev/stdin <<< "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _photomat;'
    ' printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": 'cd /; compdef() { :; }; eval "$SCRIPT"; PATH=/nowhere; words=("$@"); CURRENT=$#;'
    ' compadd() { shift; for each in "$@"; do [[ $each == ${words[CURRENT]}* ]] && echo $each; done }; _photomat',
    "fish": 'cd /; eval "$SCRIPT"; set PATH /nowhere; complete --do-complete (string join " " -- $argv)',
}
SHELLS: Final = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in RUNS
]


@cache
def script(shell: str) -> str:
    result = CliRunner().invoke(app, ["completion", shell])
    assert result.exit_code == 0, result.output
    return result.output


def offered(shell: str, *words: str) -> list[str]:
    """What a Tab after these words offers; no program can be found meanwhile."""
    path = shutil.which(shell) or shell
    options = {"bash": ["--norc", "-c", RUNS[shell], "bash"], "zsh": ["-f", "-c", RUNS[shell], "zsh"]}
    command = [path, *options.get(shell, ["--no-config", "-c", RUNS[shell], "--"]), "photomat", *words]
    done = subprocess.run(
        command, env={"SCRIPT": script(shell)}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr == ""
    return [line.split("\t")[0] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_offers_what_may_follow(shell: str) -> None:
    assert {"run", "check", "catalog", "completion"} <= set(offered(shell, ""))
    assert offered(shell, "sand") == ["sandbox"]
    assert set(offered(shell, "catalog", "un")) == {"unhide", "unfeature", "unsell"}
    assert "--reason" in offered(shell, "catalog", "hide", "--")
    models = load_catalog().models
    assert set(offered(shell, "catalog", "show", "")) == set(models)
    assert set(offered(shell, "catalog", "hide", "--reason", "x", "kling")) == {
        one for one in models if one.startswith("kling")
    }
    assert offered(shell, "settings", "set", "BOT_NAME") == ["BOT_NAME", "BOT_NAME_EN"]
    assert offered(shell, "settings", "set", "BOT_NAME", "") == [], "a value is the operator's own"
    assert set(offered(shell, "pause", "")) == {"bot", "provider", "model"}
    assert offered(shell, "pause", "model", "z-ima") == ["z-image"]
    assert offered(shell, "check", "--only", "del") == ["delivery"]
    assert set(offered(shell, "completion", "")) == {"bash", "zsh", "fish"}


def test_bash_offers_files_where_a_file_is_wanted() -> None:
    assert "/etc/hosts" in offered("bash", "templates", "add", "/etc/host")
