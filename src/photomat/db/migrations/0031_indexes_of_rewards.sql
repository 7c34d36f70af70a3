-- The audit by day finds new rewards, paid offers, subscriptions and listed Stars by their time, however many there are.
--
-- Building an index locks out writers of its table: about a second for each million rows. All locks come first, in one order.
LOCK TABLE topups, promo_codes, promo_uses, referrals, gifts, subscriptions, stars_listed IN SHARE MODE;
CREATE INDEX topups_by_payment ON topups (closed_at) WHERE state = 'paid';
CREATE INDEX promo_codes_by_time ON promo_codes (created_at);
CREATE INDEX promo_uses_by_time ON promo_uses (used_at);
CREATE INDEX referrals_by_reward ON referrals (rewarded_at) WHERE rewarded_at IS NOT NULL;
CREATE INDEX gifts_by_end ON gifts (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX subscriptions_by_change ON subscriptions (changed_at);
CREATE INDEX stars_listed_by_time ON stars_listed (moved_at);
