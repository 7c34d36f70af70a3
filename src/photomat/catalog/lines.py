"""Where something stands in a catalogue file: TOML's reader keeps no lines, so they are found again, for refusals only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MODEL: Final = re.compile(r"\s*\[\[model\]\]|\s*\[model\]")
AT_LINE: Final = re.compile(r"line (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines of one file."""

    name: str
    lines: tuple[str, ...]

    def place(self, block: int | None, hints: Sequence[str]) -> str:
        """`file:line` of the last hint found, looking for one after the other, from the start of a model or of the file."""
        starts = [number for number, line in enumerate(self.lines) if MODEL.match(line)]
        begin, end = 0, len(self.lines)
        if block is not None and block < len(starts):
            begin = starts[block]
            end = starts[block + 1] if block + 1 < len(starts) else end
        at = begin
        for hint in hints:
            at = next((number for number in range(at, end) if _says(self.lines[number], hint)), at)
        return f"{self.name}:{at + 1}"

    def place_of_error(self, error: Exception) -> str:
        """`file:line` of what TOML's reader complains about."""
        found = AT_LINE.search(str(error))
        return f"{self.name}:{found.group(1) if found else 1}"


def lines_of(name: str, text: str) -> Lines:
    """The lines of a file's text."""
    return Lines(name=name, lines=tuple(text.splitlines()))


def _says(line: str, hint: str) -> bool:
    """Whether a line has the hint outside its comment: `key = "value"`, or a key that is set."""
    code = line.split(" # ", 1)[0]
    if "=" in hint:
        return hint in code
    return re.search(rf"(?<![\w.]){re.escape(hint)}\"?\s*=|^\s*\[+[\w.]*\b{re.escape(hint)}\]+", code) is not None
