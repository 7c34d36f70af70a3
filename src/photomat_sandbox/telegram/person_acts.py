"""What a person can do in the chat: write, send a file, tap, pay, block, delete; each becomes an update."""

from typing import Any, Final

from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.file_on_disk import Content
from photomat_sandbox.telegram.formatting import formatted
from photomat_sandbox.telegram.media import make_media
from photomat_sandbox.telegram.messages import ChatMessage
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.stars import StarBill, bill_of
from photomat_sandbox.telegram.world import TelegramWorld

CHAT_INSTANCE_FACTOR: Final = 1_000_003
MAX_TEXT: Final = 4096


class ImpossibleError(Exception):
    """The person cannot do that; the message says why."""


def write(world: TelegramWorld, person: ChatPerson, text: str, *, reply_to: int | None = None) -> ChatMessage:
    content = formatted(text)
    if not 1 <= len(content.text.encode("utf-16-le")) // 2 <= MAX_TEXT:
        raise ImpossibleError(f"a text has 1 to {MAX_TEXT} UTF-16 units")
    return _send(world, person, kind="text", text=content.text, entities=content.entities, reply_to=reply_to)


async def send_file(
    world: TelegramWorld,
    person: ChatPerson,
    data: Content,
    *,
    kind: str,
    name: str = "",
    caption: str = "",
    album: str | None = None,
) -> ChatMessage:
    """`album` is the media group of an earlier file that this one belongs to."""
    _must_be_open(person)
    media = world.remember(await make_media(world.files, data, kind=kind, name=name))
    content = formatted(caption)
    return _send(
        world,
        person,
        kind=media.kind,
        media=media,
        text=content.text,
        entities=content.entities,
        media_group_id=album,
    )


def forward(world: TelegramWorld, person: ChatPerson, source: ChatMessage, *, hidden: bool = False) -> ChatMessage:
    """Forward a message that reached the person outside this chat; `hidden`: its author hides their account."""
    author = world.people[source.chat_id]
    user = world.bot.as_user() if source.from_bot else author.as_user()
    origin: JsonObject = {"type": "user", "date": source.date, "sender_user": user}
    if hidden:
        origin = {"type": "hidden_user", "date": source.date, "sender_user_name": author.first_name}
    return _send(
        world,
        person,
        kind=source.kind,
        media=source.media,
        text=source.text,
        entities=source.entities,
        extra={"forward_origin": origin},
    )


def new_album(world: TelegramWorld) -> str:
    """The media group of files that a person sends together."""
    album_id = str(world.next_album_id)
    world.next_album_id += 1
    return album_id


def tap(world: TelegramWorld, person: ChatPerson, message_id: int, button: JsonObject) -> str:
    """Press a button with data; return the id of the query that the bot must answer."""
    _must_be_open(person)
    message = visible_message(world, person, message_id)
    query = world.queries.open_tap(user_id=person.user_id, message_id=message_id)
    world.note("tap", f"«{button['text']}» tapped on message {message_id}")
    body = {
        "id": query.query_id,
        "from": person.as_user(),
        "message": world.api(message),
        "chat_instance": str(-person.user_id * CHAT_INSTANCE_FACTOR),
        "data": button["callback_data"],
    }
    world.updates.push("callback_query", body, lane=f"taps {person.user_id}")
    return query.query_id


def pay(world: TelegramWorld, person: ChatPerson, message_id: int) -> str:
    """Press Pay on an invoice; return the id of the query that the bot must answer in ten seconds."""
    message = visible_message(world, person, message_id)
    if message.kind != "invoice":
        raise ImpossibleError(f"message {message_id} is no invoice")
    bill = bill_of(message.extra["invoice"], payload=message.invoice_payload)
    return pay_bill(world, person, bill, message_id=message_id)


def pay_bill(world: TelegramWorld, person: ChatPerson, bill: StarBill, *, message_id: int = 0) -> str:
    """Start the payment of a bill; a link cannot be subscribed to twice at the same time."""
    _must_be_open(person)
    if bill.subscription_period and world.stars.running(user_id=person.user_id, link=bill.link, now=world.now()):
        raise ImpossibleError("SUBSCRIPTION_ALREADY_ACTIVE: the month paid through this link is not over")
    query = world.queries.open_checkout(bill, user_id=person.user_id, message_id=message_id)
    world.note("checkout", f"{person.first_name} wants to pay {query.amount} ⭐ for «{query.title}»")
    body = {
        "id": query.query_id,
        "from": person.as_user(),
        "currency": "XTR",
        "total_amount": query.amount,
        "invoice_payload": query.payload,
    }
    world.updates.push("pre_checkout_query", body, lane=f"checkouts {person.user_id}")
    return query.query_id


def set_blocked(world: TelegramWorld, person: ChatPerson, *, blocked: bool) -> None:
    if person.blocked == blocked:
        return
    person.blocked = blocked
    world.note("block", f"{person.first_name} {'blocked' if blocked else 'unblocked'} the bot")
    member = {"user": world.bot.as_user(), "status": "member"}
    banned = {"user": world.bot.as_user(), "status": "kicked", "until_date": 0}
    body = {
        "chat": person.as_chat(),
        "from": person.as_user(),
        "date": world.now(),
        "old_chat_member": member if blocked else banned,
        "new_chat_member": banned if blocked else member,
    }
    world.updates.push("my_chat_member", body, lane=f"membership {person.user_id}")
    world.stream.publish(person.user_id, "status", {"blocked": blocked})


def delete(world: TelegramWorld, person: ChatPerson, message_id: int, *, for_both: bool) -> None:
    """Delete a message; deleted for the person only, the bot's copy remains and can still be edited, unseen."""
    message = visible_message(world, person, message_id)
    if for_both:
        world.remove_message(message, by=person.first_name)
        return
    detail = {"chat_id": person.user_id, "message_id": message_id}
    world.stream.publish(person.user_id, "delete", detail)
    message.hidden_from_person = True
    world.note("delete", f"message {message_id} deleted by {person.first_name} for themselves", detail)


def visible_message(world: TelegramWorld, person: ChatPerson, message_id: int) -> ChatMessage:
    """Return a message on the person's screen."""
    message = world.messages.get(message_id)
    if message is None or message.chat_id != person.user_id or message.hidden_from_person:
        raise ImpossibleError(f"message {message_id} is not in this chat")
    return message


def _send(world: TelegramWorld, person: ChatPerson, **content: Any) -> ChatMessage:
    _must_be_open(person)
    person.started = True
    message = world.add_message(person, from_bot=False, **content)
    world.updates.push("message", world.api(message), lane=f"chat {person.user_id}")
    return message


def _must_be_open(person: ChatPerson) -> None:
    if person.deactivated:
        raise ImpossibleError(f"the account of {person.first_name} is deactivated")
    if person.blocked:
        raise ImpossibleError(f"{person.first_name} has blocked the bot; unblock it first")
