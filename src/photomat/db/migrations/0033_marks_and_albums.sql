-- What users do to their results: a favourite, or hidden from their history. A table of its own, so that the rows that delivery
-- works on stay narrow. It has a row only for what somebody marked, and is never deleted.
--
-- `album` are the positions of the files that one message sends together; it is empty where `position` says the only one. A
-- program that does not know it sends the file at `position` alone. Nothing in this file takes time.
LOCK TABLE generation_jobs IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE result_sends IN ACCESS EXCLUSIVE MODE;
CREATE TABLE result_marks (
    job_id        bigint      NOT NULL CONSTRAINT result_marks_pkey PRIMARY KEY
                              CONSTRAINT result_marks_job_fkey REFERENCES generation_jobs,
    user_id       bigint      NOT NULL,
    favourite_at  timestamptz,
    hidden_at     timestamptz
);
CREATE INDEX result_marks_favourites ON result_marks (user_id, job_id) WHERE favourite_at IS NOT NULL AND hidden_at IS NULL;
ALTER TABLE result_sends ADD COLUMN album integer[];
