"""The simulated Telegram's people tap, block and pay; the bot's answers work once and in time."""

from typing import Any

import pytest
from aiogram.exceptions import TelegramBadRequest, TelegramForbiddenError
from aiogram.types import (
    BotCommand,
    BotCommandScopeChat,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LabeledPrice,
    Message,
    ReactionTypeEmoji,
    ReactionTypeUnion,
    TransactionPartnerUser,
)

from photomat_sandbox.telegram.world import commands_for
from support.telegram_sim import ShiftedClock, running_telegram

TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
BUTTON = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="Создать", callback_data="create:1")]])
STARS: dict[str, Any] = {
    "title": "100 монет",
    "description": "Пополнение",
    "payload": "topup-1",
    "currency": "XTR",
    "prices": [LabeledPrice(label="100 монет", amount=50)],
}


async def test_a_tap_carries_the_card_and_is_answered_once() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка", reply_markup=BUTTON)
        query_id = telegram.taps(anna, card.message_id, "create:1")
        query = (await bot.get_updates())[0].callback_query
        assert query is not None
        assert isinstance(query.message, Message)
        assert (query.id, query.data, query.from_user.id) == (query_id, "create:1", anna.user_id)
        assert query.message.message_id == card.message_id
        assert query.message.reply_markup is not None
        assert query.message.reply_markup.inline_keyboard[0][0].callback_data == "create:1"
        assert await bot.answer_callback_query(query_id, text="Запускаю")
        with pytest.raises(TelegramBadRequest, match=TOO_OLD):
            await bot.answer_callback_query(query_id)


async def test_an_answer_after_150_seconds_is_too_late() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка", reply_markup=BUTTON)
        in_time = telegram.taps(anna, card.message_id, "create:1")
        clock.advance(1)
        late = telegram.taps(anna, card.message_id, "create:1")
        clock.advance(148.5)
        assert await bot.answer_callback_query(in_time)
        clock.advance(2)
        with pytest.raises(TelegramBadRequest, match=TOO_OLD):
            await bot.answer_callback_query(late)


async def test_a_block_closes_the_chat_until_it_is_taken_back() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.blocks(anna)
        for call in (
            bot.send_message(anna.user_id, "эй"),
            bot.send_chat_action(anna.user_id, "typing"),
        ):
            with pytest.raises(TelegramForbiddenError, match="Forbidden: bot was blocked by the user"):
                await call
        telegram.blocks(anna, blocked=False)
        await bot.send_message(anna.user_id, "снова здравствуйте")
        moves = [update.my_chat_member for update in await bot.get_updates()]
        assert [(m.old_chat_member.status, m.new_chat_member.status) for m in moves if m] == [
            ("member", "kicked"),
            ("kicked", "member"),
        ]


async def test_stars_are_paid_once_the_checkout_is_answered() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, **STARS)
        assert invoice.invoice is not None
        assert invoice.invoice.total_amount == 50
        first = telegram.pays(anna, invoice.message_id)
        assert await bot.answer_pre_checkout_query(first, ok=True)
        second = telegram.pays(anna, invoice.message_id)
        await bot.answer_pre_checkout_query(second, ok=True)
        paid = [u.message.successful_payment for u in await bot.get_updates() if u.message]
        charges = [payment.telegram_payment_charge_id for payment in paid if payment]
        assert len(set(charges)) == 2
        assert {payment.invoice_payload for payment in paid if payment} == {"topup-1"}
        assert (await bot.get_my_star_balance()).amount == 100


async def test_a_refund_happens_once_and_the_list_tells_both() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, **STARS)
        await bot.answer_pre_checkout_query(telegram.pays(anna, invoice.message_id), ok=True)
        listed = (await bot.get_star_transactions()).transactions
        assert isinstance(listed[0].source, TransactionPartnerUser)
        assert listed[0].source.invoice_payload == "topup-1"
        assert await bot.refund_star_payment(anna.user_id, listed[0].id)
        with pytest.raises(TelegramBadRequest, match="CHARGE_ALREADY_REFUNDED"):
            await bot.refund_star_payment(anna.user_id, listed[0].id)
        both = (await bot.get_star_transactions()).transactions
        assert [(row.id, bool(row.receiver)) for row in both] == [(listed[0].id, False), (listed[0].id, True)]
        assert (await bot.get_my_star_balance()).amount == 0
        refunds = [u.message.refunded_payment for u in await bot.get_updates() if u.message]
        assert refunds[-1] is not None


async def test_a_checkout_waits_ten_seconds_only() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, **STARS)
        refused = telegram.pays(anna, invoice.message_id)
        await bot.answer_pre_checkout_query(refused, ok=False, error_message="Закрыто")
        late = telegram.pays(anna, invoice.message_id)
        clock.advance(10)
        with pytest.raises(TelegramBadRequest, match=TOO_OLD):
            await bot.answer_pre_checkout_query(late, ok=True)
        assert telegram.world.stars.charges == []


async def test_a_bad_invoice_is_refused() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()
        good = {**STARS, "chat_id": anna.user_id, "prices": [{"label": "монеты", "amount": 50}]}
        assert (await telegram.raw("sendInvoice", **good))[0] == 200
        changes: list[dict[str, Any]] = [
            {"title": "т" * 33},
            {"currency": "RUB"},
            {"prices": []},
            {"prices": [{"label": "a", "amount": 1}] * 2},
            {"payload": "п" * 65},
        ]
        for change in changes:
            assert (await telegram.raw("sendInvoice", **{**good, **change}))[0] == 400
        assert len(telegram.seen(anna)) == 1


async def test_the_narrowest_command_list_wins() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna, john = telegram.person(), telegram.person("John", language_code="en")
        await bot.set_my_commands([BotCommand(command="start", description="Начать")])
        await bot.set_my_commands([BotCommand(command="start", description="Start")], language_code="en")
        await bot.set_my_commands(
            [BotCommand(command="admin", description="Пульт")], scope=BotCommandScopeChat(chat_id=anna.user_id)
        )
        assert commands_for(telegram.world, anna) == [{"command": "admin", "description": "Пульт"}]
        assert commands_for(telegram.world, john) == [{"command": "start", "description": "Start"}]
        assert [c.description for c in await bot.get_my_commands(language_code="en")] == ["Start"]
        await bot.delete_my_commands(scope=BotCommandScopeChat(chat_id=anna.user_id))
        assert commands_for(telegram.world, anna)[0]["description"] == "Начать"


async def test_messages_are_deleted_pinned_copied_and_reacted_to() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        theirs = telegram.writes(anna, "привет")
        mine = await bot.send_message(anna.user_id, "ответ")
        await bot.pin_chat_message(anna.user_id, mine.message_id)
        pinned = (await bot.get_chat(anna.user_id)).pinned_message
        assert isinstance(pinned, Message)
        assert pinned.message_id == mine.message_id
        heart: list[ReactionTypeUnion] = [ReactionTypeEmoji(emoji="❤")]
        assert await bot.set_message_reaction(anna.user_id, theirs.message_id, reaction=heart)
        copied = await bot.copy_message(anna.user_id, anna.user_id, theirs.message_id)
        assert copied.message_id > mine.message_id
        assert await bot.delete_message(anna.user_id, mine.message_id)
        with pytest.raises(TelegramBadRequest, match="message to delete not found"):
            await bot.delete_message(anna.user_id, mine.message_id)
        with pytest.raises(TelegramBadRequest, match="message to react not found"):
            await bot.set_message_reaction(anna.user_id, mine.message_id, reaction=heart)
        clock.advance(48 * 3600 + 1)
        with pytest.raises(TelegramBadRequest, match="message can't be deleted for everyone"):
            await bot.delete_message(anna.user_id, copied.message_id)


async def test_many_messages_are_forwarded_and_copied_and_missing_ones_skipped() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna, boris = telegram.person(), telegram.person("Борис")
        kept = await bot.send_message(anna.user_id, "раз")
        secret = await bot.send_message(anna.user_id, "два", protect_content=True)
        numbers = [kept.message_id, secret.message_id, 99]
        assert len(await bot.forward_messages(boris.user_id, anna.user_id, numbers)) == 1
        assert len(await bot.copy_messages(boris.user_id, anna.user_id, numbers)) == 2
        assert [message["text"] for message in telegram.seen(boris)] == ["раз", "раз", "два"]
        with pytest.raises(TelegramBadRequest, match="there are no messages to forward"):
            await bot.forward_messages(boris.user_id, anna.user_id, [99])


async def test_private_chats_share_one_rising_sequence_of_ids() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna, boris = telegram.person(), telegram.person("Борис")
        ids = [
            telegram.writes(anna, "раз").message_id,
            (await bot.send_message(boris.user_id, "два")).message_id,
            (await bot.send_message(anna.user_id, "три")).message_id,
        ]
        assert ids == [1, 2, 3]
        with pytest.raises(TelegramBadRequest, match="message to edit not found"):
            await bot.edit_message_text("чужое", chat_id=anna.user_id, message_id=2)
