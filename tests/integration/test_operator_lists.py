"""What operators page through: jobs by state, name, user and time; the journal; acts on many jobs with a dry run."""

from datetime import timedelta
from typing import Any

from photomat.db.pool import Pool
from photomat.jobs.actions import JobVerb
from photomat.jobs.explain import Surroundings
from photomat.jobs.job import JobStatus
from photomat.jobs.settle import Failure
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.operators.actions import cancel, redeliver, retry
from photomat.operators.bulk import act_on_all
from photomat.reports.job import read_job_story
from photomat.reports.jobs import JobQuery, JobState, count_states, list_jobs, plan_bulk, sum_up
from photomat.reports.journal import JournalQuery, journal_names, list_journal
from photomat.texts.load import load_texts
from support.database import pool_of
from support.jobs import PRICE, a_done_job, a_job, a_running_job, a_user, is_shown, money_of, row_of, settle_now
from support.steps import BALANCE, call_back

AROUND = Surroundings(alive=frozenset({"one"}), delivery_lease=timedelta(minutes=5), timeout=timedelta(days=1))
OTHER = 5_000_002


async def a_day(pool: Pool) -> dict[str, JobId]:
    """A job in every state an operator filters by."""
    user, other = await a_user(pool), await a_user(pool, user_id=OTHER)
    jobs = {
        "running": await a_running_job(pool, other, task_id="task-1"),
        "undelivered": await a_done_job(pool, user),
        "done": await a_done_job(pool, user),
        "failed": await a_running_job(pool, user, task_id="task-4"),
        "canceled": await a_running_job(pool, user, task_id="task-5"),
    }
    await is_shown(pool, jobs["done"])
    await settle_now(pool, jobs["failed"], Failure(code="kie-422", reason="flagged"))
    await cancel(pool, jobs["canceled"], operator="anna", reason="asked to")
    return jobs | {"pending": await a_job(pool, user)}


async def found(pool: Pool, **query: Any) -> set[int]:
    page = await list_jobs(pool, JobQuery(**query), around=AROUND, limit=50)
    return {line.job_id for line in page.lines}


async def test_jobs_are_found_by_state_name_user_and_model(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = await a_day(pool)
        for state in ("pending", "running", "failed", "canceled", "undelivered"):
            assert await found(pool, state=JobState(state)) == {jobs[state]}, state
        assert await found(pool, state=JobState.DONE) == {jobs["done"], jobs["undelivered"]}
        assert await found(pool, name=str(jobs["failed"])) == {jobs["failed"]}
        assert await found(pool, name="task-1") == {jobs["running"]}
        corr = (await row_of(pool, jobs["running"]))["corr"]
        assert await found(pool, name=corr.upper()) == {jobs["running"]}
        assert await found(pool, user_id=UserId(OTHER)) == {jobs["running"]}
        assert await found(pool, model="Z-IM") == set(jobs.values())
        assert await found(pool, model="z%m") == set(), "what an operator types is not a pattern"
        assert await found(pool, name=str(10**30)) == set()
        counts = await count_states(pool, AROUND)
        assert (counts[JobState.PENDING], counts[JobState.DONE], counts[JobState.UNDELIVERED]) == (1, 2, 1)


async def test_pages_of_jobs_follow_each_other_without_gaps(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = await a_day(pool)
        seen: list[int] = []
        before = None
        while True:
            page = await list_jobs(pool, JobQuery(before=before), around=AROUND, limit=2)
            seen += [line.job_id for line in page.lines]
            before = page.next_before
            if before is None:
                break
        assert seen == sorted(jobs.values(), reverse=True)


async def test_a_bulk_act_says_first_what_it_would_do_and_then_which_were_refused(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = await a_day(pool)
        plan = await plan_bulk(pool, JobVerb.CANCEL, [*jobs.values(), 987_654_321])
        assert {job.job_id for job in plan if job.would_act} == {jobs["pending"], jobs["running"]}
        assert sum_up(plan) == [Money(2 * PRICE, "RUB")]
        result = await act_on_all(pool, JobVerb.CANCEL, list(jobs.values()), operator="anna", reason="an outage")
        assert (result.done, {job_id for job_id, _ in result.refused}) == (
            2,
            set(jobs.values()) - {plan_id(plan, 0), plan_id(plan, 1)},
        )
        says = result.as_action.says
        assert f"No. {jobs['failed']}: It is failed already" in says.plain
        assert "Сделано: 2 из 6" in says.in_(load_texts().speaker("ru"))
        acts = (await list_journal(pool, JournalQuery(operator="anna", action="cancel"), limit=50)).lines
        assert sum(act.reason == "an outage" for act in acts) == 6, "each job has its row, refused ones too"


async def test_a_refund_of_many_jobs_pays_each_once(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = await a_day(pool)
        chosen = [jobs["done"], jobs["undelivered"], jobs["failed"]]
        assert sum_up(await plan_bulk(pool, JobVerb.REFUND, chosen)) == [Money(2 * PRICE, "RUB")]
        for _ in range(2):
            result = await act_on_all(pool, JobVerb.REFUND, chosen, operator="anna", reason="sorry")
            assert [job_id for job_id, _ in result.refused] == [jobs["failed"]]
        assert await money_of(pool, UserId(5_000_001)) == (BALANCE - PRICE, PRICE), "the pending one is held"


async def test_the_story_of_a_job_has_every_step_and_its_money(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user, task_id="task-1")
        await call_back(pool, job_id)
        await retry(pool, job_id, operator="anna", reason="to be sure")
        await settle_now(pool, job_id, Failure(code="timeout", reason="late"))
        story = await read_job_story(pool, job_id, AROUND)
        assert story is not None
        keys = [step.says.key for step in story.steps]
        assert {"step-drafted", "step-held", "step-created", "step-callback", "step-settled"} <= set(keys)
        assert {"step-hold-released", "step-operator-did", "step-woken", "step-retried"} <= set(keys)
        assert all(step.says.in_(load_texts().speaker(language)) for step in story.steps for language in ("ru", "en"))
        assert [step.at for step in story.steps] == sorted(step.at for step in story.steps)
        assert (story.money.charged.minor, story.money.price.minor, story.card.status) == (0, PRICE, JobStatus.FAILED)
        assert await read_job_story(pool, JobId(987_654_321), AROUND) is None


async def test_the_journal_is_filtered_and_speaks_the_readers_language(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await redeliver(pool, job_id, operator="olga", reason="asked to")
        await retry(pool, JobId(987_654_321), operator="anna", reason="a slip")
        await pool.execute(
            "INSERT INTO operator_journal (operator, action, done, outcome) VALUES ('old', 'retry', true, 'Done long ago.')"
        )
        ru = load_texts().speaker("ru")
        assert [line.says.in_(ru) for line in (await list_journal(pool, JournalQuery(), limit=9)).lines] == [
            "Done long ago.",
            "Такого заказа нет.",
            "Карточка будет показана снова прямо сейчас.",
        ]
        for query, operators in (
            (JournalQuery(done=False), ["anna"]),
            (JournalQuery(job_id=job_id), ["olga"]),
            (JournalQuery(action="retry"), ["old", "anna"]),
            (JournalQuery(operator="olga", action="retry"), []),
        ):
            assert [line.operator for line in (await list_journal(pool, query, limit=9)).lines] == operators
        assert await journal_names(pool) == (["anna", "old", "olga"], ["redeliver", "retry"])
        first = await list_journal(pool, JournalQuery(), limit=2)
        rest = await list_journal(pool, JournalQuery(before=first.next_before), limit=2)
        assert (len(first.lines), len(rest.lines), rest.next_before) == (2, 1, None)


def plan_id(plan: list[Any], index: int) -> JobId:
    return JobId([job.job_id for job in plan if job.would_act][index])
