-- Puts the new index in the place of the old one. It gets the old name, which earlier versions look for.
LOCK TABLE generation_jobs IN ACCESS EXCLUSIVE MODE;
DROP INDEX generation_jobs_waiting_since;
ALTER INDEX generation_jobs_unsent_since RENAME TO generation_jobs_waiting_since;
