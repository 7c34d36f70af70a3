"""What else a bot does in a chat: delete, pin, react, look at it, answer a tap or a checkout."""

from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.messages import ChatMessage
from photomat_sandbox.telegram.payments import show_outcome, take_payment
from photomat_sandbox.telegram.people import ChatPerson

DELETABLE_S: Final = 48 * 3600
MAX_BULK: Final = 100
MAX_ANSWER: Final = 200


async def delete_message(call: Call) -> bool:
    person = call.world.known_chat(call.params.text("chat_id"))
    _delete(call, person, call.params.number("message_id"))
    return True


async def delete_messages(call: Call) -> bool:
    """Delete several messages; those that no longer exist do not matter."""
    person = call.world.known_chat(call.params.text("chat_id"))
    for number in call.params.numbers("message_ids", "message identifiers", at_most=MAX_BULK):
        try:
            _delete(call, person, number)
        except ApiError:
            continue
    return True


async def pin_chat_message(call: Call) -> bool:
    person = call.world.known_chat(call.params.text("chat_id"))
    message = message_in_chat(call, person, call.params.number("message_id"), "message to pin not found")
    person.pinned = [number for number in person.pinned or [] if number != message.message_id]
    person.pinned.append(message.message_id)
    call.world.note("pin", f"message {message.message_id} pinned")
    return True


async def unpin_chat_message(call: Call) -> bool:
    """Unpin one message, the newest pin when none is named."""
    person = call.world.known_chat(call.params.text("chat_id"))
    pinned = person.pinned or []
    number = call.params.number("message_id") or (pinned[-1] if pinned else 0)
    if number not in pinned:
        raise bad_request("message to unpin not found")
    person.pinned = [pin for pin in pinned if pin != number]
    return True


async def unpin_all_chat_messages(call: Call) -> bool:
    call.world.known_chat(call.params.text("chat_id")).pinned = None
    return True


async def set_message_reaction(call: Call) -> bool:
    """Set at most one reaction of the bot on a message."""
    person = call.world.known_chat(call.params.text("chat_id"))
    message = message_in_chat(call, person, call.params.number("message_id"), "message to react not found")
    reactions = call.params.items("reaction", "ReactionType") or []
    if len(reactions) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    message.reactions = reactions
    call.world.show(message, "edit")
    return True


async def get_chat(call: Call) -> JsonObject:
    """Describe a chat, with its newest pin."""
    person = call.world.known_chat(call.params.text("chat_id"))
    chat = {
        **person.as_chat(),
        "accent_color_id": person.user_id % 7,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(
            (
                "unlimited_gifts",
                "limited_gifts",
                "unique_gifts",
                "premium_subscription",
                "gifts_from_channels",
            ),
            True,
        ),
    }
    pins = [number for number in person.pinned or [] if number in call.world.messages]
    if pins:
        chat["pinned_message"] = call.world.api(call.world.messages[pins[-1]])
    return chat


def _delete(call: Call, person: ChatPerson, number: int) -> None:
    message = message_in_chat(call, person, number, "message to delete not found")
    if call.world.clock() - message.date > DELETABLE_S:
        raise bad_request("message can't be deleted for everyone")
    call.world.remove_message(message, by="the bot")


def message_in_chat(call: Call, person: ChatPerson, number: int, missing: str) -> ChatMessage:
    message = call.world.messages.get(number)
    if message is None or message.chat_id != person.user_id:
        raise bad_request(missing)
    return message


async def answer_callback_query(call: Call) -> bool:
    """Stop the button's spinner, with a line or an alert if there is one; works once per tap."""
    params = call.params
    if len(params.text("text")) > MAX_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    query = call.world.queries.close(params.text("callback_query_id"), kind="tap")
    answer = {
        "query_id": query.query_id,
        "message_id": query.message_id,
        "text": params.text("text") or None,
        "show_alert": params.flag("show_alert"),
        "url": params.text("url") or None,
    }
    call.world.stream.publish(query.user_id, "answer", answer)
    answered = f"answered: «{params.text('text')}»" if params.text("text") else "answered"
    call.world.note("answer", f"tap on message {query.message_id} {answered}", answer)
    return True


async def answer_pre_checkout_query(call: Call) -> bool:
    """Let the payment go through, or stop it; a refusal needs its reason."""
    ok = call.params.flag("ok")
    if not ok and not call.params.text("error_message"):
        raise bad_request('parameter "error_message" is required')
    query = call.world.queries.close(call.params.text("pre_checkout_query_id"), kind="checkout")
    if ok:
        take_payment(call.world, query)
        return True
    reason = call.params.text("error_message")
    call.world.note("checkout", f"payment of {query.amount} ⭐ stopped: «{reason}»")
    show_outcome(call.world, query, "refused", reason=reason, code="BOT_PRECHECKOUT_FAILED")
    return True
