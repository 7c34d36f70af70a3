"""A machine-readable Bot API specification, and values compared with it.

The data is written by scripts/bot_api_spec.py. It is of Bot API 10.1; `NEWER` adds what the simulator has of 10.2 and 10.3.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

SPEC_FILE: Final = Path(__file__).parents[1] / "contract" / "third_party" / "bot_api.json"
SCALARS: Final[dict[str, type | tuple[type, ...]]] = {
    "Integer": int,
    "String": str,
    "Float": (int, float),
    "Boolean": bool,
    "True": bool,
}
NEWER: Final[dict[str, dict[str, list[str]]]] = {
    "Update": {"subscription": ["StarSubscriptionUpdated"]},
    "StarSubscriptionUpdated": {"user!": ["User"], "invoice_payload!": ["String"], "state!": ["String"]},
    "InlineKeyboardButton": {"disabled": ["DisabledButton"]},
    "DisabledButton": {},
    "RichBlockDocument": {"type!": ["String"], "document!": ["Document"], "caption": ["RichBlockCaption"]},
}
NEWER_UNIONS: Final = {"RichBlock": ["RichBlockDocument"]}
NEWER_METHODS: Final[dict[str, dict[str, Any]]] = {
    "setMyProfilePhoto": {"returns": ["Boolean"], "fields": {"photo!": ["InputProfilePhoto"]}},
    "removeMyProfilePhoto": {"returns": ["Boolean"], "fields": {}},
}
"""Methods the stored specification was written without."""
ARRAY: Final = "Array of "


@cache
def specification() -> dict[str, Any]:
    """Load the specification with the newer fields added."""
    spec: dict[str, Any] = json.loads(SPEC_FILE.read_text(encoding="utf-8"))
    for name, fields in NEWER.items():
        spec["types"].setdefault(name, {"fields": {}})["fields"].update(fields)
    for name, method in NEWER_METHODS.items():
        spec["methods"].setdefault(name, method)
    for name, subtypes in NEWER_UNIONS.items():
        spec["unions"][name] = spec["unions"][name] + subtypes
    return spec


def parameters_of(method: str) -> dict[str, bool]:
    """Return the parameters of a method; True marks a required one."""
    return {name.rstrip("!"): name.endswith("!") for name in specification()["methods"][method]["fields"]}


def faults_of_result(method: str, result: object) -> list[str]:
    """List what a method's result has against the specification; an empty list means it conforms."""
    return _faults_of_any(result, specification()["methods"][method]["returns"], method)


def faults_of(kind: str, value: object) -> list[str]:
    """List what a value of this type has against the specification."""
    return list(_faults(value, kind, kind))


def _faults_of_any(value: object, kinds: list[str], at: str) -> list[str]:
    """Return no fault if one of the types fits, else those of the type that fits best."""
    return min((list(_faults(value, kind, at)) for kind in kinds), key=len)


def _faults(value: object, kind: str, at: str) -> Iterator[str]:
    spec = specification()
    if kind.startswith(ARRAY):
        if not isinstance(value, list):
            yield f"{at}: {value!r} is no array"
            return
        for index, item in enumerate(value):
            yield from _faults(item, kind.removeprefix(ARRAY), f"{at}[{index}]")
    elif kind in SCALARS:
        if not isinstance(value, SCALARS[kind]) or (kind not in {"Boolean", "True"} and isinstance(value, bool)):
            yield f"{at}: {value!r} is no {kind}"
        elif kind == "True" and value is not True:
            yield f"{at}: must be True where it is present"
    elif kind in spec["unions"]:
        yield from _faults_of_any(value, spec["unions"][kind], at)
    elif not isinstance(value, dict):
        yield f"{at}: {value!r} is no {kind}"
    else:
        yield from _faults_of_object(value, spec["types"][kind]["fields"], at, kind)


def _faults_of_object(value: dict[str, Any], fields: dict[str, list[str]], at: str, kind: str) -> Iterator[str]:
    known = {name.rstrip("!"): kinds for name, kinds in fields.items()}
    yield from (f"{at}: {kind} has no field {name}" for name in value if name not in known)
    for name, kinds in fields.items():
        plain = name.rstrip("!")
        if plain in value:
            yield from _faults_of_any(value[plain], kinds, f"{at}.{plain}")
        elif name.endswith("!"):
            yield f"{at}: {kind} lacks {plain}"
