"""Jobs, cards and updates: one of each where there is to be one."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

JOBS: Final = (
    Invariant(
        name="delivered-is-done",
        new=new_rows.JOBS,
        sentence="Only a finished job is marked delivered.",
        sql="SELECT job_id, status FROM generation_jobs WHERE delivered_at IS NOT NULL AND status <> 'done'",
    ),
    Invariant(
        name="one-job-per-card",
        new=new_rows.JOBS,
        sentence="A card shows one job for its whole life.",
        sql="""
            SELECT bot_id, chat_id, card_message_id, array_agg(job_id) AS jobs
              FROM generation_jobs GROUP BY bot_id, chat_id, card_message_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="one-job-per-draft",
        new=new_rows.JOBS,
        sentence="A draft is bought once.",
        sql="""
            SELECT draft_id, array_agg(job_id) AS jobs
              FROM generation_jobs WHERE draft_id IS NOT NULL GROUP BY draft_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="done-job-has-a-result",
        new=new_rows.JOBS,
        sentence="A finished job has something to show: an output or a result object.",
        sql="""
            SELECT job_id FROM generation_jobs AS job
             WHERE status = 'done' AND result_object IS NULL
               AND NOT EXISTS (SELECT FROM job_outputs WHERE job_outputs.job_id = job.job_id)
        """,
    ),
    Invariant(
        name="lane-counts-what-waits",
        new=new_rows.LANES,
        sentence="A lane counts exactly the updates that wait in it.",
        sql="""
            SELECT bot_id, lane, pending, waiting
              FROM lanes
              FULL JOIN (SELECT bot_id, lane, count(*) AS waiting
                           FROM inbox WHERE handled_at IS NULL AND parked_at IS NULL GROUP BY bot_id, lane) AS inbox
                USING (bot_id, lane)
             WHERE pending IS DISTINCT FROM coalesce(waiting, 0)
        """,
    ),
)
