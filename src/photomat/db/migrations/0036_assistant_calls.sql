-- Calls to the optional chat model (ASSISTANT_MODEL), one row each. A row is committed as asked before its request leaves, and is
-- asked once in its life: a call whose process died becomes unknown. `due_at` is when a loop looks at it next; `fence` is raised by
-- every claim and tested by every later write. `words` and `answer` are texts of people, kept until they are used (a transcript
-- until retention removes it); `credits` are Kie's, counted as one while they are not reported, and `cost` is their worth in minor
-- units, without any markup.
CREATE TABLE assistant_calls (
    call_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT assistant_calls_pkey PRIMARY KEY,
    origin text NOT NULL CONSTRAINT assistant_calls_origin_once UNIQUE,
    kind text NOT NULL CONSTRAINT assistant_calls_kind_known CHECK (kind IN ('plan', 'improve', 'transcribe')),
    state text NOT NULL DEFAULT 'wanted'
        CONSTRAINT assistant_calls_state_known CHECK (state IN ('wanted', 'asked', 'answered', 'failed', 'unknown', 'skipped')),
    bot_id bigint NOT NULL,
    user_id bigint NOT NULL CONSTRAINT assistant_calls_user_fkey REFERENCES users,
    chat_id bigint NOT NULL,
    language text NOT NULL,
    draft_id bigint,
    revision integer,
    message_id bigint,
    file_id text,
    words text,
    answer text,
    wanted_at timestamptz NOT NULL DEFAULT photomat_now(),
    due_at timestamptz DEFAULT photomat_now(),
    asked_at timestamptz,
    ended_at timestamptz,
    fence bigint NOT NULL DEFAULT 0,
    prompt_tokens integer,
    completion_tokens integer,
    credits numeric(12, 4) NOT NULL DEFAULT 0 CONSTRAINT assistant_calls_credits_not_negative CHECK (credits >= 0),
    cost numeric(14, 4) NOT NULL DEFAULT 0 CONSTRAINT assistant_calls_cost_not_negative CHECK (cost >= 0),
    error text,
    CONSTRAINT assistant_calls_asked_once CHECK ((asked_at IS NULL) = (state IN ('wanted', 'skipped'))),
    CONSTRAINT assistant_calls_ended CHECK ((ended_at IS NULL) = (state IN ('wanted', 'asked')))
);
CREATE INDEX assistant_calls_due ON assistant_calls (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX assistant_calls_of_user ON assistant_calls (user_id, asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX assistant_calls_asked ON assistant_calls (asked_at) INCLUDE (credits) WHERE asked_at IS NOT NULL;
CREATE INDEX assistant_calls_by_time ON assistant_calls (wanted_at);
CREATE INDEX assistant_calls_transcripts ON assistant_calls (ended_at) WHERE answer IS NOT NULL;

-- What the assistant left on a draft's card: the prompt before it was improved, or one question about the order.
ALTER TABLE drafts ADD COLUMN assistant jsonb;
