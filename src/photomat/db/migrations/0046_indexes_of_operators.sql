-- Operators find a user by the beginning of a name, in any case; lists show the newest first, the banned ones, those in debt. The
-- journal of one operator and of one action. A reply to a notice about a ticket answers that ticket.
--
-- Building an index locks out writers of its table: about a second for each million rows. All locks come first, in one order.
LOCK TABLE users, wallets, notices, operator_journal IN SHARE MODE;
CREATE INDEX users_by_time ON users (created_at, user_id);
CREATE INDEX users_by_username ON users (lower(username) text_pattern_ops, user_id DESC) WHERE username IS NOT NULL;
CREATE INDEX users_by_first_name ON users (lower(first_name) text_pattern_ops, user_id DESC);
CREATE INDEX users_banned ON users (banned_at) WHERE banned_at IS NOT NULL;
CREATE INDEX wallets_in_debt ON wallets (user_id) WHERE owed > 0;
CREATE INDEX notices_of_tickets ON notices (chat_id, message_id) WHERE key LIKE 'ticket:%' AND message_id IS NOT NULL;
CREATE INDEX operator_journal_of_operator ON operator_journal (operator, entry_id);
CREATE INDEX operator_journal_of_action ON operator_journal (action, entry_id);
