"""Monthly payments in Stars at the simulated Telegram: begun by a link, renewed, failed, canceled by either side."""

from pathlib import Path
from typing import Any

import pytest
from aiogram.exceptions import TelegramBadRequest, TelegramNetworkError
from aiogram.types import TransactionPartnerUser

from support.stars import MONTH_S, acting, bill, paid_by_link, payments_of, subscription_link, updates_of
from support.telegram_sim import ShiftedClock, running_telegram


async def test_the_first_month_says_that_it_is_the_first_and_when_it_ends() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        charge_id = await paid_by_link(telegram, bot, anna, await subscription_link(bot))
        (payment,) = await payments_of(bot)
        assert (payment.telegram_payment_charge_id, payment.invoice_payload) == (charge_id, "sub-1")
        assert (payment.is_recurring, payment.is_first_recurring) == (True, True)
        assert payment.subscription_expiration_date == int(clock()) + MONTH_S
        (row,) = (await bot.get_star_transactions()).transactions
        assert isinstance(row.source, TransactionPartnerUser)
        assert (row.id, row.source.subscription_period) == (charge_id, MONTH_S)


async def test_a_payment_that_is_no_subscription_says_nothing_of_months() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        await paid_by_link(telegram, bot, telegram.person(), await bot.create_invoice_link(**bill()))
        (payment,) = await payments_of(bot)
        assert (payment.is_recurring, payment.is_first_recurring, payment.subscription_expiration_date) == (None,) * 3
        (row,) = (await bot.get_star_transactions()).transactions
        assert isinstance(row.source, TransactionPartnerUser)
        assert row.source.subscription_period is None
        assert telegram.world.stars.subscriptions == {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"subscription_period": 60}, "SUBSCRIPTION_PERIOD_INVALID"),
        ({"subscription_period": -MONTH_S}, "SUBSCRIPTION_PERIOD_INVALID"),
        ({"prices": [{"label": "месяц", "amount": 10_001}]}, "STARS_AMOUNT_INVALID"),
        ({"currency": "RUB"}, "PAYMENT_PROVIDER_INVALID"),
    ],
)
async def test_a_link_takes_thirty_days_and_ten_thousand_stars_at_most(change: dict[str, Any], said: str) -> None:
    async with running_telegram() as telegram:
        good = {**bill(), "prices": [{"label": "месяц", "amount": 10_000}], "subscription_period": MONTH_S}
        assert (await telegram.raw("createInvoiceLink", **good))[0] == 200
        status, answer = await telegram.raw("createInvoiceLink", **{**good, **change})
        assert (status, answer["description"]) == (400, f"Bad Request: {said}")


async def test_an_invoice_message_is_never_a_subscription() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        wanted = {**bill(), "prices": [{"label": "месяц", "amount": 300}], "subscription_period": MONTH_S}
        _, answer = await telegram.raw("sendInvoice", chat_id=anna.user_id, **wanted)
        query_id = telegram.pays(anna, answer["result"]["message_id"])
        await bot.answer_pre_checkout_query(query_id, ok=True)
        assert telegram.world.stars.subscriptions == {}


async def test_a_renewal_has_a_charge_of_its_own_and_a_later_end() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot, acting(telegram) as act:
        first = await paid_by_link(telegram, bot, telegram.person(), await subscription_link(bot))
        ends = int(clock()) + MONTH_S
        clock.advance(MONTH_S)
        status, shown = await act(f"subscriptions/{first}/renew")
        assert (status, shown["state"], shown["until"]) == (200, "active", ends + MONTH_S)
        second = (await payments_of(bot))[-1]
        assert second.telegram_payment_charge_id == shown["charge_ids"][1] != first
        assert (second.is_recurring, second.is_first_recurring) == (True, None)
        assert second.subscription_expiration_date == ends + MONTH_S
        assert second.invoice_payload == "sub-1"
        listed = (await bot.get_star_transactions()).transactions
        assert [row.id for row in listed] == shown["charge_ids"]


async def test_a_failed_month_is_told_and_can_still_be_paid() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        first = await paid_by_link(telegram, bot, anna, await subscription_link(bot))
        await updates_of(bot)
        assert (await act(f"subscriptions/{first}/fail"))[1]["state"] == "failed"
        (update,) = await updates_of(bot)
        assert update.subscription is not None
        told = update.subscription
        assert (told.user.id, told.invoice_payload, told.state) == (anna.user_id, "sub-1", "failed")
        assert len((await bot.get_star_transactions()).transactions) == 1
        assert (await act(f"subscriptions/{first}/renew"))[1]["state"] == "active"


async def test_the_person_cancels_is_charged_no_more_and_may_come_back() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        first = await paid_by_link(telegram, bot, telegram.person(), await subscription_link(bot))
        await updates_of(bot)
        assert (await act(f"subscriptions/{first}/resume"))[0] == 400
        assert (await act(f"subscriptions/{first}/cancel"))[1]["state"] == "canceled"
        for impossible in ("renew", "fail", "cancel"):
            status, answer = await act(f"subscriptions/{first}/{impossible}")
            assert (status, "canceled" in answer["error"]) == (400, True)
        assert (await act(f"subscriptions/{first}/resume"))[1]["state"] == "active"
        assert (await act(f"subscriptions/{first}/renew"))[0] == 200
        told = [update.subscription.state for update in await updates_of(bot) if update.subscription]
        assert told == ["canceled", "active"]
        assert (await act("subscriptions/stxUnknown/renew"))[0] == 404


async def test_the_bot_cancels_and_only_it_can_let_the_person_resume() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        first = await paid_by_link(telegram, bot, anna, await subscription_link(bot))
        await updates_of(bot)
        for _ in range(2):
            assert await bot.edit_user_star_subscription(anna.user_id, first, is_canceled=True)
        assert (await act(f"subscriptions/{first}/renew"))[0] == 400
        assert (await act(f"subscriptions/{first}/resume"))[0] == 400
        assert await bot.edit_user_star_subscription(anna.user_id, first, is_canceled=False)
        assert (await act(f"subscriptions/{first}/renew"))[0] == 400
        assert await updates_of(bot) == []
        assert (await act(f"subscriptions/{first}/resume"))[0] == 200
        assert (await act(f"subscriptions/{first}/renew"))[0] == 200


async def test_the_bot_names_a_subscription_by_its_person_and_first_charge() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna, boris = telegram.person(), telegram.person("Борис")
        first = await paid_by_link(telegram, bot, anna, await subscription_link(bot))
        renewed = (await act(f"subscriptions/{first}/renew"))[1]["charge_ids"][1]
        wrong = [
            (anna.user_id, "stxUnknown", "CHARGE_ID_INVALID"),
            (anna.user_id, renewed, "CHARGE_ID_INVALID"),
            (boris.user_id, first, "CHARGE_ID_INVALID"),
            (99, first, "USER_ID_INVALID"),
            (0, first, "invalid user_id specified"),
        ]
        for user_id, charge_id, said in wrong:
            with pytest.raises(TelegramBadRequest, match=said):
                await bot.edit_user_star_subscription(user_id, charge_id, is_canceled=True)
        assert (await act(f"subscriptions/{first}/renew"))[0] == 200


async def test_one_link_is_one_subscription_for_each_person() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna, boris = telegram.person(), telegram.person("Борис")
        link = await subscription_link(bot)
        await paid_by_link(telegram, bot, anna, link)
        await paid_by_link(telegram, bot, boris, link)
        status, answer = await act(f"chats/{anna.user_id}/pay", link=link)
        assert (status, "SUBSCRIPTION_ALREADY_ACTIVE" in answer["error"]) == (400, True)
        clock.advance(MONTH_S)
        assert (await act(f"chats/{anna.user_id}/pay", link=link))[0] == 200


async def test_subscriptions_and_links_outlive_the_server(tmp_path: Path) -> None:
    state = tmp_path / "telegram.json"
    async with running_telegram(state_file=state) as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        link = await subscription_link(bot)
        first = await paid_by_link(telegram, bot, anna, link)
        await act(f"subscriptions/{first}/renew")
        await bot.refund_star_payment(anna.user_id, first)
        _, before = await act.look(f"chats/{anna.user_id}/subscriptions")
        listed = (await bot.get_star_transactions()).transactions
    async with running_telegram(state_file=state) as telegram, telegram.bot() as bot, acting(telegram) as act:
        assert (await act.look(f"chats/{anna.user_id}/subscriptions"))[1] == before
        assert (await bot.get_star_transactions()).transactions == listed
        assert (await act.look(f"chats/{anna.user_id}/invoice", link=link))[1]["amount"] == 300
        assert (await act(f"subscriptions/{first}/renew"))[0] == 200


async def test_a_lost_answer_to_the_bots_cancelling_has_canceled_all_the_same() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        first = await paid_by_link(telegram, bot, anna, await subscription_link(bot))
        telegram.faults.arm(world="telegram", method="editUserStarSubscription", action="drop_after")
        with pytest.raises(TelegramNetworkError):
            await bot.edit_user_star_subscription(anna.user_id, first, is_canceled=True)
        assert (await act(f"subscriptions/{first}/renew"))[0] == 400
