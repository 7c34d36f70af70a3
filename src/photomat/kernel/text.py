"""Text made fit: to be stored (PostgreSQL takes neither NUL nor half a surrogate pair), and to be shown where room is scarce.

Nor does its JSON know a number that is infinite or none, both of which Python reads and writes.
"""

import math
from typing import Any


def storable(value: Any) -> Any:
    """The same value with every string in it cleaned and no number that is none; nothing we need is taken out."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list) else value


def cut(text: str, longest: int) -> str:
    """The text, or as much of it as there is room for, with a sign that there is more."""
    return text if units_of(text) <= longest else beginning(text, longest) + "…"


def beginning(text: str, longest: int) -> str:
    """As much of a text as there is room for, in the units Telegram counts; no character is torn."""
    return text[:longest].encode("utf-16-le", "replace")[: 2 * longest].decode("utf-16-le", "ignore")


def units_of(text: str) -> int:
    """How long a text is for Telegram, which counts in UTF-16."""
    return len(text.encode("utf-16-le", "replace")) // 2
