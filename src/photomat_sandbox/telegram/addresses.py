"""Web addresses that callers hand in: taken apart without surprises, and which of them are our own machine."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

LOOPBACK: Final = {"127.0.0.1", "localhost", "::1"}


def split_address(url: str) -> SplitResult | None:
    """Take an address apart; None when it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def is_loopback(url: str) -> bool:
    """Tell whether the address is on this machine, where a self-signed certificate will do."""
    parts = split_address(url)
    return parts is not None and parts.hostname in LOOPBACK
