#!/usr/bin/env python3
"""Print what CHANGELOG.md says about one version: `release_notes.py 1.2.3`. Exit with a sentence if it says nothing."""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def notes(changelog: str, version: str) -> str | None:
    """The text below the heading of this version, up to the next one."""
    heading = rf"^## \[?{re.escape(version)}\]?(?: [^\n]*)?$"
    found = re.search(rf"{heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found and found[1].strip() else None


if __name__ == "__main__":
    wanted = sys.argv[1]
    text = notes(CHANGELOG.read_text(encoding="utf-8"), wanted)
    sys.stdout.write(f"{text}\n" if text else sys.exit(f"CHANGELOG.md has no section about {wanted}: write it first."))
