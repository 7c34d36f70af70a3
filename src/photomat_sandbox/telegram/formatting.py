"""Text as Telegram keeps it: HTML and Markdown parsed into entities, trimmed, with commands and links found automatically.

Unknown tags and loose reserved characters are refused with their byte offset.
"""

import html
import re
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.telegram.errors import JsonObject, bad_request

SIMPLE_TAGS: Final = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
}
KNOWN_TAGS: Final = {*SIMPLE_TAGS, "a", "span", "tg-emoji", "tg-time"}
TIME_FORMAT: Final = re.compile(r"r|w?[dD]?[tT]?")
ATTRIBUTE: Final = re.compile(r"""\s+([a-zA-Z0-9_.-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?""")
TAG_NAME: Final = re.compile(r"/?[^\s>]*")
NAMED: Final = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"'}
REFERENCE: Final = re.compile(r"&(?:lt|gt|amp|quot);|&#(?:[0-9]+|[xX][0-9a-fA-F]+);")
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
AUTOMATIC: Final = (
    ("bot_command", re.compile(r"(?<![\w/])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/])")),
    ("url", re.compile(r"(?<![\w@])https?://[^\s<>\"]*[^\s<>\".,;:!?)\]]")),
    ("email", re.compile(r"(?<![\w.])[\w.+-]+@[\w-]+\.[A-Za-z]{2,}(?!\w)")),
    ("mention", re.compile(r"(?<![\w@.])@[A-Za-z0-9_]{3,32}(?!\w)")),
    ("hashtag", re.compile(r"(?<!\w)#\w*[^\W\d]\w*")),
)
CLOSED_TO_AUTOMATIC: Final = {"pre", "code", "text_link", "text_mention"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenTag:
    name: str
    attributes: dict[str, str]
    offset: int


class _HtmlReader:
    """Reads one marked-up text from left to right; offsets are counted in UTF-16 units."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.plain: list[str] = []
        self.length = 0
        self.open: list[_OpenTag] = []
        self.entities: list[JsonObject] = []

    def read(self) -> tuple[str, list[JsonObject]]:
        at = 0
        while at < len(self.source):
            if self.source[at] == "<":
                at = self._tag(at)
            else:
                until = self.source.find("<", at)
                until = len(self.source) if until < 0 else until
                self._text(self.source[at:until])
                at = until
        if self.open:
            raise parse_error(f'Can\'t find end tag corresponding to start tag "{self.open[-1].name}"')
        self.entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
        return "".join(self.plain), self.entities

    def _text(self, raw: str) -> None:
        text = REFERENCE.sub(lambda match: NAMED.get(match[0]) or html.unescape(match[0]), raw)
        self.plain.append(text)
        self.length += utf16_length(text)

    def _tag(self, at: int) -> int:
        end = self.source.find(">", at)
        byte_offset = len(self.source[:at].encode())
        if end < 0:
            raise parse_error(f"Unclosed start tag at byte offset {byte_offset}")
        inside = self.source[at + 1 : end]
        match = TAG_NAME.match(inside)
        name = (match[0] if match else "").lower()
        if name.startswith("/"):
            self._close(name[1:], byte_offset)
        elif name not in KNOWN_TAGS:
            raise parse_error(f'Unsupported start tag "{name}" at byte offset {byte_offset}')
        else:
            self._open(name, inside, byte_offset)
        return end + 1

    def _open(self, name: str, inside: str, byte_offset: int) -> None:
        attributes = {
            key.lower(): html.unescape(value.strip("\"'")) for key, value in ATTRIBUTE.findall(inside[len(name) :])
        }
        if name == "span" and attributes.get("class") != "tg-spoiler":
            raise parse_error(f'Tag "span" must have class "tg-spoiler" at byte offset {byte_offset}')
        if name == "tg-time":
            _check_time(attributes, byte_offset)
        self.open.append(_OpenTag(name=name, attributes=attributes, offset=self.length))

    def _close(self, name: str, byte_offset: int) -> None:
        if not self.open:
            raise parse_error(f"Unexpected end tag at byte offset {byte_offset}")
        tag = self.open.pop()
        if name not in {tag.name, ""}:
            raise parse_error(
                f'Unmatched end tag at byte offset {byte_offset}, expected "</{tag.name}>", found "</{name}>"'
            )
        length = self.length - tag.offset
        if length:
            self._add_entity(tag, length)

    def _add_entity(self, tag: _OpenTag, length: int) -> None:
        entity: JsonObject = {"offset": tag.offset, "length": length}
        language = tag.attributes.get("class", "").removeprefix("language-")
        if tag.name == "code" and self.open and self.open[-1].name == "pre":
            if language:
                self.open[-1].attributes["language"] = language
            return
        if tag.name == "a":
            url = tag.attributes.get("href", "")
            if not url:
                return
            entity |= {"type": "text_link", "url": url}
        elif tag.name == "tg-emoji":
            entity |= {"type": "custom_emoji", "custom_emoji_id": tag.attributes.get("emoji-id", "")}
        elif tag.name == "tg-time":
            entity |= {"type": "date_time", "unix_time": int(tag.attributes["unix"])}
            entity |= {"date_time_format": tag.attributes["format"]} if tag.attributes.get("format") else {}
        else:
            entity["type"] = SIMPLE_TAGS.get(tag.name, "spoiler")
        if tag.name == "pre" and tag.attributes.get("language"):
            entity["language"] = tag.attributes["language"]
        if tag.name == "blockquote" and "expandable" in tag.attributes:
            entity["type"] = "expandable_blockquote"
        self.entities.append(entity)


def _check_time(attributes: dict[str, str], byte_offset: int) -> None:
    if not attributes.get("unix", "").isdecimal():
        raise parse_error(f'Tag "tg-time" must have attribute "unix" at byte offset {byte_offset}')
    if not TIME_FORMAT.fullmatch(attributes.get("format", "")):
        raise parse_error(f'Tag "tg-time" has an invalid "format" at byte offset {byte_offset}')


def parse_html(source: str) -> tuple[str, list[JsonObject]]:
    return _HtmlReader(source).read()


def parse_error(reason: str) -> Exception:
    return bad_request(f"can't parse entities: {reason}")


def utf16_length(text: str) -> int:
    """Return the length in the units of Telegram's offsets."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


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
            raise parse_error(f"Can't find end of {name} entity at byte offset {offset}")
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
            raise parse_error(f"Character '{char}' is reserved and must be escaped with the preceding '\\'")
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
        url = self.source[at + 2 : end].replace("\\", "")
        if self.length > start and url:
            self.entities.append({"type": "text_link", "offset": start, "length": self.length - start, "url": url})
        return end + 1


def parse_markdown_v2(source: str) -> tuple[str, list[JsonObject]]:
    return _MarkdownReader(source, markers=MARKERS_V2, strict=True).read()


def parse_markdown(source: str) -> tuple[str, list[JsonObject]]:
    """Parse by the rules of the older mode."""
    return _MarkdownReader(source, markers=MARKERS_OLD, strict=False).read()


PARSERS: Final = {
    "html": parse_html,
    "markdown": parse_markdown,
    "markdownv2": parse_markdown_v2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedText:
    text: str
    entities: list[JsonObject]


def formatted(source: str, *, parse_mode: str = "", entities: list[Any] | None = None) -> FormattedText:
    """Parse a text as a chat shows it."""
    text, found = source, [_checked(entity) for entity in entities or []]
    if parse_mode and parse_mode.lower() != "none":
        parser = PARSERS.get(parse_mode.lower())
        if parser is None:
            raise bad_request("unsupported parse_mode")
        text, found = parser(source)
    text, found = _trimmed(text.replace("\r", ""), found)
    known = {(entity["type"], entity["offset"]) for entity in found}
    closed = [entity for entity in found if entity["type"] in CLOSED_TO_AUTOMATIC]
    for entity in _automatic(text):
        if (entity["type"], entity["offset"]) not in known and not _inside(entity, closed):
            found.append(entity)
    found.sort(key=lambda entity: (entity["offset"], -entity["length"], entity["type"]))
    return FormattedText(text=text, entities=found)


def _checked(entity: object) -> JsonObject:
    """Validate an entity written by the caller."""
    if not isinstance(entity, dict) or not isinstance(entity.get("type"), str):
        raise bad_request("can't parse MessageEntity: expected an Object with a type")
    offset, length = entity.get("offset"), entity.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or offset < 0:
        raise bad_request("can't parse MessageEntity: offset and length must be Integers")
    if entity["type"] == "date_time" and not (
        isinstance(entity.get("unix_time"), int) and TIME_FORMAT.fullmatch(str(entity.get("date_time_format", "")))
    ):
        raise bad_request("can't parse MessageEntity: invalid date_time")
    return entity


def _trimmed(text: str, entities: list[JsonObject]) -> tuple[str, list[JsonObject]]:
    cut = utf16_length(text) - utf16_length(text.lstrip())
    text = text.strip()
    end = utf16_length(text)
    kept = []
    for entity in entities:
        start = max(0, entity["offset"] - cut)
        stop = min(end, entity["offset"] - cut + entity["length"])
        if stop > start:
            kept.append({**entity, "offset": start, "length": stop - start})
    return text, kept


def _automatic(text: str) -> list[JsonObject]:
    return [
        {
            "type": kind,
            "offset": utf16_length(text[: match.start()]),
            "length": utf16_length(match[0]),
        }
        for kind, pattern in AUTOMATIC
        for match in pattern.finditer(text)
    ]


def _inside(entity: JsonObject, others: list[JsonObject]) -> bool:
    return any(
        other["offset"] <= entity["offset"] and entity["offset"] + entity["length"] <= other["offset"] + other["length"]
        for other in others
    )
