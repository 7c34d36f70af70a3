"""Stars in the whole product: paid once whatever is repeated or lost, and declined, not hung, without a database."""

import asyncio
import shutil
import signal
import tempfile
from pathlib import Path

from photomat.db.embedded import Embedded
from photomat.db.rows import require_row
from photomat_chaos.lab.proxy import open_proxy
from support.database import create_database
from support.endings import ends_well
from support.patience import until, until_found
from support.purse import opens_a_bill, payments, pays, starts_to_pay, told_again
from support.system import System, open_shop, running_system

ONE = (50, 5_200, "update")
IN_TIME_S = 60.0
"""Telegram waits ten seconds, and our limits add up to less; a slow machine needs a multiple."""


async def all_handled(system: System) -> None:
    async with system.sql() as connection:

        async def idle() -> bool | None:
            waiting = "SELECT 1 FROM lanes WHERE pending > 0 LIMIT 1"
            return None if await connection.fetchval(waiting) or system.telegram.world.updates.pending else True

        await until_found(idle, about=lambda: system.story[-4000:])


async def test_no_money_then_stars_then_one_tap_and_the_picture(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, WELCOME_CREDIT="0") as system:
        anna = system.customer()
        await anna.fills_in()
        card = await anna.taps("💳 Пополнить")
        await anna.taps("⭐ Telegram Stars")
        await anna.taps("⭐ 50 ")
        _, button = await anna.finds("⭐ Оплатить")
        await pays(anna, button["url"])
        await anna.sees("💰 Зачислено 52 ₽")
        notice, create = await anna.finds("✅ Создать · 0,64")
        assert notice != card
        anna.presses(notice, create)
        await ends_well(system, anna, cards=(notice,), left="51,36 ₽")


async def test_a_payment_told_a_hundred_times_before_and_after_a_restart_is_one_credit(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path, WELCOME_CREDIT="0") as system:
        anna = system.customer()
        system.telegram.faults.arm(world="telegram", method="update.successful_payment", action="reorder")
        await pays(anna, await opens_a_bill(anna))
        anna.says("/balance")
        told_again(anna, 50)
        await until(lambda: "PAYMENT_KNOWN" in system.story, about=lambda: system.story)
        await anna.sees("💰 Зачислено 52 ₽")  # a notice that is being sent when its process is killed is lost
        await system.instance.kill()
        told_again(anna, 50)
        await system.start()
        await all_handled(system)
        assert await payments(system) == [ONE]
        await anna.has("52 ₽")
        assert sum("Зачислено" in str(one["text"]) for one in anna.screen()) == 1


async def test_a_payment_whose_update_was_lost_is_found_by_itself(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, WELCOME_CREDIT="0", STARS_RECONCILE_S="0.5") as system:
        anna = system.customer()
        link = await opens_a_bill(anna)
        system.telegram.faults.arm(world="telegram", method="update.successful_payment", action="never")
        await pays(anna, link)
        await anna.sees("💰 Зачислено 52 ₽")
        assert await payments(system) == [(50, 5_200, "reconcile")]


async def test_a_refund_races_the_spending_of_the_same_money(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, WELCOME_CREDIT="0") as system:
        anna = system.customer()
        charge = await pays(anna, await opens_a_bill(anna))
        await anna.sees("💰 Зачислено 52 ₽")
        await anna.fills_in()
        card, create = await anna.finds("✅ Создать")
        async with system.telegram.bot() as bot:
            anna.presses(card, create)
            await bot.refund_star_payment(anna.person.user_id, charge.charge_id)
        await anna.sees("↩️ Платёж возвращён")
        await all_handled(system)
        async with system.sql() as connection:
            wallet = await require_row(connection, "SELECT posted, held, owed FROM wallets")
            jobs = await connection.fetchval("SELECT count(*) FROM generation_jobs")
        assert wallet["owed"] == (64 if jobs else 0)
        assert wallet["posted"] - wallet["held"] == 0


async def test_without_a_database_a_payment_is_declined_at_once_and_taken_when_it_is_back(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="stars-"))  # a short path keeps the server's socket where it was
    server = Embedded.start(folder, settings={"fsync": "off"})
    try:
        database = await create_database(server.dsn, template="template1")
        async with open_shop(database, tmp_path, WELCOME_CREDIT="0") as system:
            anna = system.customer()
            link = await opens_a_bill(anna)
            await all_handled(system)
            server.stop()
            async with asyncio.timeout(IN_TIME_S):
                starts_to_pay(anna, link)
                await system.instance.says("CHECKOUT_DECLINED")
            assert system.telegram.world.stars.charges == []
            server = Embedded.start(folder, settings={"fsync": "off"})
            await system.instance.says("ACTIVE_ENTER", times=2)
            await pays(anna, link)
            await anna.sees("💰 Зачислено 52 ₽")
    finally:
        server.stop()
        shutil.rmtree(folder)


async def test_a_database_that_answers_nothing_lets_nobody_hang(database: str, tmp_path: Path) -> None:
    async with open_proxy(database) as proxy, running_system(proxy.dsn, tmp_path, WELCOME_CREDIT="0") as system:
        await system.start()
        anna = system.customer()
        link = await opens_a_bill(anna)
        async with asyncio.TaskGroup() as group:
            hole = group.create_task(proxy.black_hole(600))
            async with asyncio.timeout(IN_TIME_S):
                starts_to_pay(anna, link)
                await system.instance.says("CHECKOUT_DECLINED")
            hole.cancel()
        assert system.telegram.world.stars.charges == []


async def test_a_stuck_worker_lets_nobody_hang(database: str, tmp_path: Path) -> None:
    """Another instance declines in time, unless it has become ACTIVE before that: then it takes the payment."""
    async with open_shop(database, tmp_path, WELCOME_CREDIT="0") as system:
        anna = system.customer()
        link = await opens_a_bill(anna)
        passive = await system.start()
        system.instances[0].send(signal.SIGSTOP)
        system.door.only = passive
        async with asyncio.timeout(IN_TIME_S):
            starts_to_pay(anna, link)
            await until(lambda: passive.lines("CHECKOUT_DECLINED") or passive.lines("CHECKOUT"))
        declined = bool(passive.lines("CHECKOUT_DECLINED"))
        system.instances[0].send(signal.SIGCONT)
        await all_handled(system)
        assert len(system.telegram.world.stars.charges) == (0 if declined else 1)
