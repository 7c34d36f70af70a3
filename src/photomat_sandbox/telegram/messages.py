"""A message as the data centre keeps it, plain or rich, and the two ways it is shown: to the bot and to the person.

Of rich messages the blocks a bot needs to show results are known: texts, dividers, quotes, files, collages and slideshows.
Others, and messages in HTML or Markdown, are refused by name: they are not simulated.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.files import FileStore
from photomat_sandbox.telegram.formatting import utf16_length
from photomat_sandbox.telegram.media import ChatMedia, as_fields, as_visible

if TYPE_CHECKING:
    from photomat_sandbox.telegram.keyboards import Rows
    from photomat_sandbox.telegram.world import TelegramWorld

MAX_RICH_CHARS: Final = 32_768
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
RICH_ENTITIES: Final = {
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strikethrough",
    "spoiler": "spoiler",
    "code": "code",
    "url": "text_link",
}
VISIBLE_BUTTON_FIELDS: Final = ("callback_data", "url", "pay", "copy_text", "style", "disabled", "web_app")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block; `text` is rich text as the caller wrote it, a caption where there is media."""

    type: str
    text: Any = ""
    media: ChatMedia | None = None
    blocks: tuple["Block", ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockRequest:
    """A block before its file was obtained: `item` is the InputMedia of a block with a file."""

    type: str
    text: Any = ""
    item: JsonObject | None = None
    blocks: tuple["BlockRequest", ...] = ()
    size: int = 0


def read_rich(given: JsonObject) -> tuple[BlockRequest, ...]:
    """Validate the blocks of a rich message."""
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
    if sum(len(plain_text(block.text)[0]) for block in every) > MAX_RICH_CHARS:
        raise bad_request("message is too long")
    return blocks


def plain_text(text: Any) -> tuple[str, list[JsonObject]]:
    """Return a rich text as plain text and entities."""
    found: list[JsonObject] = []
    return _flattened(text, 0, found), sorted(found, key=lambda entity: (entity["offset"], -entity["length"]))


def rich_as_api(blocks: tuple[Block, ...], files: FileStore, *, bot_id: int) -> JsonObject:
    return {"blocks": [_block_as_api(block, files, bot_id) for block in blocks]}


def rich_as_seen(blocks: tuple[Block, ...]) -> list[JsonObject]:
    return [_block_as_seen(block) for block in blocks]


def restored_block(row: JsonObject) -> Block:
    media = row["media"]
    return Block(
        type=row["type"],
        text=row["text"],
        media=ChatMedia.restored(media) if media else None,
        blocks=tuple(restored_block(inner) for inner in row["blocks"]),
        size=row["size"],
    )


def _blocks(given: object, *, depth: int) -> tuple[BlockRequest, ...]:
    if not isinstance(given, list) or not given:
        raise bad_request("expected a non-empty Array of InputRichBlock")
    if depth > MAX_NESTING:
        raise bad_request("rich message is nested too deeply")
    return tuple(_block(block, depth=depth) for block in given)


def _block(given: object, *, depth: int) -> BlockRequest:
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(kind, str):
        raise bad_request("can't parse InputRichBlock: expected an Object with a type")
    if kind in TEXT_BLOCKS:
        return BlockRequest(type=kind, text=_checked(given.get("text")), size=int(given.get("size") or 0))
    if kind == "divider":
        return BlockRequest(type=kind)
    caption = given.get("caption")
    text = _checked(caption.get("text")) if isinstance(caption, dict) else ""
    if kind in HOLDING_BLOCKS:
        return BlockRequest(type=kind, text=text, blocks=_blocks(given.get("blocks"), depth=depth + 1))
    if kind not in MEDIA_BLOCKS:
        raise bad_request(f'can\'t parse InputRichBlock: type "{kind}" is unsupported')
    item = given.get(kind)
    if not isinstance(item, dict):
        raise bad_request(f"can't parse InputRichBlock: Can't find field \"{kind}\"")
    return BlockRequest(type=kind, text=text, item=item)


def _checked(text: Any) -> Any:
    """Refuse what is no rich text: a string, a list of rich texts, or an object that marks one."""
    if isinstance(text, str):
        return text
    if isinstance(text, list):
        return [_checked(part) for part in text]
    if isinstance(text, dict) and isinstance(text.get("type"), str):
        return {**text, "text": _checked(text.get("text", ""))}
    raise bad_request("can't parse RichText")


def _walk(blocks: tuple[BlockRequest, ...]) -> Iterator[BlockRequest]:
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
    kind = RICH_ENTITIES.get(text["type"])
    if kind and inside:
        url = {"url": text.get("url", "")} if kind == "text_link" else {}
        found.append({"type": kind, "offset": offset, "length": utf16_length(inside), **url})
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
    text, entities = plain_text(block.text)
    return {
        "type": block.type,
        "text": text,
        "entities": entities,
        "kind": block.media.kind if block.media else None,
        "media": as_visible(block.media) if block.media else None,
        "blocks": rich_as_seen(block.blocks),
    }


@dataclass(slots=True, kw_only=True)
class ChatMessage:
    """One message of a private chat; `text` is the caption where there is media."""

    message_id: int
    chat_id: int
    from_bot: bool
    date: int
    kind: str = "text"
    text: str = ""
    entities: list[JsonObject] = field(default_factory=list)
    media: ChatMedia | None = None
    rich: tuple[Block, ...] = ()
    inline_keyboard: "Rows | None" = None
    edit_date: int | None = None
    uneditable: bool = False
    reply_to: int | None = None
    quote: JsonObject | None = None
    effect_id: str = ""
    media_group_id: str | None = None
    silent: bool = False
    protected: bool = False
    spoiler: bool = False
    caption_above: bool = False
    hidden_from_person: bool = False
    edits_begun: int = 0
    link_preview: JsonObject | None = None
    reactions: list[JsonObject] = field(default_factory=list)
    invoice_payload: str = ""
    # What a payment or its refund was for, for the person's eyes.
    purpose: str = ""
    # Members of the API object that only some kinds have: invoice, successful_payment, forward_origin …
    extra: JsonObject = field(default_factory=dict)

    @property
    def has_caption(self) -> bool:
        """Media has a caption, even an empty one; text and service messages do not."""
        return self.media is not None


def as_api(world: "TelegramWorld", message: ChatMessage, *, with_reply: bool = True) -> JsonObject:
    """Return the message as a Message object of the Bot API."""
    person = world.people[message.chat_id]
    shown: JsonObject = {
        "message_id": message.message_id,
        "from": world.bot.as_user() if message.from_bot else person.as_user(),
        "chat": person.as_chat(),
        "date": message.date,
    }
    if message.edit_date is not None:
        shown["edit_date"] = message.edit_date
    shown |= _content(world, message)
    if message.media_group_id:
        shown["media_group_id"] = message.media_group_id
    if message.protected:
        shown["has_protected_content"] = True
    if message.inline_keyboard:
        shown["reply_markup"] = {"inline_keyboard": message.inline_keyboard}
    replied = world.messages.get(message.reply_to) if message.reply_to and with_reply else None
    if replied:
        shown["reply_to_message"] = as_api(world, replied, with_reply=False)
    if message.quote and with_reply:
        shown["quote"] = message.quote
    if message.effect_id:
        shown["effect_id"] = message.effect_id
    return shown | message.extra


def _content(world: "TelegramWorld", message: ChatMessage) -> JsonObject:
    if message.rich:
        return {"rich_message": rich_as_api(message.rich, world.files, bot_id=world.bot.user_id)}
    if message.media is None:
        fields: JsonObject = {"text": message.text} if message.kind == "text" else {}
        if message.kind == "text" and message.entities:
            fields["entities"] = message.entities
        if message.link_preview:
            fields["link_preview_options"] = message.link_preview
        return fields
    fields = as_fields(message.media, world.files, bot_id=world.bot.user_id)
    if message.text:
        fields["caption"] = message.text
        if message.entities:
            fields["caption_entities"] = message.entities
        if message.caption_above:
            fields["show_caption_above_media"] = True
    if message.spoiler:
        fields["has_media_spoiler"] = True
    return fields


def as_seen(message: ChatMessage) -> JsonObject:
    """Return the message as the person sees it on the chat page."""
    text = message.text if message.media is None else None
    return {
        "message_id": message.message_id,
        "from": "bot" if message.from_bot else "person",
        "date": message.date,
        "edit_date": message.edit_date,
        "text": _service_text(message) or text,
        "caption": message.text or None if message.media else None,
        "entities": message.entities,
        "kind": message.kind if message.kind != "service" else "text",
        "service": message.kind == "service",
        "media": as_visible(message.media) if message.media else None,
        "rich": rich_as_seen(message.rich) if message.rich else None,
        "invoice": message.extra.get("invoice"),
        "payment": _payment(message),
        "inline_keyboard": _visible_keyboard(message),
        "reply_to": message.reply_to,
        "media_group_id": message.media_group_id,
        "silent": message.silent,
        "spoiler": message.spoiler,
        "reactions": message.reactions,
        "deleted": False,
    }


def _visible_keyboard(message: ChatMessage) -> "Rows | None":
    if not message.inline_keyboard:
        return None
    return [
        [
            {"text": button["text"], **{name: button[name] for name in VISIBLE_BUTTON_FIELDS if name in button}}
            for button in row
        ]
        for row in message.inline_keyboard
    ]


def _service_text(message: ChatMessage) -> str | None:
    if paid := message.extra.get("successful_payment"):
        return f"⭐ {paid['total_amount']}"
    if refunded := message.extra.get("refunded_payment"):
        return f"↩ ⭐ {refunded['total_amount']}"
    return None


def _payment(message: ChatMessage) -> JsonObject | None:
    """Return what the page needs to show, in its own language, what was paid, renewed or refunded."""
    paid, refunded = message.extra.get("successful_payment"), message.extra.get("refunded_payment")
    fact = paid or refunded
    if fact is None:
        return None
    return {
        "kind": "paid" if paid else "refunded",
        "amount": fact["total_amount"],
        "purpose": message.purpose,
        "until": fact.get("subscription_expiration_date"),
        "first": bool(fact.get("is_first_recurring")),
    }
