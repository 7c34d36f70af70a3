"""The process dies around a receipt and around its approval; a fresh one goes on: one receipt, one credit, one decision."""

from pathlib import Path
from typing import Any

from photomat_sandbox.telegram import person_acts
from support.customer import Customer
from support.instance import Instance
from support.system import System, running_system
from support.transfers import receipt_picture

THE_RECEIPT = 5
"""/start, /topup, [Transfer], the sum, the receipt."""


async def test_killed_around_a_receipt_and_its_approval_one_credit_is_made(database: str, tmp_path: Path) -> None:
    async with running_system(
        database, tmp_path, LEASE_S="1.5", WELCOME_CREDIT="0", TRANSFER_DETAILS="Карта"
    ) as system:
        anna, peter = system.customer("Анна"), system.customer("Пётр")
        system.settings["ADMIN_IDS"] = str(peter.person.user_id)
        first = await system.start(FAILPOINT=f"update.after_handle:{THE_RECEIPT}")
        anna.says("/start")
        await anna.sees("Здравствуйте")
        anna.says("/topup")
        await anna.taps("🏦 Перевод")
        await anna.sees("На какую сумму")
        anna.says("500")
        await anna.sees("Пришлите сюда чек")
        await person_acts.send_file(system.telegram.world, anna.person, receipt_picture(), kind="photo")
        await dies(first)
        is_asked_again = await left(system, peter) and not photos(peter)
        second = await system.start(FAILPOINT="payment.before_commit")
        if is_asked_again:
            peter.says("/receipts")
        await peter.taps("✅ Зачислить")
        await dies(second)
        third = await system.start(wait=False, FAILPOINT="payment.after_commit")
        await dies(third)
        may_be_lost = await left(system, anna)
        await system.start()
        if not may_be_lost:
            await anna.sees("Зачислено 500 ₽")
        await peter.is_answered("Уже решено: зачислено 500 ₽")
        await peter.sees("зачислено 500 ₽")
        await anna.has("500 ₽")
        async with system.sql() as connection:
            for table in ("receipts", "payments"):
                assert await connection.fetchval(f"SELECT count(*) FROM {table}") == 1  # noqa: S608  tables of ours
            done = await connection.fetch("SELECT done FROM operator_journal ORDER BY entry_id")
        assert [row["done"] for row in done] == [True, False]
        assert len(photos(peter)) <= 1 + is_asked_again


async def left(system: System, customer: Customer) -> bool:
    """Whether the notice to this user has left; at most once it does, so one that a killed process had claimed may be lost."""
    async with system.sql() as connection:
        return bool(
            await connection.fetchval(
                "SELECT true FROM notices WHERE chat_id = $1 AND left_at IS NOT NULL", customer.person.user_id
            )
        )


def photos(customer: Customer) -> list[dict[str, Any]]:
    return [one for one in customer.screen() if one["kind"] == "photo"]


async def dies(instance: Instance) -> None:
    """Wait until it was struck at its failpoint."""
    await instance.ends()
    assert instance.lines("FAILPOINT"), instance.log[-2000:]
