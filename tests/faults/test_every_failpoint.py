"""The process kills itself at every failpoint of a purchase; a fresh one finishes it: one picture, one ring, one charge.

The stories (a sixth of them in the gate) are told a few at a time, each in a world of its own; each test hears how one ended.
"""

import asyncio
import signal
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest

from photomat.jobs.claims import CREATES
from photomat.kernel.failpoint import FAILPOINTS
from photomat.work.budget import block
from support.assistant_stories import STORIES as ASSISTANT_STORIES
from support.broadcast_stories import STORIES as BROADCAST_STORIES
from support.content_stories import STORIES as CONTENT_STORIES
from support.customer import Customer, words_of
from support.database import SharedPostgres
from support.endings import PAID, buys_something_endless, ends_well, ends_without_a_picture
from support.file_stories import STORIES as FILE_STORIES
from support.history import RESEND
from support.instance import Instance
from support.patience import until, until_found
from support.payment_stories import STORIES as PAYMENT_STORIES
from support.privacy_stories import STORIES as PRIVACY_STORIES
from support.sessions import as_pool
from support.stories import Tell, tell_all
from support.system import System, running_system

SETTINGS: Final = {"LEASE_S": "1.5", "DELIVERY_LEASE_S": "1.5"}
GIVE_UP_S: Final = 3600.0
THE_TAP_THAT_BUYS: Final = 6
"""/start, [Create a picture], [Z-Image], the prompt, [1:1], [Create]."""

ASKED_AGAIN: Final = ("send.after_record", "send.after_send")
ALERTS: Final = ("alert.after_claim", "alert.after_send")
OF_COMMANDS: Final = frozenset(point for point in FAILPOINTS if point.startswith(("backup.", "restore.", "results.")))
"""A plain purchase passes none: test_backup.py, test_restored.py and test_results_move.py kill the commands there."""
OF_RECEIPTS: Final = frozenset(point for point in FAILPOINTS if point.startswith("fiscal."))
"""test_fiscal_killed.py kills instances there."""
NOT_ON_THE_WAY: Final = frozenset(
    {
        "submit.before_unknown",
        "callback.before_commit",
        "deliver.after_slot",
        "orphan.before_commit",
        "orphan.after_match",
    }
    | {*ASKED_AGAIN, *ALERTS}
    | set(PAYMENT_STORIES)
    | set(FILE_STORIES)
    | set(ASSISTANT_STORIES)
    | set(BROADCAST_STORIES)
    | set(PRIVACY_STORIES)
    | set(CONTENT_STORIES)
    | OF_COMMANDS
    | OF_RECEIPTS
)
"""Points a plain purchase does not pass; each has a story of its own."""

A_WHILE_S: Final = 100.0
"""Longer than the lease of an alert, and than a customer must wait before asking again."""

NEXT_TURN_S: Final = 30.0
MUST_FIRE: Final = 0.8
SLOT: Final = "Карточка удалена"

BESIDE_A_SUBMIT: Final = frozenset(
    {f"{point}:{THE_TAP_THAT_BUYS}" for point in FAILPOINTS if point.startswith("update")}
    | {"create.before_commit", "create.after_commit"}
    | {"deliver.after_lock", "deliver.before_edit", "deliver.after_edit", "deliver.before_commit", "deliver.after_mark"}
)
"""A death right after the tap could meet a request that is just leaving, of which nobody could know: another story."""

PLAIN: Final = tuple(point for point in FAILPOINTS if point not in NOT_ON_THE_WAY | {"submit.after_intent"})
AT_THE_TAP: Final = tuple(
    f"{point}:{THE_TAP_THAT_BUYS}" for point in FAILPOINTS if point.startswith(("inbox", "update"))
)
AT_THE_RESULT: Final = tuple(
    f"{point} at the result"
    for point in (
        "deliver.after_lock",
        "deliver.before_edit",
        "deliver.after_edit",
        "deliver.before_commit",
        "deliver.after_mark",
    )
)


def sample(titles: Iterable[str]) -> list[object]:
    """Every sixth story in the gate, the others in `make prove`."""
    return [title if nth % 6 == 0 else pytest.param(title, marks=pytest.mark.prove) for nth, title in enumerate(titles)]


@pytest.fixture(scope="module")
def endings(
    request: pytest.FixtureRequest, postgres: SharedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Exception | None]:
    """How the story of every chosen title ended."""
    chosen = [
        str(item.callspec.params["title"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.path == request.path and "title" in item.fixturenames
    ]
    folder = tmp_path_factory.mktemp("stories")
    return asyncio.run(tell_all(chosen, tell, postgres=postgres, folder=folder, settings=SETTINGS))


@pytest.mark.parametrize("title", sample([*PLAIN, *AT_THE_TAP, *AT_THE_RESULT]))
def test_killed_there_the_customer_still_gets_one_picture_for_one_charge(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", ["submit.after_intent"])
def test_killed_when_the_request_was_about_to_leave_nothing_is_ordered_twice_and_the_money_comes_back(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", ["submit.before_unknown"])
def test_killed_when_the_answer_was_lost_the_callback_finds_the_job_and_nothing_is_ordered_twice(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", ["callback.before_commit"])
def test_killed_when_a_callback_brought_the_task_it_comes_again_and_the_picture_once(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", ["deliver.after_slot"])
def test_killed_when_a_deleted_card_got_a_new_place_a_stray_line_is_left_and_one_picture_comes(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(["orphan.before_commit", "orphan.after_match"]))
def test_killed_after_an_orphan_found_its_job_the_picture_comes_once(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(ASKED_AGAIN))
def test_killed_when_a_result_was_sent_once_more_nothing_comes_twice_for_one_tap(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(ALERTS))
def test_killed_when_an_operator_was_told_the_alarm_comes_and_at_worst_twice(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(FILE_STORIES))
def test_killed_when_a_file_was_brought_to_kie_the_order_names_it_and_is_made_once(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", ASSISTANT_STORIES)
def test_killed_over_an_answer_the_chat_model_is_asked_once_and_the_card_shows_what_is_bought(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(PAYMENT_STORIES))
def test_killed_over_a_payment_it_is_credited_or_given_back_once_and_told_at_most_once(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(BROADCAST_STORIES))
def test_killed_over_a_broadcast_the_others_get_it_and_nobody_twice(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", sample(PRIVACY_STORIES))
def test_killed_over_an_export_or_a_forgotten_user_it_comes_once_and_nothing_is_left(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


@pytest.mark.parametrize("title", CONTENT_STORIES)
def test_killed_after_a_verdict_the_checker_is_not_asked_again_and_the_order_is_bought_once(
    endings: Mapping[str, Exception | None], title: str
) -> None:
    raise_what_happened(endings[title])


async def test_one_bought_job_passes_four_fifths_of_the_failpoints_of_jobs(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        instance = await system.start(FAILPOINT="tell")
        anna = system.customer()
        card = await anna.buys()
        await ends_well(system, anna, cards=(card,))
        told = [line.partition(" name=")[2].split()[0] for line in instance.lines("FAILPOINT")]
    assert len(FAILPOINTS) >= 30
    assert set(told) <= set(FAILPOINTS)
    of_others = (
        PAYMENT_STORIES,
        FILE_STORIES,
        ASSISTANT_STORIES,
        BROADCAST_STORIES,
        PRIVACY_STORIES,
        CONTENT_STORIES,
        OF_COMMANDS,
        OF_RECEIPTS,
    )
    of_jobs = set(FAILPOINTS).difference(*of_others)
    assert len(set(told)) / len(of_jobs) >= MUST_FIRE, sorted(of_jobs - set(told))
    assert NOT_ON_THE_WAY.isdisjoint(told)


def raise_what_happened(trouble: Exception | None) -> None:
    if trouble is not None:
        raise trouble


async def tell(system: System, title: str) -> None:
    """The story of one title."""
    point = title.partition(" ")[0]
    stories: dict[str, Tell] = {
        "submit.after_intent": nobody_knows,
        "submit.before_unknown": the_answer_is_lost,
        "callback.before_commit": the_callback_brings_the_task,
        "deliver.after_slot": the_card_is_gone,
        "orphan.before_commit": an_orphan_finds_its_job,
        "orphan.after_match": an_orphan_finds_its_job,
        **dict.fromkeys(ASKED_AGAIN, a_result_is_asked_for_again),
        **dict.fromkeys(ALERTS, an_operator_is_told),
        **PAYMENT_STORIES,
        **FILE_STORIES,
        **ASSISTANT_STORIES,
        **BROADCAST_STORIES,
        **PRIVACY_STORIES,
        **CONTENT_STORIES,
    }
    if title.endswith("at the result"):
        await killed_at_the_result(system, point)
    else:
        await stories.get(title, killed_on_the_way)(system, point)


async def killed_on_the_way(system: System, point: str) -> None:
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    async with asyncio.TaskGroup() as group:
        buying = group.create_task(buys(system, anna, submits_rest=point in BESIDE_A_SUBMIT))
        await dies_there(first)
        await system.start()
    await ends_well(system, anna, cards=(buying.result(),), rings=0 if point == "ring.after_record" else 1)


async def buys(system: System, anna: Customer, *, submits_rest: bool) -> int:
    """Buy a picture; where wished submitting rests until the first instance is dead."""
    await anna.fills_in()
    if not submits_rest:
        return await anna.taps("✅ Создать")
    async with system.sql() as connection:
        await block(as_pool(connection), CREATES, seconds=3600, reason="a rest")
        card = await anna.taps("✅ Создать")
        await until(lambda: system.instances[0].exit_code is not None, about=lambda: system.story)
        await connection.execute("DELETE FROM budgets WHERE name = $1", CREATES)
        await connection.execute("UPDATE generation_jobs SET due_at = photomat_now() WHERE status = 'pending'")
    return card


async def killed_at_the_result(system: System, point: str) -> None:
    """The first instance shows every progress; the next one has only the result to show, and dies over it."""
    first = await system.start()
    anna = system.customer()
    system.kie.faults.arm(world="kie", method="task", action="never")
    card = await anna.buys()
    await system.until_job(lambda job: job["status"] == "running" and job["card_shown"] == job["card_wanted"])
    await first.kill()
    second = await system.start(FAILPOINT=point)
    await system.kie_finishes()
    await dies_there(second)
    await system.start()
    await ends_well(system, anna, cards=(card,))


async def nobody_knows(system: System, point: str) -> None:
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    card = await anna.buys()
    await dies_there(first)
    await system.start(JOB_TIMEOUT_S=str(GIVE_UP_S))
    await system.until_job(lambda job: job["status"] == "submitting" and job["card_shown"] == job["card_wanted"])
    await system.passes(GIVE_UP_S / 2)
    job = await system.until_job(lambda job: job["overdue_at"] is not None)
    assert job["status"] == "submitting", "overdue is not failed"
    await system.passes(GIVE_UP_S)
    await until(lambda: "вернулись на баланс" in anna.words(card), about=lambda: system.story)
    await ends_without_a_picture(system, anna, tasks=0)


async def the_answer_is_lost(system: System, point: str) -> None:
    system.kie.faults.arm(world="kie", method="createTask", action="drop_after")
    system.kie.faults.arm(world="kie", method="task", action="never")
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    card = await anna.buys()
    await dies_there(first)
    await system.start()
    await system.kie_finishes()
    await ends_well(system, anna, cards=(card,))


async def the_callback_brings_the_task(system: System, point: str) -> None:
    """The create reply is lost, so the task's id comes with the callback: stored in a transaction that is never committed."""
    system.kie.faults.arm(world="kie", method="createTask", action="drop_after")
    system.kie.faults.arm(world="kie", method="task", action="never")
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    card = await anna.buys()
    await until(lambda: first.lines("SUBMIT_UNKNOWN"), about=lambda: system.story)
    await system.kie_finishes()
    await dies_there(first)
    await system.start()
    await ends_well(system, anna, cards=(card,))


async def the_card_is_gone(system: System, point: str) -> None:
    """The one window that is left: the line that stands in for a deleted card is sent, and nobody knows its number."""
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    card = await buys_something_endless(system, anna)
    system.telegram.deletes(anna.person, card, for_both=True)
    await system.kie_finishes()
    await dies_there(first)
    await system.start()
    picture = await anna.gets_a_picture()
    await ends_well(system, anna, cards=(picture["message_id"],))
    assert len([one for one in anna.screen() if SLOT in words_of(one)]) == 1, "one stray line, no second picture"


async def an_orphan_finds_its_job(system: System, point: str) -> None:
    """Kie's callback arrives under another task's name first; the minute's pass matches it, and dies."""
    first = await system.start()
    anna = system.customer()
    system.kie.faults.arm(world="kie", method="task", action="never")
    card = await anna.buys()
    job = await system.until_job(lambda job: job["status"] == "running" and job["card_shown"] == job["card_wanted"])
    await first.kill()
    async with system.sql() as connection:
        await connection.execute(
            "INSERT INTO orphan_callbacks (task_id, payload, error) VALUES ($1, '{}', 'no such job')",
            job["external_task_id"],
        )
    second = await system.start(wait=False, FAILPOINT=point)
    await dies_there(second)
    await system.kie_finishes()
    await system.start()
    await ends_well(system, anna, cards=(card,))
    async with system.sql() as connection:
        assert not await connection.fetchval("SELECT count(*) FROM orphan_callbacks WHERE processed_at IS NULL")


async def a_result_is_asked_for_again(system: System, point: str) -> None:
    """Recorded before it leaves: killed before it left it is lost, and asked for by another tap it comes."""
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    card = await anna.buys()
    await ends_well(system, anna, cards=(card,))
    await anna.taps("ℹ️", message_id=card)
    await anna.taps(RESEND)
    await dies_there(first)
    seen = 2 if point == "send.after_send" else 1
    assert len(anna.pictures()) == seen
    await system.start()
    await system.passes(A_WHILE_S)
    await anna.taps(RESEND)
    await until(lambda: len(anna.pictures()) == seen + 1, about=lambda: system.story)
    await system.comes_to_rest()
    assert len(anna.pictures()) == seen + 1, "the first tap brings nothing more"
    await anna.has(PAID)


async def an_operator_is_told(system: System, point: str) -> None:
    """An alarm twice is better than one that never came: it is marked as sent when it was."""
    anna = system.customer()
    system.settings["ADMIN_IDS"] = str(anna.person.user_id)
    system.kie.world.credits = 12.0
    first = await system.start(FAILPOINT=point)
    await an_incident_opens(system)
    await dies_there(first)
    told = 1 if point == "alert.after_send" else 0
    assert alarms(anna) == told
    await system.start()
    await system.passes(A_WHILE_S)
    await until(lambda: alarms(anna) == told + 1, about=lambda: system.story)
    await system.comes_to_rest()
    assert alarms(anna) == told + 1


async def an_incident_opens(system: System) -> None:
    """Let time pass until the watch has seen often enough that the credits run out."""
    async with system.sql() as connection:

        async def is_open() -> bool | None:
            if await connection.fetchval("SELECT count(*) FROM incidents"):
                return True
            if await connection.fetchval("SELECT due_at > photomat_now() FROM watches WHERE kind = 'kie-credits'"):
                await system.passes(NEXT_TURN_S)
            return None

        await until_found(is_open, about=lambda: system.story)


def alarms(operator: Customer) -> int:
    return sum("Осталось кредитов: 12" in words_of(one) for one in operator.screen())


async def dies_there(instance: Instance) -> None:
    assert await instance.ends() == -signal.SIGKILL, instance.log
