"""The simulated Telegram against a machine-readable Bot API specification: parameters, required ones, returned objects.

Every answer of `running_telegram` is compared with the specification in all other tests as well.
"""

from typing import Any, Final

import pytest

from photomat_sandbox.telegram.methods.registry import METHODS
from support.bot_api_calls import BOLD, KEYBOARD, MADE_OF, Caller
from support.bot_api_spec import faults_of, faults_of_result, parameters_of
from support.telegram_sim import running_telegram

OTHER_PLACES: Final = {
    "business_connection_id": "the simulated bot has no business accounts",
    "direct_messages_topic_id": "only of channels",
    "message_thread_id": "only of chats with topics",
    "suggested_post_parameters": "only of channels",
    "inline_message_id": "the simulated bot has no inline mode; such ids are refused",
    "certificate": "an upload",
    "provider_token": "must be empty for Stars",
}
NOT_REFUSED: Final = {
    ("setWebhook", "url"): "an empty URL means deleteWebhook",
    ("editUserStarSubscription", "is_canceled"): "what is not true is false",
}
"""Required by the specification, but the official server gives a missing one a meaning."""
PAY_BUTTON: Final = {"inline_keyboard": [[{"text": "Оплатить", "pay": True}]]}
SAMPLES: Final[dict[str, Any]] = {
    "allowed_updates": ["message", "callback_query"],
    "cache_time": 5,
    "caption": "подпись",
    "caption_entities": BOLD,
    "chat_id": None,
    "cover": None,
    "description": "описание",
    "duration": 3,
    "entities": BOLD,
    "error_message": "нет",
    "height": 10,
    "ip_address": "127.0.0.1",
    "language_code": "ru",
    "limit": 10,
    "link_preview_options": {"is_disabled": True},
    "max_connections": 7,
    "max_tip_amount": 0,
    "menu_button": {"type": "commands"},
    "message_effect_id": "5104841245755180586",
    "message_id": None,
    "name": "Имя",
    "offset": 0,
    "parse_mode": "HTML",
    "performer": "Кто-то",
    "photo_url": "https://shop.example/a.png",
    "provider_data": "{}",
    "provider_token": "",
    "reaction": [{"type": "emoji", "emoji": "👍"}],
    "reply_markup": KEYBOARD,
    "reply_parameters": {"message_id": 1, "allow_sending_without_reply": True},
    "rich_message": {"blocks": [{"type": "paragraph", "text": "абзац"}]},
    "scope": {"type": "all_private_chats"},
    "secret_token": "s",
    "short_description": "кратко",
    "start_parameter": "start",
    "subscription_period": 2_592_000,
    "suggested_tip_amounts": [],
    "text": "новый текст",
    "thumbnail": None,
    "timeout": 0,
    "title": "Название",
    "url": "https://t.me/photomat_sandbox_bot?start=x",
    "width": 10,
}
"""A value of each optional parameter that is not a Boolean or number; None where it is one of the baseline or a file."""


UPLOADED_ONLY: Final = "setMyProfilePhoto"
"""Its picture can only be uploaded, never named in JSON: test_telegram_simulator_local.py tries it."""


@pytest.mark.parametrize("method", sorted(METHODS.keys() - {UPLOADED_ONLY}))
async def test_a_method_takes_every_parameter_and_refuses_a_missing_required_one(method: str) -> None:
    async with running_telegram() as telegram:
        caller = Caller(telegram, telegram.person())
        await caller.call(method, **await caller.baseline(method))
        for name, required in parameters_of(method).items():
            params = await caller.baseline(method)
            if required:
                del params[name]
                if (method, name) not in NOT_REFUSED:
                    status, answer = await telegram.raw(method, **params)
                    assert status == 400, f"{method} without {name}: {answer}"
                    assert answer["description"].startswith("Bad Request: ")
            elif name not in OTHER_PLACES:
                sample = PAY_BUTTON if (method, name) == ("sendInvoice", "reply_markup") else SAMPLES.get(name, True)
                await caller.call(method, **(params if sample is None else params | {name: sample}))


async def test_every_update_is_an_update_of_the_specification() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person(username="anna")
        caller = Caller(telegram, anna)
        telegram.writes(anna, "/start привет @someone #тег https://shop.example anna@shop.example")
        for method in MADE_OF:
            await caller.media(method)
        telegram.taps(anna, await caller.message(reply_markup=KEYBOARD), "yes")
        charge = await caller.paid(monthly=True)
        await caller.call("refundStarPayment", user_id=anna.user_id, telegram_payment_charge_id=charge)
        telegram.blocks(anna)
        telegram.blocks(anna, blocked=False)
        updates = await caller.call("getUpdates")
        kinds = {kind for update in updates for kind in update if kind != "update_id"}
        assert kinds == {"message", "callback_query", "pre_checkout_query", "my_chat_member"}
        assert [faults_of("Update", update) for update in updates] == [[]] * len(updates)


def test_the_comparison_notices_what_is_missing_unknown_or_of_another_type() -> None:
    user = {"id": 1, "is_bot": True, "first_name": "Бот"}
    assert faults_of_result("getMe", user) == []
    assert faults_of_result("getMe", {"id": 1, "is_bot": True}) == ["getMe: User lacks first_name"]
    assert faults_of_result("getMe", user | {"shoe_size": 44}) == ["getMe: User has no field shoe_size"]
    assert faults_of_result("getMe", user | {"id": "1"}) == ["getMe.id: '1' is no Integer"]
    assert faults_of_result("getMe", user | {"id": True}) == ["getMe.id: True is no Integer"]
    assert faults_of_result("getUpdates", {}) == ["getUpdates: {} is no array"]
