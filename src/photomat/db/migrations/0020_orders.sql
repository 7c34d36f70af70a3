-- Every model of the catalogue can be ordered: with files, after an earlier job, over Kie's older protocols.
--
-- `request` is what Kie will be sent, `{"protocol": …, "body": …}`, frozen when the job is bought: a catalogue that changes later
-- changes nothing that is paid for. It is empty where it says no more than `inputs` does, which is all an older program can send.
-- A program that reads requests says so with each claim (`request_fence` is its fence). An older one does not, so the trigger lets
-- it claim no job it would send wrongly: its UPDATE finds no row, and the job waits for a newer program. `title` is what the model was
-- called when it was bought.
--
-- New columns need a lock that stops readers as well; nothing in this file takes time.
LOCK TABLE generation_jobs IN ACCESS EXCLUSIVE MODE;
ALTER TABLE generation_jobs
    ADD COLUMN request jsonb,
    ADD COLUMN request_fence bigint,
    ADD COLUMN title text;

CREATE FUNCTION leave_to_who_reads_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NULL;
END $$;
CREATE TRIGGER generation_jobs_claimed_by_readers BEFORE UPDATE ON generation_jobs FOR EACH ROW
    WHEN (OLD.status = 'pending' AND OLD.request IS NOT NULL AND NEW.fence > OLD.fence
          AND NEW.request_fence IS DISTINCT FROM NEW.fence)
    EXECUTE FUNCTION leave_to_who_reads_requests();

-- How long a model usually takes is read from its newest results.
CREATE INDEX generation_jobs_done_of_model ON generation_jobs (model, settled_at) WHERE status = 'done';

-- What a customer sent for an order: where its bytes come from (Telegram's file, an address, an earlier result), what they are, and
-- where Kie has its copy. No copy is kept here: bytes are fetched again when they are needed, and `sha256` says that they are the
-- ones that were looked at and priced. Unique by the message that brought it and its place in it.
CREATE TABLE input_files (
    file_id        bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT input_files_pkey PRIMARY KEY,
    user_id        bigint      NOT NULL,
    origin         text        NOT NULL,
    source         text        NOT NULL CONSTRAINT input_files_source_known CHECK (source IN ('telegram', 'link', 'output')),
    telegram_id    text,
    link           text,
    job_id         bigint,
    position       integer,
    kind           text        NOT NULL CONSTRAINT input_files_kind_known
                               CHECK (kind IN ('image', 'video', 'audio', 'document')),
    format         text        NOT NULL,
    mime           text        NOT NULL,
    size_bytes     bigint      NOT NULL CONSTRAINT input_files_size_positive CHECK (size_bytes > 0),
    seconds        numeric,
    width          integer,
    height         integer,
    sha256         text        NOT NULL,
    taken_at       timestamptz NOT NULL DEFAULT photomat_now(),
    kie_url        text,
    kie_url_at     timestamptz,
    CONSTRAINT input_files_once UNIQUE (user_id, origin),
    CONSTRAINT input_files_of_output_fkey FOREIGN KEY (job_id, position) REFERENCES job_outputs (job_id, position),
    CONSTRAINT input_files_has_its_source CHECK (
        (source = 'telegram') = (telegram_id IS NOT NULL) AND (source = 'link') = (link IS NOT NULL)
        AND (source = 'output') = (job_id IS NOT NULL) AND (job_id IS NULL) = (position IS NULL)),
    CONSTRAINT input_files_uploaded_with_time CHECK ((kie_url IS NULL) = (kie_url_at IS NULL))
);

-- What Kie tells of an output beside its address: the id a track has there, its title, cover and length.
ALTER TABLE job_outputs
    ADD COLUMN track_id text,
    ADD COLUMN title text,
    ADD COLUMN cover_url text,
    ADD COLUMN seconds numeric;

-- A result asked for as the file it is, without Telegram's compression.
ALTER TABLE result_sends ADD COLUMN as_file boolean NOT NULL DEFAULT false;

-- What operators say of a model without a deploy: kept from customers or shown first, called otherwise, sold although the catalogue
-- has it off. One row a model, as it stands; who changed what, and why, is in the operators' journal.
CREATE TABLE model_settings (
    model       text        NOT NULL CONSTRAINT model_settings_pkey PRIMARY KEY,
    hidden      boolean     NOT NULL DEFAULT false,
    featured    boolean     NOT NULL DEFAULT false,
    sold        boolean     NOT NULL DEFAULT false,
    title_ru    text        CONSTRAINT model_settings_title_ru_named CHECK (title_ru <> ''),
    title_en    text        CONSTRAINT model_settings_title_en_named CHECK (title_en <> ''),
    changed_at  timestamptz NOT NULL DEFAULT photomat_now()
);
