"""Payments in Stars at the simulated Telegram: the wait for the bot, the list, and updates that go astray."""

import pytest
from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest

from photomat_sandbox.telegram.app import expire_queries
from photomat_sandbox.telegram.people import ChatPerson
from support.stars import acting, bill, paid_by_link, payments_of, updates_of
from support.telegram_sim import RunningTelegram, ShiftedClock, running_telegram

TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


async def test_a_payment_nobody_answers_fails_and_costs_nothing() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, **bill())
        query_id = telegram.pays(anna, invoice.message_id)
        with telegram.world.stream.listen(anna.user_id) as shown:
            clock.advance(9.9)
            expire_queries(telegram.world)
            assert shown.empty()
            clock.advance(0.1)
            expire_queries(telegram.world)
            frames = b"".join(shown.get_nowait() or b"" for _ in range(shown.qsize())).decode()
        assert "BOT_PRECHECKOUT_TIMEOUT" in frames
        with pytest.raises(TelegramBadRequest, match=TOO_OLD):
            await bot.answer_pre_checkout_query(query_id, ok=True)
        assert (await bot.get_star_transactions()).transactions == []


async def test_the_wait_is_a_setting() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock, checkout_wait_s=2.0) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, **bill())
        late, in_time = (telegram.pays(anna, invoice.message_id) for _ in range(2))
        clock.advance(1.9)
        assert await bot.answer_pre_checkout_query(in_time, ok=True)
        clock.advance(0.1)
        with pytest.raises(TelegramBadRequest, match=TOO_OLD):
            await bot.answer_pre_checkout_query(late, ok=True)


async def test_a_checkout_is_answered_once_and_a_no_needs_its_reason() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, **bill())
        query_id = telegram.pays(anna, invoice.message_id)
        status, answer = await telegram.raw("answerPreCheckoutQuery", pre_checkout_query_id=query_id, ok=False)
        assert (status, answer["description"]) == (400, 'Bad Request: parameter "error_message" is required')
        assert await bot.answer_pre_checkout_query(query_id, ok=True)
        for ok in (True, False):
            with pytest.raises(TelegramBadRequest, match=TOO_OLD):
                await bot.answer_pre_checkout_query(query_id, ok=ok, error_message="нет")
        assert len(await payments_of(bot)) == 1


async def test_who_pays_a_link_without_having_started_the_bot_can_be_written_to() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        stranger = telegram.world.add_person(first_name="Вера")
        await paid_by_link(telegram, bot, stranger, await bot.create_invoice_link(**bill()))
        assert await bot.send_message(stranger.user_id, "спасибо")


async def test_who_blocked_the_bot_pays_nothing() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        link = await bot.create_invoice_link(**bill())
        telegram.blocks(anna)
        assert (await act(f"chats/{anna.user_id}/pay", link=link))[0] == 400


async def test_the_dialog_sees_the_bill_but_not_the_payload() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        link = await bot.create_invoice_link(**bill(50, "secret-payload"))
        assert link.startswith("https://t.me/$")
        status, shown = await act.look(f"chats/{anna.user_id}/invoice", link=link)
        assert (status, shown["title"], shown["amount"], shown["subscription_period"]) == (200, "100 монет", 50, 0)
        assert "secret-payload" not in str(shown)
        assert (await act.look(f"chats/{anna.user_id}/invoice", link="https://t.me/$none"))[0] == 400


async def test_the_list_only_grows_at_its_end_even_within_one_second() -> None:
    async with running_telegram(clock=ShiftedClock()) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        first, second = await paid(telegram, bot, anna), await paid(telegram, bot, anna)
        await bot.refund_star_payment(anna.user_id, first)
        third = await paid(telegram, bot, anna)
        rows = (await bot.get_star_transactions()).transactions
        assert [(row.id, bool(row.receiver)) for row in rows] == [
            (first, False),
            (second, False),
            (first, True),
            (third, False),
        ]
        after_two = (await bot.get_star_transactions(offset=2, limit=1)).transactions
        assert [(row.id, bool(row.receiver)) for row in after_two] == [(first, True)]


async def test_the_list_gives_a_hundred_rows_at_most() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for number in range(103):
            telegram.world.stars.charge(user_id=anna.user_id, amount=1, payload=str(number), now=1_800_000_000)
        _, answer = await telegram.raw("getStarTransactions", limit=1000)
        assert len(answer["result"]["transactions"]) == 100
        assert len((await bot.get_star_transactions(offset=100)).transactions) == 3
        assert (await bot.get_star_transactions(offset=103)).transactions == []


async def test_a_payment_whose_update_is_lost_is_still_in_the_list_and_can_be_told_later() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        await act("faults", method="update.successful_payment", action="never")
        lost, told = await paid(telegram, bot, anna), await paid(telegram, bot, anna)
        assert [payment.telegram_payment_charge_id for payment in await payments_of(bot)] == [told]
        assert [row.id for row in (await bot.get_star_transactions()).transactions] == [lost, told]
        await act(f"chats/{anna.user_id}/repeat_payment", charge_id=lost)
        assert [payment.telegram_payment_charge_id for payment in await payments_of(bot)] == [lost]


async def test_a_payment_is_repeated_word_for_word_under_new_numbers() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        charge_id = await paid(telegram, bot, anna)
        original = (await updates_of(bot))[-1]
        _, answer = await act(f"chats/{anna.user_id}/repeat_payment", count=40)
        again = await updates_of(bot)
        assert [update.update_id for update in again] == answer["update_ids"]
        assert len({original.update_id, *answer["update_ids"]}) == 41
        assert all(update.message == original.message for update in again)
        assert [row.id for row in (await bot.get_star_transactions()).transactions] == [charge_id]


async def test_nonsense_repeats_are_refused() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        repeat = f"chats/{anna.user_id}/repeat_payment"
        assert (await act(repeat))[0] == 400
        await paid(telegram, bot, anna)
        for nonsense in ({"count": 0}, {"count": 1001}, {"count": "много"}, {"charge_id": "stxUnknown"}):
            assert (await act(repeat, **nonsense))[0] == 400


async def test_updates_come_twice_or_after_the_next_when_told_so() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="update.message", action="duplicate")
        telegram.writes(anna, "дважды")
        telegram.faults.arm(world="telegram", method="update.message", action="reorder")
        telegram.writes(anna, "первое")
        telegram.writes(anna, "второе")
        texts = [update.message.text for update in await updates_of(bot) if update.message]
        assert texts == ["дважды", "дважды", "второе", "первое"]


async def test_a_fault_on_every_method_spares_the_updates() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="*", action="never")
        telegram.writes(anna, "раз")
        assert len(telegram.faults.pending()) == 1
        telegram.faults.clear()
        assert len(await updates_of(bot)) == 1


async def paid(telegram: RunningTelegram, bot: Bot, person: ChatPerson) -> str:
    return await paid_by_link(telegram, bot, person, await bot.create_invoice_link(**bill()))
