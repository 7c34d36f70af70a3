"""Text from outside, made fit to be stored: PostgreSQL takes neither NUL nor half a surrogate pair."""

from typing import Any


def storable(value: Any) -> Any:
    """The same value with every string in it cleaned; nothing we need contains what is taken out."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list) else value
