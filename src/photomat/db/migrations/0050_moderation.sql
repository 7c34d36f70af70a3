-- Content rules: what operators added or changed of them, what was refused, and what an external checker said of an order.
--
-- A row of `content_rules` is a rule of the operator's own, or switches a shipped one (then without words). A refusal is recorded
-- once per text of a draft, however often its card is shown or tapped; its text is kept only as long as an appeal may need it.
-- A strike is a refusal that counts against the user until it is forgiven or old. Nothing here refers to money.
CREATE TABLE content_rules (
    rule_id text PRIMARY KEY,
    is_own boolean NOT NULL,
    is_on boolean NOT NULL,
    action text NOT NULL,
    reason_ru text,
    reason_en text,
    words text[] NOT NULL DEFAULT '{}',
    unless text[] NOT NULL DEFAULT '{}',
    changed_at timestamptz NOT NULL DEFAULT photomat_now(),
    changed_by text NOT NULL,
    CONSTRAINT content_rules_action_known CHECK (action IN ('refuse', 'strike', 'warn')),
    CONSTRAINT content_rules_own_has_words CHECK (is_own = (cardinality(words) > 0)),
    CONSTRAINT content_rules_own_has_reason CHECK (NOT is_own OR coalesce(reason_ru, reason_en) IS NOT NULL)
);

CREATE TABLE content_refusals (
    refusal_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    draft_id bigint,
    job_id bigint,
    source text NOT NULL,
    rule_id text NOT NULL,
    action text NOT NULL,
    reason text,
    model text NOT NULL,
    text_hash bytea,
    text text,
    is_strike boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT photomat_now(),
    forgiven_at timestamptz,
    forgiven_by text,
    appealed_at timestamptz,
    decided_at timestamptz,
    decided_by text,
    is_accepted boolean,
    answer text,
    CONSTRAINT content_refusals_once_per_text UNIQUE (draft_id, text_hash),
    CONSTRAINT content_refusals_once_per_job UNIQUE (job_id),
    CONSTRAINT content_refusals_source_known CHECK (source IN ('rules', 'checker', 'provider')),
    CONSTRAINT content_refusals_action_known CHECK (action IN ('refuse', 'strike', 'warn')),
    CONSTRAINT content_refusals_decided_whole CHECK (
        (decided_at IS NULL) = (decided_by IS NULL) AND (decided_at IS NULL) = (is_accepted IS NULL)
        AND (decided_at IS NULL OR appealed_at IS NOT NULL)),
    CONSTRAINT content_refusals_forgiven_whole CHECK ((forgiven_at IS NULL) = (forgiven_by IS NULL))
);
CREATE INDEX content_refusals_of_user ON content_refusals (user_id, refusal_id);
CREATE INDEX content_refusals_of_rule ON content_refusals (rule_id, refusal_id);
CREATE INDEX content_refusals_decided ON content_refusals (refusal_id) WHERE decided_at IS NOT NULL;
CREATE INDEX content_refusals_strikes ON content_refusals (refusal_id) WHERE is_strike AND forgiven_at IS NULL;
CREATE INDEX content_refusals_warnings ON content_refusals (refusal_id) WHERE action = 'warn';
CREATE INDEX content_refusals_by_time ON content_refusals (created_at);
CREATE INDEX content_refusals_with_text ON content_refusals (created_at) WHERE text IS NOT NULL;
CREATE INDEX content_refusals_appealed ON content_refusals (appealed_at) WHERE appealed_at IS NOT NULL AND decided_at IS NULL;

CREATE TABLE content_verdicts (
    draft_id bigint NOT NULL,
    revision integer NOT NULL,
    user_id bigint NOT NULL,
    order_hash bytea NOT NULL,
    is_allowed boolean NOT NULL,
    is_strike boolean NOT NULL,
    reason text,
    created_at timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT content_verdicts_once_per_revision PRIMARY KEY (draft_id, revision)
);
CREATE INDEX content_verdicts_by_time ON content_verdicts (created_at);
CREATE INDEX content_verdicts_of_user ON content_verdicts (user_id);
