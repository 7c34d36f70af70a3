"""What commands print: words as they are written, whole in a narrow terminal too."""

import pytest

from photomat.cli.screen import Listing, print_listing

NAME = "payment:stars:[bold]7"
SUM = "1\N{NO-BREAK SPACE}234.50\N{NO-BREAK SPACE}₽"


def a_listing() -> Listing:
    table = Listing("reference", "sum", "why")
    table.add_row(NAME, SUM, "paid by somebody who wrote many words about it")
    return table


@pytest.mark.parametrize("columns", [200, 80, 60, 50])
def test_a_table_breaks_no_word_and_is_no_wider_than_the_terminal(columns: int) -> None:
    table = a_listing()
    widths = table.widths(columns)
    assert widths is not None
    assert sum(widths) + 3 * len(widths) + 1 <= columns
    assert widths[0] == len(NAME)
    assert widths[1] == len(SUM)


def test_a_terminal_too_narrow_for_the_words_gets_paragraphs() -> None:
    table = a_listing()
    assert table.widths(40) is None
    lines = table.as_paragraphs(40).splitlines()
    assert lines[0] == NAME
    assert any(SUM in line for line in lines)
    assert max(len(line) for line in lines) <= 40


def test_a_pipe_gets_one_line_for_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    print_listing(a_listing())
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert NAME in row
    assert row.endswith("paid by somebody who wrote many words about it │")
