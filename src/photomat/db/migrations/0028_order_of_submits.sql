-- Jobs that wait for Kie are submitted in order: a user's own by purchase, users in turn.
--
-- `submit_turn` is the round in which a job is submitted. A new job joins the round after the current one, or the round after the last
-- waiting job of its user. Claiming in the order (submit_turn, job_id) is then a short index scan, however many jobs wait. The current round
-- stands in `budgets.turn`, in the row of the budget the jobs wait for. A job of an older program has 0 and goes first.
--
-- `needs_files`: files must be uploaded to Kie before the job can be submitted. An upload takes no place in the budget.
LOCK TABLE generation_jobs, budgets IN ACCESS EXCLUSIVE MODE;
ALTER TABLE generation_jobs
    ADD COLUMN submit_turn bigint NOT NULL DEFAULT 0,
    ADD COLUMN needs_files boolean NOT NULL DEFAULT false;
ALTER TABLE budgets ADD COLUMN turn bigint NOT NULL DEFAULT 0;
