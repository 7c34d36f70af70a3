"""Paying by a provider in the chat: sums, one's own sum, the bill, the question whether it is paid; support and terms."""

import pytest

from photomat.bot.context import Support
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Rejected, Transient
from photomat.payments.invoices import InvoicePoller
from photomat.providers.port import Invoice, InvoiceTerms
from support.conversation import Chat, conversation
from support.database import shift_clock
from support.money import rub
from support.paying import (
    available,
    labels,
    link_on_screen,
    pays_the_bill,
    seen,
    shop_options,
    tell_all,
)
from support.payments import ScriptedProvider
from support.rewards import a_code

NBSP = "\N{NO-BREAK SPACE}"


class Silent(ScriptedProvider):
    """A provider that is in trouble."""

    trouble: PhotomatError = Transient("no answer")

    async def create(self, asked: InvoiceTerms) -> Invoice:
        """Fail as told."""
        self.asked.append(asked)
        raise self.trouble


async def looks(chat: Chat, provider: ScriptedProvider) -> None:
    """One round of the step that reads bills."""
    looker = InvoicePoller(pool=chat.pool, providers={provider.name: provider})
    for bill in await looker.claim(9):
        await looker.poll(bill)


async def test_a_sum_becomes_a_bill_which_is_paid_and_checked(database: str) -> None:
    provider = ScriptedProvider()
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}, welcome=0) as chat:
        await chat.says("/topup")
        await chat.taps("💳 Карта или СБП")
        assert [label.replace(NBSP, " ") for label in labels(chat)] == [
            "100 ₽",
            "300 ₽",
            "500 ₽",
            "✍️ Своя сумма",
            "⬅️ Другой способ",
        ]
        await chat.taps("500")
        assert [label.replace(NBSP, " ") for label in labels(chat)][:2] == ["Оплатить 500 ₽", "🔄 Проверить оплату"]
        assert link_on_screen(chat) == "https://pay.example/bill-1"
        asked = provider.asked[0]
        assert (asked.amount, asked.return_url) == (rub(50_000), f"https://t.me/{chat.telegram.world.bot.username}")
        await chat.taps("🔄 Проверить")
        assert "Проверяю" in chat.answers[-1]
        provider.says("bill-1", token=asked.token, state="paid", paid=rub(50_000))
        await looks(chat, provider)
        assert await available(chat) == 50_000
        await chat.taps("🔄 Проверить")
        assert "Оплачено" in chat.answers[-1]
        await tell_all(chat)
        assert "Зачислено 500 ₽" in seen(chat)


async def test_a_waiting_bonus_stands_beside_every_sum(database: str) -> None:
    async with conversation(
        database, options=shop_options(transfer_details="карта"), providers={"yookassa": ScriptedProvider()}, welcome=0
    ) as chat:
        await a_code(chat.pool, "TEN", kind="percent", percent=10, amount=4_000)
        await chat.says("/promo ten")
        for way, first in (
            ("💳 Карта", ["100 ₽ + 🎁 10 ₽", "300 ₽ + 🎁 30 ₽", "500 ₽ + 🎁 40 ₽"]),
            ("⭐ Telegram Stars", ["⭐ 50 → 52 ₽ + 🎁 5,20 ₽", "⭐ 100 → 104 ₽ + 🎁 10,40 ₽"]),
            ("🏦 Перевод", ["100 ₽ + 🎁 10 ₽"]),
        ):
            await chat.says("/topup")
            assert "промокод добавит 10 %" in await chat.taps(way)
            assert [label.replace(NBSP, " ") for label in labels(chat)][: len(first)] == first
        await chat.says("/topup")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 50")
        await pays_the_bill(chat)
        assert await available(chat) == 5_720, "as the button said"
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        assert labels(chat)[0].replace(NBSP, " ") == "100 ₽", "a code is used once"


async def test_a_paid_bill_of_a_provider_loses_its_buttons(database: str) -> None:
    provider = ScriptedProvider()
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}, welcome=0) as chat:
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        for amount in ("300", "500"):
            await chat.taps(amount)
            if amount == "300":
                await chat.taps("⬅️ Назад")
        bill = chat.screen()[-1]["message_id"]
        provider.says("bill-2", token=provider.asked[1].token, state="paid", paid=rub(50_000))
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, 10)
        await looks(chat, provider)
        await tell_all(chat)
        shown = next(message for message in chat.screen() if message["message_id"] == bill)
        assert shown["text"].replace(NBSP, " ") == "✅ Счёт оплачен: 500 ₽ на балансе."
        assert not shown["inline_keyboard"]


async def test_a_sum_of_ones_own_is_typed_within_its_bounds(database: str) -> None:
    provider = ScriptedProvider(name="cryptopay")
    async with conversation(database, options=shop_options(), providers={"cryptopay": provider}) as chat:
        await chat.says("/topup")
        await chat.taps("🪙 Криптовалюта")
        await chat.taps("✍️ Своя сумма")
        for wrong in ("49,99", "3000.01", "много", "-5"):
            assert "не подойдёт" in await chat.says(wrong)
        await chat.says("1 234,50")
        assert "счёт на 1 234,50 ₽" in seen(chat)
        assert provider.asked[0].amount == rub(123_450)
        assert await chat.pool.fetchval("SELECT state FROM conversations") is None


async def test_an_open_question_for_a_sum_does_not_swallow_commands(database: str) -> None:
    provider = ScriptedProvider()
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}) as chat:
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        await chat.taps("✍️ Своя сумма")
        assert "Доступно" in await chat.says("/balance")
        await chat.says("/start")
        assert "Напишите, что сделать" in await chat.says("500")
        assert provider.asked == []


@pytest.mark.parametrize("trouble", [Transient("busy"), OutcomeUnknown("lost"), Rejected("no")])
async def test_a_provider_in_trouble_is_a_sentence_and_other_ways(database: str, trouble: PhotomatError) -> None:
    provider = Silent()
    provider.trouble = trouble
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}) as chat:
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        assert "ничего не списано" in await chat.taps("500")
        await chat.taps("⬅️ Другой способ")
        assert "⭐ Telegram Stars" in labels(chat)


async def test_a_bill_of_somebody_else_and_one_that_was_canceled_are_answered(database: str) -> None:
    provider = ScriptedProvider()
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}) as chat:
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        await chat.taps("500")
        boris = chat.telegram.person("Борис")
        message = chat.telegram.world.add_message(boris, from_bot=True, kind="text", text="?")
        chat.telegram.taps(boris, message.message_id, "pc:1")
        await chat.handle_all()
        assert "больше не работает" in chat.answers[-1]
        provider.says("bill-1", state="canceled")
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, 10)
        await looks(chat, provider)
        await chat.taps("🔄 Проверить")
        assert "отменён или просрочен" in chat.answers[-1]


async def test_support_names_the_contact_and_the_payments_by_number(database: str) -> None:
    support = Support(contact="@help_me <b>", terms_url="https://example.org/terms")
    async with conversation(database, options=shop_options(), support=support, welcome=0) as chat:
        assert "Платежей пока не было" in await chat.says("/paysupport")
        await chat.says("/topup")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 50 ")
        charge = await pays_the_bill(chat)
        assert charge is not None
        await chat.bot.refund_star_payment(chat.person.user_id, charge.charge_id)
        await chat.handle_all()
        await chat.says("/paysupport")
        assert "@help_me <b>" in seen(chat)
        assert "№ 1 ·" in seen(chat)
        assert "50 ⭐ → 52 ₽ · возвращено 52 ₽" in seen(chat)
        assert "https://example.org/terms" in await chat.says("/terms")


async def test_terms_without_an_address_say_what_is_sold_and_when_money_comes_back(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        text = await chat.says("/terms")
        assert "не сгорают" in text
        assert "/paysupport" in text
