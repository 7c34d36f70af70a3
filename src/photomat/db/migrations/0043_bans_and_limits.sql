-- What operators decide about one user: a ban, for a while or for good, and limits of their own in place of the usual ones
-- (empty: the usual one; 0: none). `ban_told_at` is when the user was last told why, so that a banned user who keeps writing is
-- not answered each time. The ban as it stands; who banned whom before is in the operators' journal.
LOCK TABLE users, lanes IN ACCESS EXCLUSIVE MODE;
ALTER TABLE users
    ADD COLUMN banned_at timestamptz,
    ADD COLUMN banned_until timestamptz,
    ADD COLUMN ban_reason text,
    ADD COLUMN banned_by text,
    ADD COLUMN ban_told_at timestamptz,
    ADD COLUMN most_running integer,
    ADD COLUMN orders_per_minute integer,
    ADD COLUMN free_per_day integer,
    ADD CONSTRAINT users_ban_is_whole CHECK (
        (banned_at IS NULL) = (ban_reason IS NULL) AND (banned_at IS NULL) = (banned_by IS NULL)
        AND (banned_until IS NULL OR banned_until > banned_at)) NOT VALID,
    ADD CONSTRAINT users_limits_not_negative CHECK (
        most_running >= 0 AND orders_per_minute >= 0 AND free_per_day >= 0) NOT VALID;

-- How many updates a user sent in the minute that began at `counted_from`. It begins anew with the first update after its end.
ALTER TABLE lanes
    ADD COLUMN counted_from timestamptz,
    ADD COLUMN counted integer NOT NULL DEFAULT 0;
