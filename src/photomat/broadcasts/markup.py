"""Telegram's HTML as an operator writes it: checked before anything is sent, and shown on a page as a chat would show it. Pure.

Telegram knows a few tags and refuses a message with any other one, with a tag that is not closed, or with a loose `<`. Here the
refusal names the place. Lengths are those Telegram counts: UTF-16 units of the text without its tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape
from typing import Final

from photomat.kernel.errors import Rejected

TAGS: Final = frozenset({
    *("b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "code", "pre"),
    *("a", "span", "tg-spoiler", "tg-emoji", "blockquote"),
})  # fmt: skip
SHOWN_AS: Final = {
    "b": "b", "strong": "b", "i": "i", "em": "i", "u": "u", "ins": "u", "s": "s", "strike": "s", "del": "s",
    "code": "code", "pre": "pre", "blockquote": "blockquote",
}  # fmt: skip
TOKEN: Final = re.compile(
    r"<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9-]*)(?P<attributes>[^<>]*)>|(?P<text>[^<]+)|(?P<loose><)"
)
ATTRIBUTE: Final = re.compile(r"""\s+([a-zA-Z-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
LINK: Final = re.compile(r"^(https?|tg|mailto|tel):[^\s]+$")
CONTEXT: Final = 20
"""How many characters of the text a refusal quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlTag:
    """An opening or closing tag; `attributes` are those written."""

    name: str
    attributes: dict[str, str]
    closes: bool


def check_markup(text: str) -> None:
    """Raise Rejected with the place of the first mistake."""
    opened: list[str] = []
    for token in _tokens(text):
        if isinstance(token, str):
            continue
        if not token.closes:
            _check_attributes(token)
            opened.append(token.name)
        elif not opened:
            raise Rejected("broadcast-tag-not-opened", tag=token.name)
        elif opened.pop() != token.name:
            raise Rejected("broadcast-tag-crossed", tag=token.name)
    if opened:
        raise Rejected("broadcast-tag-not-closed", tag=opened[-1])


def visible_length(text: str) -> int:
    """How long Telegram counts a checked text."""
    return len(visible_text(text).encode("utf-16-le")) // 2


def visible_text(text: str) -> str:
    """A checked text without its tags."""
    return "".join(unescape(token) for token in _tokens(text) if isinstance(token, str)).strip()


def as_page(text: str) -> str:
    """A checked text as HTML of a page: the tags Telegram shows, links without a target, everything else escaped."""
    return "".join(_shown(token) for token in _tokens(text)).replace("\n", "<br>")


def _tokens(text: str) -> Iterator[str | HtmlTag]:
    for found in TOKEN.finditer(text):
        if found["text"] is not None:
            yield found["text"]
        elif found["loose"] is not None or found["tag"].lower() not in TAGS:
            near = text[found.start() : found.start() + CONTEXT]
            raise Rejected("broadcast-loose-bracket" if found["loose"] else "broadcast-tag-unknown", near=near)
        else:
            written = ATTRIBUTE.findall(found["attributes"])
            attributes = {name.lower(): unescape(value.strip("\"'")) for name, value in written}
            yield HtmlTag(name=found["tag"].lower(), attributes=attributes, closes=bool(found["close"]))


def _check_attributes(tag: HtmlTag) -> None:
    match tag.name:
        case "a" if not LINK.match(tag.attributes.get("href", "")):
            raise Rejected("broadcast-link-bad", link=tag.attributes.get("href", ""))
        case "span" if tag.attributes.get("class") != "tg-spoiler":
            raise Rejected("broadcast-tag-unknown", near="<span>")
        case "tg-emoji" if not tag.attributes.get("emoji-id", "").isdecimal():
            raise Rejected("broadcast-tag-unknown", near="<tg-emoji>")


def _shown(token: str | HtmlTag) -> str:
    if isinstance(token, str):
        return escape(unescape(token), quote=True)
    if token.name in {"span", "tg-spoiler"}:
        return "</span>" if token.closes else '<span class="spoiler">'
    if token.name == "a":
        return "</span>" if token.closes else '<span class="link">'
    name = SHOWN_AS.get(token.name)
    return "" if name is None else f"</{name}>" if token.closes else f"<{name}>"
