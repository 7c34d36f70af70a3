"""The console's pages of jobs, orphans and the journal over HTTP: what they show, what they do, and what they refuse."""

import csv
import io
from pathlib import Path

import pytest

from photomat.jobs.settle import Failure
from photomat.kernel.ids import JobId, UserId
from photomat.operators.access import Role
from photomat.operators.actions import journal_of_job
from support.console import RunningConsole, Visitor, running_console
from support.jobs import PRICE, a_done_job, a_running_job, a_user, money_of, row_of, settle_now
from support.steps import BALANCE

HOSTILE = "<script>alert(1)</script>&<b>=cmd</b>"
HUGE = "9" * 30


async def a_shown_job(console: RunningConsole) -> tuple[UserId, JobId]:
    user = await a_user(console.pool)
    return user, await a_done_job(console.pool, user)


async def test_a_job_is_refunded_in_parts_once_a_form_and_never_beyond_its_charge(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as anna:
        user, job_id = await a_shown_job(console)
        here = f"/console/jobs/{job_id}"
        for _ in range(2):
            answer = await anna.act(f"{here}/refund", on=here, form_id="form-1", amount="0.14", reason="too dark")
            assert answer.path == here
        assert await money_of(console.pool, user) == (BALANCE - PRICE + 14, 0), "a form sent twice pays once"
        assert "not a sum" in str((await anna.act(f"{here}/refund", on=here, form_id="form-2", amount="much")).flash)
        answer = await anna.act(f"{here}/refund", on=here, form_id="form-3", amount="0.60")
        assert "no more can be given back" in str(answer.flash)
        assert (await anna.act(f"{here}/refund", on=here, form_id="form-4", amount="")).status == 200
        assert await money_of(console.pool, user) == (BALANCE, 0)
        acts = await journal_of_job(console.pool, job_id)
        assert [(act.done, act.reason) for act in acts][:2] == [(True, "too dark"), (True, "too dark")]


async def test_a_job_is_retried_shown_again_and_canceled_from_its_page(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as anna:
        user = await a_user(console.pool)
        job_id = await a_running_job(console.pool, user)
        here = f"/console/jobs/{job_id}"
        for verb, says in (("retry", "Kie is asked"), ("redeliver", "card is due"), ("cancel", "money is back")):
            assert says in str((await anna.act(f"{here}/{verb}", on=here)).flash)
        assert "canceled already" in str((await anna.act(f"{here}/cancel", on=here)).flash)
        assert await money_of(console.pool, user) == (BALANCE, 0)
        page = (await anna.get(here)).text
        assert "From tap to result" in page
        assert "Operator: cancel a job. It is canceled" in page
        assert "кот-космонавт" in page, "the prompt is there for those who answer the customer"


async def test_what_a_customer_wrote_is_text_and_never_markup(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        user = await a_user(console.pool)
        job_id = await a_running_job(console.pool, user, inputs={"prompt": HOSTILE, "aspect_ratio": "1:1"})
        await settle_now(console.pool, job_id, Failure(code="kie-422", reason=HOSTILE))
        await owner.act(f"/console/jobs/{job_id}/retry", reason=HOSTILE)
        for path in (f"/console/jobs/{job_id}", "/console/jobs", "/console/journal", f"/console/jobs?q={HOSTILE}"):
            assert "<script>alert" not in (await owner.get(path)).text, path
        table = list(csv.reader(io.StringIO((await owner.get("/console/journal?format=csv")).text.lstrip("\ufeff"))))
        assert ["retry", HOSTILE] in [[row[3], row[8]] for row in table]


async def test_numbers_of_nothing_and_huge_ones_are_not_found_and_change_nothing(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for path in ("jobs/{}", "jobs/{}/outputs/0", "jobs/1/outputs/{}"):
            for number in ("0", "987654321", str(2**63 - 1), str(2**63), HUGE, "9" * 5000, "-1", "1;2", "%00", "٣"):
                assert (await owner.get(f"/console/{path.format(number)}")).status == 404, (path, number)
        for path in (
            "jobs?user={}",
            "jobs?q={}",
            "jobs?before={}",
            "journal?job={}",
            "journal?before={}",
            "orphans?before={}",
        ):
            for number in ("0", HUGE, "-1", "%00", "x"):
                assert (await owner.get(f"/console/{path.format(number)}")).status == 200, (path, number)
        for path in ("jobs?from=0001-01-01&to=9999-12-31", "journal?from=9999-12-31&to=9999-12-31", "jobs?state=none"):
            assert (await owner.get(f"/console/{path}")).status == 200, path
        for verb in ("retry", "redeliver", "cancel", "refund"):
            answer = await owner.act(f"/console/jobs/987654321/{verb}")
            assert answer.status == 404, "the act is refused, and there is no page to go back to"
            assert (await owner.act(f"/console/jobs/{HUGE}/{verb}")).status == 404
        assert (await owner.act("/console/orphans/987654321/dismiss")).flash == "No callback waits under this number."
        assert (await owner.act("/console/orphans/1/attach", job=HUGE)).flash == "Enter the number of a job."


async def test_many_jobs_are_shown_before_they_are_changed(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as anna:
        user = await a_user(console.pool)
        running = [await a_running_job(console.pool, user, task_id=f"task-{n}") for n in range(3)]
        done = await a_done_job(console.pool, user)
        chosen = "&".join(f"job={job_id}" for job_id in (*running, done))
        page = (await anna.get(f"/console/jobs/bulk?verb=cancel&{chosen}")).text
        assert "₽1.92" in page, "so much money would move"
        assert f'value="{",".join(str(job_id) for job_id in reversed(running))}"' in page
        assert [(await row_of(console.pool, job_id))["status"] for job_id in running] == ["running"] * 3
        jobs = ",".join(str(job_id) for job_id in (*running, done, 987_654_321))
        answer = await anna.act("/console/jobs/bulk", verb="cancel", jobs=jobs, reason="Kie is down")
        assert str(answer.flash).startswith(f"Done: 3 of 5. Not done: No. {done}: It is done already")
        assert "No. 987654321: There is no such job." in str(answer.flash)
        assert [(await row_of(console.pool, job_id))["status"] for job_id in running] == ["canceled"] * 3
        assert (await anna.act("/console/jobs/bulk", verb="cancel", jobs="x,,-1")).flash == "No job was chosen."
        assert (await anna.act("/console/jobs/bulk", verb="drop tables", jobs="1")).status == 404
        everything = (await anna.get("/console/jobs/bulk?verb=refund&all=yes&state=done")).text
        assert f'value="{done}"' in everything


async def test_a_viewer_sees_jobs_and_may_not_touch_them(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.VIEWER) as viewer:
        _, job_id = await a_shown_job(console)
        page = await viewer.get(f"/console/jobs/{job_id}")
        assert (page.status, "/refund" in page.text, "Not delivered yet" in page.text) == (200, False, True)
        assert (await viewer.get("/console/jobs/bulk?verb=cancel&all=yes")).status == 403
        assert (await viewer.act(f"/console/jobs/{job_id}/refund")).status == 403


@pytest.mark.parametrize(
    ("mime", "disposition", "kind"),
    [("image/png", "inline", "image/png"), ("image/svg+xml", "attachment", "application/octet-stream")],
)
async def test_our_copy_of_a_result_is_served_with_the_session_alone(
    database: str, tmp_path: Path, mime: str, disposition: str, kind: str
) -> None:
    async with running_console(database, folder=tmp_path) as console, console.signed_in(Role.VIEWER) as viewer:
        _, job_id = await a_shown_job(console)
        (tmp_path / str(job_id)).mkdir()
        (tmp_path / str(job_id) / "0.bin").write_bytes(b"a picture")
        await console.pool.execute(
            "UPDATE job_outputs SET kept_as = $2, mime = $3 WHERE job_id = $1", job_id, f"{job_id}/0.bin", mime
        )
        file = f"/console/jobs/{job_id}/outputs/0"
        assert (await viewer.get(f"/console/jobs/{job_id}")).text.count(file) > 0
        answer = await viewer.get(file)
        assert (answer.text, answer.headers["Content-Type"]) == ("a picture", kind)
        assert answer.headers["Content-Disposition"].startswith(disposition)
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        await console.pool.execute("UPDATE job_outputs SET kept_as = '../../etc/passwd' WHERE job_id = $1", job_id)
        assert (await viewer.get(file)).status == 404
        async with console.visitor() as stranger:
            assert "a picture" not in (await stranger.get(file)).text


async def test_an_orphan_and_a_lost_answer_are_settled_from_the_page(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as anna:
        user = await a_user(console.pool)
        job_id = await a_running_job(console.pool, user, task_id="task-1")
        await console.pool.execute(
            "UPDATE generation_jobs SET status = 'submitting', external_task_id = NULL, submitted_at = NULL WHERE job_id = $1",
            job_id,
        )
        orphan_id = await console.pool.fetchval(
            'INSERT INTO orphan_callbacks (task_id, payload) VALUES (\'task-1\', \'{"data": {"state": "success"}}\')'
            " RETURNING orphan_id"
        )
        page = (await anna.get("/console/orphans")).text
        assert "task-1" in page
        assert f"/console/orphans/submits/{job_id}/task" in page
        await _wrong_forms(anna, orphan_id, job_id)
        answer = await anna.act(f"/console/orphans/{orphan_id}/attach", job=str(job_id))
        assert answer.path == f"/console/jobs/{job_id}"
        assert answer.flash == f"It belongs to job {job_id} now; Kie is asked about it."
        page = (await anna.get("/console/orphans")).text
        assert "Every submit got its answer" in page
        assert "Nothing waits" in page
        assert "matched" in str((await anna.act("/console/orphans/reconcile")).flash)


async def _wrong_forms(anna: Visitor, orphan_id: int, job_id: JobId) -> None:
    assert "without spaces" in str((await anna.act(f"/console/orphans/submits/{job_id}/task", task="a b")).flash)
    assert "There is no job 5000." in str((await anna.act(f"/console/orphans/{orphan_id}/attach", job="5000")).flash)
    no_reason = await anna.act(f"/console/orphans/{orphan_id}/dismiss", reason="  ")
    assert "reason" in str(no_reason.flash)
