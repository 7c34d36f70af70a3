"""The box that cannot be missed."""

from collections.abc import Mapping

from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from photomat.kernel.logs import get_logger
from photomat.settings import Settings

log = get_logger()


def show_box(addresses: Mapping[str, str], *, settings: Settings, first: str | None = None) -> None:
    """Print where everything is, the most important address first; logs for machines get it as an event."""
    if settings.log_format == "json":
        log.info("READY", **{name.lower().replace(" ", "_"): address for name, address in addresses.items()})
        return
    table = Table.grid(padding=(0, 2))
    for name, address in addresses.items():
        style = "bold green" if name == first else ""
        table.add_row(f"[{style}]{name}[/]" if style else name, f"[{style}]{address}[/]" if style else address)
    Console(width=100).print(
        Panel(table, title="Photomat is running · Ctrl-C stops it", border_style="green", padding=(1, 3))
    )
