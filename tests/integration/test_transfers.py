"""A transfer by hand from the customer's side: the sum, the bank details, the receipt, the wait. Nothing is credited by it."""

from dataclasses import replace

import pytest

from photomat.db.rows import require_row
from photomat_sandbox.telegram import person_acts
from support.database import shift_clock
from support.transfers import MP4, OPTIONS, PDF, receipt_picture, transfer_shop


async def test_the_bank_details_name_the_sum_the_place_and_a_code(database: str) -> None:
    async with transfer_shop(database) as shop:
        said = await shop.anna.names("500")
        topup = await require_row(shop.pool, "SELECT * FROM topups")
        assert (topup["asked_amount"], topup["way"], topup["state"]) == (50_000, "transfer", "open")
        assert "500 ₽" in said
        assert f"P-{topup['topup_id']}" in said
        assert "0000 <b>1111</b>\nПолучатель: Ф." in said


async def test_a_sum_out_of_bounds_is_answered_with_the_bounds(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names("1")
        for sent in ("49,99", "10000.01", "пятьсот", "0", "-500", "500,505", "1e3"):
            assert "от 50 ₽ до 10 000 ₽" in await shop.anna.says(sent)
        assert await shop.count("topups") == 0
        assert "500 ₽" in await shop.anna.says("500,00 ₽")
        assert await shop.count("topups") == 1


async def test_a_sum_is_picked_by_a_tap_and_sums_out_of_bounds_are_not_offered(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.says("/start")
        await shop.anna.says("/topup")
        await shop.anna.taps("🏦 Перевод")
        assert "100 ₽" in shop.anna.labels()
        assert "50 000 ₽" not in shop.anna.labels()
        await shop.anna.taps("500")
        assert await shop.pool.fetchval("SELECT asked_amount FROM topups") == 50_000


async def test_a_photo_alone_credits_nothing_and_the_customer_sees_that_it_waits(database: str) -> None:
    async with transfer_shop(database) as shop:
        said = await shop.anna.pays(caption="Сбер, операция 123456789")
        assert "⏳ Чек на 500 ₽ на проверке" in said
        receipt = await shop.receipt()
        assert (receipt["state"], receipt["amount"], receipt["refs"]) == ("waiting", 50_000, ["123456789"])
        assert len(receipt["sha256"]) == 64
        assert await shop.balance(shop.anna) == 0
        assert await shop.count("payments") == 0
        await shop.anna.taps("🔄 Состояние")
        assert "ещё на проверке" in shop.anna.answers[-1]
        assert "На проверке: 500 ₽" in await shop.anna.says("/balance")
        await shop.anna.says("/topup")
        assert "⏳ Чек на 500 ₽ на проверке" in shop.anna.newest


async def test_a_pdf_is_a_receipt(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        assert "на проверке" in await shop.anna.sends(PDF, kind="document", name="чек.pdf")
        await shop.settles()
        shown = shop.peter.screen()[-1]
        assert shown["kind"] == "document"
        assert "Чек № 1" in shop.peter.newest


async def test_a_file_is_told_by_its_bytes_not_by_its_name(database: str) -> None:
    program, words, archive = b"MZ" + b"\x00" * 500, b"just words", b"PK\x03\x04abc"
    files = {"чек.pdf": MP4, "receipt.png": program, "чек.jpg": words, "a.pdf": archive}
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        for name, data in files.items():
            assert "не похоже на чек" in await shop.anna.sends(data, kind="document", name=name)
        assert await shop.count("receipts") == 0
        assert "на проверке" in await shop.anna.sends(receipt_picture())


async def test_words_and_voices_are_no_receipts(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        assert "нужен чек" in await shop.anna.says("я перевела")
        assert "нужен чек" in await shop.anna.sends(MP4, kind="video", name="a.mp4")
        assert await shop.count("receipts") == 0


async def test_a_file_of_more_than_twenty_megabytes_is_refused(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        said = await shop.anna.sends(PDF + b"\x00" * (20 * 1024 * 1024), kind="document", name="чек.pdf")
        assert "больше 20 МБ" in said
        assert await shop.count("receipts") == 0


async def test_a_photo_outside_a_transfer_is_not_taken_and_the_customer_is_told_what_to_do(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.says("/start")
        assert "Nano Banana" in await shop.anna.sends(receipt_picture())
        assert "перевод" not in shop.anna.newest
        assert await shop.count("receipts") == 0


async def test_a_photo_beside_a_receipt_that_waits_may_have_been_meant_as_one(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays(data=receipt_picture("red"))
        assert "ни к какому переводу" in await shop.anna.sends(receipt_picture())
        assert await shop.count("receipts") == 1
        await shop.anna.taps("🏦 Перевод")
        assert "На какую сумму" in shop.anna.newest


async def test_a_transfer_can_be_left_and_come_back_to(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        assert "Перевод отложен" in await shop.anna.says("/cancel")
        assert await shop.pool.fetchval("SELECT state FROM topups") == "closed"
        await shop.anna.sends(receipt_picture())
        assert await shop.count("receipts") == 0
        await shop.anna.taps("📎 Прислать чек")
        assert "на проверке" in await shop.anna.sends(receipt_picture())
        await shop.anna.taps("📎 Прислать чек")
        assert "ещё на проверке" in shop.anna.answers[-1]
        await shop.anna.sends(receipt_picture("red"))
        assert await shop.count("receipts") == 1


async def test_no_more_than_three_receipts_wait_at_once(database: str) -> None:
    async with transfer_shop(database) as shop:
        for colour in ("red", "green", "blue"):
            assert "на проверке" in await shop.anna.pays(data=receipt_picture(colour))
        await shop.anna.says("/topup")
        await shop.anna.taps("🏦 Перевод")
        assert "На проверке уже 3 ваших чека" in shop.anna.answers[-1]
        assert "на проверке" in await shop.boris.pays(data=receipt_picture("pink"))


@pytest.mark.parametrize("details", ["", " \n"])
async def test_where_no_bank_details_are_set_nobody_is_offered_a_transfer(database: str, details: str) -> None:
    async with transfer_shop(database, options=replace(OPTIONS, transfer_details=details)) as shop:
        await shop.anna.says("/start")
        await shop.anna.says("/topup")
        assert not any("Перевод" in label for label in shop.anna.labels())
        assert "Nano Banana" in await shop.anna.sends(receipt_picture())


async def test_an_update_handled_twice_is_one_receipt_and_one_message_to_each_operator(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        shop.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=9)
        await person_acts.send_file(shop.telegram.world, shop.anna.person, receipt_picture(), kind="photo")
        await shop.anna.handle_all()
        assert await shop.count("receipts") == 1
        assert await shop.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 1
        await shift_clock(shop.pool, 10)
        await shop.anna.handle_all()
        assert "на проверке" in shop.anna.newest
        assert await shop.count("receipts") == 1
        await shop.settles()
        assert [len(one.screen()) for one in (shop.peter, shop.olga)] == [1, 1]


async def test_a_file_telegram_does_not_give_out_is_asked_for_again(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        shop.telegram.faults.arm(world="telegram", method="getFile", action="too_many", retry_after=5)
        await person_acts.send_file(shop.telegram.world, shop.anna.person, receipt_picture(), kind="photo")
        await shop.anna.handle_all()
        assert await shop.count("receipts") == 0
        await shift_clock(shop.pool, 6)
        await shop.anna.handle_all()
        assert "на проверке" in shop.anna.newest


@pytest.mark.parametrize("is_approved", [True, False])
async def test_a_receipt_decided_before_its_update_was_done_is_told_of_by_the_notice_alone(
    database: str, *, is_approved: bool
) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        shop.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=5)
        await person_acts.send_file(shop.telegram.world, shop.anna.person, receipt_picture(), kind="photo")
        await shop.anna.handle_all()
        await shop.settles()
        if is_approved:
            await shop.peter.taps("✅ Зачислить")
        else:
            await shop.peter.taps("❌ Отклонить")
            await shop.peter.taps("Перевод не пришёл")
        await shop.settles()
        shown = len(shop.anna.screen())
        await shift_clock(shop.pool, 6)
        await shop.anna.handle_all()
        assert await shop.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0
        assert len(shop.anna.screen()) == shown


async def test_the_state_of_another_persons_receipt_is_nobodys_business(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.boris.says("/start")
        shop.telegram.taps(shop.boris.person, shop.boris.screen()[-1]["message_id"], "r:state:1")
        await shop.boris.handle_all()
        assert "не ваш чек" in shop.boris.answers[-1]
