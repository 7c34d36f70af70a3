"""Messages sent on: forwarded with their origin, or copied as messages of their own."""

from copy import deepcopy
from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.messages import Message
from photomat_sandbox.telegram.methods.content import read_caption, read_markup, recipient
from photomat_sandbox.telegram.methods.send import deliver
from photomat_sandbox.telegram.methods.upkeep import of_chat
from photomat_sandbox.telegram.people import Person

MAX_BULK: Final = 100
NOT_COPIED: Final = {"service", "invoice"}


async def forward_message(call: Call) -> JsonObject:
    """Send a message on, with its origin."""
    person = recipient(call)
    source = _source(call, call.params.number("message_id"), "message to forward not found")
    return call.world.api(_forward(call, person, source))


async def copy_message(call: Call) -> JsonObject:
    """Send the same content as a message of its own."""
    person = recipient(call)
    source = _source(call, call.params.number("message_id"), "message to copy not found")
    caption = read_caption(call.params)
    copied = _copy(call, person, source)
    if source.media is not None and "caption" in call.params.values:
        copied.caption_above = call.params.flag("show_caption_above_media")
        copied.text, copied.entities = caption.text, caption.entities
    return {"message_id": copied.message_id}


async def forward_messages(call: Call) -> list[JsonObject]:
    """Send many on; those that are missing or protected are skipped."""
    return [{"message_id": message.message_id} for message in _each(call, copies=False)]


async def copy_messages(call: Call) -> list[JsonObject]:
    """Copy many; those that are missing or cannot be copied are skipped."""
    return [{"message_id": message.message_id} for message in _each(call, copies=True)]


def _each(call: Call, *, copies: bool) -> list[Message]:
    numbers = call.params.numbers("message_ids", "message identifiers", at_most=MAX_BULK)
    person, sent = recipient(call), []
    for number in numbers:
        try:
            source = _source(call, number, "message not found")
            sent.append(_copy(call, person, source) if copies else _forward(call, person, source))
        except ApiError:
            continue
    if not sent:
        raise bad_request(f"there are no messages to {'copy' if copies else 'forward'}")
    return sent


def _source(call: Call, number: int, missing: str) -> Message:
    return of_chat(call, call.world.known_chat(call.params.text("from_chat_id")), number, missing)


def _forward(call: Call, person: Person, source: Message) -> Message:
    if source.protected or source.kind == "service":
        raise bad_request("the message can't be forwarded")
    author = call.world.bot.as_user() if source.from_bot else call.world.people[source.chat_id].as_user()
    made_by = {"type": "user", "date": source.date, "sender_user": author}
    return _repeat(call, person, source, extra={"forward_origin": source.extra.get("forward_origin", made_by)})


def _copy(call: Call, person: Person, source: Message) -> Message:
    if source.kind in NOT_COPIED:
        raise bad_request("the message can't be copied")
    copied = _repeat(call, person, source, extra={})
    if source.media is not None and call.params.flag("remove_caption"):
        copied.text, copied.entities = "", []
    return copied


def _repeat(call: Call, person: Person, source: Message, *, extra: JsonObject) -> Message:
    return deliver(
        call,
        person,
        read_markup(call.params),
        kind=source.kind,
        text=source.text,
        entities=deepcopy(source.entities),
        media=source.media,
        spoiler=source.spoiler,
        caption_above=source.caption_above,
        invoice_payload=source.invoice_payload,
        extra=extra | {key: value for key, value in source.extra.items() if key == "invoice"},
    )
