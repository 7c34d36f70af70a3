"""Hostile payloads: values no honest caller sends, and Telegram updates of every kind made of them.

Everything is decided by the `random.Random` argument, so it repeats. A payload is mutated in place (wrong types, missing and
strange keys, monstrous values) and then encoded: as plain JSON, JSON in other encodings, JSON that Python's own writer would
never write, half of it, or no JSON at all. An attacker may write anything anywhere, but `from` is set by Telegram: a victim is
never the sender.
"""

import copy
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from photomat.bot.app import COMMANDS

TEXTS: Final = (
    "",
    " ",
    "0",
    "null",
    "true",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff\ud800",
    "é\u0301\u202e\u2066",
    "𝕬" * 70,
    "%s%n%00../../etc/passwd",
    "'; DROP TABLE users; --",
    "<b>not closed <a href='",
    "{0.__class__}",
    "@everyone",
    "-1",
    "1e999",
    "٣٣٣",
    "success",
    "fail",
    "ü" * 3000,
    "🙂" * 2100,
    "A" * 7000,
)
NUMBERS: Final = (0, -0, 1, -1, 2, 3, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 10**400)
ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0.5,
    -0.0,
    1e308,
    5e-324,
    [],
    {},
    [[]],
    [None],
    {"": None},
    [{}],
    {"a": {"b": {"c": []}}},
)
RAW: Final[dict[str, Callable[[random.Random], str]]] = {
    "deep list": lambda chance: "[" * (depth := _depth(chance)) + "]" * depth,
    "deep object": lambda chance: '{"a":' * (depth := _depth(chance)) + "1" + "}" * depth,
    "unclosed": lambda chance: "[" * _depth(chance),
    "NaN": lambda chance: chance.choice(("NaN", "Infinity", "-Infinity")),
    "too large": lambda chance: chance.choice(("1e999", "-1e999", "1e400", "1.7976931348623159e308")),
    "too small": lambda _chance: "1e-5000",
    "many digits": lambda chance: "9" * chance.choice((25, 4000, 4299, 4301, 40_000)),
    "many decimals": lambda chance: "0." + "1" * chance.choice((400, 20_000)),
    "same key twice": lambda _chance: '{"id":1,"id":"2","taskId":"a","taskId":7}',
    "half a pair": lambda chance: chance.choice(
        (r'"\ud83d"', r'"\udc00\ud800"', r'"\u0000"', r'"\\u0000"', r'"\\\u0000"')
    ),
    "long list": lambda chance: "[" + "0," * chance.choice((100, 1000, 20_000)) + "0]",
    "wide object": lambda chance: (
        "{" + "".join(f'"{n}":{n},' for n in range(chance.choice((50, 500, 3000)))) + '"z":0}'
    ),
    "comment": lambda _chance: "/* */ 1",
    "single quotes": lambda _chance: "'a'",
}
"""JSON text no writer makes; it stands in a payload under a mark and is put in when the payload becomes text."""

MONSTER_BYTES: Final = 5 * 2**20
ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-32-be", "utf-8-sig", "latin-1", "cp1251")


def nasty(chance: random.Random) -> Any:
    kind = chance.randrange(10)
    if kind < 4:  # noqa: PLR2004  shares of ten, here and below
        return chance.choice(TEXTS)
    if kind < 7:  # noqa: PLR2004
        return chance.choice(NUMBERS) + chance.choice((0, 0, 1, -1))
    if kind < 9:  # noqa: PLR2004
        return copy.deepcopy(chance.choice(ODD))
    return mark(chance.choice(tuple(RAW)))


def mark(name: str) -> str:
    """The placeholder of a raw text inside a payload."""
    return f"@raw {name}@"


def mutated(chance: random.Random, payload: Any, times: int) -> Any:
    """A copy of the payload with this many places made hostile."""
    found = json.loads(json.dumps(payload))
    for _ in range(times):
        place = _some_place(chance, found)
        if place is None:
            return nasty(chance)
        _spoil(chance, *place)
    return found


def as_text(chance: random.Random, payload: Any) -> str:
    """The payload as JSON text, with the raw texts put in."""
    text = json.dumps(payload, ensure_ascii=chance.random() < 0.5)  # noqa: PLR2004  one half
    for name, write in RAW.items():
        if mark(name) in text:
            text = text.replace(f'"{mark(name)}"', write(chance))
    return text


def dressed(chance: random.Random, payload: Any) -> bytes:
    """The payload as the bytes of a body: mostly plain JSON, else truncated, corrupted or in another encoding."""
    text = as_text(chance, payload)
    plain = text.encode("utf-8", "surrogatepass")
    dress = chance.randrange(100)
    if dress < 72:  # noqa: PLR2004  shares of a hundred, here and below
        return plain
    if dress < 80:  # noqa: PLR2004
        return plain[: chance.randrange(len(plain) + 1)]
    if dress < 85:  # noqa: PLR2004
        return _flipped(chance, plain)
    if dress < 90:  # noqa: PLR2004
        return text.encode(chance.choice(ENCODINGS), "replace")
    if dress < 95:  # noqa: PLR2004
        return plain + chance.choice((b"\x00", b"\xff\xfe", b"}", b" " * 1000, plain, b"\n{}"))
    if dress < 99 or chance.random() < 0.9:  # noqa: PLR2004
        return chance.randbytes(chance.choice((0, 1, 7, 200, 5000)))
    return b'{"data":{"taskId":"t"},"x":"' + b"A" * chance.choice((100_000, MONSTER_BYTES)) + b'"}'


def _depth(chance: random.Random) -> int:
    return chance.choice((3, 60, 300, 480, 700, 900, 950, 970, 980, 985, 990, 993, 996, 1000, 1005, 5000, 60_000))


def _some_place(chance: random.Random, payload: Any) -> tuple[Any, Any] | None:
    """A container inside the payload and a key of it, any depth alike."""
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        for key in keys:
            places.append((value, key))
            visit(value[key])

    visit(payload)
    return chance.choice(places) if places else None


def _spoil(chance: random.Random, container: Any, key: Any) -> None:
    changes = (
        lambda: container.__setitem__(key, nasty(chance)),
        lambda: container.__setitem__(key, nasty(chance)),
        lambda: container.__setitem__(key, nasty(chance)),
        lambda: container.__delitem__(key),
        lambda: container.__setitem__(key, [container[key]]),
        lambda: container.__setitem__(key, str(container[key])),
        lambda: _rename(chance, container, key),
    )
    chance.choice(changes)()


def _rename(chance: random.Random, container: Any, key: Any) -> None:
    if isinstance(container, dict):
        container[chance.choice((*TEXTS[:20], key.upper(), f"{key} "))] = container.pop(key)
    else:
        container.append(copy.deepcopy(container[key]))


def _flipped(chance: random.Random, body: bytes) -> bytes:
    spoiled = bytearray(body)
    for _ in range(chance.randint(1, 8)):
        if spoiled:
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
    return bytes(spoiled)


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
COMMAND_TEXTS: Final = (*(f"/{name}" for name in COMMANDS), "/start ref_1", "/nothing", "/start@x")


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
            {"text": chance.choice(COMMAND_TEXTS), "entities": [{"type": "bot_command", "offset": 0, "length": 6}]},
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
