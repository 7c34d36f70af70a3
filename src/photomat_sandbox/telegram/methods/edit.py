"""Edits: repeatable calls with one visible effect, by the rules that decide what can become what."""

from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import JsonObject, bad_request, forbidden, not_modified
from photomat_sandbox.telegram.formatting import FormattedText
from photomat_sandbox.telegram.keyboards import Rows
from photomat_sandbox.telegram.media import ChatMedia
from photomat_sandbox.telegram.messages import MEDIA_BLOCKS, Block, BlockRequest, ChatMessage, plain_text, read_rich
from photomat_sandbox.telegram.methods.content import (
    MediaRequest,
    caption_of_item,
    media_from_item,
    obtain_media,
    read_caption,
    read_markup,
    read_text,
)
from photomat_sandbox.telegram.world import TelegramWorld

EDITABLE_INTO: Final = {"animation", "audio", "document", "photo", "video"}
EDITABLE_FROM: Final = {"text", "rich", *EDITABLE_INTO}
UNGROUPABLE: Final = {"audio", "document"}


async def edit_message_text(call: Call) -> JsonObject:
    """Change a text, or turn it into a rich message and back; media has none."""
    rich = call.params.mapping("rich_message", "rich message")
    if rich is not None:
        return await _edit_into_rich(call, rich)
    text = read_text(call.params)
    keyboard = _new_keyboard(call)
    message = find_editable(call)
    _check_has_text(message)
    preview = call.params.mapping("link_preview_options", "link preview options")
    _apply(call.world, message, text, keyboard=keyboard, media=None)
    message.link_preview = preview
    return call.world.api(message)


async def _edit_into_rich(call: Call, rich: JsonObject) -> JsonObject:
    """Show blocks and files at once; either all files are obtained, or nothing changes."""
    wanted, keyboard = read_rich(rich), _new_keyboard(call)
    message = find_editable(call)
    _check_has_text(message)
    message.edits_begun += 1
    mine = message.edits_begun
    blocks = tuple([await _obtained(call, block) for block in wanted])
    if call.world.edits_cancel_edits and message.edits_begun != mine:
        raise bad_request("canceled by new edit message request")
    _check_has_text(find_editable(call))
    text = "\n".join(filter(None, (plain_text(block.text)[0] for block in blocks)))
    _apply(call.world, message, FormattedText(text=text, entities=[]), keyboard=keyboard, media=None, rich=blocks)
    return call.world.api(message)


async def _obtained(call: Call, block: BlockRequest) -> Block:
    media = None
    if block.item is not None:
        wanted = media_from_item(block.item, MEDIA_BLOCKS[block.type])
        media = await obtain_media(call.world, call.params, wanted, editing=True)
        if media.kind != wanted.kind:
            raise bad_request(f"can't use file of type {media.kind} as {wanted.kind}")
    inner = tuple([await _obtained(call, one) for one in block.blocks])
    return Block(type=block.type, text=block.text, media=media, blocks=inner, size=block.size)


def _check_has_text(message: ChatMessage) -> None:
    if message.kind not in {"text", "rich"}:
        raise bad_request("there is no text in the message to edit")


async def edit_message_caption(call: Call) -> JsonObject:
    """Change a caption; text messages have none."""
    caption = read_caption(call.params, editing=True)
    keyboard = _new_keyboard(call)
    message = find_editable(call)
    if not message.has_caption:
        raise bad_request("there is no caption in the message to edit")
    _apply(call.world, message, caption, keyboard=keyboard, media=message.media, spoiler=message.spoiler)
    return call.world.api(message)


async def edit_message_reply_markup(call: Call) -> JsonObject:
    keyboard = _new_keyboard(call)
    message = find_editable(call)
    same = FormattedText(text=message.text, entities=message.entities)
    _apply(
        call.world, message, same, keyboard=keyboard, media=message.media, spoiler=message.spoiler, rich=message.rich
    )
    return call.world.api(message)


async def edit_message_media(call: Call) -> JsonObject:
    """Turn a text or media into (other) media; a newer media edit of the message cancels an older one."""
    wanted, caption, spoiler = _read_item(call)
    keyboard = _new_keyboard(call)
    message = find_editable(call)
    if message.kind not in EDITABLE_FROM:
        raise bad_request("message media can't be edited")
    _check_album(message, wanted.kind)
    message.edits_begun += 1
    mine = message.edits_begun
    media = await obtain_media(call.world, call.params, wanted, editing=True)
    if call.world.edits_cancel_edits and message.edits_begun != mine:
        raise bad_request("canceled by new edit message request")
    find_editable(call)
    _apply(call.world, message, caption, keyboard=keyboard, media=media, spoiler=spoiler)
    return call.world.api(message)


def find_editable(call: Call) -> ChatMessage:
    """Return the message that a call edits; a person who blocked the bot does not prevent an edit."""
    if call.params.text("inline_message_id"):
        raise bad_request("MESSAGE_ID_INVALID")
    person = call.world.known_chat(call.params.text("chat_id"))
    if person.deactivated:
        raise forbidden("user is deactivated")
    if not call.params.number("message_id"):
        raise bad_request("message identifier is not specified")
    message = call.world.messages.get(call.params.number("message_id"))
    if message is None or message.chat_id != person.user_id:
        raise bad_request("message to edit not found")
    if not message.from_bot or message.uneditable or "forward_origin" in message.extra:
        raise bad_request("message can't be edited")
    if call.world.flood:
        call.world.flood.spend(person.user_id, clock=call.world.clock)
    return message


def _read_item(call: Call) -> tuple[MediaRequest, FormattedText, bool]:
    item = call.params.mapping("media", "InputMedia")
    if item is None:
        raise bad_request("media is not specified")
    kind = item.get("type")
    if kind not in EDITABLE_INTO:
        raise bad_request(f'can\'t parse InputMedia: type "{kind}" is unsupported')
    return (
        media_from_item(item, str(kind)),
        caption_of_item(item, editing=True),
        bool(item.get("has_spoiler")),
    )


def _new_keyboard(call: Call) -> Rows | None:
    """Return the buttons after the edit; leaving reply_markup out removes them."""
    markup = read_markup(call.params)
    if markup.prevents_edits:
        raise bad_request("inline keyboard expected")
    return markup.inline


def _check_album(message: ChatMessage, kind: str) -> None:
    if message.media_group_id is None or message.kind == kind:
        return
    if kind == "animation":
        raise bad_request("message content type can't be used in an album")
    if UNGROUPABLE & {message.kind, kind}:
        raise bad_request("can't change media type in the album")


def _apply(
    world: TelegramWorld,
    message: ChatMessage,
    text: FormattedText,
    *,
    keyboard: Rows | None,
    media: ChatMedia | None,
    spoiler: bool = False,
    rich: tuple[Block, ...] = (),
) -> None:
    before = (message.text, message.entities, message.inline_keyboard, message.media, message.spoiler, message.rich)
    if before == (text.text, text.entities, keyboard, media, spoiler, rich):
        raise not_modified()
    was = message.kind
    message.text, message.entities = text.text, text.entities
    message.inline_keyboard, message.media, message.spoiler = keyboard, media, spoiler
    message.rich = rich
    if media:
        message.kind = media.kind
    elif message.kind in {"text", "rich"}:
        message.kind = "rich" if rich else "text"
    message.edit_date = world.now()
    what = was if was == message.kind else f"{was} → {message.kind}"
    world.note(
        "edit",
        f"message {message.message_id} edited: {what}",
        {"chat_id": message.chat_id, "message_id": message.message_id, "text": message.text},
    )
    world.show(message, "edit")
