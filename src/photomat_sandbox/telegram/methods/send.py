"""Sends: every call makes a new message; Telegram has no key that would make a repeat harmless."""

from typing import Any, Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.keyboards import Markup
from photomat_sandbox.telegram.media_source import obtain
from photomat_sandbox.telegram.messages import Message
from photomat_sandbox.telegram.methods.content import (
    read_caption,
    read_markup,
    read_reply,
    read_text,
    recipient,
    wanted_of_params,
)
from photomat_sandbox.telegram.people import Person

CHAT_ACTIONS: Final = {
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
}


async def send_message(call: Call) -> JsonObject:
    """Send a text."""
    text, markup = read_text(call.params), read_markup(call.params)
    person = recipient(call)
    message = deliver(
        call,
        person,
        markup,
        kind="text",
        text=text.text,
        entities=text.entities,
        link_preview=call.params.mapping("link_preview_options", "link preview options"),
    )
    return call.world.api(message)


async def send_photo(call: Call) -> JsonObject:
    """Send a photo."""
    return await _send_media(call, "photo")


async def send_video(call: Call) -> JsonObject:
    """Send a video."""
    return await _send_media(call, "video")


async def send_audio(call: Call) -> JsonObject:
    """Send music or speech that the player lists."""
    return await _send_media(call, "audio")


async def send_voice(call: Call) -> JsonObject:
    """Send a voice note."""
    return await _send_media(call, "voice")


async def send_document(call: Call) -> JsonObject:
    """Send a file as it is."""
    return await _send_media(call, "document")


async def send_animation(call: Call) -> JsonObject:
    """Send a GIF or a silent video."""
    return await _send_media(call, "animation")


async def send_chat_action(call: Call) -> bool:
    """Show "typing…" and the like for five seconds."""
    action = call.params.text("action")
    if action not in CHAT_ACTIONS:
        raise bad_request("wrong parameter action in request")
    person = call.world.reachable(call.params.text("chat_id"))
    call.world.stream.publish(person.user_id, "typing", {"action": action})
    return True


async def send_message_draft(call: Call) -> bool:
    """Show a text that is still being written; it leaves no trace."""
    person = call.world.reachable(call.params.text("chat_id"))
    if not call.params.number("draft_id"):
        raise bad_request("draft identifier must be non-zero")
    draft = {"action": "typing", "text": call.params.text("text")}
    call.world.stream.publish(person.user_id, "typing", draft)
    return True


async def _send_media(call: Call, kind: str) -> JsonObject:
    caption, markup = read_caption(call.params), read_markup(call.params)
    person = recipient(call)
    media = await obtain(call.world, call.params, wanted_of_params(call.params, kind))
    message = deliver(
        call,
        person,
        markup,
        kind=media.kind,
        text=caption.text,
        entities=caption.entities,
        media=media,
        spoiler=call.params.flag("has_spoiler"),
        caption_above=call.params.flag("show_caption_above_media"),
    )
    return call.world.api(message)


def deliver(call: Call, person: Person, markup: Markup, **content: Any) -> Message:
    """Put the new message into the chat, with what every send may say about it."""
    reply = read_reply(call, person)
    message = call.world.add_message(
        person,
        from_bot=True,
        reply_to=reply.message_id,
        quote=reply.quote,
        effect_id=call.params.text("message_effect_id"),
        inline_keyboard=markup.inline,
        uneditable=markup.fixes_the_message,
        silent=call.params.flag("disable_notification"),
        protected=call.params.flag("protect_content"),
        **content,
    )
    if markup.reply is not None or markup.remove:
        person.reply_keyboard, person.keyboard_options = markup.reply, markup.reply_options
        keyboard = {"reply_keyboard": markup.reply, "keyboard_options": markup.reply_options}
        call.world.stream.publish(person.user_id, "keyboard", keyboard)
    return message
