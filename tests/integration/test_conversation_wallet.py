"""The wallet in the chat: balance, statement page by page, and the story of each line; nobody sees anybody else's."""

import re

import pytest

from photomat.bot.wallet.handlers import SHOWN
from photomat.db.pool import transaction
from photomat.jobs.settle import Failure, Success
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import UserId
from photomat.payments.statement import statement
from photomat.rewards import gifts
from photomat.wallet import ledger, refunds
from support.conversation import Chat, conversation
from support.jobs import URL, a_running_job, settle_now
from support.money import make_user, rub
from support.payments import Answers, asks_refund, pays, refund_all, stars, told_refund

BORIS = UserId(43)
ON_PAGE = re.compile(r"\d\. ([+−]?[\d ]+(?:,\d\d)?) ₽ · (.*)\n.* · остаток ([\d ]+(?:,\d\d)?) ₽")
LARGEST = 2**63 - 1


def user(chat: Chat) -> UserId:
    return UserId(chat.person.user_id)


def seen(chat: Chat) -> str:
    return chat.newest.replace("\N{NO-BREAK SPACE}", " ")


def labels(chat: Chat) -> list[str]:
    return [button["text"] for row in chat.screen()[-1]["inline_keyboard"] or [] for button in row]


def lines(chat: Chat) -> list[tuple[str, str, str]]:
    """Sum, balance after it and words of each line on the page."""
    return [(found[1], found[3], found[2]) for found in ON_PAGE.finditer(seen(chat))]


async def taps_made_up(chat: Chat, data: str) -> str:
    """Send a tap no button of ours carries; give the answer."""
    chat.telegram.taps(chat.person, chat.screen()[-1]["message_id"], data)
    await chat.handle_all()
    return chat.answers[-1]


async def credits_in_turn(chat: Chat, count: int) -> None:
    async with transaction(chat.pool) as tx:
        for number in range(1, count + 1):
            await ledger.credit(
                tx, user_id=user(chat), amount=rub(number * 100), reference=f"operator:{number}", reason="operator"
            )


async def test_the_balance_tells_what_is_there_what_is_held_and_where_to_go(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        messages = len(chat.screen())
        await chat.says("/balance")
        assert len(chat.screen()) == messages + 2
        assert seen(chat) == "💰 Доступно: 10 ₽"
        assert labels(chat)[:2] == ["💳 Пополнить", "📄 Выписка"]
        assert labels(chat)[-2:] == ["🖼 Создать картинку", "🏠 Меню"]
        await a_running_job(chat.pool, user(chat), task_id="t-1", message_id=900)
        await a_running_job(chat.pool, user(chat), task_id="t-2", message_id=901)
        await chat.says("/balance")
        assert seen(chat).startswith("💰 Доступно: 8,72 ₽\n⏳ Отложено: 1,28 ₽ на 2 заказа.")
        await chat.taps("📄 Выписка")
        assert "Отложено 1,28 ₽ на 2 заказа: Z-Image «кот-космонавт», Z-Image «кот-космонавт»" in seen(chat)
        assert lines(chat) == [("+10", "10", "👋 Приветственный бонус")]
        assert "Доступно: 8,72 ₽" in await back_to_balance(chat)


async def back_to_balance(chat: Chat) -> str:
    await chat.taps("💰 Баланс")
    return seen(chat)


async def test_debt_is_told_with_the_way_out_of_it(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        async with transaction(chat.pool) as tx:
            await refunds.take_back(tx, user_id=user(chat), amount=rub(1500), reference="back:1", reason="referral")
        await chat.says("/balance")
        assert seen(chat).startswith("💰 Доступно: 0 ₽\n\n⚠️ Долг: 5 ₽.")
        assert "сначала погасится долг" in seen(chat)
        await chat.says("/statement")
        assert "⚠️ Долг: 5 ₽" in seen(chat)
        assert lines(chat)[0] == ("−10", "0", "👥 Награда за приглашение отозвана (5 ₽ записаны в долг)")
        await chat.taps("1")
        assert "5 ₽ записаны в долг." in seen(chat)


@pytest.mark.parametrize(
    ("model", "kind", "sign"),
    [
        ("z-image", "image", "🖼"),
        ("veo3", "video", "🎬"),
        ("suno/generate", "audio", "🎵"),
        ("elevenlabs/text-to-speech-multilingual-v2", "audio", "🗣"),
        ("elevenlabs/speech-to-text", "text", "📝"),
    ],
)
async def test_an_order_has_the_sign_of_its_kind(database: str, model: str, kind: str, sign: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        job = await a_running_job(chat.pool, user(chat), task_id="t-1", message_id=900, kind=kind)
        await chat.pool.execute("UPDATE generation_jobs SET model = $1", model)
        await settle_now(chat.pool, job, Success(urls=(URL,)))
        await chat.says("/statement")
        assert lines(chat)[0][2].startswith(f"{sign} Заказ: ")
        await chat.taps("1")
        assert f"· {sign} Заказ" in seen(chat)


async def test_a_bought_picture_is_a_line_whose_story_leads_to_its_price(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        job = await a_running_job(chat.pool, user(chat), task_id="t-1", message_id=900)
        await settle_now(chat.pool, job, Success(urls=(URL,)))
        await chat.says("/statement")
        assert lines(chat)[0] == ("−0,64", "9,36", "🖼 Заказ: Z-Image «кот-космонавт»")
        await chat.taps("1")
        story = seen(chat)
        for words in (
            "🧾 −0,64 ₽ · 🖼 Заказ",
            "остаток после: 9,36 ₽",
            f"Заказ № {job}: Z-Image «кот-космонавт»",
            "цена 0,64 ₽ закреплена",
            "0,64 ₽ отложены",
            "результат готов, 0,64 ₽ списаны",
            f"Номер для поддержки: job:{job}",
        ):
            assert words in story
        assert "вернули" not in story
        assert labels(chat) == ["❓ Почему 0,64\N{NO-BREAK SPACE}₽?", "◀️ К выписке", "🏠 Меню"]
        async with transaction(chat.pool) as tx:
            await refunds.refund_charge(tx, job_id=job, amount=rub(14), reference="refund:1")
        await chat.taps("◀️ К выписке")
        assert lines(chat)[0] == ("+0,14", "9,50", "↩️ Возврат за заказ: Z-Image «кот-космонавт»")
        await chat.taps("2")
        assert "вам вернули 0,14 ₽ (refund:1)" in seen(chat)
        await chat.taps("❓ Почему")
        assert "Почему 0,64 ₽?" in seen(chat)


async def test_a_failed_order_leaves_no_line_and_an_empty_wallet_says_so(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await chat.says("/start")
        await chat.says("/statement")
        assert "Движений денег пока нет" in seen(chat)
        await credits_in_turn(chat, 1)
        job = await a_running_job(chat.pool, user(chat), task_id="t-1", message_id=900)
        await settle_now(chat.pool, job, Failure(code="timeout"))
        await chat.says("/statement")
        assert lines(chat) == [("+1", "1", "🤝 Начислено оператором")]


async def test_pages_go_by_key_both_ways_and_a_new_move_shifts_nothing(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await chat.says("/start")
        await credits_in_turn(chat, 2 * SHOWN + 3)
        await chat.says("/statement")
        newest = [sum_ for sum_, _, _ in lines(chat)]
        assert newest == [f"+{number}" for number in range(19, 11, -1)]
        assert [one for one in labels(chat) if one in {"◀", "▶"}] == ["▶"]
        async with transaction(chat.pool) as tx:
            await ledger.credit(tx, user_id=user(chat), amount=rub(5000), reference="operator:new", reason="operator")
        await chat.taps("▶")
        assert [sum_ for sum_, _, _ in lines(chat)] == [f"+{number}" for number in range(11, 3, -1)]
        assert lines(chat)[0][1] == str(sum(range(1, 12)))
        await chat.taps("3")
        assert "+9 ₽" in seen(chat)
        await chat.taps("◀️ К выписке")
        await chat.taps("▶")
        assert [sum_ for sum_, _, _ in lines(chat)] == ["+3", "+2", "+1"]
        assert [one for one in labels(chat) if one in {"◀", "▶"}] == ["◀"]
        await chat.taps("◀")
        assert [sum_ for sum_, _, _ in lines(chat)] == [f"+{number}" for number in range(11, 3, -1)]
        await chat.taps("◀")
        assert [sum_ for sum_, _, _ in lines(chat)] == newest
        await chat.taps("◀")
        assert lines(chat)[0][0] == "+50"


async def test_somebody_elses_move_and_a_made_up_one_are_refused_politely(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        async with transaction(chat.pool) as tx:
            await make_user(tx, BORIS, balance=777)
            theirs = await tx.fetchval("SELECT transaction_id FROM ledger_transactions WHERE reference = 'welcome:43'")
        await chat.says("/statement")
        before = seen(chat)
        for move in (theirs, 0, LARGEST, LARGEST - 1):
            assert (await taps_made_up(chat, f"w:{move}:0")).startswith("Такой строки в вашей выписке нет")
        assert seen(chat) == before
        assert "7,77" not in " ".join(str(message["text"]) for message in chat.screen())
        for before_key in (1, LARGEST):
            await taps_made_up(chat, f"s:{before_key}")
        assert "777" not in seen(chat)


async def test_gifts_name_the_friend_and_what_people_wrote_is_no_markup(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        async with transaction(chat.pool) as tx:
            await make_user(tx, BORIS)
            await tx.execute("UPDATE users SET first_name = '<b>Борис</b>' WHERE user_id = 43")
            gift = await gifts.give(tx, giver_id=user(chat), amount=rub(100), origin="gift")
            await gifts.take(tx, code=gift.code, taker_id=BORIS)
        await chat.says("/statement")
        assert lines(chat)[0] == ("−1", "9", "🎁 Ваш подарок: <b>Борис</b>")
        await chat.taps("1")
        assert "Ваш подарок: <b>Борис</b>" in seen(chat)


async def test_a_payment_tells_its_way_its_sum_and_its_return(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await chat.says("/start")
        await pays(chat.pool, user_id=user(chat), paid=stars(25), worth=rub(5000))
        await chat.says("/statement")
        assert lines(chat) == [("+50", "50", "💳 Пополнение: Telegram Stars")]
        await chat.taps("1")
        assert "Оплачено ⭐ 25 через Telegram Stars, 01.03.2026 00:00 UTC." in seen(chat)
        assert "Номер для поддержки: payment:stars:ch-1" in seen(chat)
        await told_refund(chat.pool, refunded=stars(10))
        await chat.says("/statement")
        assert lines(chat)[0] == ("−20", "30", "↩️ Возврат платежа: Telegram Stars")
        await chat.taps("1")
        assert "Оплачено ⭐ 25" in seen(chat)
        assert "тем же способом" in seen(chat)
        await chat.taps("◀️ К выписке")
        await chat.taps("2")
        assert "из этого отозвано 20 ₽ (refund:stars:ch-1:told:10)" in seen(chat)


async def test_a_refund_the_provider_refused_is_told_as_what_it_is(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await chat.says("/start")
        paid = await pays(chat.pool, user_id=user(chat), paid=stars(25), worth=rub(5000))
        await asks_refund(chat.pool, paid.payment_id)
        assert await refund_all(chat.pool, Answers(troubles=[Rejected("pay-refund-refused")]).give_back) == 1
        await chat.says("/statement")
        assert [line[2] for line in lines(chat)] == [
            "↩️ Возврат платежа не состоялся: Telegram Stars",
            "↩️ Возврат платежа: Telegram Stars",
            "💳 Пополнение: Telegram Stars",
        ]


async def test_a_gift_by_link_names_who_opened_it_and_one_that_came_back_says_so(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        async with transaction(chat.pool) as tx:
            await make_user(tx, BORIS)
            await tx.execute("UPDATE users SET first_name = 'Борис' WHERE user_id = 43")
            first = await gifts.give(tx, giver_id=user(chat), amount=rub(100), origin="1:1")
            second = await gifts.give(tx, giver_id=user(chat), amount=rub(200), origin="1:2")
            await gifts.take(tx, code=first.code, taker_id=BORIS)
            await gifts.return_gift(tx, gift_id=second.gift_id, giver_id=user(chat))
            theirs = await statement(tx, user_id=BORIS)
        await chat.says("/statement")
        assert [line[2] for line in lines(chat)][:3] == [
            "🎁 Подарок: вернулся к вам",
            "🎁 Ваш подарок",
            "🎁 Ваш подарок: Борис",
        ]
        assert [(move.other_user, move.other_name) for move in theirs] == [(user(chat), "Анна")]


async def test_the_wallet_speaks_english_too(database: str) -> None:
    async with conversation(database, language_code="en") as chat:
        await chat.says("/lang")
        await chat.taps("🇬🇧 English")
        job = await a_running_job(chat.pool, user(chat), task_id="t-1", message_id=900)
        await settle_now(chat.pool, job, Success(urls=(URL,)))
        await chat.says("/balance")
        assert chat.newest == "💰 Available: ₽9.36"
        await chat.taps("📄 Statement")
        assert "−₽0.64 · 🖼 Order: Z-Image “кот-космонавт”\n" in chat.newest
        await chat.taps("1")
        assert "the result was ready, ₽0.64 charged" in chat.newest
