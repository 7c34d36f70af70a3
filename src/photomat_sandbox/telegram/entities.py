"""Text as Telegram keeps it: parsed, trimmed, with commands, links and names found by themselves."""

import re
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.html_markup import parse_html, utf16_length
from photomat_sandbox.telegram.markdown_markup import parse_markdown, parse_markdown_v2

AUTOMATIC: Final = (
    ("bot_command", re.compile(r"(?<![\w/])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/])")),
    ("url", re.compile(r"(?<![\w@])https?://[^\s<>\"]*[^\s<>\".,;:!?)\]]")),
    ("email", re.compile(r"(?<![\w.])[\w.+-]+@[\w-]+\.[A-Za-z]{2,}(?!\w)")),
    ("mention", re.compile(r"(?<![\w@.])@[A-Za-z0-9_]{3,32}(?!\w)")),
    ("hashtag", re.compile(r"(?<!\w)#\w*[^\W\d]\w*")),
)
CLOSED_TO_AUTOMATIC: Final = {"pre", "code", "text_link", "text_mention"}
PARSERS: Final = {
    "html": parse_html,
    "markdown": parse_markdown,
    "markdownv2": parse_markdown_v2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedText:
    """Plain text and its entities."""

    text: str
    entities: list[JsonObject]


def formatted(source: str, *, parse_mode: str = "", entities: list[Any] | None = None) -> FormattedText:
    """Turn what a caller sent into what a chat shows."""
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
    """Take an entity a caller wrote by hand."""
    if not isinstance(entity, dict) or not isinstance(entity.get("type"), str):
        raise bad_request("can't parse MessageEntity: expected an Object with a type")
    offset, length = entity.get("offset"), entity.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or offset < 0:
        raise bad_request("can't parse MessageEntity: offset and length must be Integers")
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
