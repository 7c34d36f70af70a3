-- Our books beside others': what Kie's account had left each time it was asked, and when a provider's list was last compared with ours.
--
-- Each reading is held against an older one (`since_at`, `since_balance`): so much less is there now, `consumed` is what jobs that
-- ended since say they took, `allowed` what jobs under way, and those of which Kie does not tell, may have taken. A top-up at Kie and
-- a drop that nothing explains each begin a new account; so does a week. Never changed; old rows are deleted after their time.
CREATE TABLE kie_readings (
    reading_id     bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT kie_readings_pkey PRIMARY KEY,
    read_at        timestamptz NOT NULL DEFAULT photomat_now(),
    balance        numeric     NOT NULL,
    since_at       timestamptz NOT NULL,
    since_balance  numeric     NOT NULL,
    consumed       numeric     NOT NULL,
    allowed        numeric     NOT NULL,
    verdict        text        NOT NULL CONSTRAINT kie_readings_verdict_known
                               CHECK (verdict IN ('first', 'explained', 'topped up', 'unexplained'))
);
CREATE INDEX kie_readings_by_time ON kie_readings (read_at);

CREATE TABLE comparisons (
    name         text        NOT NULL CONSTRAINT comparisons_pkey PRIMARY KEY,
    finished_at  timestamptz NOT NULL DEFAULT photomat_now(),
    found        integer     NOT NULL
);
