"""A message as the data centre keeps it, and the two ways it is shown: to the bot and to the person."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.media import Media, as_fields, as_visible
from photomat_sandbox.telegram.rich import Block, rich_as_api, rich_as_seen

if TYPE_CHECKING:
    from photomat_sandbox.telegram.keyboards import Rows
    from photomat_sandbox.telegram.world import TelegramWorld

VISIBLE_BUTTON_FIELDS: Final = ("callback_data", "url", "pay", "copy_text", "style", "disabled", "web_app")


@dataclass(slots=True, kw_only=True)
class Message:
    """One message of a private chat; `text` is the caption where there is media."""

    message_id: int
    chat_id: int
    from_bot: bool
    date: int
    kind: str = "text"
    text: str = ""
    entities: list[JsonObject] = field(default_factory=list)
    media: Media | None = None
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
        """Media carries a caption, even an empty one; text and service messages do not."""
        return self.media is not None


def as_api(world: "TelegramWorld", message: Message, *, with_reply: bool = True) -> JsonObject:
    """Give the message as a Message object of the Bot API."""
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


def _content(world: "TelegramWorld", message: Message) -> JsonObject:
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


def as_seen(message: Message) -> JsonObject:
    """Give the message as the person sees it on the chat page."""
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


def _visible_keyboard(message: Message) -> "Rows | None":
    if not message.inline_keyboard:
        return None
    return [
        [
            {"text": button["text"], **{name: button[name] for name in VISIBLE_BUTTON_FIELDS if name in button}}
            for button in row
        ]
        for row in message.inline_keyboard
    ]


def _service_text(message: Message) -> str | None:
    if paid := message.extra.get("successful_payment"):
        return f"⭐ {paid['total_amount']}"
    if refunded := message.extra.get("refunded_payment"):
        return f"↩ ⭐ {refunded['total_amount']}"
    return None


def _payment(message: Message) -> JsonObject | None:
    """Give what the page needs to say in its own language what was paid, renewed or given back."""
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
