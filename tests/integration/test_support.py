"""Support: a ticket that carries an order, one thread for customer and operator, refund or repeat by one tap, each once."""

import asyncio

import pytest

from photomat.db.pool import transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import JobId, UserId
from photomat.operators import tickets
from photomat.operators.tickets import Actor
from photomat.support.thread import MESSAGES_AN_HOUR, TICKETS_A_DAY, MessageContent
from photomat.wallet import ledger
from photomat_sandbox.telegram import person_acts
from support.conversation import Chat
from support.database import shift_clock
from support.jobs import a_done_job, a_job, is_shown, money_of
from support.money import rub
from support.transfers import Talker, TransferShop, receipt_picture, transfer_shop

THREAD = "SELECT side, text, file_kind FROM ticket_messages ORDER BY message_id"
STATE = "SELECT state, waiting_since IS NOT NULL AS waits, job_id, topic FROM tickets WHERE ticket_id = $1"


async def taps(chat: Chat, data: str, *, message_id: int | None = None) -> None:
    """Tap a button that carries this, wherever it stands."""
    chat.telegram.taps(chat.person, message_id or chat.screen()[-1]["message_id"], data)
    await chat.handle_all()


async def replies(chat: Talker, text: str, *, to: str) -> str:
    """Reply to the newest message with these words."""
    found = next(each for each in reversed(chat.screen()) if to in str(each["text"] or each.get("caption") or ""))
    person_acts.write(chat.telegram.world, chat.person, text, reply_to=found["message_id"])
    await chat.handle_all()
    return chat.newest


async def bought(shop: TransferShop, talker: Talker, *, is_done: bool = True) -> JobId:
    """An order of this person: with its result on the card, or still on its way."""
    await talker.says("/start")
    user = UserId(talker.person.user_id)
    async with transaction(shop.pool) as tx:
        await ledger.credit(tx, user_id=user, amount=rub(1000), reference=f"given:{user}", reason="operator")
    if not is_done:
        return await a_job(shop.pool, user)
    job_id = await a_done_job(shop.pool, user)
    await is_shown(shop.pool, job_id)
    return job_id


async def asks(shop: TransferShop, talker: Talker, words: str = "кот без усов") -> JobId:
    """The whole way from an order to a ticket that operators have seen."""
    job_id = await bought(shop, talker)
    await taps(talker, f"j:{job_id}:sos")
    await talker.says(words)
    await shop.settles()
    return job_id


async def test_a_question_about_an_order_is_answered_and_both_sides_see_one_thread(database: str) -> None:
    async with transfer_shop(database) as shop:
        job_id = await bought(shop, shop.anna)
        await taps(shop.anna, f"j:{job_id}:sos")
        assert "Что случилось?" in shop.anna.newest
        await shop.anna.taps("🖼 Не то получилось")
        assert "Обращение № 1 принято" in shop.anna.newest
        await shop.anna.says("у кота <нет> усов")
        assert "Добавил в обращение № 1" in shop.anna.newest
        assert await shop.count("drafts") == 1, "what is written to support is no order"
        await shop.settles()
        for operator in (shop.peter, shop.olga):
            assert "у кота <нет> усов" in operator.newest
            assert f"Заказ № {job_id} · z-image · 0,64 ₽" in operator.newest
            assert "Результат показан клиенту" in operator.newest
        sent = await replies(shop.peter, "посмотрим", to="у кота")
        assert "Ответ отправлен клиенту" in sent
        await shop.settles()
        assert "посмотрим" in shop.anna.newest
        assert "ответ клиенту от @peter" in shop.olga.newest
        await shop.anna.says("спасибо, жду")
        await shop.anna.taps("💬 Переписка")
        for words in ("Вы", "у кота <нет> усов", "Поддержка", "посмотрим", "спасибо, жду"):
            assert words in shop.anna.newest
        await shop.settles()
        await shop.olga.taps("💬 Переписка")
        for words in ("Клиент", "@peter", "посмотрим", "спасибо, жду"):
            assert words in shop.olga.newest
        row = await require_row(shop.pool, STATE, 1)
        assert dict(row) == {"state": "open", "waits": True, "job_id": job_id, "topic": "wrong"}


async def test_tapping_again_continues_the_open_ticket_and_words_after_silence_are_a_wish(database: str) -> None:
    async with transfer_shop(database) as shop:
        job_id = await asks(shop, shop.anna)
        await taps(shop.anna, f"j:{job_id}:sos")
        assert "Обращение № 1" in shop.anna.newest
        await shop.anna.says("ещё и хвост")
        assert await shop.count("tickets") == 1
        await shift_clock(shop.pool, 61 * 60)
        drafts = await shop.count("drafts")
        await shop.anna.says("нарисуй собаку в космосе")
        assert await shop.count("drafts") == drafts + 1
        await taps(shop.anna, "u:write:1")
        await shop.anna.says("нарисуй собаку — это ответ вам")
        assert await shop.count("drafts") == drafts + 1
        assert await shop.count("ticket_messages") == 3


async def test_a_reply_to_an_answer_takes_one_message_and_the_next_one_is_an_order(database: str) -> None:
    async with transfer_shop(database) as shop:
        job_id = await asks(shop, shop.anna)
        await replies(shop.peter, "посмотрим", to="кот без усов")
        await shop.settles()
        assert "Добавил в обращение № 1" in await replies(shop.anna, "спасибо", to="посмотрим")
        assert await shop.count("ticket_messages") == 3
        drafts = await shop.count("drafts")
        await shop.anna.says("лиса в лесу")
        assert (await shop.count("drafts"), await shop.count("ticket_messages")) == (drafts + 1, 3)
        await taps(shop.anna, "u:write:1")
        await taps(shop.anna, f"j:{job_id}:again")
        await shop.anna.says("волк в лесу")
        await taps(shop.anna, "u:write:1")
        await shift_clock(shop.pool, 6 * 60)
        await shop.anna.says("медведь в лесу")
        assert await shop.count("ticket_messages") == 3


async def test_files_go_both_ways_and_an_album_is_confirmed_once(database: str) -> None:
    async with transfer_shop(database) as shop:
        await bought(shop, shop.anna)
        await shop.anna.says("/support")
        await shop.anna.sends(receipt_picture(), caption="вот <что> вышло")
        await shop.settles()
        assert shop.peter.screen()[-1]["kind"] == "photo"
        assert "вот <что> вышло" in shop.peter.newest
        assert "Без заказа" in shop.peter.newest
        await shop.anna.sends(b"OggS" + bytes(60), kind="voice")
        await shop.settles()
        assert shop.olga.screen()[-1]["kind"] == "voice"
        await shop.peter.taps("↩️ Ответить")
        await shop.peter.sends(receipt_picture("red"), kind="document", name="как.png", caption="так?")
        await shop.settles()
        assert (shop.anna.screen()[-1]["kind"], "так?" in shop.anna.newest) == ("document", True)
        assert [tuple(row) for row in await shop.pool.fetch(THREAD)] == [
            ("customer", "вот <что> вышло", "photo"),
            ("customer", "", "voice"),
            ("operator", "так?", "document"),
        ]


async def test_two_operators_tap_refund_at_once_and_the_money_goes_back_once(database: str) -> None:
    async with transfer_shop(database) as shop:
        job_id = await asks(shop, shop.anna)
        before = await money_of(shop.pool, UserId(shop.anna.person.user_id))
        for operator in (shop.peter, shop.olga):
            await operator.taps("💸 Вернуть деньги")
            assert "Вернуть деньги по обращению № 1?" in operator.newest
        actors = [Actor(name=name, origin=f"form:{name}") for name in ("peter", "olga")]
        both = await asyncio.gather(
            *(tickets.refund_ticket(shop.pool, 1, actor=each, reason="не то") for each in actors)
        )
        assert sorted(result.done for result in both) == [False, True]
        await shop.olga.taps("Наша ошибка")
        assert "уже вернулись" in shop.olga.newest
        after = await money_of(shop.pool, UserId(shop.anna.person.user_id))
        assert (after[0] - before[0], after[1]) == (64, 0)
        await shop.settles()
        assert "Вернули" in " ".join(str(each["text"]) for each in shop.anna.screen())
        assert (
            await shop.pool.fetchval(
                "SELECT count(*) FROM ledger_transactions WHERE job_id = $1 AND refunds IS NOT NULL", job_id
            )
            == 1
        )
        journal = await shop.pool.fetch("SELECT done, reason FROM operator_journal WHERE action = 'refund ticket'")
        assert sorted((row["done"], row["reason"]) for row in journal) == [
            (False, "Наша ошибка"),
            (False, "не то"),
            (True, "не то"),
        ]


async def test_an_order_on_its_way_is_canceled_and_its_money_is_free_again(database: str) -> None:
    async with transfer_shop(database) as shop:
        job_id = await bought(shop, shop.anna, is_done=False)
        await taps(shop.anna, f"j:{job_id}:sos")
        await shop.anna.taps("📭 Не пришло")
        await shop.settles()
        assert "Ждёт очереди" in shop.peter.newest
        await shop.peter.taps("💸 Вернуть деньги")
        await shop.peter.says("заказали по ошибке")
        assert "Заказ отменён" in shop.peter.newest
        await shop.settles()
        assert "отменён, 0,64 ₽ снова доступны" in shop.anna.newest
        assert await money_of(shop.pool, UserId(shop.anna.person.user_id)) == (1000, 0)


async def test_a_repeat_is_one_free_order_that_the_customer_taps(database: str) -> None:
    async with transfer_shop(database) as shop:
        await asks(shop, shop.anna)
        for _ in range(2):
            await shop.peter.taps("🎁 Повторить бесплатно", message_id=shop.peter.button("🎁")[0])
            await shop.peter.taps("Наша ошибка")
        assert "уже подарен" in shop.peter.newest
        await shop.settles()
        assert await shop.count("generation_jobs") == 1, "nothing is made without the customer's tap"
        before = await money_of(shop.pool, UserId(shop.anna.person.user_id))
        await shop.anna.taps("🔁 Повторить заказ")
        await shop.anna.taps("🎟")
        row = await require_row(shop.pool, "SELECT price, inputs FROM generation_jobs ORDER BY job_id DESC LIMIT 1")
        assert await shop.count("generation_jobs") == 2
        assert (row["price"], row["inputs"]["prompt"]) == (0, "кот-космонавт")
        assert await money_of(shop.pool, UserId(shop.anna.person.user_id)) == before
        await taps(shop.anna, "j:1:again")
        assert "🎟" not in " ".join(shop.anna.labels()[-6:]), "there is one free order, not two"


async def test_a_thread_offers_only_what_can_still_be_done(database: str) -> None:
    async with transfer_shop(database) as shop:
        await asks(shop, shop.anna)
        for label in ("💸 Вернуть деньги", "🎁 Повторить бесплатно"):
            await taps(shop.peter, "uo:thread:1")
            shown = shop.peter.screen()[-1]["message_id"]
            assert shop.peter.button(label)[0] == shown
            await shop.peter.taps(label)
            await shop.peter.taps("Наша ошибка")
            await taps(shop.peter, "uo:thread:1")
            assert shop.peter.button(label)[0] != shop.peter.screen()[-1]["message_id"]


async def test_a_closed_ticket_opens_again_when_somebody_writes(database: str) -> None:
    async with transfer_shop(database) as shop:
        await asks(shop, shop.anna)
        await shop.peter.taps("✅ Закрыть")
        await shop.peter.taps("Вопрос решён")
        await shop.settles()
        assert "Обращение № 1 закрыто" in shop.anna.newest
        assert (await require_row(shop.pool, STATE, 1))["state"] == "closed"
        await replies(shop.anna, "нет, не решён", to="закрыто")
        assert tuple(await require_row(shop.pool, STATE, 1))[:2] == ("open", True)
        await shop.anna.says("/support")
        await shop.anna.taps("№ 1")
        await shop.anna.taps("✅ Закрыть")
        assert tuple(await require_row(shop.pool, STATE, 1))[:2] == ("closed", False)
        await replies(shop.olga, "а вот и ответ", to="кот без усов")
        assert tuple(await require_row(shop.pool, STATE, 1))[:2] == ("waiting", False)
        await shop.settles()
        assert "а вот и ответ" in shop.anna.newest


async def test_somebody_elses_ticket_and_forged_buttons_are_refused(database: str) -> None:
    async with transfer_shop(database) as shop:
        job_id = await asks(shop, shop.anna)
        await shop.boris.says("/start")
        for data in ("u:thread:1", "u:write:1", "u:close:1"):
            await taps(shop.boris, data)
            assert "чужое" in shop.boris.answers[-1]
        await taps(shop.boris, f"j:{job_id}:sos")
        await taps(shop.boris, f"us:{job_id}:money")
        for action in ("answer", "thread", "refund", "repeat", "show", "close", "keep"):
            await taps(shop.boris, f"uo:{action}:1")
            assert "операторы" in shop.boris.answers[-1]
        for data in ("ur:refund:1:0", "ur:close:1:0"):
            await taps(shop.boris, data)
            assert "операторы" in shop.boris.answers[-1]
        assert "Такой команды нет" in await shop.boris.says("/tickets")
        for data in ("ur:refund:1:99", "ur:answer:1:0", f"us:{2**62}:money", "us:1:nothing", "uo:refund:999"):
            await taps(shop.peter, data)
        assert await shop.count("tickets") == 1
        assert await shop.count("ticket_messages") == 1
        assert await shop.pool.fetchval("SELECT count(*) FROM operator_journal WHERE done") == 0
        assert (await require_row(shop.pool, STATE, 1))["state"] == "open"


async def test_too_many_messages_and_tickets_are_refused_with_the_time_of_the_next(database: str) -> None:
    async with transfer_shop(database) as shop:
        await bought(shop, shop.anna)
        await shop.anna.says("/support")
        for number in range(MESSAGES_AN_HOUR):
            await shop.anna.says(f"вопрос {number}")
        assert "Следующее — после" in await shop.anna.says("ещё один")
        assert await shop.count("ticket_messages") == MESSAGES_AN_HOUR
        await shift_clock(shop.pool, 61 * 60)
        for _ in range(TICKETS_A_DAY - 1):
            await shop.pool.execute(
                "UPDATE tickets SET state = 'closed', closed_at = photomat_now(), closed_by = 'x', waiting_since = NULL"
            )
            await shop.anna.says("/support")
            await shop.anna.taps("💬 Другое")
        await shop.pool.execute(
            "UPDATE tickets SET state = 'closed', closed_at = photomat_now(), closed_by = 'x', waiting_since = NULL"
        )
        await shop.anna.says("/support")
        await shop.anna.taps("💬 Другое")
        assert "За сутки можно открыть 10 обращений" in shop.anna.newest
        assert await shop.count("tickets") == TICKETS_A_DAY


async def test_an_update_or_a_form_handled_again_adds_nothing(database: str) -> None:
    async with transfer_shop(database) as shop:
        await asks(shop, shop.anna)
        actor = Actor(name="peter", origin="console:one")
        for _ in range(2):
            result = await tickets.answer_ticket(shop.pool, 1, MessageContent(text="да"), actor=actor)
            assert result.done
        assert await shop.count("ticket_messages") == 2
        assert await shop.pool.fetchval("SELECT count(*) FROM operator_journal") == 1
        await shop.settles()
        assert sum("да" in str(each["text"]) and "Поддержка" in str(each["text"]) for each in shop.anna.screen()) == 1
        refused = await tickets.answer_ticket(
            shop.pool, 1, MessageContent(text="х" * 4000), actor=Actor(name="peter", origin="console:two")
        )
        assert not refused.done
        assert await shop.count("ticket_messages") == 2


@pytest.mark.parametrize(("language", "words"), [("ru", "Что случилось?"), ("en", "What happened?")])
async def test_support_speaks_both_languages(database: str, language: str, words: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.says("/start")
        await shop.pool.execute("UPDATE users SET language = $1", language)
        assert words in await shop.anna.says("/support")
        await shop.anna.says("<b>привет</b> & hi")
        await shop.settles()
        assert "<b>привет</b> & hi" in shop.peter.newest
