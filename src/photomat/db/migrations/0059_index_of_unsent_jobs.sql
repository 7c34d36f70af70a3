-- Jobs that were not sent to Kie, by their age. generation_jobs_waiting_since has the condition of the queue of submits, so the
-- planner takes either for it; beside a transaction that is open for long only the queue's own order finds its live jobs quickly.
-- The condition of this index is that of no other one.
--
-- Building an index locks out writers of its table: about a second for each million rows. The next migration puts it in place.
LOCK TABLE generation_jobs IN SHARE MODE;
CREATE INDEX generation_jobs_unsent_since ON generation_jobs (created_at) WHERE num_nulls(intent_at, settled_at) = 2;
