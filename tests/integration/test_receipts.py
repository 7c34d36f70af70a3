"""Operators decide about receipts in the chat: once, only they, everybody sees it; the money moves with the decision."""

from photomat.bot.buttons import ReceiptAction, ReceiptButton, TransferReceiptButton
from photomat.db.rows import require_row
from support.conversation import Chat
from support.customer import words_of
from support.database import shift_clock
from support.logs import logged
from support.transfers import receipt_picture, transfer_shop

JOURNAL = "SELECT operator, action, reason, done FROM operator_journal ORDER BY entry_id"


async def test_every_operator_gets_the_receipt_and_approving_credits_it_once(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays(caption="перевод от <i>Анны</i>")
        await shop.settles()
        for operator in (shop.peter, shop.olga):
            assert operator.screen()[-1]["kind"] == "photo"
            assert "Чек № 1 на 500 ₽" in operator.newest
            assert "перевод от <i>Анны</i>" in operator.newest
            assert operator.labels() == ["✅ Зачислить 500 ₽", "✏️ Другая сумма", "❌ Отклонить"]
        await shop.peter.taps("✅ Зачислить")
        assert "зачислено 500" in shop.peter.answers[-1].replace("\u00a0", " ")
        assert await shop.balance(shop.anna) == 50_000
        await shop.settles()
        assert "Зачислено 500 ₽" in shop.anna.newest
        assert shop.anna.labels()[0] == "🖼 Создать картинку", "and go on from there"
        for operator in (shop.peter, shop.olga):
            assert operator.labels() == []
            assert "зачислено 500 ₽" in operator.newest
            assert "@peter" in operator.newest
        payment = await require_row(shop.pool, "SELECT * FROM payments")
        assert (payment["provider"], payment["external_id"], payment["via"]) == ("transfer", "receipt:1", "operator")
        assert await shop.pool.fetchval("SELECT state FROM topups") == "paid"
        assert [tuple(row) for row in await shop.pool.fetch(JOURNAL)] == [
            ("telegram:9001 @peter", "approve receipt", None, True)
        ]
        await shop.anna.taps("🔄 Состояние")
        assert "деньги зачислены" in shop.anna.answers[-1]
        assert any("проверен: зачислено 500 ₽" in words_of(one) for one in shop.anna.screen())


async def test_the_second_operator_is_told_who_decided_and_how(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("✅ Зачислить")
        for label in ("✅ Зачислить", "✏️ Другая сумма", "❌ Отклонить"):
            await shop.olga.taps(label)
            assert "Уже решено: зачислено 500" in shop.olga.answers[-1].replace("\u00a0", " ")
            assert "@peter" in shop.olga.answers[-1]
        assert await shop.balance(shop.anna) == 50_000
        assert await shop.count("payments") == 1


async def test_nobody_but_an_operator_decides(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        with logged() as lines:
            for data in ("r:yes:1", "r:yes!:1", "r:sum:1", "r:no:1", "rr:1:0"):
                await taps(shop.anna, data)
                assert "проверяют операторы" in shop.anna.answers[-1]
        assert sum(line["event"] == "RECEIPT_FOREIGN_TAP" for line in lines) == 5
        assert "Такой команды нет" in await shop.anna.says("/receipts")
        assert (await shop.receipt())["state"] == "waiting"
        assert await shop.balance(shop.anna) == 0


async def test_another_sum_is_typed_within_bounds(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("✏️ Другая сумма")
        for wrong in ("0", "10000,01", "много"):
            assert "не больше 10 000 ₽" in await shop.peter.says(wrong)
        assert "зачислено 40,50 ₽" in await shop.peter.says("40,50")
        assert await shop.balance(shop.anna) == 4_050
        await shop.settles()
        assert "зачислено 40,50 ₽" in shop.olga.newest
        assert "заявлено 500 ₽" in shop.olga.newest
        assert await shop.count("differences") == 0


async def test_a_declined_receipt_credits_nothing_and_the_customer_reads_why(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("❌ Отклонить")
        await shop.peter.taps("Перевод не пришёл")
        await shop.settles()
        assert "Чек на 500 ₽ (код P-1) не принят, деньги не зачислены" in shop.anna.newest
        assert "Перевод не пришёл" in shop.anna.newest
        assert shop.olga.labels() == []
        assert "Причина: Перевод не пришёл" in shop.olga.newest
        assert await shop.balance(shop.anna) == 0
        await taps(shop.olga, "r:yes:1")
        assert "Уже решено: отклонён" in shop.olga.answers[-1]
        assert await shop.balance(shop.anna) == 0
        await shop.anna.taps("🏦 Прислать чек ещё раз")
        assert "Жду чек на 500 ₽" in shop.anna.newest


async def test_a_reason_of_ones_own_is_escaped_and_never_empty(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("❌ Отклонить")
        assert "до 300 символов" in await shop.peter.says("х" * 301)
        assert "отклонён" in await shop.peter.says("сумма <меньше> & другая")
        await shop.settles()
        assert "Причина: сумма <меньше> & другая" in shop.anna.newest


async def test_a_question_to_an_operator_can_be_left(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("✏️ Другая сумма")
        assert "чек ждёт" in await shop.peter.says("/cancel")
        await shop.peter.says("500")
        assert await shop.balance(shop.anna) == 0


async def test_receipts_lists_what_waits_with_its_buttons_again(database: str) -> None:
    async with transfer_shop(database) as shop:
        assert "на проверке нет" in await shop.peter.says("/receipts")
        await shop.anna.pays()
        await shop.settles()
        assert "Ждут решения: 1" in await shop.peter.says("/receipts")
        await shop.settles()
        assert len([label for label in shop.peter.labels() if "Зачислить" in label]) == 2
        await shop.peter.taps("✅ Зачислить")
        await shop.settles()
        assert shop.peter.labels() == []


async def test_an_operator_whose_message_comes_after_the_decision_sees_the_decision_on_it(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        shop.telegram.blocks(shop.olga.person)
        for notice in await shop.notices.claim(10):
            if notice.chat_id == shop.peter.person.user_id:
                await shop.notices.deliver(notice)
            else:
                late = notice
        await shop.peter.taps("✅ Зачислить")
        await shop.settles()
        shop.telegram.blocks(shop.olga.person, blocked=False)
        await shop.notices.deliver(late)
        assert shop.olga.labels() != []
        await shift_clock(shop.pool, 600)
        await shop.settles()
        assert shop.olga.labels() == []


async def test_operators_are_reminded_of_what_waits_for_long(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shift_clock(shop.pool, 5.9 * 3600)
        await shop.settles()
        assert len(shop.olga.screen()) == 1
        await shift_clock(shop.pool, 0.2 * 3600)
        await shop.settles()
        assert len(shop.olga.screen()) == 2
        await shop.olga.taps("✅ Зачислить")
        await shop.settles()
        await shift_clock(shop.pool, 48 * 3600)
        await shop.settles()
        assert (len(shop.olga.screen()), shop.olga.labels()) == (2, [])


async def test_the_same_file_from_another_person_is_flagged_loudly_and_not_credited_by_one_tap(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays(data=receipt_picture("red"))
        await shop.settles()
        await shop.peter.taps("✅ Зачислить")
        assert "на проверке" in await shop.boris.pays(data=receipt_picture("red"))
        await shop.settles()
        assert "ЧЕК № 2 ПОХОЖ НА ПОВТОР" in shop.olga.newest
        assert f"Тот же файл, что в чеке № 1 ДРУГОГО человека ({shop.anna.person.user_id})" in shop.olga.newest
        assert "УЖЕ ЗАЧИСЛЕН" in shop.olga.newest
        await shop.olga.taps("⚠️ Зачислить")
        assert "не зачислен" in shop.olga.newest
        assert await shop.balance(shop.boris) == 0
        await shop.olga.taps("⚠️ Всё равно зачислить")
        assert await shop.balance(shop.boris) == 50_000


async def test_a_typed_sum_does_not_slip_past_a_credited_twin(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays(data=receipt_picture("red"))
        await shop.boris.pays(data=receipt_picture("red"))
        await shop.settles()
        await taps(shop.peter, "r:sum:2")
        await taps(shop.olga, "r:yes:1")
        assert "напишите сумму ещё раз" in await shop.peter.says("300")
        assert await shop.balance(shop.boris) == 0
        assert "зачислено 300 ₽" in await shop.peter.says("300")


async def test_the_same_reference_under_another_picture_is_flagged(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays(data=receipt_picture("red"), caption="Операция № 12345-67890, 500 ₽")
        await shop.anna.pays(data=receipt_picture("blue"), caption="опер. 1234567890")
        await shop.anna.pays("600", data=receipt_picture("green"), caption="500 рублей за 2026 год")
        await shop.settles()
        flagged = [one for one in shop.peter.screen() if "ПОХОЖ НА ПОВТОР" in one["caption"]]
        assert len(flagged) == 1
        assert "Тот же номер перевода, что в чеке № 1 этого же человека" in flagged[0]["caption"]
        assert "ещё ждёт решения" in flagged[0]["caption"]
        assert await shop.pool.fetchval("SELECT same_note_as FROM receipts WHERE receipt_id = 2") == 1


async def test_the_buttons_notices_carry_are_the_ones_the_chat_reads(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await taps(shop.peter, "r:no:1")
        await shop.peter.taps("Чек не читается")
        stored = str(await shop.pool.fetch("SELECT buttons FROM notices"))
        for action in (ReceiptAction.APPROVE, ReceiptAction.OTHER_SUM, ReceiptAction.DECLINE):
            assert repr(ReceiptButton(action=action, receipt_id=1).pack()) in stored
        assert repr(TransferReceiptButton(topup_id=1).pack()) in stored


async def taps(talker: Chat, data: str) -> None:
    """Press a button that is, or was, somewhere on the screen."""
    talker.telegram.taps(talker.person, talker.screen()[-1]["message_id"], data)
    await talker.handle_all()
