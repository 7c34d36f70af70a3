"""The repository as data for the tests of its shape: Python files as syntax trees, pages as tables, links and headings."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCE: Final = ROOT / "src"
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_NOT_OURS: Final = frozenset(
    {".git", ".venv", "var", ".hypothesis", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache"}
    | {"__pycache__", "dist"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One Python file: where it is, how it is imported, what it says."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def place(self) -> str:
        """Its path from the root, for messages."""
        return str(self.path.relative_to(ROOT))


@cache
def modules(package: str) -> tuple[Module, ...]:
    """Every module of one of our packages."""
    files = sorted((SOURCE / package).rglob("*.py"))
    return tuple(
        Module(path=file, name=_name(file), tree=ast.parse(file.read_text(encoding="utf-8"))) for file in files
    )


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Everything in a tree, walked through once for all tests."""
    return tuple(ast.walk(tree))


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, also those inside others."""
    return (node for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """Every class."""
    return (node for node in nodes(tree) if isinstance(node, ast.ClassDef))


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Every call."""
    return (node for node in nodes(tree) if isinstance(node, ast.Call))


def arguments(function: Function) -> list[ast.arg]:
    """Every argument of a function, however it is passed."""
    found = function.args
    return [*found.posonlyargs, *found.args, *found.kwonlyargs]


def names_in(node: ast.AST | None) -> set[str]:
    """The names an expression is made of; for `kie.port.Provider | None` also its last part."""
    if node is None:
        return set()
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    found |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    quoted = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return found | {word for text in quoted for word in re.findall(r"\w+", text)}


def strings(tree: ast.Module) -> Iterator[str]:
    """Every string that does something: docstrings are left out, an f-string's holes become spaces."""
    skipped = {id(node.value) for node in nodes(tree) if isinstance(node, ast.Expr)}
    skipped |= {id(part) for node in nodes(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in nodes(tree):
        if isinstance(node, ast.JoinedStr):
            yield " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


def our_files() -> list[Path]:
    """What a clone contains: as git says, or everything but caches where there is no git."""
    git = shutil.which("git")
    if git is not None and (ROOT / ".git").exists():
        command = [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, check=False, timeout=300)
        if listed.returncode == 0:
            named = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
            return [file for file in named if file.is_file()]
    found = (path for path in ROOT.rglob("*") if not _NOT_OURS & set(path.relative_to(ROOT).parts))
    return [path for path in found if path.is_file()]


def _name(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
