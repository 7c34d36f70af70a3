"""What commands print: names as they are written, whole in a narrow terminal too."""

import pytest

from photomat.cli.screen import folding, print_found

NAME = "payment:stars:[bold]7"


@pytest.mark.parametrize("columns", ["80", "12"])
def test_a_reference_is_printed_whole_and_as_it_is(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    table = folding("r")
    table.add_row(NAME)
    print_found(table)
    rows = [line.strip("│ ") for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert "".join(rows) == NAME
