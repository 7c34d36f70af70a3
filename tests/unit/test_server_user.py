"""How much the embedded server may do is decided by the folders it must pass, and never more."""

import os
from pathlib import Path

import pytest

from photomat.db.postgres.privileges import ServerUser, command_line

STRANGER = ServerUser(uid=54321, gid=54321, change=True)
OURSELVES = ServerUser(uid=os.geteuid(), gid=os.getegid(), change=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "postgres"
    path.touch(mode=0o755)
    return path


def passage(user: ServerUser, program: Path, data: Path) -> str:
    words = command_line(user, [str(program), "-D", str(data)], data=data)
    return words[words.index(str(program)) - 1]


def test_ourselves_need_nothing(tmp_path: Path, program: Path) -> None:
    assert passage(OURSELVES, program, tmp_path / "data") == "none"


def test_an_open_way_needs_nothing() -> None:
    assert passage(STRANGER, Path("/bin/sh"), Path("/usr/data")) == "none"


def test_a_closed_folder_above_the_data_needs_the_right_to_search(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert passage(STRANGER, Path("/bin/sh"), tmp_path / "data") == "search"


def test_a_closed_folder_above_the_program_needs_it_too(tmp_path: Path, program: Path) -> None:
    tmp_path.chmod(0o700)
    assert passage(STRANGER, program, Path("/usr/data")) == "search"


def test_a_program_closed_to_others_needs_the_stronger_right(program: Path) -> None:
    program.chmod(0o700)
    assert passage(STRANGER, program, Path("/usr/data")) == "execute"
