"""Operators are told once of the opening and once of the end, each apart; what surely did not leave is tried again."""

import asyncio

import pytest

from photomat.alerts.incident import IncidentKind
from photomat.db.pool import transaction
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.ids import ChatId
from photomat.telegram.port import CallRefused, Unauthorized, Unreachable
from support.alerts import ANNA, BORIS, Tower, a_tower, tower_on
from support.logs import logged

OPEN, OVER = "🔴 <b>Кредиты Kie кончаются</b>", "✅ Прошло: <b>Кредиты Kie кончаются</b>"
LEASE_IS_OVER_S = 91
OUTCOMES = "SELECT about, outcome FROM incident_notices WHERE admin_id = $1 ORDER BY about"


async def test_each_operator_is_told_once_that_it_opened_and_once_that_it_is_over(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, admins=(ANNA, BORIS)) as tower:
        await _opens(tower)
        assert await tower.tells() == 2
        assert await tower.tells(86400) == 0
        await _ends(tower)
        assert await tower.tells() == 2
        assert await tower.tells(86400) == 0
        assert tower.told(ANNA) == tower.told(BORIS) == [OPEN, OVER]
        opening, ending = (text for admin, text in tower.messenger.sent if admin == ANNA)
        assert "Осталось кредитов: 3" in opening
        assert "Длилось 24 ч 6 мин" in ending


async def test_an_operator_reads_the_language_they_chose_in_the_bot(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, admins=(ANNA, BORIS)) as tower:
        await tower.pool.execute("INSERT INTO users (user_id, language) VALUES ($1, 'en')", BORIS)
        await _opens(tower)
        await tower.tells()
        assert tower.told(ANNA) == [OPEN]
        assert tower.told(BORIS) == ["🔴 <b>Kie credits are running out</b>"]


async def test_two_instances_at_once_send_one_message(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _opens(tower)
        towers = [tower_on(tower.pool, IncidentKind.KIE_CREDITS) for _ in range(6)]
        await asyncio.gather(*(one.tells() for one in towers))
        assert [told for one in towers for told in one.told(ANNA)] == [OPEN]


async def test_a_message_in_somebody_s_hands_is_neither_waited_for_nor_taken(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _opens(tower)
        async with asyncio.timeout(120), transaction(tower.pool) as other:
            await other.execute("SELECT FROM incident_notices FOR UPDATE")
            assert await tower.notices() == []
        assert await tower.tells() == 1


async def test_what_surely_did_not_leave_is_tried_again_after_the_wait_and_not_before(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, admins=(ANNA, BORIS)) as tower:
        tower.messenger.troubles[ANNA] = [Transient("429", retry_after_s=30), Transient("down"), Unauthorized("token")]
        await _opens(tower)
        with logged() as lines:
            assert await tower.tells() == 2
            assert tower.told(BORIS) == [OPEN], "nobody waits for another"
            assert await tower.tells(29) == 0
            assert await tower.tells(2) == 1
            assert await tower.tells(10) == 1
            assert await tower.tells(20) == 1
        assert tower.told(ANNA) == [OPEN]
        assert [line["event"] for line in lines if line.get("admin_id") == ANNA] == ["ALERT_RETRY"] * 3 + ["ALERT_SENT"]


async def test_a_lost_answer_counts_as_sent(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        tower.messenger.after_sending = [OutcomeUnknown("no answer")]
        await _opens(tower)
        await tower.tells()
        assert await tower.tells(86400) == 0
        await _ends(tower)
        await tower.tells()
        assert tower.told(ANNA) == [OPEN, OVER]


async def test_an_operator_who_blocked_the_bot_holds_up_nobody_and_is_named_once(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, admins=(ANNA, BORIS)) as tower:
        tower.messenger.troubles[ANNA] = [Unreachable("unreachable")] * 9
        with logged() as lines:
            await _opens(tower)
            await tower.tells()
            await tower.goes_round(180)
            assert await tower.tells(86400) == 0
            await _ends(tower)
            await tower.tells()
        assert tower.told(ANNA) == []
        assert tower.told(BORIS) == [OPEN, OVER]
        failed = [line for line in lines if line["event"] == "ALERT_FAILED"]
        assert [(line["admin_id"], line["outcome"]) for line in failed] == [(ANNA, "unreachable")]


async def test_a_refusal_nobody_planned_for_is_given_up_after_five_tries(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        tower.messenger.troubles[ANNA] = [CallRefused("Bad Request: what?")] * 9
        await _opens(tower)
        assert [await tower.tells(400) for _ in range(7)] == [1, 1, 1, 1, 1, 0, 0]
        assert await _outcomes(tower) == [("open", "refused")]


async def test_killed_before_sending_it_is_sent_when_the_lease_is_over(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _opens(tower)
        assert len(await tower.notices()) == 1, "claimed, and then the process died"
        assert await tower.tells(LEASE_IS_OVER_S - 5) == 0
        assert await tower.tells(10) == 1
        assert await tower.tells(86400) == 0
        assert tower.told(ANNA) == [OPEN]


async def test_killed_between_sending_and_noting_it_is_sent_again_and_never_lost(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _opens(tower)
        tower.messenger.after_sending = [asyncio.CancelledError()]
        with pytest.raises(asyncio.CancelledError):
            await tower.tells()
        assert await tower.tells(LEASE_IS_OVER_S) == 1
        assert await tower.tells(86400) == 0
        assert tower.told(ANNA) == [OPEN, OPEN]


async def test_a_sender_that_woke_up_after_its_lease_changes_nothing(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _opens(tower)
        zombie = tower_on(tower.pool, IncidentKind.KIE_CREDITS)
        (held,) = await zombie.notices()
        await tower.tells(LEASE_IS_OVER_S)
        zombie.messenger.troubles[ANNA] = [Unreachable("unreachable"), Transient("down")]
        with logged() as lines:
            await zombie.sender.deliver(held)
            await zombie.sender.deliver(held)
        assert "ALERT_LEASE_LOST" in [line["event"] for line in lines]
        assert await _outcomes(tower) == [("open", "sent")]
        assert await tower.tells(86400) == 0


async def test_a_late_retry_does_not_take_the_message_out_of_the_next_one_s_hands(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        await _opens(tower)
        zombie = tower_on(tower.pool, IncidentKind.KIE_CREDITS)
        (late,) = await zombie.notices()
        (held,) = await tower.notices(LEASE_IS_OVER_S)
        zombie.messenger.troubles[ANNA] = [Transient("429", retry_after_s=1)]
        await zombie.sender.deliver(late)
        assert await tower.tells(5) == 0, "it is still in the hands of the second"
        await tower.sender.deliver(held)
        assert tower.told(ANNA) == [OPEN]


async def test_the_end_is_told_after_the_opening_however_late_that_was(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        tower.messenger.troubles[ANNA] = [Transient("Telegram is down", retry_after_s=3600)]
        await _opens(tower)
        await tower.tells()
        await _ends(tower)
        assert await tower.tells() == 0, "the opening comes first"
        for _ in range(2):
            await tower.tells(3600)
        assert tower.told(ANNA) == [OPEN, OVER]


async def test_who_could_not_be_told_of_a_late_opening_is_not_told_of_the_end(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS) as tower:
        tower.messenger.troubles[ANNA] = [Transient("down", retry_after_s=3600), Unreachable("unreachable")]
        await _opens(tower)
        await tower.tells()
        await _ends(tower)
        assert [await tower.tells(3600) for _ in range(2)] == [1, 0]
        assert tower.told(ANNA) == []


async def test_one_who_is_no_longer_an_operator_is_not_told_of_the_end(database: str) -> None:
    async with a_tower(database, IncidentKind.KIE_CREDITS, admins=(ANNA, BORIS)) as tower:
        await _opens(tower)
        await tower.tells()
        restarted = tower_on(tower.pool, IncidentKind.KIE_CREDITS, admins=(BORIS,))
        await _ends(restarted)
        await restarted.tells()
        assert restarted.told(ANNA) == []
        assert restarted.told(BORIS) == [OVER]


async def _opens(tower: Tower) -> None:
    tower.account.answer = 3.7
    await tower.goes_round(180)
    assert [one["closed_at"] for one in await tower.incidents()] == [None]


async def _ends(tower: Tower) -> None:
    tower.account.answer = 900.0
    for after_s in (360, 61):
        await tower.goes_round(after_s)
    assert (await tower.incidents())[0]["closed_at"] is not None


async def _outcomes(tower: Tower, admin: ChatId = ANNA) -> list[tuple[str, str]]:
    return [(row["about"], row["outcome"]) for row in await tower.pool.fetch(OUTCOMES, admin)]
