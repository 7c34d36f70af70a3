-- What is given away: promo codes, rewards for invitations, gifts between users.
--
-- Every sum here is a copy of what the ledger booked under a reference made of the row's own key, and the audit compares the two.
-- Rules (a code's percent, its limits) are never edited: a code is stopped, and another is made.
--
-- New references to a table stop its writers for a moment.
LOCK TABLE wallets IN SHARE ROW EXCLUSIVE MODE;

-- A code in capitals. `amount` is what a `sum` credits, the most a `percent` gives for one payment (NULL: no bound), and the
-- largest price a `free` generation may have. `used` counts promo_uses; it stands here so that the last use is given once.
CREATE TABLE promo_codes (
    code         text        NOT NULL CONSTRAINT promo_codes_pkey PRIMARY KEY
                 CONSTRAINT promo_codes_code_normal CHECK (code = upper(code) AND length(code) BETWEEN 3 AND 32),
    kind         text        NOT NULL CONSTRAINT promo_codes_kind_known CHECK (kind IN ('sum', 'percent', 'free')),
    amount       bigint      CONSTRAINT promo_codes_amount_positive CHECK (amount > 0),
    currency     text        NOT NULL,
    percent      integer     CONSTRAINT promo_codes_percent_known CHECK (percent BETWEEN 1 AND 100),
    generations  integer     CONSTRAINT promo_codes_generations_known CHECK (generations BETWEEN 1 AND 1000),
    most_uses    integer     CONSTRAINT promo_codes_most_uses_positive CHECK (most_uses > 0),
    per_user     integer     NOT NULL DEFAULT 1 CONSTRAINT promo_codes_per_user_positive CHECK (per_user > 0),
    only_new     boolean     NOT NULL DEFAULT false,
    used         integer     NOT NULL DEFAULT 0,
    expires_at   timestamptz,
    stopped_at   timestamptz,
    operator     text        NOT NULL CONSTRAINT promo_codes_operator_named CHECK (operator <> ''),
    reason       text        NOT NULL CONSTRAINT promo_codes_reason_given CHECK (reason <> ''),
    created_at   timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT promo_codes_not_used_up CHECK (used >= 0 AND used <= most_uses),
    CONSTRAINT promo_codes_sum_has_amount CHECK (kind = 'percent' OR amount IS NOT NULL),
    CONSTRAINT promo_codes_percent_has_percent CHECK ((kind = 'percent') = (percent IS NOT NULL)),
    CONSTRAINT promo_codes_free_has_generations CHECK ((kind = 'free') = (generations IS NOT NULL))
);

-- Who used which code, for the n-th time; `origin` names the update that did it, so that the same update again finds it. `credited` is
-- the sum or the bonus booked for it, `taken_back` what went back of that, in so many `moves`. A `percent` waits until it has a
-- payment.
CREATE TABLE promo_uses (
    use_id      bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT promo_uses_pkey PRIMARY KEY,
    code        text        NOT NULL CONSTRAINT promo_uses_code_fkey REFERENCES promo_codes,
    user_id     bigint      NOT NULL CONSTRAINT promo_uses_user_fkey REFERENCES wallets,
    nth         integer     NOT NULL CONSTRAINT promo_uses_nth_positive CHECK (nth > 0),
    origin      text        NOT NULL CONSTRAINT promo_uses_one_an_origin UNIQUE,
    used_at     timestamptz NOT NULL DEFAULT photomat_now(),
    credited    bigint      CONSTRAINT promo_uses_credit_positive CHECK (credited > 0),
    taken_back  bigint      NOT NULL DEFAULT 0,
    moves       integer     NOT NULL DEFAULT 0,
    payment_id  bigint      CONSTRAINT promo_uses_one_a_payment UNIQUE
                            CONSTRAINT promo_uses_payment_fkey REFERENCES payments,
    CONSTRAINT promo_uses_once_each UNIQUE (code, user_id, nth),
    CONSTRAINT promo_uses_taken_back_not_negative CHECK (taken_back >= 0)
);
CREATE INDEX promo_uses_of_user ON promo_uses (user_id);

-- Wrong codes typed lately, to slow guessing down; forgotten after minutes.
CREATE TABLE promo_tries (
    origin    text        NOT NULL CONSTRAINT promo_tries_pkey PRIMARY KEY,
    user_id   bigint      NOT NULL,
    tried_at  timestamptz NOT NULL DEFAULT photomat_now()
);
CREATE INDEX promo_tries_of_user ON promo_tries (user_id, tried_at);

-- A job whose price is nothing because of a code. It counts as used unless the job came to nothing, so nothing is ever given back.
CREATE TABLE pass_uses (
    job_id   bigint      NOT NULL CONSTRAINT pass_uses_pkey PRIMARY KEY,
    use_id   bigint      NOT NULL CONSTRAINT pass_uses_use_fkey REFERENCES promo_uses,
    used_at  timestamptz NOT NULL DEFAULT photomat_now()
);
CREATE INDEX pass_uses_of_use ON pass_uses (use_id);

-- The code of a user's own invitation link: random, and nothing can be read from it.
CREATE TABLE invite_codes (
    user_id     bigint      NOT NULL CONSTRAINT invite_codes_pkey PRIMARY KEY
                            CONSTRAINT invite_codes_user_fkey REFERENCES wallets,
    code        text        NOT NULL CONSTRAINT invite_codes_code_once UNIQUE,
    created_at  timestamptz NOT NULL DEFAULT photomat_now()
);

-- Who was brought by whom, once for ever. Both are rewarded after the friend's first job (`job_id`) that the friend's own payments cover:
-- `due_at` says that a step has something to book. `refunded`: that job, or too much of the payments, was given back after the
-- reward had been booked; it is taken back then.
CREATE TABLE referrals (
    friend_id       bigint      NOT NULL CONSTRAINT referrals_pkey PRIMARY KEY
                                CONSTRAINT referrals_friend_fkey REFERENCES wallets,
    inviter_id      bigint      NOT NULL CONSTRAINT referrals_inviter_fkey REFERENCES wallets,
    invited_at      timestamptz NOT NULL DEFAULT photomat_now(),
    state           text        NOT NULL DEFAULT 'invited' CONSTRAINT referrals_state_known
                                CHECK (state IN ('invited', 'due', 'rewarded', 'refunded', 'taken_back')),
    job_id          bigint,
    inviter_reward  bigint      CONSTRAINT referrals_inviter_reward_known CHECK (inviter_reward >= 0),
    friend_reward   bigint      CONSTRAINT referrals_friend_reward_known CHECK (friend_reward >= 0),
    due_at          timestamptz,
    rewarded_at     timestamptz,
    CONSTRAINT referrals_not_to_oneself CHECK (friend_id <> inviter_id),
    CONSTRAINT referrals_job_once_paid CHECK ((state = 'invited') = (job_id IS NULL)),
    CONSTRAINT referrals_due_with_time CHECK ((state IN ('due', 'refunded')) = (due_at IS NOT NULL)),
    CONSTRAINT referrals_rewarded_with_sums CHECK (
        (state IN ('rewarded', 'refunded', 'taken_back')) = (rewarded_at IS NOT NULL)
        AND (rewarded_at IS NULL) = (inviter_reward IS NULL) AND (inviter_reward IS NULL) = (friend_reward IS NULL))
);
CREATE INDEX referrals_of_inviter ON referrals (inviter_id);
CREATE INDEX referrals_due ON referrals (due_at) WHERE due_at IS NOT NULL;

-- The inviter's percent of one payment of a friend. `percent` is frozen when it is first booked; `share` less `taken_back` is what the
-- inviter keeps of it, brought to the percent of what was not refunded whenever it is due.
CREATE TABLE referral_shares (
    payment_id  bigint      NOT NULL CONSTRAINT referral_shares_pkey PRIMARY KEY
                            CONSTRAINT referral_shares_payment_fkey REFERENCES payments,
    friend_id   bigint      NOT NULL CONSTRAINT referral_shares_referral_fkey REFERENCES referrals,
    percent     integer     CONSTRAINT referral_shares_percent_known CHECK (percent BETWEEN 0 AND 100),
    share       bigint      NOT NULL DEFAULT 0,
    taken_back  bigint      NOT NULL DEFAULT 0,
    moves       integer     NOT NULL DEFAULT 0,
    due_at      timestamptz DEFAULT photomat_now(),
    CONSTRAINT referral_shares_take_back_what_they_gave CHECK (taken_back BETWEEN 0 AND share)
);
CREATE INDEX referral_shares_due ON referral_shares (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX referral_shares_of_friend ON referral_shares (friend_id);

-- Money on its way from one user to whoever opens the link first. It left the giver's wallet when the row was made and waits in the
-- account `gift`; it is taken once, by another user, or goes back to the giver.
CREATE TABLE gifts (
    gift_id     bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT gifts_pkey PRIMARY KEY,
    code        text        NOT NULL CONSTRAINT gifts_code_once UNIQUE,
    origin      text        NOT NULL CONSTRAINT gifts_one_an_origin UNIQUE,
    giver_id    bigint      NOT NULL CONSTRAINT gifts_giver_fkey REFERENCES wallets,
    taker_id    bigint      CONSTRAINT gifts_taker_fkey REFERENCES wallets,
    amount      bigint      NOT NULL CONSTRAINT gifts_amount_positive CHECK (amount > 0),
    currency    text        NOT NULL,
    state       text        NOT NULL DEFAULT 'open' CONSTRAINT gifts_state_known CHECK (state IN ('open', 'taken', 'back')),
    created_at  timestamptz NOT NULL DEFAULT photomat_now(),
    expires_at  timestamptz NOT NULL,
    due_at      timestamptz,
    closed_at   timestamptz,
    CONSTRAINT gifts_not_to_oneself CHECK (taker_id <> giver_id),
    CONSTRAINT gifts_taken_by_somebody CHECK ((state = 'taken') = (taker_id IS NOT NULL)),
    CONSTRAINT gifts_closed_with_time CHECK ((state = 'open') = (closed_at IS NULL) AND (closed_at IS NULL) = (due_at IS NOT NULL))
);
CREATE INDEX gifts_of_giver ON gifts (giver_id, gift_id);
CREATE INDEX gifts_due ON gifts (due_at) WHERE due_at IS NOT NULL;
