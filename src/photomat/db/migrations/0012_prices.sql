-- Prices an operator sets without a deploy.
--
-- `model_prices` is a list of rules. Of those that stand (begun, not over, not cleared) the newest of `fixed`, `markup` and `free`
-- makes the price of its model, and the newest `discount` is taken off it. Nothing is edited but `cleared_at`, so the list is
-- also the history: who set what, when and why. `confirmed` means that somebody said it may be below cost.
CREATE TABLE model_prices (
    price_id    bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT model_prices_pkey PRIMARY KEY,
    model       text        NOT NULL CONSTRAINT model_prices_model_named CHECK (model <> ''),
    kind        text        NOT NULL CONSTRAINT model_prices_kind_known
                CHECK (kind IN ('fixed', 'markup', 'free', 'discount')),
    amount      bigint      CONSTRAINT model_prices_amount_positive CHECK (amount > 0),
    currency    text,
    markup      numeric     CONSTRAINT model_prices_markup_positive CHECK (markup > 0),
    percent     numeric     CONSTRAINT model_prices_percent_known CHECK (percent > 0 AND percent < 100),
    from_at     timestamptz NOT NULL DEFAULT photomat_now(),
    until_at    timestamptz,
    operator    text        NOT NULL CONSTRAINT model_prices_operator_named CHECK (operator <> ''),
    reason      text        NOT NULL CONSTRAINT model_prices_reason_given CHECK (reason <> ''),
    confirmed   boolean     NOT NULL,
    set_at      timestamptz NOT NULL DEFAULT photomat_now(),
    cleared_at  timestamptz,
    CONSTRAINT model_prices_until_after_from CHECK (until_at > from_at),
    CONSTRAINT model_prices_fixed_has_amount
        CHECK ((kind = 'fixed') = (amount IS NOT NULL) AND (amount IS NULL) = (currency IS NULL)),
    CONSTRAINT model_prices_markup_has_factor CHECK ((kind = 'markup') = (markup IS NOT NULL)),
    CONSTRAINT model_prices_discount_has_percent CHECK ((kind = 'discount') = (percent IS NOT NULL))
);
CREATE INDEX model_prices_standing ON model_prices (model, price_id) WHERE cleared_at IS NULL;

-- The free quota counts a user's free jobs of the last day, the report of margins what was settled lately.
CREATE INDEX generation_jobs_free_of_user ON generation_jobs (user_id, created_at) WHERE price = 0;
CREATE INDEX generation_jobs_settled ON generation_jobs (settled_at) WHERE settled_at IS NOT NULL;
