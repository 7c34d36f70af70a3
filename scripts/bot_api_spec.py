#!/usr/bin/env python3
"""Write the part of a Bot API specification that the contract tests compare the simulated Telegram with.

    bot_api_spec.py api.json > tests/contract/third_party/bot_api.json

`api.json` is the file of that name in the GitHub repository PaulSonOfLars/telegram-bot-api-spec. Only names, types and
required flags are taken, for the methods the simulator implements and the types they return. A required name ends with "!".
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from photomat_sandbox.telegram.methods.registry import METHODS

RECEIVED = ("Update",)
"""Types a bot gets without a method that returns them: the body of a webhook call."""


def main(path: Path) -> None:
    """Print the reduced specification as JSON, one method or type on a line."""
    spec = json.loads(path.read_text(encoding="utf-8"))
    missing = sorted(set(METHODS) - set(spec["methods"]))
    if missing:
        sys.exit(f"This specification lacks methods of the simulator: {', '.join(missing)}.")
    methods = {name: spec["methods"][name] for name in METHODS}
    returned = [kind for method in methods.values() for kind in method["returns"]]
    types = reachable(spec["types"], [*RECEIVED, *returned])
    sections = {
        "methods": {name: {"returns": method["returns"], **fields_of(method)} for name, method in methods.items()},
        "types": {name: fields_of(spec["types"][name]) for name in types if not spec["types"][name].get("subtypes")},
        "unions": {name: spec["types"][name]["subtypes"] for name in types if spec["types"][name].get("subtypes")},
    }
    parts = [
        f'"version": {json.dumps(spec["version"])}',
        *(f'"{name}": {{\n{text(section)}\n}}' for name, section in sections.items()),
    ]
    sys.stdout.write("{\n" + ",\n".join(parts) + "\n}\n")


def reachable(types: dict[str, Any], roots: Iterable[str]) -> list[str]:
    """Return the names of all types that values of the root types can contain, sorted."""
    found: set[str] = set()
    waiting = [plain(kind) for kind in roots]
    while waiting:
        name = waiting.pop()
        if name not in types or name in found:
            continue
        found.add(name)
        kinds = [kind for field in types[name].get("fields", []) for kind in field["types"]]
        waiting += [plain(kind) for kind in [*kinds, *types[name].get("subtypes", [])]]
    return sorted(found)


def plain(kind: str) -> str:
    """Return the type of an array's elements."""
    return re.sub(r"^(Array of )+", "", kind)


def fields_of(described: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a method or type by name."""
    fields = described.get("fields", [])
    return {"fields": {field["name"] + "!" * field["required"]: field["types"] for field in fields}}


def text(section: dict[str, Any]) -> str:
    """Return the entries as JSON, one on a line."""
    entries = (f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in section.items())
    return ",\n".join(entries)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
