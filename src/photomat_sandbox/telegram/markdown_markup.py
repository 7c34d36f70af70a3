"""parse_mode MarkdownV2 and the older Markdown: markers become entities, loose reserved characters are refused."""

from typing import Final

from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.html_markup import refuse, utf16_length

RESERVED: Final = set("_*[]()~`>#+-=|{}.!")
MARKERS_V2: Final = {
    "```": "pre",
    "`": "code",
    "||": "spoiler",
    "__": "underline",
    "*": "bold",
    "_": "italic",
    "~": "strikethrough",
}
MARKERS_OLD: Final = {"```": "pre", "`": "code", "*": "bold", "_": "italic"}
LITERAL: Final = {"pre", "code"}


class _MarkdownReader:
    """Reads markers from left to right; a marker that is open closes, any other opens."""

    def __init__(self, source: str, *, markers: dict[str, str], strict: bool) -> None:
        self.source = source
        self.markers = markers
        self.strict = strict
        self.plain: list[str] = []
        self.length = 0
        self.open: list[tuple[str, int, int]] = []
        self.entities: list[JsonObject] = []

    def read(self) -> tuple[str, list[JsonObject]]:
        at = 0
        while at < len(self.source):
            at = self._step(at)
        if self.open:
            marker, _, source_at = self.open[-1]
            offset = len(self.source[:source_at].encode())
            name = self.markers.get(marker, "text_link").title().replace("_", "")
            raise refuse(f"Can't find end of {name} entity at byte offset {offset}")
        self.entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
        return "".join(self.plain), self.entities

    def _step(self, at: int) -> int:
        char = self.source[at]
        if char == "\\" and self.source[at + 1 : at + 2] and ord(self.source[at + 1]) < 127:  # noqa: PLR2004 - ASCII
            return self._put(self.source[at + 1], at + 2)
        literal = bool(self.open) and self.markers.get(self.open[-1][0]) in LITERAL
        marker = next((mark for mark in self.markers if self.source.startswith(mark, at)), None)
        if marker and (not literal or marker == self.open[-1][0]):
            return self._mark(marker, at)
        if not literal and char == "[":
            self.open.append(("[", self.length, at))
            return at + 1
        if not literal and char == "]" and self.open and self.open[-1][0] == "[":
            return self._link(at)
        if self.strict and not literal and char in RESERVED:
            raise refuse(f"Character '{char}' is reserved and must be escaped with the preceding '\\'")
        return self._put(char, at + 1)

    def _put(self, text: str, following: int) -> int:
        self.plain.append(text)
        self.length += utf16_length(text)
        return following

    def _mark(self, marker: str, at: int) -> int:
        if self.open and self.open[-1][0] == marker:
            _, start, _ = self.open.pop()
            if self.length > start:
                self.entities.append({"type": self.markers[marker], "offset": start, "length": self.length - start})
        else:
            self.open.append((marker, self.length, at))
        return at + len(marker)

    def _link(self, at: int) -> int:
        _, start, _ = self.open.pop()
        end = self.source.find(")", at)
        if self.source[at + 1 : at + 2] != "(" or end < 0:
            return at + 1
        address = self.source[at + 2 : end].replace("\\", "")
        if self.length > start and address:
            self.entities.append({"type": "text_link", "offset": start, "length": self.length - start, "url": address})
        return end + 1


def parse_markdown_v2(source: str) -> tuple[str, list[JsonObject]]:
    """Give the plain text and its entities."""
    return _MarkdownReader(source, markers=MARKERS_V2, strict=True).read()


def parse_markdown(source: str) -> tuple[str, list[JsonObject]]:
    """Give the plain text and its entities, by the rules of the older mode."""
    return _MarkdownReader(source, markers=MARKERS_OLD, strict=False).read()
