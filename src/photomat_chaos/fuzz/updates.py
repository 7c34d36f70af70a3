"""Telegram's updates of every kind, made hostile. Who sends them is one of the attackers; whom they aim at, the victims.

An attacker may write anything anywhere, but `from` is Telegram's own word: a victim never is the sender.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from photomat_chaos.fuzz.values import TEXTS, mutated

OTHER_KINDS: Final = (
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "business_connection",
    "business_message",
    "message_reaction",
    "inline_query",
    "chosen_inline_result",
    "shipping_query",
    "poll",
    "poll_answer",
    "chat_member",
    "chat_join_request",
    "chat_boost",
    "purchased_paid_media",
    "a_kind_of_next_year",
)
COMMANDS: Final = (
    "/start",
    "/start ref_1",
    "/balance",
    "/history",
    "/cancel",
    "/lang",
    "/help",
    "/nothing",
    "/start@x",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Who attacks, and what is known of the victims: their ids, drafts, jobs and cards."""

    attackers: Sequence[int]
    victims: Sequence[int]
    drafts: Sequence[int]
    jobs: Sequence[int]
    cards: Sequence[int]


def hostile_update(chance: random.Random, update_id: object, aims: Targets) -> Any:
    """One update: mostly well-formed and malicious, sometimes malformed as well."""
    attacker = chance.choice(aims.attackers)
    kind, content = chance.choice(
        (
            ("message", _message(chance, attacker, aims)),
            ("message", _message(chance, attacker, aims)),
            ("callback_query", _tap(chance, attacker, aims)),
            ("callback_query", _tap(chance, attacker, aims)),
            ("callback_query", _tap(chance, attacker, aims)),
            ("my_chat_member", _membership(chance, attacker)),
            ("pre_checkout_query", _checkout(chance, attacker)),
            (chance.choice(OTHER_KINDS), _message(chance, attacker, aims)),
        )
    )
    spoiled = mutated(chance, {kind: content}, chance.choice((0, 0, 0, 1, 1, 2, 4)))
    if not isinstance(spoiled, dict):
        return spoiled
    for broken in spoiled.values():
        _without_a_victim_as_sender(broken, attacker, aims)
    return {"update_id": update_id, **spoiled}


def _without_a_victim_as_sender(content: Any, attacker: int, aims: Targets) -> None:
    sender = content.get("from") if isinstance(content, dict) else None
    if isinstance(sender, dict) and sender.get("id") in aims.victims:
        sender["id"] = attacker


def _person(user_id: int) -> dict[str, Any]:
    return {"id": user_id, "is_bot": False, "first_name": "Мэллори", "language_code": "ru"}


def _chat(chance: random.Random, attacker: int, aims: Targets) -> dict[str, Any]:
    if chance.random() < 0.8:  # noqa: PLR2004  mostly at home
        return {"id": attacker, "type": "private", "first_name": "Мэллори"}
    if chance.random() < 0.5:  # noqa: PLR2004  in a victim's chat
        return {"id": chance.choice(aims.victims), "type": "private", "first_name": "Анна"}
    return {"id": -1001234567890, "type": chance.choice(("group", "supergroup", "channel", "rave")), "title": "Группа"}


def _message(chance: random.Random, attacker: int, aims: Targets) -> dict[str, Any]:
    message: dict[str, Any] = {
        "message_id": chance.choice((chance.randrange(1, 10**6), chance.choice(aims.cards))),
        "from": _person(attacker),
        "chat": _chat(chance, attacker, aims),
        "date": 1776323915,
    }
    photo = [{"file_id": "a", "file_unique_id": "b", "width": 9, "height": 9, "file_size": 10**12}]
    paid = {
        "currency": "XTR",
        "total_amount": chance.choice((1, 10**6, -5)),
        "invoice_payload": f"topup:{attacker}",
        "telegram_payment_charge_id": "forged",
        "provider_payment_charge_id": "forged",
    }
    message |= chance.choice(
        (
            {"text": chance.choice(COMMANDS), "entities": [{"type": "bot_command", "offset": 0, "length": 6}]},
            {"text": chance.choice((*TEXTS, "кот"))},
            {"text": "кот", "reply_to_message": {**message, "from": {**_person(900900), "is_bot": True}}},
            {"photo": photo, "caption": chance.choice(TEXTS)},
            {"successful_payment": paid},
            {"refunded_payment": paid},
            {"sticker": {"file_id": "s", "file_unique_id": "u", "type": "regular", "width": 1, "height": 1}},
            {"document": {"file_id": "d", "file_unique_id": "u", "file_name": "../../x", "file_size": -1}},
            {"contact": {"phone_number": "0", "first_name": "x", "user_id": chance.choice(aims.victims)}},
            {"forward_origin": {"type": "hidden_user", "sender_user_name": "x", "date": 1}, "text": "/start"},
            {"web_app_data": {"data": "{}", "button_text": "x"}},
            {"users_shared": {"request_id": 1, "users": [{"user_id": 1}]}},
        )
    )
    return message


def _tap(chance: random.Random, attacker: int, aims: Targets) -> dict[str, Any]:
    tap: dict[str, Any] = {
        "id": str(chance.randrange(10**18)),
        "from": _person(attacker),
        "chat_instance": "1",
        "data": _button(chance, aims),
        "message": _message(chance, attacker, aims) | {"from": {**_person(900900), "is_bot": True}},
    }
    if chance.random() < 0.1:  # noqa: PLR2004  of a message too old to be shown
        tap["message"] = {"chat": _chat(chance, attacker, aims), "message_id": chance.choice(aims.cards), "date": 0}
    if chance.random() < 0.05:  # noqa: PLR2004  of an inline message
        del tap["message"]
        tap["inline_message_id"] = "i"
    return tap


def _button(chance: random.Random, aims: Targets) -> str:
    draft, job = chance.choice((*aims.drafts, 0, 2**63 - 1, 2**63)), chance.choice((*aims.jobs, 0, 2**63 - 1, -1))
    return chance.choice(
        (
            f"d:create:{draft}:{chance.randrange(4)}",
            f"d:create:{draft}:1",
            f"d:cancel:{draft}:1",
            f"d:change:{draft}:1",
            f"d:back:{draft}:1",
            f"e:{draft}:{chance.choice((0, 1, 99, -1))}",
            f"j:{job}:cancel",
            f"j:{job}:accept",
            f"j:{job}:again",
            f"j:{job}:noop",
            f"j:{job}:page:{chance.choice((0, 1, 2**31, -1))}",
            f"m:{chance.choice(('home', 'create', 'balance', 'history', 'help', 'lang', 'x'))}",
            f"n:{chance.choice(('z-image', 'nothing', '', '../x'))}",
            f"o:{chance.randrange(500)}:{chance.choice((0, 1, 2**31))}:{chance.choice((0, 1, 10**9))}",
            f"x:{chance.randrange(500)}",
            f"l:{chance.choice(('ru', 'en', 'xx', ''))}",
            chance.choice(TEXTS),
            ":::::",
            "d:create",
        )
    )


def _membership(chance: random.Random, attacker: int) -> dict[str, Any]:
    bot = {"id": 900900, "is_bot": True, "first_name": "b"}
    status = chance.choice(("member", "kicked", "left", "administrator", "owner"))
    return {
        "chat": {"id": attacker, "type": chance.choice(("private", "group")), "first_name": "x"},
        "from": _person(attacker),
        "date": 1776323915,
        "old_chat_member": {"user": bot, "status": "member"},
        "new_chat_member": {"user": bot, "status": status, "until_date": 0},
    }


def _checkout(chance: random.Random, attacker: int) -> dict[str, Any]:
    return {
        "id": str(chance.randrange(10**18)),
        "from": _person(attacker),
        "currency": chance.choice(("XTR", "RUB", "")),
        "total_amount": chance.choice((1, 0, -1, 2**63, 10**6)),
        "invoice_payload": chance.choice(TEXTS),
    }
