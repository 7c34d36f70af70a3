"""A long history costs the running shop nothing: no recurring statement reads a table that grows from end to end.

The statements are not listed here: they are recorded while every part that recurs runs once on a database with a long
history, so a new one is judged as soon as it exists.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from aiohttp.test_utils import TestClient, TestServer

from photomat.alerts.rules import RULES
from photomat.alerts.store import list_incidents
from photomat.app.duties import duties_of
from photomat.app.flow import DUE
from photomat.app.retention import kinds_of
from photomat.app.wiring import Program
from photomat.assistant.calls import usage_by_kind, usage_by_user
from photomat.audit.differences import list_differences
from photomat.audit.proofs import kept_proofs, prove_the_night
from photomat.broadcasts.broadcast import list_broadcasts, list_sends
from photomat.db.pool import Pool
from photomat.delivery.lock import try_acquire_delivery_lock
from photomat.delivery.waiting import refresh_places, with_waits
from photomat.jobs.explain import Surroundings
from photomat.jobs.gallery import GalleryFilter, GalleryQuery, newer_page, older_page, place_of
from photomat.jobs.history import earlier_files, usual_seconds
from photomat.jobs.listing import JobFilter, list_jobs, read_surroundings, waiting_orphans
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import BotId, ChatId, InstanceId, JobId, MessageId, UserId
from photomat.payments.statement import statement
from photomat.reports import jobs as reports_jobs
from photomat.reports import money
from photomat.reports.job import read_job_story
from photomat.reports.jobs import COUNTED, JobQuery, JobState, count_states
from photomat.reports.journal import JournalQuery, journal_names, list_journal
from photomat.reports.moderation import RefusalFilter, count_appeals, list_refusals
from photomat.reports.money import LedgerFilter, list_ledger
from photomat.reports.orphans import list_orphans, uncertain_submits
from photomat.reports.today import read_today
from photomat.support.ticket import (
    TicketFilter,
    count_open,
    list_tickets,
    open_ticket_about,
    ticket_shown_in,
    tickets_of_user,
)
from photomat.work import budget
from photomat.work.due_poller import DuePoller
from photomat.work.retention import prune
from support.database import connection_of, pool_of
from support.long_history import LIVE, fill
from support.plans import Judged, judge, judge_for, recorded
from support.program import a_program

JOBS: Final = 20_000
UNDELIVERABLE: Final = 5_000
"""The newest results: their users blocked the bot."""
MAX_ROWS: Final = 2_000
"""Far more than are due here, far less than are stored."""
COUNTS: Final = "SELECT count(DISTINCT job_id) FROM (SELECT job_id FROM ("
"""The console's counts of jobs end at `COUNTED`."""

GROWING: Final = frozenset({"generation_jobs", "job_outputs", "inbox", "lanes", "drafts", "users", "wallets", "holds"})
DEEP: Final = 10_000
WAITING: Final = """
WITH given AS (
    SELECT $1::int + number AS update_id, coalesce($3::text, 'u' || number) AS lane
      FROM generate_series(1, $2::int) AS number
), stored AS (
    INSERT INTO inbox (bot_id, update_id, lane, body)
    SELECT 7000000001, update_id, lane, jsonb_build_object('update_id', update_id) FROM given ORDER BY update_id
)
INSERT INTO lanes (bot_id, lane, pending) SELECT 7000000001, lane, count(*) FROM given GROUP BY lane
"""
"""So many updates after the number $1, in one lane or each in its own."""
USER: Final = UserId(5_000_001)
BUYER: Final = UserId(5_000_002)
"""Has results; all orders of the other one failed."""


async def test_no_recurring_statement_grows_with_history(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as connection, pool_of(database) as outside:
        await fill(connection, jobs=JOBS, undeliverable=UNDELIVERABLE)
        await prove_the_night(outside)
        async with a_program(database, tmp_path) as program, recorded(program.pool) as recording:
            await once_round(program)
            await every_list(program.pool)
            await waiting_cards(program)
        judged = await judge(connection, recording)
    assert len(judged) > 100, "the recording is not of a whole program"
    too_much = [_told(one) for one in judged if one.whole_tables or one.rows > _at_most(one.sql)]
    assert not too_much, "\n\n".join(too_much)


async def test_what_is_planned_while_the_shop_is_new_does_not_read_whole_tables_later(
    database: str, tmp_path: Path
) -> None:
    """A session keeps its plans: one that reads an empty table from end to end does so when it is full."""
    async with (
        connection_of(database) as connection,
        a_program(database, tmp_path) as program,
        recorded(program.pool) as recording,
    ):
        for step in (*program.instance_steps(), *program.update_steps()):
            await step.claim(step.width)
        judged = await judge_for(connection, recording, growing=GROWING)
    assert len(judged) > 20
    too_much = [_told(one) for one in judged if one.whole_tables]
    assert not too_much, "\n\n".join(too_much)


async def test_a_chat_with_ten_thousand_updates_costs_the_claims_of_other_chats_nothing(
    database: str, tmp_path: Path
) -> None:
    async with connection_of(database) as connection:
        await fill(connection, jobs=200)
        await connection.execute("TRUNCATE inbox, lanes")
        await connection.execute(WAITING, 1_000_000, DEEP, "deep")
        await connection.execute("VACUUM ANALYZE inbox, lanes")  # what the planner knows is that one chat
        await connection.execute(WAITING, 2_000_000, 300, None)
        async with a_program(database, tmp_path) as program, recorded(program.pool) as recording:
            claimed = [one for step in program.update_steps() for one in await step.claim(step.width)]
        judged = await judge(connection, recording)
    assert claimed, "nothing was due"
    assert any("FROM inbox" in one.sql and one.rows > len(claimed) for one in judged), "the next chats are not claimed"
    too_much = [_told(one) for one in judged if one.rows > DEEP // 10]
    assert not too_much, "\n\n".join(too_much)


async def once_round(program: Program) -> None:
    """Everything that recurs, once: the pulse, every claim and what follows it, every duty, every alert rule, health."""
    await program.heartbeat().beat()
    await program.live.refresh(program.pool)
    await DuePoller(program.pool, program.wakes, DUE).poll_once()
    for step in (*program.instance_steps(), *program.update_steps()):
        claimed = await step.claim(min(step.width, LIVE // 2))  # cards are left for what comes after
        assert len(claimed) <= LIVE
    over = asyncio.Event()
    over.set()
    for duty in duties_of(program):
        await duty(over)
    assert sum((await prune(program.pool, kinds_of(program.settings))).values()) > JOBS
    for watch in RULES:
        try:
            await watch.condition(program.probe_context)
        except PhotomatError as error:
            raise AssertionError(watch.kind) from error
    async with TestClient(TestServer(program.web_app())) as client:
        for path in ("/health", "/ready", "/metrics"):
            assert (await client.get(path)).status == 200


async def every_list(pool: Pool) -> None:
    """What customers and operators page through."""
    around = await read_surroundings(pool, delivery_lease=timedelta(minutes=5), given_up_after=timedelta(days=1))
    for only in JobFilter:
        await list_jobs(pool, limit=20, only=only, around=around)
    await operators_lists(pool, around)
    await waiting_orphans(pool, limit=20)
    await list_incidents(pool, limit=20)
    await list_differences(pool)
    await kept_proofs(pool)
    await usage_by_kind(pool, days=1)
    await usage_by_user(pool, days=1)
    await list_broadcasts(pool, limit=50)
    assert await list_sends(pool, 51, outcome="unknown", limit=50)
    for listed in TicketFilter:
        assert await list_tickets(pool, only=listed, limit=50)
    for refused in RefusalFilter:
        assert await list_refusals(pool, only=refused, limit=50)
    await list_refusals(pool, only=RefusalFilter.ALL, limit=50, user_id=USER)
    await list_refusals(pool, only=RefusalFilter.ALL, limit=50, rule_id="undressing")
    await count_appeals(pool)
    await list_tickets(pool, only=TicketFilter.ALL, limit=50, user_id=USER)
    await tickets_of_user(pool, USER, limit=5, only_open=True)
    await open_ticket_about(pool, bot_id=BotId(7000000001), user_id=USER, job_id=JobId(2))
    await ticket_shown_in(pool, chat_id=ChatId(USER), message_id=MessageId(1))
    await count_open(pool)
    await read_today(pool, zone=ZoneInfo("Europe/Moscow"))
    await every_list_of_money(pool)
    await usual_seconds(pool, "z-image")
    for shown in GalleryFilter:
        await _every_page(pool, GalleryQuery(user_id=BUYER, only=shown, words="cat story"))
    await earlier_files(pool, user_id=BUYER, kind="image", limit=2)
    async with pool.acquire() as connection:
        assert await statement(connection, user_id=USER, limit=10)


async def operators_lists(pool: Pool, around: Surroundings) -> None:
    """The console's lists of jobs, orphans and the journal, as they are opened and as links open them."""
    for state in (None, *JobState):
        await reports_jobs.list_jobs(pool, JobQuery(state=state), around=around, limit=50)
    await reports_jobs.list_jobs(pool, JobQuery(user_id=BUYER), around=around, limit=50)
    await reports_jobs.list_jobs(pool, JobQuery(name="task-7"), around=around, limit=50)
    assert (await count_states(pool, around))[JobState.RUNNING]
    assert await read_job_story(pool, JobId(7), around) is not None
    for query in (
        JournalQuery(),
        JournalQuery(operator="anna"),
        JournalQuery(action="retry"),
        JournalQuery(job_id=JobId(7)),
    ):
        await list_journal(pool, query, limit=50)
    await journal_names(pool)
    await list_orphans(pool, waiting=True, limit=50)
    await uncertain_submits(pool, limit=50)


async def every_list_of_money(pool: Pool) -> None:
    newest = await list_ledger(pool, LedgerFilter(), limit=50)
    day_ago = newest[0].booked_at - timedelta(days=1)
    for only in (
        LedgerFilter(reason="promo", before=newest[-1].transaction_id),
        LedgerFilter(user_id=USER),
        LedgerFilter(reference=newest[0].reference),
        LedgerFilter(since=day_ago - timedelta(days=6), until=day_ago),
    ):
        assert await list_ledger(pool, only, limit=50)
    assert await money.list_payments(pool, provider="stars", limit=50)
    assert await money.list_payments(pool, user_id=USER, before=10**9, limit=50)
    await money.list_refunds(pool, state="wanted", limit=50)
    for state in ("waiting", "declined"):
        await money.list_receipts(pool, state=state, limit=50)
    assert (await money.read_holds(pool)).oldest
    assert await money.last_proof(pool)


async def _every_page(pool: Pool, query: GalleryQuery) -> None:
    page = await older_page(pool, query)
    assert page is not None or query.only in {GalleryFilter.VIDEO, GalleryFilter.AUDIO, GalleryFilter.FAVOURITE}, query
    job_id = page.job_id if page is not None else JobId(1)
    await older_page(pool, query, than=job_id)
    await newer_page(pool, query, than=job_id)
    await place_of(pool, query, job_id)


async def waiting_cards(program: Program) -> None:
    """What cards say while Kie's limit holds the queue back."""
    creates = program.claims.creates
    await budget.block(program.pool, creates.name, seconds=60, reason="Kie: too many requests")
    await refresh_places(program.pool, creates=creates)
    lease = timedelta(minutes=5)
    cards = await try_acquire_delivery_lock(program.pool, limit=LIVE, lease=lease, instance=InstanceId("waiting"))
    assert any(card.wait.place for card in await with_waits(program.pool, cards, creates=creates))


def _at_most(sql: str) -> int:
    return COUNTED if sql.startswith(COUNTS) else MAX_ROWS


def _told(one: Judged) -> str:
    return f"{one.rows} rows looked at, whole tables read: {one.whole_tables}: {' '.join(one.sql.split())}"
