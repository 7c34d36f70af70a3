"""What was sent once more is forgotten after a season, and not while it may be asked about."""

from datetime import timedelta

from photomat.delivery.archive import RESENDS
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_user

KEPT = timedelta(days=90)


async def test_old_resends_are_forgotten_and_those_still_due_or_young_are_not(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        ask = "INSERT INTO result_sends (job_id, position, origin, chat_id, language, due_at) VALUES ($1, 0, $2, 7, 'ru', $3)"
        await pool.execute(ask, job_id, "old", None)
        await pool.execute(ask, job_id, "old and due", await pool.fetchval("SELECT photomat_now()"))
        await shift_clock(pool, KEPT.total_seconds())
        await pool.execute(ask, job_id, "young", None)
        await RESENDS.delete(pool, KEPT, 1000)
        rows = await pool.fetch("SELECT origin FROM result_sends ORDER BY send_id")
        assert [row["origin"] for row in rows] == ["old and due", "young"]
