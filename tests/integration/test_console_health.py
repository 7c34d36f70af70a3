"""The page "Health": what it shows, who may pause and drain, and that every page says what is paused."""

from photomat.alerts.buttons import PAGES as PAGES_OF_ALERTS
from photomat.app.flow import DUE
from photomat.kernel.ids import InstanceId
from photomat.operators.access import Role
from photomat.reports.backlog import BACKLOGS, read_backlogs, read_step_times
from photomat.reports.health import read_health
from photomat.reports.today import kie_credits
from photomat.work.controls import read_pauses
from support.alerts import heartbeat_of
from support.console import running_console
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_job, a_user

HEALTH = "/console/health"


def test_every_loop_has_its_backlog() -> None:
    assert set(BACKLOGS) == set(DUE)


async def test_the_backlog_is_told_by_the_age_of_its_oldest_row(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await a_done_job(pool, user)
        waiting = [await a_job(pool, user) for _ in range(3)]
        await shift_clock(pool, 90)
        found = {one.loop: one for one in await read_backlogs(pool)}
        submits = found["submits"]
        assert submits.count == len(waiting)
        assert submits.oldest is not None
        assert 90 <= submits.oldest.total_seconds() < 120
        assert found["refunds"].count == 0
        assert found["refunds"].oldest is None
        health = await read_health(pool, budgets=())
        assert health.worst is not None
        assert health.worst.loop in {"submits", "deliveries"}
        assert [one.step for one in await read_step_times(pool)] == []


async def test_credits_are_told_in_days_and_a_top_up_is_no_use(database: str) -> None:
    async with pool_of(database) as pool:
        assert await kie_credits(pool) is None
        for hours, balance in ((48, 1000), (36, 900), (24, 2000), (0, 1900)):
            await pool.execute(
                """
                INSERT INTO kie_readings (read_at, balance, since_at, since_balance, consumed, allowed, verdict)
                VALUES (photomat_now() - make_interval(hours => $1), $2, photomat_now(), 0, 0, 0, 'explained')
                """,
                hours,
                balance,
            )
        found = await kie_credits(pool)
        assert found is not None
        assert [int(found.balance), round(found.per_day or 0), found.days] == [1900, 100, 19]


async def test_an_operator_pauses_and_resumes_a_viewer_only_looks(database: str) -> None:
    async with running_console(database) as console:
        async with console.signed_in(Role.VIEWER) as viewer:
            page = await viewer.get(HEALTH)
            assert page.status == 200
            assert 'action="/console/health/pause"' not in page.text
            refused = await viewer.act("/console/health/pause", on=HEALTH, what="bot")
            assert refused.status == 403
            assert (await read_pauses(console.pool)).by_name == {}
        async with console.signed_in(Role.OPERATOR) as operator:
            made = await operator.act(
                "/console/health/pause", on=HEALTH, what="model", model="z-image", minutes="90", notice="<b>soon</b>"
            )
            assert made.flash == "Model z-image: paused."
            again = await operator.act("/console/health/pause", on=HEALTH, what="model", model="z-image")
            assert again.flash == "It is paused already: resume it first to change anything."
            wrong = await operator.act("/console/health/pause", on=HEALTH, what="model", model="no-such")
            assert wrong.flash == "There is no such model in the catalogue."
            late = await operator.act("/console/health/pause", on=HEALTH, what="bot", minutes="99999999999")
            assert late.flash == "A pause lasts between a minute and a year."
            today = await operator.get("/console/today")
            assert "Model z-image: paused until " in today.text
            assert "&lt;b&gt;soon&lt;/b&gt;" in (await operator.get(HEALTH)).text
            ended = await operator.act("/console/health/resume", on=HEALTH, name="model:z-image")
            assert ended.flash == "Model z-image: working again."
            assert "Model z-image: paused" not in (await operator.get("/console/today")).text
        rows = await console.pool.fetch(
            "SELECT done FROM operator_journal WHERE action IN ('pause', 'resume') ORDER BY entry_id"
        )
        assert [row["done"] for row in rows] == [True, False, False, True]


async def test_an_instance_is_drained_from_the_page_and_incidents_are_exported(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for name in ("one", "two"):
            await heartbeat_of(console.pool, name, active=name == "one").beat()
        drained = await owner.act("/console/health/drain", on=HEALTH, instance="one")
        assert drained.flash is not None
        assert drained.flash.startswith("one claims nothing more")
        last = await owner.act("/console/health/drain", on=HEALTH, instance="two")
        assert last.flash == "It is the last instance that works: start another first, or pause the bot."
        back = await owner.act("/console/health/undrain", on=HEALTH, instance=InstanceId("one"))
        assert back.flash == "one works again."
        await console.pool.execute(
            """
            INSERT INTO incidents (kind, figures) VALUES ('undelivered', '{"count": 3, "job": 7, "minutes": 14}'),
                                                         ('of-tomorrow', '{"note": "<script>"}')
            """
        )
        page = await owner.get(HEALTH)
        assert "Results do not reach customers" in page.text
        assert "note=&lt;script&gt;" in page.text
        for said in ("There is nothing left to show.", "Incident 1 is yours."):
            action = "show" if "show" in said else "take"
            assert (await owner.act(f"/console/incidents/1/{action}", on=HEALTH)).flash == said
        page = await owner.get(HEALTH)
        assert "Taken by" in page.text
        assert 'action="/console/incidents/1/take"' not in page.text
        assert 'action="/console/incidents/2/' not in page.text, "a kind of another version"
        assert (await owner.act("/console/incidents/1/nonsense", on=HEALTH)).status == 404
        export = await owner.get(f"{HEALTH}?format=csv")
        assert "undelivered" in export.text


async def test_every_alert_opens_a_page_of_the_console(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for page in set(PAGES_OF_ALERTS.values()):
            assert (await owner.get(f"/console/{page}")).status == 200, page
