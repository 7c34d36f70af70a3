"""Snapshots of what outsiders rely on: one text file a topic, sorted lines, a difference printed as a diff.

`FREEZE=1` writes the files anew instead of comparing.
"""

import ast
import difflib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import pytest

from support.source import modules

N = TypeVar("N", bound=ast.AST)

FOLDER: Final = Path(__file__).parents[1] / "contract" / "frozen"
REWRITE: Final = "FREEZE=1 .venv/bin/pytest tests/contract/test_frozen*.py"
LOG_METHODS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical"})

ROUTERS: Final = frozenset({"add_get", "add_post", "add_put", "add_delete", "get", "post"})
BINDERS: Final = frozenset({"correlated", "bound_contextvars", "bind_contextvars"})


def compare(topic: str, lines: Iterable[str]) -> None:
    """Fail with a diff where the facts are not those of the snapshot."""
    found, file = sorted(set(lines)), FOLDER / f"{topic}.txt"
    assert found, f"nothing was found for {topic}"
    if os.environ.get("FREEZE"):
        file.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
        return
    frozen = file.read_text(encoding="utf-8").splitlines()
    if found != frozen:
        diff = difflib.unified_diff(frozen, found, f"frozen/{topic}.txt", "this program", n=0, lineterm="")
        pytest.fail(
            "\n".join([*diff, f"Others rely on these names. Where the change is meant: {REWRITE}"]), pytrace=False
        )


def shape(value: Any, path: str = "", *, open_keys: frozenset[str] = frozenset()) -> Iterator[str]:
    """The keys of a JSON value with the types of what they lead to: `parts[].rate: str`.

    Below a path of `open_keys` the keys are data (inputs of a model, names of tables): they are written as `*`.
    """
    if isinstance(value, Mapping):
        yield f"{path or '.'}: object"
        for key, inner in value.items():
            name = "*" if path in open_keys else key
            yield from shape(inner, f"{path}.{name}" if path else str(name), open_keys=open_keys)
    elif isinstance(value, list | tuple):
        yield f"{path or '.'}: array"
        for inner in value:
            yield from shape(inner, f"{path}[]", open_keys=open_keys)
    else:
        yield f"{path or '.'}: {'null' if value is None else type(value).__name__}"


def as_line(value: Any) -> str:
    """A JSON value in one line, the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


@cache
def _nodes() -> Mapping[type[ast.AST], list[ast.AST]]:
    """What can hold a name, of the whole program: each tree is walked once."""
    found: dict[type[ast.AST], list[ast.AST]] = {ast.Call: [], ast.JoinedStr: [], ast.Constant: []}
    for module in modules("photomat"):
        for node in ast.walk(module.tree):
            if type(node) in found:
                found[type(node)].append(node)
    return found


def _found(kind: type[N]) -> list[N]:
    return cast("list[N]", _nodes()[kind])


def log_tags() -> Iterator[str]:
    """Every tag that is logged anywhere, with the names of its fields and its severities; and fields bound to many lines."""
    fields: defaultdict[str, set[str]] = defaultdict(set)
    for call in _found(ast.Call):
        named = {f"{each.arg}=" if each.arg else "**" for each in call.keywords}
        if isinstance(call.func, ast.Attribute) and call.func.attr in LOG_METHODS and call.args:
            for tag in _words_of(call.args[0]):
                fields[tag] |= {*named, f"[{call.func.attr}]"}
        elif isinstance(call.func, ast.Name) and call.func.id in BINDERS:
            fields["(bound)"] |= named
    return (f"{tag} {' '.join(sorted(found))}" for tag, found in fields.items())


def _words_of(node: ast.expr) -> Iterator[str]:
    """The upper-case words an expression can be: `"A" if … else "B"` is both."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isupper():
            yield each.value


def templates() -> Iterator[str]:
    """Every f-string without spaces, its holes as `{}`."""
    for node in _found(ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        if not any(character.isspace() for character in text):
            yield text


def string_constants() -> Iterator[str]:
    """Every string of the program, docstrings included."""
    return (node.value for node in _found(ast.Constant) if isinstance(node.value, str))


def routes() -> Iterator[str]:
    """Every HTTP route that is added anywhere."""
    for call in _found(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ROUTERS and call.args:
            path = call.args[0]
            if isinstance(path, ast.Constant) and isinstance(path.value, str) and path.value.startswith("/"):
                yield f"{call.func.attr.removeprefix('add_').upper()} {path.value}"
