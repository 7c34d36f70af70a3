"""A rich message as the data centre keeps it: blocks of text, files with captions, and blocks that hold others.

Known are the blocks a bot needs to show results: texts, dividers, quotes, files, collages and slideshows. Others, and messages
in HTML or Markdown, are refused by name: they are not simulated.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.file_store import FileStore
from photomat_sandbox.telegram.html_markup import utf16_length
from photomat_sandbox.telegram.media import Media, as_fields, as_visible

MAX_CHARS: Final = 32_768
MAX_BLOCKS: Final = 500
MAX_MEDIA: Final = 50
MAX_NESTING: Final = 16
TEXT_BLOCKS: Final = {"paragraph", "heading", "pre", "footer"}
HOLDING_BLOCKS: Final = {"blockquote", "collage", "slideshow", "details"}
MEDIA_BLOCKS: Final = {
    "photo": "photo",
    "video": "video",
    "animation": "animation",
    "audio": "audio",
    "document": "document",
    "voice_note": "voice",
}
ENTITIES: Final = {
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strikethrough",
    "spoiler": "spoiler",
    "code": "code",
    "url": "text_link",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block; `text` is rich text as the caller wrote it, a caption where there is media."""

    type: str
    text: Any = ""
    media: Media | None = None
    blocks: tuple["Block", ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedBlock:
    """A block before its file was obtained: `item` is the InputMedia of a block with a file."""

    type: str
    text: Any = ""
    item: JsonObject | None = None
    blocks: tuple["WantedBlock", ...] = ()
    size: int = 0


def read_rich(given: JsonObject) -> tuple[WantedBlock, ...]:
    """Take what a caller wrote, within the limits."""
    ways = [name for name in ("html", "markdown", "blocks") if given.get(name)]
    if len(ways) != 1:
        raise bad_request("exactly one of the fields html, markdown or blocks must be specified in the rich message")
    if ways != ["blocks"]:
        raise bad_request(f"rich messages in {ways[0]} are not simulated")
    blocks = _blocks(given["blocks"], depth=1)
    every = list(_walk(blocks))
    if len(every) > MAX_BLOCKS:
        raise bad_request("rich message has too many blocks")
    if sum(block.item is not None for block in every) > MAX_MEDIA:
        raise bad_request("rich message has too many media")
    if sum(len(plain(block.text)[0]) for block in every) > MAX_CHARS:
        raise bad_request("message is too long")
    return blocks


def plain(text: Any) -> tuple[str, list[JsonObject]]:
    """Give a rich text as plain text and entities."""
    found: list[JsonObject] = []
    return _flattened(text, 0, found), sorted(found, key=lambda entity: (entity["offset"], -entity["length"]))


def rich_as_api(blocks: tuple[Block, ...], files: FileStore, *, bot_id: int) -> JsonObject:
    """Give the RichMessage object of the Bot API."""
    return {"blocks": [_block_as_api(block, files, bot_id) for block in blocks]}


def rich_as_seen(blocks: tuple[Block, ...]) -> list[JsonObject]:
    """Give the blocks as the chat page shows them."""
    return [_block_as_seen(block) for block in blocks]


def restored(row: JsonObject) -> Block:
    """Read a block back from a state file."""
    media = row["media"]
    return Block(
        type=row["type"],
        text=row["text"],
        media=Media.restored(media) if media else None,
        blocks=tuple(restored(inner) for inner in row["blocks"]),
        size=row["size"],
    )


def _blocks(given: object, *, depth: int) -> tuple[WantedBlock, ...]:
    if not isinstance(given, list) or not given:
        raise bad_request("expected a non-empty Array of InputRichBlock")
    if depth > MAX_NESTING:
        raise bad_request("rich message is nested too deeply")
    return tuple(_block(block, depth=depth) for block in given)


def _block(given: object, *, depth: int) -> WantedBlock:
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(kind, str):
        raise bad_request("can't parse InputRichBlock: expected an Object with a type")
    if kind in TEXT_BLOCKS:
        return WantedBlock(type=kind, text=_checked(given.get("text")), size=int(given.get("size") or 0))
    if kind == "divider":
        return WantedBlock(type=kind)
    caption = given.get("caption")
    text = _checked(caption.get("text")) if isinstance(caption, dict) else ""
    if kind in HOLDING_BLOCKS:
        return WantedBlock(type=kind, text=text, blocks=_blocks(given.get("blocks"), depth=depth + 1))
    if kind not in MEDIA_BLOCKS:
        raise bad_request(f'can\'t parse InputRichBlock: type "{kind}" is unsupported')
    item = given.get(kind)
    if not isinstance(item, dict):
        raise bad_request(f"can't parse InputRichBlock: Can't find field \"{kind}\"")
    return WantedBlock(type=kind, text=text, item=item)


def _checked(text: Any) -> Any:
    """Refuse what is no rich text: a string, a list of rich texts, or an object that marks one."""
    if isinstance(text, str):
        return text
    if isinstance(text, list):
        return [_checked(part) for part in text]
    if isinstance(text, dict) and isinstance(text.get("type"), str):
        return {**text, "text": _checked(text.get("text", ""))}
    raise bad_request("can't parse RichText")


def _walk(blocks: tuple[WantedBlock, ...]) -> Iterator[WantedBlock]:
    for block in blocks:
        yield block
        yield from _walk(block.blocks)


def _flattened(text: Any, offset: int, found: list[JsonObject]) -> str:
    if isinstance(text, str):
        return text
    if isinstance(text, list):
        written = ""
        for part in text:
            written += _flattened(part, offset + utf16_length(written), found)
        return written
    inside = _flattened(text["text"], offset, found)
    kind = ENTITIES.get(text["type"])
    if kind and inside:
        address = {"url": text.get("url", "")} if kind == "text_link" else {}
        found.append({"type": kind, "offset": offset, "length": utf16_length(inside), **address})
    return inside


def _block_as_api(block: Block, files: FileStore, bot_id: int) -> JsonObject:
    shown: JsonObject = {"type": block.type}
    if block.type in TEXT_BLOCKS:
        shown["text"] = block.text
    elif block.text:
        shown["caption"] = {"text": block.text}
    if block.size:
        shown["size"] = block.size
    if block.blocks:
        shown["blocks"] = [_block_as_api(inner, files, bot_id) for inner in block.blocks]
    if block.media is not None:
        shown[block.type] = as_fields(block.media, files, bot_id=bot_id)[block.media.kind]
    return shown


def _block_as_seen(block: Block) -> JsonObject:
    text, entities = plain(block.text)
    return {
        "type": block.type,
        "text": text,
        "entities": entities,
        "kind": block.media.kind if block.media else None,
        "media": as_visible(block.media) if block.media else None,
        "blocks": rich_as_seen(block.blocks),
    }
