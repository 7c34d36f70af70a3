"""An open incident on the page of health: its actions act once, are journaled, and are an operator's alone."""

from photomat.operators.access import Role
from support.busy_day import fill_busy_day
from support.console import running_console
from support.database import connection_of


async def test_an_incident_is_acted_on_from_the_page_of_health(database: str) -> None:
    async with connection_of(database) as connection:
        await fill_busy_day(connection, jobs=400)
        incident = await connection.fetchval("SELECT incident_id FROM incidents WHERE kind = 'parked-deliveries'")
    path = f"/console/incidents/{incident}"
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as operator:
        parked = await console.pool.fetchval("SELECT count(*) FROM generation_jobs WHERE parked_at IS NOT NULL")
        assert f"{path}/show" in (await operator.get("/console/health")).text
        first = await operator.act(f"{path}/show", on="/console/health")
        assert first.path == "/console/health"
        assert await console.pool.fetchval("SELECT count(*) FROM generation_jobs WHERE parked_at IS NOT NULL") == 0
        told = await console.pool.fetch(
            "SELECT job_id, reason FROM operator_journal WHERE action = 'redeliver' AND done"
        )
        assert len([row for row in told if row["reason"] == f"alert #{incident}"]) == parked > 0
        again = await operator.act(f"{path}/show", on="/console/health")
        assert first.flash != again.flash
        await operator.act(f"{path}/take", on="/console/health")
        assert "telegram:7000002" in (await operator.get("/console/health")).text
        assert (await operator.act(f"{path}/nothing", on="/console/health")).status == 404


async def test_a_viewer_reads_an_incident_and_cannot_act(database: str) -> None:
    async with connection_of(database) as connection:
        await fill_busy_day(connection, jobs=400)
        incident = await connection.fetchval("SELECT incident_id FROM incidents WHERE closed_at IS NULL LIMIT 1")
    async with running_console(database) as console, console.signed_in(Role.VIEWER) as viewer:
        assert f"incidents/{incident}" not in (await viewer.get("/console/health")).text
        assert (await viewer.act(f"/console/incidents/{incident}/take")).status == 403
