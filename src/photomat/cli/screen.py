"""How commands print what they found: every name as it is written, folded where the terminal is too narrow, never cut.

Nothing that came from a database is read as markup: a reference such as `payment:stars:7` keeps its colons.
"""

from rich.console import Console
from rich.table import Table


def folding(*headings: str) -> Table:
    """A table whose cells go on in the next line."""
    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def print_found(found: Table | str) -> None:
    """Print a table, or the sentence that there is nothing."""
    Console(emoji=False, markup=False, highlight=False).print(found)
