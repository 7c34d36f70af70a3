"""parse_mode HTML: the tags Telegram knows become entities, anything else is refused with its byte offset."""

import html
import re
from dataclasses import dataclass
from typing import Final

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
KNOWN_TAGS: Final = {*SIMPLE_TAGS, "a", "span", "tg-emoji"}
ATTRIBUTE: Final = re.compile(r"""\s+([a-zA-Z0-9_.-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?""")
TAG_NAME: Final = re.compile(r"/?[^\s>]*")
NAMED: Final = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"'}
REFERENCE: Final = re.compile(r"&(?:lt|gt|amp|quot);|&#(?:[0-9]+|[xX][0-9a-fA-F]+);")


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
            raise refuse(f'Can\'t find end tag corresponding to start tag "{self.open[-1].name}"')
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
            raise refuse(f"Unclosed start tag at byte offset {byte_offset}")
        inside = self.source[at + 1 : end]
        match = TAG_NAME.match(inside)
        name = (match[0] if match else "").lower()
        if name.startswith("/"):
            self._close(name[1:], byte_offset)
        elif name not in KNOWN_TAGS:
            raise refuse(f'Unsupported start tag "{name}" at byte offset {byte_offset}')
        else:
            self._open(name, inside, byte_offset)
        return end + 1

    def _open(self, name: str, inside: str, byte_offset: int) -> None:
        attributes = {
            key.lower(): html.unescape(value.strip("\"'")) for key, value in ATTRIBUTE.findall(inside[len(name) :])
        }
        if name == "span" and attributes.get("class") != "tg-spoiler":
            raise refuse(f'Tag "span" must have class "tg-spoiler" at byte offset {byte_offset}')
        self.open.append(_OpenTag(name=name, attributes=attributes, offset=self.length))

    def _close(self, name: str, byte_offset: int) -> None:
        if not self.open:
            raise refuse(f"Unexpected end tag at byte offset {byte_offset}")
        tag = self.open.pop()
        if name not in {tag.name, ""}:
            raise refuse(f'Unmatched end tag at byte offset {byte_offset}, expected "</{tag.name}>", found "</{name}>"')
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
            address = tag.attributes.get("href", "")
            if not address:
                return
            entity |= {"type": "text_link", "url": address}
        elif tag.name == "tg-emoji":
            entity |= {"type": "custom_emoji", "custom_emoji_id": tag.attributes.get("emoji-id", "")}
        else:
            entity["type"] = SIMPLE_TAGS.get(tag.name, "spoiler")
        if tag.name == "pre" and tag.attributes.get("language"):
            entity["language"] = tag.attributes["language"]
        if tag.name == "blockquote" and "expandable" in tag.attributes:
            entity["type"] = "expandable_blockquote"
        self.entities.append(entity)


def parse_html(source: str) -> tuple[str, list[JsonObject]]:
    """Give the plain text and its entities."""
    return _HtmlReader(source).read()


def refuse(reason: str) -> Exception:
    """Word a parse error."""
    return bad_request(f"can't parse entities: {reason}")


def utf16_length(text: str) -> int:
    """Count as Telegram counts offsets."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
