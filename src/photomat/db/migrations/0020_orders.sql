-- Every model of the catalogue can be ordered: with files, after an earlier job, over Kie's older protocols.
--
-- `request` is what Kie will be sent, `{"protocol": …, "body": …}`, frozen when the job is bought: a catalogue that changes later
-- changes nothing that is paid for. It is empty where it says no more than `inputs` does, which is all an older program can send.
-- The others it would send wrongly, so it must not see that they are due: while such a job is pending its time stands in
-- `submit_at`, which an older program does not know. The trigger puts it there, whoever wrote `due_at`. `title` is what the model was
-- called when it was bought.
--
-- New columns need a lock that stops readers as well; nothing in this file takes time.
LOCK TABLE generation_jobs IN ACCESS EXCLUSIVE MODE;
ALTER TABLE generation_jobs
    ADD COLUMN request jsonb,
    ADD COLUMN submit_at timestamptz,
    ADD COLUMN title text;

CREATE FUNCTION hide_requests_from_older_programs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> 'pending' OR NEW.stopped_at IS NOT NULL THEN
        NEW.submit_at := NULL;
    ELSE
        NEW.submit_at := coalesce(NEW.due_at, NEW.submit_at);
        NEW.due_at := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER generation_jobs_requests_hidden BEFORE INSERT OR UPDATE ON generation_jobs FOR EACH ROW
    WHEN (NEW.request IS NOT NULL AND (NEW.status = 'pending' OR NEW.submit_at IS NOT NULL))
    EXECUTE FUNCTION hide_requests_from_older_programs();

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
    lost_times     integer     NOT NULL DEFAULT 0,
    CONSTRAINT input_files_once UNIQUE (user_id, origin),
    CONSTRAINT input_files_of_output_fkey FOREIGN KEY (job_id, position) REFERENCES job_outputs (job_id, position),
    CONSTRAINT input_files_has_its_source CHECK (
        (source = 'telegram') = (telegram_id IS NOT NULL) AND (source = 'link') = (link IS NOT NULL)
        AND (source = 'output') = (job_id IS NOT NULL) AND (job_id IS NULL) = (position IS NULL)),
    CONSTRAINT input_files_uploaded_with_time CHECK ((kie_url IS NULL) = (kie_url_at IS NULL))
);
CREATE INDEX input_files_by_age ON input_files (taken_at);

-- What Kie tells of an output beside its address: the id a track has there, its title, cover and length. And what our copy of it
-- shows: a picture one can see through is no photo for Telegram, whose photos have no transparency.
ALTER TABLE job_outputs
    ADD COLUMN track_id text,
    ADD COLUMN title text,
    ADD COLUMN cover_url text,
    ADD COLUMN seconds numeric,
    ADD COLUMN see_through boolean NOT NULL DEFAULT false;

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
