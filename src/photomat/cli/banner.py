"""The box that cannot be missed."""

from collections.abc import Mapping

from rich.console import Console
from rich.panel import Panel
from rich.table import Table


def show_box(addresses: Mapping[str, str], *, first: str | None = None) -> None:
    """Print where everything is, the most important address first and largest."""
    table = Table.grid(padding=(0, 2))
    for name, address in addresses.items():
        style = "bold green" if name == first else ""
        table.add_row(f"[{style}]{name}[/]" if style else name, f"[{style}]{address}[/]" if style else address)
    Console(width=100).print(
        Panel(table, title="Photomat is running · Ctrl-C stops it", border_style="green", padding=(1, 3))
    )
