-- What operators did, who, when and why, and what came of it: one row for each act, refused ones too. Only ever added to, in the
-- transaction of the act itself, so nothing is done without its row and no row tells of something that was not done.
CREATE TABLE operator_journal (
    entry_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT operator_journal_pkey PRIMARY KEY,
    at        timestamptz NOT NULL DEFAULT photomat_now(),
    operator  text        NOT NULL CONSTRAINT operator_journal_operator_named CHECK (operator <> ''),
    action    text        NOT NULL,
    job_id    bigint,
    reason    text,
    done      boolean     NOT NULL,
    outcome   text        NOT NULL
);
CREATE INDEX operator_journal_of_job ON operator_journal (job_id) WHERE job_id IS NOT NULL;

CREATE TRIGGER operator_journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_journal
    EXECUTE FUNCTION refuse_to_change_history();
