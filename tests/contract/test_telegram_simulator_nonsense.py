"""The simulated Telegram answers any nonsense with JSON and a code that Telegram uses, never with a crash."""

import random
from typing import Any

from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.bot_api import BotApi
from photomat_sandbox.telegram.call import Params, UploadedFile, params_of_json
from photomat_sandbox.telegram.errors import ApiError
from photomat_sandbox.telegram.methods.registry import METHODS
from photomat_sandbox.telegram.world import TelegramWorld
from support.telegram_sim import outcome_of

NAMES = [
    "chat_id",
    "from_chat_id",
    "user_id",
    "message_id",
    "message_ids",
    "text",
    "caption",
    "parse_mode",
    "entities",
    "caption_entities",
    "reply_markup",
    "reply_parameters",
    "media",
    "photo",
    "video",
    "document",
    "audio",
    "voice",
    "animation",
    "action",
    "offset",
    "limit",
    "allowed_updates",
    "url",
    "secret_token",
    "title",
    "description",
    "payload",
    "currency",
    "prices",
    "commands",
    "scope",
    "language_code",
    "reaction",
    "draft_id",
    "file_id",
    "ok",
    "menu_button",
    "callback_query_id",
    "pre_checkout_query_id",
    "name",
    "inline_message_id",
    "telegram_payment_charge_id",
    "link_preview_options",
    "max_connections",
    "error_message",
]
VALUES: tuple[Any, ...] = (
    5_000_001, 1, 2, 3, -5, 0, 10**30, "1", "x", "", "<b>", "*", "HTML", "MarkdownV2", "XTR", "typing", True,
    [], {}, [1], ["x"], [[]], [{}], [None], {"message_id": "x"}, {"type": "photo"}, {"type": "photo", "media": 5},
    {"type": "photo", "media": "attach://a", "caption": 5}, {"type": "video", "media": "attach://a", "width": "x"},
    [{"type": "photo", "media": "attach://a"}] * 2, {"inline_keyboard": 5}, {"inline_keyboard": [[5]]},
    {"inline_keyboard": [[{"text": "a", "callback_data": {}}]]}, {"keyboard": [["a", {"text": 5}]]},
    {"inline_keyboard": [[{"text": "a", "url": "http://[::"}]]}, [{"type": "bold", "offset": "x", "length": 1}],
    [{"label": "a", "amount": "x"}], [{"command": 5}], {"type": ["chat"]}, "AgACAgIAAxzzzz", "http://[", "a.b",
)  # fmt: skip


async def test_no_combination_of_junk_parameters_crashes_a_method() -> None:
    world = TelegramWorld()
    api = BotApi(world, Faults())
    person = world.add_person(first_name="Анна", started=True)
    await api.call("sendMessage", params_of_json({"chat_id": person.user_id, "text": "карточка"}))
    dice = random.Random(7)  # noqa: S311 - a repeatable shuffle of junk
    methods = [name for name in METHODS if name != "getUpdates"]
    refusals: list[int] = []
    for _ in range(6000):
        junk = {name: dice.choice(VALUES) for name in dice.sample(NAMES, k=dice.randint(0, 14))}
        body = {"chat_id": person.user_id, "message_id": 1, "text": "x", **junk}
        files = {"a": UploadedFile(name="a", data=b"ID3 some bytes"), "photo": UploadedFile(name="p", data=b"junk")}
        outcome = await outcome_of(api.call(dice.choice(methods), Params(params_of_json(body).values, files)))
        if isinstance(outcome, Exception) and not isinstance(outcome, ApiError):
            raise outcome
        refusals.append(outcome.code if isinstance(outcome, ApiError) else 200)
    assert set(refusals) <= {200, 400, 403, 404, 409, 413, 429}
    assert refusals.count(400) > 1000
    assert refusals.count(200) > 1000
