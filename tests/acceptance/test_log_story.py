"""The log tells one job from tap to ring under one correlation id, over deaths too, and tells no secrets."""

import re
import signal
from pathlib import Path

from support.endings import ends_well
from support.patience import until
from support.system import TOKEN, System, open_shop, running_system

LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z]+ +\[(?P<corr>[0-9a-f]{8}|-{8})\] \[(?P<tag>[A-Z_]+)\]")
THE_WAY = [
    "JOB_CREATED",
    "JOB_SUBMITTED",
    "CALLBACK_RECEIVED",
    "CALLBACK_PARSED",
    "JOB_SETTLED",
    "DELIVER_LOCK_WIN",
    "DELIVER_START",
    "DELIVER_OK",
    "MARK_DELIVERED",
    "RING",
]
PROMPT = "тайный кот-космонавт с планеты Шарлотта"


async def test_one_job_is_one_story_from_the_tap_to_the_ring(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, 0.6, POLL_FIRST_S="30") as system:
        anna = system.customer()
        card = await anna.buys(PROMPT)
        await system.instance.says("RING")
        assert in_order(system, THE_WAY), system.story
        (delivered,) = system.instance.lines("DELIVER_OK")
        assert "level=url" in delivered
        assert "via=callback" in delivered
        (started,) = system.instance.lines("DELIVER_START")
        assert f"chat_id={anna.person.user_id}" in started
        assert "urls=1" in started
        (parsed,) = system.instance.lines("CALLBACK_PARSED")
        assert "state=success urls=1 error=none" in parsed
        await ends_well(system, anna, cards=(card,))
        await tells_no_secrets(system)


async def test_the_story_keeps_its_id_over_a_death(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path, LEASE_S="1", DELIVERY_LEASE_S="1") as system:
        first = await system.start(FAILPOINT="deliver.after_fetch")
        anna = system.customer()
        card = await anna.buys(PROMPT)
        assert await first.ends() == -signal.SIGKILL
        second = await system.start()
        await second.says("RING")
        assert in_order(system, ["JOB_CREATED", "JOB_SETTLED", "DELIVER_LOCK_WIN", "DELIVER_START", *THE_WAY[5:]])
        assert "via=retry" in second.lines("DELIVER_OK")[0]
        await ends_well(system, anna, cards=(card,))
        await tells_no_secrets(system)


async def test_a_step_down_to_bytes_and_a_duplicate_are_told(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        system.telegram.faults.arm(
            world="telegram",
            method="editMessageMedia",
            action="error",
            status=400,
            code=400,
            text="Bad Request: failed to get HTTP URL content",
        )
        system.kie.faults.arm(world="kie", method="callback", action="duplicate")
        anna = system.customer()
        card = await anna.buys(PROMPT)
        assert "level=bytes" in await system.instance.says("DELIVER_OK")
        await system.instance.says("CALLBACK_DUPLICATE")
        await ends_well(system, anna, cards=(card,))
        await tells_no_secrets(system)


def story_of(system: System, corr: str) -> list[str]:
    """The tags of all lines of this correlation id, in order."""
    found = [LINE.match(line) for line in system.story.splitlines()]
    return [match["tag"] for match in found if match and match["corr"] == corr]


def in_order(system: System, tags: list[str]) -> bool:
    """Whether the job's own lines contain these tags in this order."""
    created = LINE.match(next(line for line in system.story.splitlines() if "[JOB_CREATED]" in line))
    assert created is not None
    told = iter(story_of(system, created["corr"]))
    return all(tag in told for tag in tags)


async def tells_no_secrets(system: System) -> None:
    """Neither the prompt nor the token nor an address of a result or a callback stands in any log."""
    await until(lambda: system.instance.lines("RING"))
    (task,) = system.kie.world.tasks.values()
    for secret in (PROMPT, "Шарлотт", TOKEN, TOKEN.partition(":")[2], *task.results, task.order.callback_url):
        assert secret
        assert secret not in system.story
    assert "/results/" not in system.story
