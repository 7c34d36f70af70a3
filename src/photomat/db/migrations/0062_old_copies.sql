-- Puts the new index in the place of the old one. It gets the old name, which earlier versions look for.
LOCK TABLE job_outputs IN ACCESS EXCLUSIVE MODE;
DROP INDEX job_outputs_copies;
ALTER INDEX job_outputs_old_copies RENAME TO job_outputs_copies;
