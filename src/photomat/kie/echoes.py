"""Remove from an answer of Kie what it repeats of our order, above all the signed callback URL of the job.

The token in that URL authenticates callbacks, so it must reach neither a customer's file nor a table. Removal works at any
depth, in lists, and in JSON that is encoded in strings. Nothing here raises on junk.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

ORDER_KEYS: Final = frozenset({"param", "paramJson", "generateParam"})
CALLBACK_KEYS: Final = frozenset({"callBackUrl", "callbackUrl", "callback_url"})
ECHOES: Final = ORDER_KEYS | CALLBACK_KEYS
"""Fields in which Kie repeats what was ordered."""

SLASH: Final = r"(?:/|\\|%(?:25)*2f|u002f)+"
CALLBACK_PATH: Final = re.compile(f"kie{SLASH}callback{SLASH}", re.IGNORECASE)
CALLBACK_URL: Final = re.compile(rf"\S{{0,300}}kie{SLASH}callback{SLASH}\S*", re.IGNORECASE)
DEEPEST: Final = 100
"""Nesting beyond this is kept as JSON text; no documented answer has more than six levels."""

JSON_STARTS: Final = ("{", "[", '"')
REMOVED: Final = object()


def without_echoes(value: Any) -> Any:
    """Return the value without echoed fields and strings that hold a callback URL; None where nothing is left."""
    kept = _kept(value, 0)
    return None if kept is REMOVED else kept


def without_callback_urls(text: str) -> str:
    """Return a text for people with each callback URL in it replaced."""
    return CALLBACK_URL.sub("…", text)


def holds_callback_url(value: str) -> bool:
    """Whether a text holds the path of our callback URL, plain or escaped."""
    return CALLBACK_PATH.search(value) is not None


def _kept(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _kept_text(value, depth)
    if depth >= DEEPEST and isinstance(value, Mapping | list):
        return _as_text(value)
    if isinstance(value, Mapping):
        pairs = [(key, _kept(inner, depth + 1)) for key, inner in value.items() if not _is_echo(key)]
        return {key: inner for key, inner in pairs if inner is not REMOVED}
    if isinstance(value, list):
        return [inner for inner in (_kept(each, depth + 1) for each in value) if inner is not REMOVED]
    return value


def _is_echo(key: object) -> bool:
    return key in ECHOES or (isinstance(key, str) and holds_callback_url(key))


def _kept_text(text: str, depth: int) -> Any:
    """Clean JSON in a string without changing what needs no cleaning; remove any other text with a callback URL."""
    if text.lstrip()[:1] in JSON_STARTS and depth < DEEPEST:
        try:
            found = json.loads(text)
            kept = _kept(found, depth + 1)
            if kept != found:
                text = json.dumps(None if kept is REMOVED else kept, ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return REMOVED if holds_callback_url(text) else text


def _as_text(value: Any) -> Any:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return REMOVED
    return REMOVED if holds_callback_url(text) or any(f'"{key}' in text for key in ECHOES) else text
