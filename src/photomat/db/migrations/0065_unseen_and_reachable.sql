-- Puts the new index in the place of the old one. It gets the old name, which earlier versions look for.
LOCK TABLE generation_jobs IN ACCESS EXCLUSIVE MODE;
DROP INDEX generation_jobs_unseen;
ALTER INDEX generation_jobs_unseen_reachable RENAME TO generation_jobs_unseen;
