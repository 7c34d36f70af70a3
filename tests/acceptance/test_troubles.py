"""Troubles at Kie and in Telegram, as a customer sees them: a pause, a reason, the money back; never two pictures."""

import asyncio
from pathlib import Path

import pytest

from photomat_chaos.lab.proxy import open_proxy
from support.database import pool_of
from support.endings import NOTHING_PAID, PAID, buys_something_endless, ends_well, ends_without_a_picture
from support.jobs import a_job, a_user
from support.patience import until, until_found
from support.system import open_shop, running_system

PAUSE_S = 61.0
GIVE_UP_S = 3600.0


async def test_a_failed_task_says_why_gives_the_money_back_and_can_be_tried_again(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        card = await anna.buys("кот [fail]")
        await anna.sees("❌ Генерация не удалась")
        assert "Модель отказалась от этого запроса" in anna.words(card)
        assert "0,64 ₽ вернулись на баланс" in anna.words(card)
        await anna.has(NOTHING_PAID)
        await anna.taps("🔁 Попробовать снова", message_id=card)
        new_card, _ = await anna.finds("✅ Создать")
        assert new_card != card, "a card hosts one job for its whole life"
        assert "кот [fail]" in anna.words(new_card)
        await ends_without_a_picture(system, anna)
        await anna.taps("✅ Создать", message_id=new_card)
        await anna.sees("❌ Генерация не удалась", times=2)
        await ends_without_a_picture(system, anna, tasks=2)


async def test_a_lost_answer_of_create_task_is_found_again_by_the_callback(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        system.kie.faults.arm(world="kie", method="createTask", action="drop_after")
        anna = system.customer()
        card = await anna.buys()
        await system.instance.says("SUBMIT_UNKNOWN")
        await ends_well(system, anna, cards=(card,))


@pytest.mark.parametrize("action", ["drop_before", "drop_after", "error"])
async def test_a_lost_answer_without_callbacks_is_never_ordered_again_and_gives_the_money_back(
    database: str, tmp_path: Path, action: str
) -> None:
    async with running_system(database, tmp_path, JOB_TIMEOUT_S=str(GIVE_UP_S)) as system:
        faults = system.kie.faults
        if action == "error":
            faults.arm(world="kie", method="createTask", action="error", status=200, code=500)
        else:
            faults.arm(
                world="kie", method="createTask", action="drop_after" if action == "drop_after" else "drop_before"
            )
        instance = await system.start(public=False)
        anna = system.customer()
        card = await anna.buys()
        await instance.says("SUBMIT_UNKNOWN")
        await system.passes(GIVE_UP_S / 2)
        await until(lambda: "дольше обычного" in anna.words(card), about=lambda: system.story)
        await system.passes(GIVE_UP_S)
        await until(lambda: "вернулись на баланс" in anna.words(card), about=lambda: system.story)
        await ends_without_a_picture(system, anna, tasks=1 if action == "drop_after" else 0)


async def test_a_lost_answer_is_given_up_in_time_where_that_is_sooner_than_overdue(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path, JOB_TIMEOUT_S="60") as system:
        system.kie.faults.arm(world="kie", method="createTask", action="drop_after")
        instance = await system.start(public=False)
        anna = system.customer()
        card = await anna.buys()
        await instance.says("SUBMIT_UNKNOWN")
        await system.passes(PAUSE_S)
        await until(lambda: "вернулись на баланс" in anna.words(card), about=lambda: system.story)
        await ends_without_a_picture(system, anna)


async def test_a_database_gone_between_the_create_and_its_record_costs_the_customer_only_time(
    database: str, tmp_path: Path
) -> None:
    """Without a public URL no callback could tell the job its task: only the create reply knows it."""
    async with running_system(database, tmp_path) as system, open_proxy(database) as proxy:
        system.kie.faults.arm(world="kie", method="createTask", action="delay", delay_s=1)
        instance = await system.start(public=False, DATABASE_URL=proxy.dsn, DELIVERY_LEASE_S="5")
        anna = system.customer()
        card = await anna.buys()
        await system.until_job(lambda job: job["status"] == "submitting")
        for _ in range(300):
            proxy.cut()
            await asyncio.sleep(0.01)
        assert len(system.kie.world.tasks) == 1
        await ends_well(system, anna, cards=(card,))
        assert instance.lines("ANSWER_NOT_STORED")
        assert not instance.lines("SUBMIT_UNKNOWN")


async def test_a_stop_in_the_middle_of_slow_creates_loses_and_doubles_nothing(database: str, tmp_path: Path) -> None:
    """Requests that have left are answered and stored in time; claimed jobs that have not left are given back."""
    async with running_system(database, tmp_path, KIE_CREATES_PER_10S="200") as system:
        system.kie.world.change({"creates_per_10_s": 0, "running_limit": 0})
        system.kie.faults.arm(world="kie", method="createTask", action="delay", delay_s=4, times=-1)
        instance = await system.start(public=False)
        async with pool_of(database) as pool:
            for user in range(1, 31):
                await a_job(pool, await a_user(pool, user_id=user))
            await until_found(
                lambda: pool.fetchval("SELECT true FROM generation_jobs WHERE status = 'submitting' LIMIT 1")
            )
            assert await instance.stop() == 0
            jobs = await pool.fetch("SELECT status, external_task_id, leased_until FROM generation_jobs")
        stored = {job["external_task_id"] for job in jobs if job["status"] != "pending"}
        assert stored == set(system.kie.world.tasks)
        assert not [job for job in jobs if job["status"] == "pending" and job["leased_until"] is not None]
        assert not instance.lines("SUBMIT_UNKNOWN")
        assert not instance.lines("ANSWER_LOST")


async def test_telegram_asking_to_slow_down_delays_the_picture_and_nothing_else(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        system.telegram.faults.arm(world="telegram", method="editMessageMedia", action="too_many", retry_after=30)
        anna = system.customer()
        card = await anna.buys()
        released = await system.instance.says("DELIVER_FAIL_RELEASED")
        assert "retry_s=30" in released
        await system.passes(PAUSE_S)
        await ends_well(system, anna, cards=(card,))


async def test_a_customer_who_blocked_the_bot_finds_the_picture_on_return(database: str, tmp_path: Path) -> None:
    """Telegram lets a bot edit what is there, but send nothing: Anna's card is edited, Boris's, deleted, has to wait."""
    async with open_shop(database, tmp_path) as system:
        anna, boris = system.customer("Анна"), system.customer("Борис")
        cards = [await buys_something_endless(system, customer) for customer in (anna, boris)]
        system.telegram.deletes(boris.person, cards[1], for_both=True)
        for customer in (anna, boris):
            system.telegram.blocks(customer.person)
        for task_id in list(system.kie.world.tasks):
            await system.kie.post(f"/sandbox/tasks/{task_id}", {"state": "success"})
        job = await system.until_job(lambda job: job["undeliverable_at"] is not None)
        assert (job["user_id"], job["status"], job["delivered_at"]) == (boris.person.user_id, "done", None)
        assert not boris.pictures()
        for customer in (anna, boris):
            system.telegram.blocks(customer.person, blocked=False)
        slot = (await boris.gets_a_picture())["message_id"]
        await system.comes_to_rest()
        assert [one["message_id"] for one in (*anna.pictures(), *boris.pictures())] == [cards[0], slot]
        assert len(boris.rings()) == 1
        await anna.has(PAID)
        await boris.has(PAID)


async def test_a_card_deleted_for_both_is_replaced_by_a_new_place_for_one_picture(
    database: str, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        system.telegram.deletes(anna.person, card, for_both=True)
        await system.kie_finishes()
        picture = await anna.gets_a_picture()
        assert picture["message_id"] != card
        await ends_well(system, anna, cards=(picture["message_id"],))
        job = await system.job()
        assert job["card_message_id"] == picture["message_id"]


WAITING = ("Заказ принят", "не принимает заказы")
"""What a card says before and after the pause is known."""


@pytest.mark.parametrize("code", [401, 402])
async def test_without_credits_or_key_at_kie_the_job_waits_for_the_operator(
    database: str, tmp_path: Path, code: int
) -> None:
    async with open_shop(database, tmp_path) as system:
        system.kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=code, text="no")
        anna = system.customer()
        card = await anna.buys()
        await system.instance.says("SUBMIT_PAUSED")
        job = await system.until_job(lambda job: job["status"] == "pending" and job["last_error"])
        assert job["settled_at"] is None, "an operator's trouble is not the customer's failure"
        await until(lambda: any(words in anna.words(card) for words in WAITING), about=lambda: anna.words(card))
        await anna.finds("✖️ Отменить", message_id=card)
        await system.passes(PAUSE_S)
        await ends_well(system, anna, cards=(card,))


@pytest.mark.parametrize("code", [429, 455])
async def test_while_kie_is_busy_the_job_waits_and_goes_on(database: str, tmp_path: Path, code: int) -> None:
    async with open_shop(database, tmp_path) as system:
        system.kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=code, text="later")
        anna = system.customer()
        card = await anna.buys()
        await system.instance.says("SUBMIT_RETRY")
        await system.passes(PAUSE_S)
        await ends_well(system, anna, cards=(card,))


async def test_a_task_kie_does_not_know_at_first_is_looked_at_again(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        system.kie.world.change({"null_grace_s": 600.0})
        instance = await system.start(public=False)
        anna = system.customer()
        card = await anna.buys()
        await until(lambda: "state=unknown" in instance.log, about=lambda: system.story)
        system.kie.world.change({"null_grace_s": 0.0})
        await ends_well(system, anna, cards=(card,))
