-- Telegram Stars beyond one payment: monthly subscriptions, and Telegram's own list of Stars as far as we have read it.
--
-- A subscription credits nothing by itself: each of its months is a payment with a charge id of its own. The row says until when
-- it is paid and whether it goes on. Telegram knows it by the charge id of its first month; where a later month is told first,
-- `first_known` waits for that one. Two at once are refused before paying, but not here: money that arrives is never turned away.
--
-- New references to a table stop its writers for a moment: that lock comes first.
LOCK TABLE wallets IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE subscriptions (
    subscription_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT subscriptions_pkey PRIMARY KEY,
    charge_id        text        NOT NULL CONSTRAINT subscriptions_charge_once UNIQUE,
    first_known      boolean     NOT NULL,
    user_id          bigint      NOT NULL CONSTRAINT subscriptions_user_fkey REFERENCES wallets,
    topup_id         bigint      CONSTRAINT subscriptions_topup_fkey REFERENCES topups,
    stars            bigint      NOT NULL CONSTRAINT subscriptions_cost_something CHECK (stars > 0),
    allowance        bigint      NOT NULL CONSTRAINT subscriptions_give_something CHECK (allowance > 0),
    currency         text        NOT NULL,
    state            text        NOT NULL CONSTRAINT subscriptions_state_known CHECK (state IN ('active', 'canceled', 'failed', 'ended')),
    expires_at       timestamptz NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT photomat_now(),
    changed_at       timestamptz NOT NULL DEFAULT photomat_now()
);
CREATE INDEX subscriptions_of_user ON subscriptions (user_id, subscription_id);
CREATE INDEX subscriptions_living ON subscriptions (expires_at) WHERE state <> 'ended';

-- How far the list was read. `started_at` bounds both sides: an older payment of ours may be another bot's, and whatever the list has
-- from more than a day before was sold by another program under this bot's name: it is kept below and credited to nobody.
CREATE TABLE stars_readings (
    bot_id      bigint      NOT NULL CONSTRAINT stars_readings_pkey PRIMARY KEY,
    read_to     bigint      NOT NULL DEFAULT 0,
    started_at  timestamptz NOT NULL DEFAULT photomat_now(),
    ended_at    timestamptz
);

-- The payments and refunds that Telegram listed: what it says, kept beside what we booked.
CREATE TABLE stars_listed (
    bot_id     bigint      NOT NULL,
    charge_id  text        NOT NULL,
    side       text        NOT NULL CONSTRAINT stars_listed_side_known CHECK (side IN ('in', 'out')),
    user_id    bigint      NOT NULL,
    stars      bigint      NOT NULL,
    moved_at   timestamptz NOT NULL,
    CONSTRAINT stars_listed_pkey PRIMARY KEY (charge_id, side)
);
