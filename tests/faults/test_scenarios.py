"""The five scenarios in which the bot before this one sent a result twice, or never: one picture, one charge each."""

import asyncio
import signal
from pathlib import Path

import pytest

from support.customer import Customer
from support.endings import ends_well
from support.instance import Instance
from support.patience import until
from support.system import System, running_system

PAST_THE_BACKOFF_S = 5.0
SHORT_LEASES = {"LEASE_S": "1", "DELIVERY_LEASE_S": "1"}


async def test_callback_and_polling_at_once_show_one_picture_each(database: str, tmp_path: Path) -> None:
    """Looks hang in recordInfo for much longer than their leases; another look settles the job before they are answered."""
    async with running_system(database, tmp_path, **SHORT_LEASES) as system:
        system.kie.faults.arm(world="kie", method="recordInfo", action="delay", delay_s=6, times=3)
        await system.start()
        await system.start()
        customers = [system.customer(name) for name in ("Анна", "Борис", "Вера")]
        cards = await asyncio.gather(*(customer.buys() for customer in customers))
        await until(lambda: "[SETTLE_SKIP]" in system.story, about=lambda: system.story)
        await until(lambda: system.story.count("[JOB_SETTLED]") >= 3, about=lambda: system.story)
        await ends_well(system, *customers, cards=tuple(cards))
        assert system.story.count("[JOB_SETTLED]") == 3


async def test_a_deploy_in_the_middle_of_a_job_neither_loses_nor_doubles_it(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path, 2.0) as system:
        old = await system.start()
        anna, boris = system.customer("Анна"), system.customer("Борис")
        first_card = await anna.buys()
        await old.says("JOB_SUBMITTED")
        system.kie.faults.arm(world="kie", method="createTask", action="delay", delay_s=2.5)
        second_card = await boris.buys()
        await until(lambda: system.times_struck("createTask"), about=lambda: system.story)
        assert len(old.lines("JOB_SUBMITTED")) == 1, "the second request is on its way"
        old.send(signal.SIGTERM)
        new = await system.start(wait=False)
        assert await old.stop() == 0, "the old one leaves in order"
        assert len(old.lines("JOB_SUBMITTED")) == 2, "a request that has left is seen to its end"
        await new.says("ACTIVE_ENTER")
        await ends_well(system, anna, boris, cards=(first_card, second_card))


async def test_a_callback_repeated_five_times_before_and_after_changes_nothing(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        instance = await system.start()
        anna = system.customer()
        system.kie.faults.arm(world="kie", method="callback", action="duplicate", times=2)
        card = await anna.buys()
        await anna.gets_a_picture()
        await instance.says("MARK_DELIVERED")
        (task_id,) = system.kie.world.tasks
        await system.kie.post(f"/sandbox/tasks/{task_id}/callback", {"times": 5})
        await instance.says("DELIVER_LOCK_SKIP", times=5)
        await instance.says("CALLBACK_DUPLICATE", times=6)
        await ends_well(system, anna, cards=(card,))
        assert len(instance.lines("DELIVER_OK")) == 1


@pytest.mark.parametrize("action", ["error", "drop_before", "drop_after"])
async def test_a_failed_delivery_is_tried_again_and_shows_one_picture(
    database: str, tmp_path: Path, action: str
) -> None:
    async with running_system(database, tmp_path, **SHORT_LEASES) as system:
        instance = await system.start()
        anna = system.customer()
        _break_edits(system, action)
        card = await anna.buys()
        await instance.says("DELIVER_FAIL_RELEASED")
        assert not instance.lines("MARK_DELIVERED"), "what was not confirmed is not marked"
        await system.passes(PAST_THE_BACKOFF_S)
        await instance.says("MARK_DELIVERED")
        await ends_well(system, anna, cards=(card,))


async def test_a_deliverer_frozen_past_its_lease_wakes_up_to_a_refused_mark(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path, **SHORT_LEASES) as system:
        frozen, healthy, anna, card = await _frozen_over_an_edit(system)
        await healthy.says("MARK_DELIVERED")
        frozen.send(signal.SIGCONT)
        await until(lambda: "was taken over" in frozen.log, about=lambda: frozen.log)
        assert not frozen.lines("MARK_DELIVERED"), "a zombie's mark is refused"
        await ends_well(system, anna, cards=(card,))


async def test_a_frozen_deliverer_that_wakes_up_while_another_delivers_cannot_mark_for_it(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path, **SHORT_LEASES | {"DELIVERY_LEASE_S": "3"}) as system:
        system.telegram.faults.arm(world="telegram", method="editMessageMedia", action="delay", delay_s=1.5, skip=1)
        frozen, healthy, anna, card = await _frozen_over_an_edit(system)
        await until(lambda: system.times_struck("editMessageMedia") == 2, about=lambda: system.story)
        frozen.send(signal.SIGCONT)
        await until(lambda: "was taken over" in frozen.log, about=lambda: frozen.log)
        assert not frozen.lines("MARK_DELIVERED"), "a zombie's mark is refused"
        await healthy.says("MARK_DELIVERED")
        await ends_well(system, anna, cards=(card,))


async def _frozen_over_an_edit(system: System) -> tuple[Instance, Instance, Customer, int]:
    """One instance is stopped while its edit of the result is on its way; another one has started."""
    frozen = await system.start()
    anna = system.customer()
    system.telegram.faults.arm(world="telegram", method="editMessageMedia", action="delay", delay_s=2)
    card = await anna.buys()
    await until(lambda: system.times_struck("editMessageMedia"), about=lambda: system.story)
    frozen.send(signal.SIGSTOP)
    healthy = await system.start()
    assert (await healthy.health())["active"] is False, "the frozen one still holds the lock"
    return frozen, healthy, anna, card


def _break_edits(system: System, action: str) -> None:
    """The first edit that shows the result goes wrong in this way."""
    faults = system.telegram.faults
    match action:
        case "error":
            faults.arm(world="telegram", method="editMessageMedia", action="error", status=502, html=True)
        case "drop_before":
            faults.arm(world="telegram", method="editMessageMedia", action="drop_before")
        case _:
            faults.arm(world="telegram", method="editMessageMedia", action="drop_after")
