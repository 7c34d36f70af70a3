"""The migration files are in order, and a folder that is not is refused by name."""

from pathlib import Path

import pytest

from photomat.db.migrate import read_migrations
from photomat.kernel.errors import Startup


def folder_with(tmp_path: Path, *names: str) -> Path:
    for name in names:
        (tmp_path / name).write_text("SELECT 1;")
    return tmp_path


def test_our_own_files_are_numbered_without_a_gap_and_say_why_they_exist() -> None:
    files = read_migrations()
    assert [file.number for file in files] == list(range(1, len(files) + 1))
    assert [file.name for file in files if not file.sql.startswith("-- ")] == []


def test_files_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = [f"{number:04}_step.sql" for number in range(1, 12)]
    read = read_migrations(folder_with(tmp_path, *reversed(names), "notes.md"))
    assert [f"{file.name}.sql" for file in read] == names


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["0001_a.sql", "0003_c.sql"], "0002 is missing, beside 0003_c"),
        (["0002_b.sql"], "0001 is missing"),
        (["0001_a.sql", "0001_b.sql"], "0001 is there twice, beside 0001_b"),
        (["0001_a.sql", "2_b.sql"], r"2_b.sql is not a migration's name"),
        (["0001_Big.sql"], r"0001_Big.sql is not a migration's name"),
    ],
)
def test_a_folder_out_of_order_is_refused(tmp_path: Path, names: list[str], sentence: str) -> None:
    with pytest.raises(Startup, match=sentence):
        read_migrations(folder_with(tmp_path, *names))


def test_a_checksum_changes_with_the_text(tmp_path: Path) -> None:
    (before,) = read_migrations(folder_with(tmp_path, "0001_a.sql"))
    (tmp_path / "0001_a.sql").write_text("SELECT 2;")
    (after,) = read_migrations(tmp_path)
    assert before.checksum != after.checksum
