"""Paying with Stars in the chat: the menu, the bill, the money, the news of it, and the order that waited."""

import pytest

from photomat.db.rows import require_row
from photomat.inbox.receive import receive
from photomat.kernel.ids import BotId
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.payments import repeat_payment
from support.conversation import Chat, conversation
from support.paying import (
    available,
    declines,
    labels,
    link_on_screen,
    payments_of,
    pays_the_bill,
    seen,
    shop_options,
    tell_all,
)
from support.payments import differences_of


async def opens_a_bill(chat: Chat, label: str = "⭐ 100") -> None:
    await chat.says("/topup")
    await chat.taps("⭐ Telegram Stars")
    await chat.taps(label)


async def test_a_package_of_stars_is_chosen_paid_credited_and_told_of(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/start")
        await chat.taps("💳 Пополнить")
        assert labels(chat) == ["⭐ Telegram Stars", "⭐ Подписка", "🏠 Меню"]
        await chat.taps("⭐ Telegram Stars")
        assert [label.replace("\N{NO-BREAK SPACE}", " ") for label in labels(chat)] == [
            "⭐ 50 → 52 ₽",
            "⭐ 100 → 104 ₽",
            "⭐ 500 → 546 ₽ (+5%)",
            "⬅️ Другой способ",
        ]
        await chat.taps("⭐ 500")
        messages = len(chat.screen())
        assert labels(chat) == ["⭐ Оплатить 500", "⬅️ Назад"]
        charge = await pays_the_bill(chat)
        assert charge is not None
        assert await payments_of(chat) == [(500, 54_600, "topup", "update")]
        assert len(chat.screen()) == messages + 1, "the payment's own line, and nothing of the handler's"
        await tell_all(chat)
        assert seen(chat) == "💰 Зачислено 546 ₽. Доступно: 546 ₽."


async def test_the_same_payment_told_a_hundred_times_is_one_credit_and_one_message(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        await pays_the_bill(chat)
        message = next(
            one for one in chat.telegram.world.chat_messages(chat.person.user_id) if "successful_payment" in one.extra
        )
        repeat_payment(chat.telegram.world, message, count=100)
        await chat.fetch()
        while await chat.worker.run_once():
            pass
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NOT NULL") > 100
        assert await payments_of(chat) == [(100, 10_400, "topup", "update")]
        assert await available(chat) == 10_400
        await tell_all(chat)
        assert sum("Зачислено" in str(one["text"]) for one in chat.screen()) == 1


async def test_a_paid_bill_is_not_paid_again_by_its_old_button(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        link = link_on_screen(chat)
        assert await pays_the_bill(chat, link=link) is not None
        assert await pays_the_bill(chat, link=link) is None
        assert declines(chat.telegram) == [
            "Этот счёт уже оплачен, второй раз ничего не списано. Пополнить ещё: /topup."
        ]
        assert await payments_of(chat) == [(100, 10_400, "topup", "update")]


async def test_a_second_payment_of_one_bill_that_arrives_anyway_is_credited(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        world, bill = chat.telegram.world, chat.telegram.world.bills[link_on_screen(chat)]
        for _ in range(2):
            person_acts.pay_bill(world, chat.person, bill)
        await chat.handle_all()
        await chat.handle_all()
        assert len(world.stars.charges) == 2, "both were asked about before either was paid"
        assert await payments_of(chat) == [(100, 10_400, "topup", "update")] * 2
        assert await available(chat) == 20_800


async def test_a_paid_bill_loses_its_button_and_the_news_offers_to_go_on(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        bill = chat.screen()[-1]["message_id"]
        await pays_the_bill(chat)
        await tell_all(chat)
        shown = next(message for message in chat.screen() if message["message_id"] == bill)
        assert "Счёт оплачен" in shown["text"]
        assert not shown["inline_keyboard"]
        assert labels(chat) == ["🖼 Создать картинку", "💰 Баланс"]
        assert "Z-Image" in "".join(await labels_after(chat, "🖼 Создать картинку"))


async def labels_after(chat: Chat, label: str) -> list[str]:
    await chat.taps(label)
    return labels(chat)


async def test_a_page_that_took_the_place_of_a_bill_stays_when_the_bill_is_paid(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        link = link_on_screen(chat)
        page = await chat.taps("⬅️ Назад")
        message_id = chat.screen()[-1]["message_id"]
        await pays_the_bill(chat, link=link)
        await tell_all(chat)
        assert next(one for one in chat.screen() if one["message_id"] == message_id)["text"] == page


async def test_a_bill_that_cannot_be_edited_any_more_takes_nothing_from_the_news(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        await pays_the_bill(chat)
        chat.telegram.faults.arm(
            world="telegram", method="editMessageText", action="error", status=400, code=400, text="Bad Request: no"
        )
        await tell_all(chat)
        assert "Зачислено" in chat.newest


async def test_a_forwarded_bill_that_another_person_paid_stays_as_it_is(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        await pays_the_bill(chat, person=chat.telegram.person("Борис"))
        await tell_all(chat)
        assert "Счёт оплачен" not in "".join(str(message["text"]) for message in chat.screen())


async def test_a_forwarded_bill_credits_whoever_pays_it(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        boris = chat.telegram.person("Борис")
        await pays_the_bill(chat, person=boris)
        assert await payments_of(chat) == []
        assert await payments_of(chat, boris) == [(100, 10_400, "topup", "update")]
        assert await available(chat, boris) == 10_400


async def test_a_payment_is_no_answer_to_an_open_question(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        link = link_on_screen(chat)
        await chat.taps("⬅️ Назад")
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        await pays_the_bill(chat, link=link)
        assert await available(chat) == 10_400
        await chat.says("кот-космонавт")
        assert "1:1" in labels(chat), "the question for a prompt was still open"


async def test_a_refund_told_by_telegram_leaves_the_wallet_and_what_was_spent_becomes_debt(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat, "⭐ 50")
        charge = await pays_the_bill(chat)
        assert charge is not None
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        await chat.bot.refund_star_payment(chat.person.user_id, charge.charge_id)
        await chat.handle_all()
        wallet = await require_row(
            chat.pool, "SELECT posted, held, owed FROM wallets WHERE user_id = $1", chat.person.user_id
        )
        assert wallet["posted"] == wallet["held"] == wallet["owed"] > 0
        await tell_all(chat)
        assert "за вами долг" in seen(chat)


@pytest.mark.parametrize("returns", ["unblocks", "writes"])
async def test_news_of_money_waits_for_whoever_has_blocked_the_bot(database: str, returns: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await opens_a_bill(chat)
        await pays_the_bill(chat)
        if returns == "writes":
            chat.telegram.faults.arm(world="telegram", method="update.my_chat_member", action="never", times=2)
        person_acts.set_blocked(chat.telegram.world, chat.person, blocked=True)
        await chat.handle_all()
        await tell_all(chat)
        person_acts.set_blocked(chat.telegram.world, chat.person, blocked=False)
        await chat.handle_all()
        if returns == "writes":
            await chat.says("/start")
        await tell_all(chat)
        assert sum("Зачислено" in str(one["text"]) for one in chat.screen()) == 1


async def test_money_that_was_missing_is_paid_and_the_kept_order_runs_by_one_tap(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.orders_a_cat()
        card = chat.screen()[-1]["message_id"]
        assert labels(chat)[:2] == ["✅ Создать · 0,64\N{NO-BREAK SPACE}₽", "💳 Пополнить"]
        await chat.taps("✅ Создать")
        assert "Не хватает" in chat.answers[-1]
        await chat.taps("💳 Пополнить")
        assert chat.screen()[-1]["message_id"] != card
        assert "не хватает 0,64 ₽" in seen(chat)
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 50")
        assert any(one["message_id"] == card for one in chat.screen()), "the filled card stays"
        await pays_the_bill(chat)
        await tell_all(chat)
        assert labels(chat)[0].startswith("✅ Создать · 0,64")
        notice = chat.screen()[-1]["message_id"]
        await chat.taps("✅ Создать", message_id=notice)
        job = await require_row(chat.pool, "SELECT card_message_id, price FROM generation_jobs")
        assert (job["card_message_id"], job["price"]) == (notice, 64)
        await chat.taps("✅ Создать", message_id=card)
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
        assert "уже" in chat.answers[-1]


async def test_the_price_of_the_kept_order_changed_meanwhile_so_its_card_is_shown_anew(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.orders_a_cat()
        await chat.taps("💳 Пополнить")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 50")
        await pays_the_bill(chat)
        await tell_all(chat)
        await chat.pool.execute("UPDATE drafts SET price = 63, revision = revision + 1")
        await chat.taps("✅ Создать · 0,64", message_id=chat.screen()[-1]["message_id"])
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        assert "кот-космонавт" in seen(chat)


async def test_more_payments_than_a_day_allows_are_refused_with_the_time_until_it_does(database: str) -> None:
    async with conversation(database, options=shop_options(a_day=1), welcome=0) as chat:
        await opens_a_bill(chat, "⭐ 50")
        link = link_on_screen(chat)
        assert await pays_the_bill(chat, link=link) is not None
        assert await pays_the_bill(chat, link=link) is None, "declined before anything is paid"
        await chat.says("/topup")
        text = (await chat.taps("⭐ Telegram Stars")).replace("\N{NO-BREAK SPACE}", " ")
        assert "за сутки можно 1" in text
        assert "через 24 ч" in text or "через 23 ч" in text


async def test_where_nothing_is_switched_on_a_sentence_says_so(database: str) -> None:
    options = shop_options(packages=(), plan=None)
    async with conversation(database, options=options) as chat:
        assert "не подключена" in await chat.says("/topup")


@pytest.mark.parametrize(
    ("told", "amount", "currency"),
    [
        ("successful_payment", -5, "XTR"),
        ("successful_payment", 0, "XTR"),
        ("successful_payment", 2**62, "XTR"),
        ("successful_payment", 100, "USD"),
        ("refunded_payment", -5, "XTR"),
        ("refunded_payment", 2**62, "XTR"),
    ],
)
async def test_what_cannot_be_a_payment_in_stars_moves_nothing_and_is_somebodys_to_look_at(
    database: str, told: str, amount: int, currency: str
) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/start")
        sender = {"id": chat.person.user_id, "is_bot": False, "first_name": "Анна"}
        forged = {
            "currency": currency,
            "total_amount": amount,
            "invoice_payload": "t:1",
            "telegram_payment_charge_id": "forged",
            "provider_payment_charge_id": "",
        }
        message = {"message_id": 900, "from": sender, "chat": {"id": sender["id"], "type": "private"}, "date": 1}
        update = {"update_id": 9_000, "message": {**message, told: forged}}
        await receive(chat.pool, bot_id=BotId(chat.bot.id), updates=[update])
        await chat.handle_all()
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE parked_at IS NOT NULL") == 0
        assert (await payments_of(chat), await available(chat)) == ([], 0)
        ((kind, reference, *_),) = await differences_of(chat.pool)
        assert (kind, reference) == ("stars-nonsense", "payment:stars:forged")
