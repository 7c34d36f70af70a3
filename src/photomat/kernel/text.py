"""Text that PostgreSQL can store and Telegram can show."""

import math
from typing import Any


def storable(value: Any) -> Any:
    """Remove what PostgreSQL cannot store, at any depth: NUL, lone surrogates, and numbers that are infinite or NaN."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list) else value


def cut(text: str, longest: int) -> str:
    return text if utf16_length(text) <= longest else truncate(text, longest) + "…"


def truncate(text: str, longest: int) -> str:
    """The first `longest` UTF-16 units, without splitting a character."""
    return text[:longest].encode("utf-16-le", "replace")[: 2 * longest].decode("utf-16-le", "ignore")


def utf16_length(text: str) -> int:
    """The length as Telegram counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "replace")) // 2
