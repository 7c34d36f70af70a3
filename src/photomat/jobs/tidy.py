"""What may be deleted of jobs. The jobs themselves, their drafts, holds and results' rows never are.

Callbacks: what they said is in the job's row once it is settled. Where a job failed because its result could not be read,
the body is the only evidence, and stays. Orphans: only those that found their job. Drafts: only those nobody bought.
Events: the old ones of jobs that ended long ago, oldest first; an event that was too young, or whose job was not over, is found
by a later pass.
"""

from typing import Final

from photomat.work.retention import OldRows

CALLBACKS: Final = OldRows(
    table="callbacks",
    age="received_at",
    only="""
        (old.job_id IS NULL
         OR EXISTS (SELECT FROM generation_jobs AS job
                     WHERE job.job_id = old.job_id AND job.settled_at < photomat_now() - $1::interval
                       AND job.fail_code IS DISTINCT FROM 'empty'))
    """,
)
"""One without a job is kept as an orphan, for as long as it is one."""

ORPHANS: Final = OldRows(table="orphan_callbacks", age="processed_at")
DRAFTS: Final = OldRows(table="drafts", age="expires_at", only="bought_at IS NULL")
READINGS: Final = OldRows(table="kie_readings", age="read_at")

EVENTS: Final = OldRows(
    table="job_events",
    age="at",
    only="""
        EXISTS (SELECT FROM generation_jobs AS job
                 WHERE job.job_id = old.job_id AND job.settled_at < photomat_now() - $1::interval)
    """,
    before="SELECT set_config('photomat.pruning', 'on', true)",
)
"""Otherwise they are only ever added to: the database asks for a word before it lets one go."""
