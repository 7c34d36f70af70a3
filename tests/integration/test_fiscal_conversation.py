"""Topping up by card in a shop that must send receipts: the contact is asked once, changed later, and never in the way."""

from dataclasses import replace
from typing import Any

import pytest

from photomat.payments.fiscal_terms import FiscalOptions
from support.conversation import Chat, conversation
from support.pay_sim import RunningPay, running_pay
from support.paying import labels, link_on_screen, seen, shop_options

FISCAL = FiscalOptions(form="54fz", item="Пополнение баланса", vat_code=4)
CARD = "💳 Карта"


def chat_in(database: str, pay: RunningPay, fiscal: FiscalOptions | None = FISCAL) -> Any:
    """A person in a shop with this YooKassa, which demands receipts."""
    pay.shop.switches["receipts_required"] = True
    return conversation(database, options=shop_options(), providers={"yookassa": pay.yookassa}, fiscal=fiscal)


async def chooses(chat: Chat, amount: str = "300") -> str:
    await chat.says("/topup")
    await chat.taps(CARD)
    return await chat.taps(amount)


def customers(pay: RunningPay) -> list[dict[str, str]]:
    """Who stands in the receipts of the payments, oldest first."""
    return [dict((payment.order.receipt or {})["customer"]) for payment in pay.shop.payments.values()]


async def test_the_contact_is_asked_once_and_the_chosen_sum_is_kept(database: str) -> None:
    async with running_pay() as pay, chat_in(database, pay) as chat:
        asked = await chooses(chat)
        assert "Куда прислать чек" in asked
        assert "300" in asked
        assert not pay.shop.payments
        assert "ни на адрес почты" in await chat.says("зачем?")
        assert "В адресе почты ошибка" in await chat.says("anna@example")
        assert "В номере телефона ошибка" in await chat.says("12345")
        await chat.sends(b"not a picture", kind="document", name="x.txt")
        bill = await chat.says("anna@example.org")
        assert "счёт на 300" in bill.replace("\N{NO-BREAK SPACE}", " ")
        assert "Чек придёт на anna@example.org" in bill
        assert link_on_screen(chat).startswith(pay.url)
        await chooses(chat, "500")
        assert "счёт на 500" in seen(chat)
        assert customers(pay) == [{"email": "anna@example.org"}] * 2
        assert [payment.order.amount for payment in pay.shop.payments.values()] == [300, 500]


async def test_the_contact_is_changed_and_deleted_in_the_balance(database: str) -> None:
    async with running_pay() as pay, chat_in(database, pay) as chat:
        await chat.says("/balance")
        assert "не указано, куда" in await chat.taps("🧾 Куда присылать чеки")
        assert "Куда прислать чек" in await chat.taps("✏️ Указать")
        assert "придут на anna@example.org" in await chat.says("anna@example.org")
        await chooses(chat)
        await chat.says("/balance")
        await chat.taps("🧾 Куда присылать чеки")
        await chat.taps("✏️ Сменить")
        await chat.says("8 (900) 123-45-67")
        assert "+79001234567" in chat.newest
        await chooses(chat)
        assert customers(pay) == [{"email": "anna@example.org"}, {"phone": "79001234567"}]
        await chat.says("/balance")
        await chat.taps("🧾 Куда присылать чеки")
        await chat.taps("🗑 Удалить")
        assert chat.answers[-1].startswith("Удалено")
        assert await chat.pool.fetchval("SELECT count(*) FROM fiscal_contacts") == 0
        assert "Куда прислать чек" in await chooses(chat)


async def test_the_question_can_be_left(database: str) -> None:
    async with running_pay() as pay, chat_in(database, pay) as chat:
        await chooses(chat)
        await chat.says("/cancel")
        assert await chat.pool.fetchval("SELECT state FROM conversations") is None
        await chooses(chat)
        await chat.taps("⬅️ Назад")
        assert "✍️ Своя сумма" in labels(chat)
        assert await chat.pool.fetchval("SELECT state FROM conversations") is None
        await chooses(chat)
        assert "Доступно" in await chat.says("/balance")
        assert "Чек придёт" not in await chat.says("anna@example.org"), "another page was opened meanwhile"
        assert not pay.shop.payments


async def test_where_receipts_go_to_addresses_alone_a_number_is_asked_again(database: str) -> None:
    fiscal = replace(FISCAL, email_only=True)
    async with running_pay() as pay, chat_in(database, pay, fiscal) as chat:
        pay.shop.switches["email_only"] = True
        await chat.says("/topup")
        await chat.pool.execute(
            "INSERT INTO fiscal_contacts (user_id, kind, contact) VALUES ($1, 'phone', '79001234567')",
            chat.person.user_id,
        )
        assert "адрес электронной почты:" in await chooses(chat)
        assert "только на почту" in await chat.says("+79001234567")
        await chat.says("anna@example.org")
        assert customers(pay) == [{"email": "anna@example.org"}]


async def test_a_shop_that_wants_receipts_nobody_sends_names_the_setting(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_pay() as pay, chat_in(database, pay, fiscal=None) as chat:
        told = await chooses(chat)
        assert "сейчас недоступен, ничего не списано" in told
        assert any("Другой способ" in label for label in labels(chat))
        row = await chat.pool.fetchrow("SELECT provider, setting, times FROM fiscal_refusals")
        assert tuple(row) == ("yookassa", "YOOKASSA_RECEIPTS", 1)
        assert "change_setting=YOOKASSA_RECEIPTS" in capsys.readouterr().out
        pay.shop.switches["receipts_required"] = False
        await chooses(chat)
        assert await chat.pool.fetchval("SELECT count(*) FROM fiscal_refusals") == 0
