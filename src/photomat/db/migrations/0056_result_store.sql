-- Copies of results may lie in a bucket that every instance reaches: where each one is (NULL: the folder below DATA_DIR), and the
-- SHA-256 of its bytes, so that a damaged one is never sent. The id of the database marks the bucket as its own.
ALTER TABLE job_outputs ADD COLUMN kept_in text, ADD COLUMN sha256 bytea;

ALTER TABLE installation ADD COLUMN store_id uuid NOT NULL DEFAULT gen_random_uuid();
