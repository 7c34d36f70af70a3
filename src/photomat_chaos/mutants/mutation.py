"""Seeded mistakes: replacements in the source, found by a pattern, and the tests that must notice.

A pattern names no file and ignores how the source is laid out, so moving a function, formatting it or indenting its SQL
leaves the list valid. It must still be found exactly once in `src/photomat`, or the mutation is refused.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOKEN: Final = re.compile(r"…|\w+|[^\w\s]")
ANY_TEXT: Final = "…"
MAX_GAP_LENGTH: Final = 400
CLOSING: Final = frozenset(")]}")
SOURCES: Final = ("*.py", "*.sql")


class DoesNotApply(Exception):
    """The place of a mutation was not found exactly once: the list must be brought up to date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEdit:
    r"""One replacement. `find` is source text; white space and trailing commas do not matter, `…` stands for any text.

    In `replace`, `\1` is what the first `…` matched; further lines are indented like the line of the match. `inside` names
    the function to search (`name` or `Class.name`) where the text alone is not unique.
    """

    find: str
    replace: str
    inside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A mistake that could be made, and the smallest set of tests that must catch it."""

    name: str
    mistake: str
    edits: tuple[SourceEdit, ...]
    tests: tuple[str, ...]


def one_edit(name: str, mistake: str, edit: SourceEdit, *tests: str) -> Mutation:
    return Mutation(name=name, mistake=mistake, edits=(edit,), tests=tests)


def read_sources(folder: Path) -> dict[Path, str]:
    """Every source file below the folder, with its text."""
    files = (file for pattern in SOURCES for file in folder.rglob(pattern))
    return {file: file.read_text(encoding="utf-8") for file in files}


def mutated(mutation: Mutation, sources: Mapping[Path, str]) -> dict[Path, str]:
    """The files that change, with the mistake in them; refuse a mutation whose places are not found exactly once."""
    changed: dict[Path, str] = {}
    for edit in mutation.edits:
        file, match = _place_of(edit, {**sources, **changed})
        text = {**sources, **changed}[file]
        changed[file] = text[: match.start()] + _replacement(edit, match) + text[match.end() :]
    for file, text in changed.items():
        if file.suffix == ".py":
            ast.parse(text, file.name)
    return changed


def _place_of(edit: SourceEdit, sources: Mapping[Path, str]) -> tuple[Path, re.Match[str]]:
    pattern, word = _pattern(edit.find), max(re.findall(r"\w+", edit.find), key=len)
    found = [
        (file, match)
        for file, text in sources.items()
        if word in text
        for match in pattern.finditer(text)
        if not edit.inside or _is_inside(edit.inside, text, match)
    ]
    if len(found) != 1:
        where = ", ".join(file.name for file, _ in found)
        raise DoesNotApply(f"found {len(found)} times instead of once: {edit.find!r} {edit.inside} {where}")
    return found[0]


def _pattern(find: str) -> re.Pattern[str]:
    """The text as an expression: the same words and signs in the same order, any white space between them."""
    tokens = TOKEN.findall(find)
    parts = [r"(?<!\w)"] if _is_word(tokens[0]) else []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token == ANY_TEXT:
            parts.append(rf"\s*(.{{0,{MAX_GAP_LENGTH}}}?)")
            continue
        both_words = before is not None and _is_word(before) and _is_word(token)
        parts += [r"\s+" if both_words else r"\s*"] if before is not None else []
        parts += [r"(?:,\s*)?"] if token in CLOSING else []
        parts.append(re.escape(token))
    parts += [r"(?!\w)"] if _is_word(tokens[-1]) else []
    return re.compile("".join(parts), re.DOTALL)


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"


def _is_inside(name: str, text: str, match: re.Match[str]) -> bool:
    line = text.count("\n", 0, match.start()) + 1
    return any(
        first <= line <= last and f".{found}".endswith(f".{name}") for found, first, last in _spans(ast.parse(text))
    )


def _spans(node: ast.AST, above: str = "") -> Iterator[tuple[str, int, int]]:
    """The qualified name of every class and function, with its first and last line."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{above}{child.name}", child.lineno, child.end_lineno or child.lineno
            yield from _spans(child, f"{above}{child.name}.")
        else:
            yield from _spans(child, above)


def _replacement(edit: SourceEdit, match: re.Match[str]) -> str:
    line = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
    indent = line[: len(line) - len(line.lstrip())]
    written = edit.replace.replace("\n", f"\n{indent}")
    return re.sub(r"\\(\d)", lambda group: str(match[int(group[1])]), written)
