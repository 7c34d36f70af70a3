"""Markdown pages as data: headings with the anchors GitHub gives them, links, tables. Code blocks are not prose."""

import re
from pathlib import Path
from typing import Final

from support.source import our_files

_FENCE: Final = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_SPAN: Final = re.compile(r"`[^`\n]*`")
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*$", re.MULTILINE)
_LINK: Final = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_FILE_LINK: Final = re.compile(r"\[`?([\w/]+\.py)`?\]\(([^)\s]+\.py)\)")
_NOT_IN_ANCHORS: Final = re.compile(r"[^\w\- ]")


def pages() -> list[Path]:
    """Every Markdown file of ours."""
    return sorted(file for file in our_files() if file.suffix == ".md")


def prose(page: Path) -> str:
    """The page without its code blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """Where the page points to, pictures included."""
    return _LINK.findall(_SPAN.sub("", prose(page)))


def file_labels(page: Path) -> list[tuple[str, str]]:
    """The links whose label names a Python file, with what they point to."""
    return _FILE_LINK.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """The anchors of the page's headings, a repeated one numbered, as GitHub makes them."""
    found: list[str] = []
    for heading in _HEADING.findall(prose(page)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.append(_NOT_IN_ANCHORS.sub("", words).replace(" ", "-"))
    return {
        anchor if not (seen := found[:place].count(anchor)) else f"{anchor}-{seen}"
        for place, anchor in enumerate(found)
    }


def table(page: Path, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, without its head."""
    text = prose(page)
    start = re.search(rf"^#+\s+{re.escape(heading)}\s*$", text, re.MULTILINE)
    assert start is not None, f"{page.name} has no heading {heading!r}"
    rows: list[list[str]] = []
    for line in text[start.end() :].splitlines():
        if line.startswith("#") or (rows and not line.startswith("|")):
            break
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows[2:]
