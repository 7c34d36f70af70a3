-- What busy_day.py fills a database with. $names are written in by it: no statement here has parameters.

-- Who orders what and when.
SELECT setseed(0.4242);
CREATE TEMPORARY TABLE busy_users AS
SELECT n, $first + n AS user_id, created_at, n % 5 <> 0 AS orders, n % 5 <> 0 AND n % 4 <> 1 AS pays,
       (ARRAY[10000, 20000, 30000, 50000, 100000])[1 + n % 5] AS topup,
       (ARRAY['stars', 'stars', 'stars', 'stars', 'yookassa', 'yookassa', 'yookassa', 'stars', 'cryptopay', 'transfer'])[1 + n / 4 % 10]
           AS provider
  FROM (SELECT n, CASE WHEN n <= 10 THEN $now - $days * interval '1 day'
                       ELSE $now - $days * interval '1 day' * (1 - power(n::float8 / $users, 0.6)) - interval '3 minutes' END
               AS created_at FROM generate_series(1, $users) AS n) AS made;

CREATE TEMPORARY TABLE busy_draws AS
SELECT i, at, greatest(0, 1 - extract(epoch FROM $now - at) / ($days * 86400)) AS t, random() AS a, random() AS b,
       random() AS c, random() AS d
  FROM (SELECT i, CASE WHEN i > $early
                       THEN $now - interval '12 hours' * (1 - (i - $early)::float8 / ($jobs - $early)) - interval '20 seconds'
                       WHEN day < date_trunc('day', $now - interval '12 hours')
                       THEN day + interval '1 day' * (x + 0.13 * sin(2 * pi() * x)) ELSE drawn END AS at
          FROM (SELECT i, drawn, date_trunc('day', drawn) AS day, extract(epoch FROM drawn - date_trunc('day', drawn)) / 86400 AS x
                  FROM (SELECT i, $now - interval '12 hours' - $days * interval '1 day' * (1 - sqrt(i::float8 / $early)) AS drawn
                          FROM generate_series(1, $jobs) AS i) AS spread) AS by_day) AS warped;

CREATE TEMPORARY TABLE busy_jobs AS
WITH tapped AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY at) AS i, at, b, c, d,
           least(greatest(1, CASE WHEN a < 0.25 THEN 1 + floor(b * pool / 10) * 10 + 2
                             ELSE pool - floor(pool * power(b, 4)) END), pool)::bigint AS n,
           1 + floor($models * power(d, 2.2))::integer AS rank
      FROM (SELECT *, greatest(10, floor($users * power(t, 1 / 0.6))) AS pool FROM busy_draws) AS drawn),
ordering AS (SELECT *, CASE WHEN n % 5 = 0 THEN n - 1 ELSE n END AS who FROM tapped),
counted AS (SELECT *, row_number() OVER (PARTITION BY who ORDER BY i) AS nth FROM ordering),
bought AS (
    SELECT i, at, b, c, d, rank, $jobs - i AS newest,
           CASE WHEN who % 4 <> 1 OR nth <= 2 THEN who WHEN who = 1 THEN 2 WHEN (who - 1) % 5 = 0 THEN who - 2 ELSE who - 1 END AS n
      FROM counted),
told AS (
    SELECT bought.*, CASE
               WHEN newest < $live THEN CASE newest % 3 WHEN 0 THEN 'pending' ELSE 'running' END
               WHEN newest < $live + 2 THEN 'stopped' WHEN newest < $live + 5 THEN 'uncertain'
               WHEN newest < $live + 8 THEN 'overdue' WHEN newest < $live + 11 THEN 'undelivered'
               WHEN newest < $live + 13 THEN 'parked' WHEN newest < $live + 15 THEN 'gift'
               WHEN c < 0.04 + CASE WHEN rank % 6 = 5 THEN 0.09 ELSE 0 END THEN 'failed'
               WHEN c > 0.985 THEN 'canceled' WHEN c > 0.982 THEN 'gift' ELSE 'done' END AS story
      FROM bought)
SELECT told.*, model, kind, title, inputs, quote, price, credits, cost,
       seconds * (0.5 + b + CASE WHEN c > 0.9 THEN 2.5 * d ELSE 0 END) * interval '1 second' AS took,
       CASE WHEN story IN ('pending', 'running', 'failed', 'canceled') THEN story
            WHEN story = 'uncertain' THEN 'submitting' WHEN story IN ('stopped', 'overdue') THEN 'running' ELSE 'done' END AS status
  FROM told JOIN busy_models USING (rank);
CREATE INDEX ON busy_jobs (n);
ANALYZE busy_users; ANALYZE busy_jobs;

-- Users, drafts, jobs and what came of them.
INSERT INTO users (user_id, first_name, username, language, created_at, blocked_at)
SELECT user_id, (ARRAY['Анна', 'Борис', 'Вера', 'Глеб', 'Дарья', 'Егор', 'Жанна', 'Захар', 'Ирина', 'Olivia', 'Liam'])[1 + n % 11],
       CASE WHEN n % 3 <> 0 THEN 'user' || n END, CASE WHEN n % 6 = 0 THEN 'en' ELSE 'ru' END, created_at,
       CASE WHEN n % 37 = 11 THEN least(created_at + interval '9 days', $now - interval '1 hour') END
  FROM busy_users;

INSERT INTO drafts (draft_id, bot_id, user_id, chat_id, origin, model, inputs, price, currency, created_at, expires_at, bought_at)
OVERRIDING SYSTEM VALUE
SELECT i, $bot, $first + n, $first + n, 'busy:' || i, model, inputs, price, 'RUB', at - interval '50 seconds',
       at + interval '1 day', at FROM busy_jobs ORDER BY i;
INSERT INTO drafts (draft_id, bot_id, user_id, chat_id, origin, model, inputs, price, currency, created_at, expires_at)
OVERRIDING SYSTEM VALUE
SELECT $jobs + row_number() OVER (ORDER BY at), $bot, user_id, user_id, 'unbought:' || n || ':' || k, model, inputs, price, 'RUB', at, at + interval '1 day'
  FROM (SELECT n, user_id, k, 1 + (n + k) % $models AS rank,
               created_at + ($now - created_at) * ((n * 37 + k * 11) % 97) / 97.0 + interval '1 minute' AS at
          FROM busy_users, generate_series(1, 3) AS k WHERE n % 10 <> 0) AS made
  JOIN busy_models USING (rank) WHERE at BETWEEN $now - interval '30 days' AND $now;

INSERT INTO generation_jobs (
    job_id, corr, idempotency_key, draft_id, bot_id, user_id, chat_id, card_message_id, model, title, kind, inputs, language,
    price, currency, quote, status, external_task_id, result_urls, gift, fail_code, fail_reason, created_at, intent_at,
    submitted_at, settled_at, stopped_at, overdue_at, due_at, submit_at, attempts, last_error, found_via, card_wanted, card_shown,
    deliver_at, delivered_at, undeliverable_at, parked_at, delivery_attempts, delivery_error, delivery_failing_since,
    ring_kind, rung_at, credits_consumed, cost, fence, delivery_fence)
OVERRIDING SYSTEM VALUE
SELECT i, lpad(to_hex(i), 8, '0'), 'draft:' || i, i, $bot, user_id, user_id, 100 + i, model, title, kind, inputs,
       CASE WHEN n % 6 = 0 THEN 'en' ELSE 'ru' END, price, 'RUB', quote, status,
       CASE WHEN sent AND story <> 'uncertain' THEN 'task-' || i END,
       CASE WHEN status = 'done' THEN ARRAY['https://files.example/' || i || '.png'] END, story = 'gift',
       CASE WHEN story = 'failed' THEN (ARRAY['kie-422', 'kie-500', 'kie-501', 'timeout', 'empty', 'kie-430'])[1 + i % 6] END,
       CASE WHEN story = 'failed' THEN (ARRAY['The prompt was refused by the content filter', 'Internal error, try again later',
           'Generation failed', 'Kie had 24 hours', 'Success without a result', 'The file could not be read'])[1 + i % 6] END,
       at, CASE WHEN sent THEN at + interval '1 second' END,
       CASE WHEN sent AND story <> 'uncertain' THEN at + interval '2 seconds' END, ended_at,
       CASE WHEN story = 'stopped' THEN at + interval '30 seconds' END,
       CASE WHEN story = 'overdue' THEN at + interval '1 minute' END,
       CASE WHEN story IN ('running', 'overdue') THEN $now + interval '2 minutes'
            WHEN story = 'uncertain' THEN $now + interval '5 minutes' END,
       CASE WHEN story = 'pending' THEN $now + interval '1 minute' END, 1 + i % 4,
       CASE story WHEN 'stopped' THEN 'Corrupt: two outputs have one position' WHEN 'uncertain' THEN 'TimeoutError: no answer in 8 s' END,
       CASE WHEN ended_at IS NOT NULL THEN CASE WHEN i % 9 = 0 THEN 'poll' ELSE 'callback' END END, 3,
       CASE WHEN card_is_shown THEN 3 ELSE 2 END, coalesce(ended_at, at),
       CASE WHEN status = 'done' AND card_is_shown THEN ended_at + (1 + b * 3) * interval '1 second' END,
       CASE WHEN is_away THEN ended_at + interval '2 seconds' END,
       CASE WHEN story = 'parked' THEN ended_at + interval '3 seconds' END,
       CASE WHEN story IN ('parked', 'undelivered') THEN 6 ELSE 1 END,
       CASE WHEN story = 'parked' THEN 'Bad Request: IMAGE_PROCESS_FAILED' WHEN story = 'undelivered' THEN 'Telegram answered 502'
            WHEN is_away THEN 'Forbidden: bot was blocked by the user' END,
       CASE WHEN story IN ('parked', 'undelivered') THEN ended_at + interval '1 second' END,
       CASE WHEN card_is_shown AND ended_at IS NOT NULL THEN CASE status WHEN 'done' THEN 'done' ELSE 'failed' END END,
       CASE WHEN card_is_shown AND ended_at IS NOT NULL AND status <> 'canceled' THEN ended_at + interval '5 seconds' END,
       CASE WHEN status = 'done' THEN credits END, CASE WHEN status = 'done' THEN cost END, 3, 3
  FROM (SELECT *, $first + n AS user_id, story <> 'pending' AND (story <> 'canceled' OR i % 2 = 0) AS sent,
               CASE WHEN status IN ('done', 'failed', 'canceled') THEN least(at + took, $now - interval '1 second') END AS ended_at,
               story = 'done' AND n % 37 = 11 AND at > $now - interval '3 days' AS is_away,
               story NOT IN ('parked', 'undelivered', 'pending', 'running') AND NOT (story = 'done' AND n % 37 = 11
                   AND at > $now - interval '3 days') AS card_is_shown
          FROM busy_jobs) AS made
 ORDER BY i;

INSERT INTO job_outputs (job_id, position, url, media, mime, size_bytes, width, height, kept_as, kept_at, keep_at, file_id)
SELECT job_id, position, result_urls[1], CASE kind WHEN 'video' THEN 'video' WHEN 'audio' THEN 'audio' ELSE 'photo' END,
       CASE kind WHEN 'video' THEN 'video/mp4' WHEN 'audio' THEN 'audio/mpeg' ELSE 'image/png' END, 100000 + job_id, 1024, 1024,
       job_id || '/' || position || '.png', settled_at + interval '3 seconds', NULL,
       CASE WHEN delivered_at IS NOT NULL THEN 'AgACAgIAAxkBAAI' || job_id || '-' || position END
  FROM generation_jobs, generate_series(0, CASE WHEN job_id % 25 = 0 THEN 3 ELSE 0 END) AS position WHERE status = 'done';

INSERT INTO job_events (job_id, at, tag, instance, detail)
SELECT job_id, at, tag, 'web-' || (1 + job_id % 2), detail
  FROM (SELECT * FROM generation_jobs WHERE created_at > $now - interval '7 days') AS job, LATERAL (VALUES
           (created_at, 'created', jsonb_build_object('model', model, 'price', price)),
           (intent_at, 'intent', jsonb_build_object('fence', 1)),
           (submitted_at, 'submitted', jsonb_build_object('task_id', external_task_id)),
           (CASE WHEN found_via = 'callback' THEN settled_at - interval '40 milliseconds' END, 'woken', '{"via": "callback"}'),
           (overdue_at, 'overdue', '{}'), (stopped_at, 'stopped', jsonb_build_object('error', last_error)),
           (settled_at, 'settled', jsonb_build_object('status', status, 'via', found_via)),
           (coalesce(delivered_at, parked_at) - interval '800 milliseconds', 'locked', '{"fence": 3}'),
           (delivered_at, 'shown', '{"level": "url", "fence": 3}'),
           (parked_at, 'parked', jsonb_build_object('error', delivery_error)),
           (undeliverable_at, 'undeliverable', jsonb_build_object('error', delivery_error)),
           (rung_at, 'rung', '{}')) AS events (at, tag, detail)
 WHERE at IS NOT NULL ORDER BY at;

INSERT INTO callbacks (job_id, task_id, digest, body, received_at)
SELECT job_id, external_task_id, sha256(external_task_id::bytea),
       convert_to('{"code": 200, "data": {"taskId": "' || external_task_id || '", "state": "success"}}', 'UTF8'), settled_at
  FROM generation_jobs WHERE status = 'done' AND found_via = 'callback' AND settled_at > $now - interval '30 days'
 ORDER BY settled_at;
INSERT INTO orphan_callbacks (task_id, payload, received_at, processed_at, shouted_at, error)
SELECT 'orphan-' || i, '{"data": {"state": "success"}}', at, CASE WHEN i > 4 THEN at + interval '1 minute' END,
       CASE WHEN i BETWEEN 2 AND 4 THEN at + interval '1 hour' END, CASE WHEN i % 3 = 0 THEN 'no job has this task' END
  FROM (SELECT i, $now - i * i * interval '25 minutes' AS at FROM generate_series(1, 30) AS i) AS made;

-- Money: every move with its digest and its seal.
INSERT INTO wallets (user_id, currency) SELECT user_id, 'RUB' FROM busy_users;
INSERT INTO holds (reference, user_id, currency, amount, job_id, digest, held_at)
SELECT 'job:' || job_id, user_id, currency, price, job_id,
       sha256(convert_to(format('hold user=%s amount=%s currency=%s job=%s', user_id, price, currency, job_id), 'UTF8')), created_at
  FROM generation_jobs;
INSERT INTO hold_closings (reference, closed_as, closed_at)
SELECT 'job:' || job_id, CASE WHEN status = 'done' AND NOT gift THEN 'charge' ELSE 'release' END, settled_at
  FROM generation_jobs WHERE settled_at IS NOT NULL;

CREATE TEMPORARY TABLE busy_payments AS
SELECT row_number() OVER (ORDER BY at, n) AS p, *,
       CASE WHEN n % 100 = 2 AND provider = 'stars' AND k = 0 AND refund IS NULL THEN 'subscription' ELSE 'topup' END AS reason,
       CASE provider WHEN 'stars' THEN credit / 200 ELSE credit END AS paid,
       CASE provider WHEN 'stars' THEN 'XTR' ELSE 'RUB' END AS paid_currency
  FROM (SELECT n, user_id, provider, topup AS credit, at - interval '40 seconds' AS at, k, NULL AS refund
          FROM (SELECT n, at, price, sum(price) OVER (PARTITION BY n ORDER BY i) AS spent FROM busy_jobs) AS spending
          JOIN busy_users USING (n),
               generate_series(CASE WHEN spent = price THEN 0 ELSE floor((spent - price) / topup)::int + 1 END,
                               floor(spent / topup)::int) AS k
         WHERE pays
        UNION ALL
        SELECT n, user_id, CASE provider WHEN 'transfer' THEN 'yookassa' ELSE provider END, topup, greatest(created_at,
               CASE WHEN nth <= 3 THEN $now - nth * interval '3 hours' ELSE $now - nth * interval '31 hours' END), 1000,
               CASE nth WHEN 1 THEN 'wanted' WHEN 2 THEN 'refused' ELSE 'done' END
          FROM (SELECT *, row_number() OVER (ORDER BY n DESC) AS nth FROM busy_users WHERE pays AND n % 20 = 3
                   AND created_at < $now - interval '1 day') AS refunded) AS made;

INSERT INTO topups (topup_id, origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, state, created_at,
                    expires_at, closed_at)
OVERRIDING SYSTEM VALUE
SELECT p, 'busy:' || p, $bot, user_id, CASE reason WHEN 'subscription' THEN reason ELSE provider END, paid, paid_currency, credit,
       'RUB', 'paid', at - interval '1 minute', at + interval '1 day', at FROM busy_payments ORDER BY p;
INSERT INTO receipts (receipt_id, origin, topup_id, user_id, bot_id, amount, currency, file_kind, file_id, file_unique_id, note,
                      state, created_at, decided_at, decided_by, credited)
OVERRIDING SYSTEM VALUE
SELECT p, 'busy:' || p, p, user_id, $bot, credit, 'RUB', 'photo', 'receipt-file-' || p, 'receipt-' || p, 'перевод', 'approved',
       at - interval '10 minutes', at, 'anna', credit FROM busy_payments WHERE provider = 'transfer' ORDER BY p;
INSERT INTO payments (payment_id, provider, external_id, user_id, topup_id, paid_amount, paid_currency, credit, currency, reason,
                      reference, via, paid_at, received_at)
OVERRIDING SYSTEM VALUE
SELECT p, provider, external_id, user_id, p, paid, paid_currency, credit, 'RUB', reason, 'payment:' || provider || ':' || external_id,
       CASE provider WHEN 'stars' THEN 'update' WHEN 'transfer' THEN 'operator' ELSE 'notice' END, at, at
  FROM (SELECT *, CASE provider WHEN 'transfer' THEN 'receipt:' || p ELSE 'charge-' || p END AS external_id FROM busy_payments) AS made
 ORDER BY p;
INSERT INTO subscriptions (charge_id, first_known, user_id, topup_id, stars, allowance, currency, state, expires_at, created_at,
                           changed_at)
SELECT external_id, true, user_id, topup_id, paid_amount, credit, 'RUB',
       CASE WHEN paid_at > $now - interval '30 days' THEN 'active' ELSE 'ended' END, paid_at + interval '30 days', paid_at, paid_at
  FROM payments WHERE reason = 'subscription';
INSERT INTO payment_refunds (payment_id, key, amount, paid_amount, reference, asked_by, state, created_at, due_at, closed_at, error)
SELECT p, key, credit, paid, key, 'anna', refund, at + interval '40 minutes',
       CASE refund WHEN 'wanted' THEN $now + interval '1 minute' END, CASE WHEN refund <> 'wanted' THEN at + interval '41 minutes' END,
       CASE refund WHEN 'refused' THEN 'CHARGE_ALREADY_REFUNDED' WHEN 'wanted' THEN 'HTTP 503' END
  FROM (SELECT busy.*, 'refund:' || payments.provider || ':' || external_id || ':0' AS key
          FROM busy_payments AS busy JOIN payments ON payment_id = p WHERE refund IS NOT NULL) AS made ORDER BY p;
INSERT INTO fiscal_receipts (payment_id, kind, provider, payment_external_id, user_id, amount, currency, operation_at, reference,
                             issuer, state, external_id, due_at, sent_at, sends, created_at, closed_at)
SELECT payment_id, 'income', paid.provider, external_id, paid.user_id,
       CASE WHEN paid.paid_currency = currency THEN paid_amount ELSE paid.credit END, currency, paid_at,
       'PM-' || lpad(payment_id::text, 10, '0'), 'my_tax', CASE refund WHEN 'done' THEN 'annulled' ELSE 'issued' END,
       'doc-' || payment_id, NULL, paid_at, 1, received_at, received_at
  FROM payments AS paid JOIN busy_payments ON payment_id = p ORDER BY payment_id;
INSERT INTO fiscal_documents (issuer, external_id, reference, amount, operation_at, annulled_at, first_seen_at, seen_at)
SELECT issuer, external_id, reference, amount, operation_at, CASE state WHEN 'annulled' THEN closed_at + interval '41 minutes' END,
       closed_at, closed_at FROM fiscal_receipts;
INSERT INTO fiscal_receipts (payment_id, refund_id, kind, provider, payment_external_id, user_id, amount, currency, operation_at,
                             reference, issuer, state, external_id, due_at, sent_at, sends, created_at, closed_at)
SELECT payment_id, back.refund_id, 'annulment', income.provider, payment_external_id, income.user_id, income.amount, income.currency,
       back.closed_at, 'PM-' || lpad(payment_id::text, 10, 'A'), issuer, 'issued', income.external_id, NULL, back.closed_at, 1, back.closed_at,
       back.closed_at
  FROM fiscal_receipts AS income JOIN payment_refunds AS back USING (payment_id) WHERE back.state = 'done' ORDER BY payment_id;

INSERT INTO promo_codes (code, kind, amount, currency, percent, generations, most_uses, used, expires_at, stopped_at, operator, reason,
                         created_at)
VALUES ('HELLO50', 'sum', 5000, 'RUB', NULL, NULL, NULL, 0, NULL, NULL, 'anna', 'первая реклама', $now - interval '88 days'),
       ('SPRING', 'percent', 20000, 'RUB', 20, NULL, 500, 0, $now - interval '20 days', NULL, 'anna', 'весна', $now - interval '60 days'),
       ('THREEFREE', 'free', 3000, 'RUB', NULL, 3, 100, 0, $now + interval '9 days', NULL, 'boris', 'блогер', $now - interval '9 days'),
       ('OLDCODE', 'sum', 1000, 'RUB', NULL, NULL, NULL, 0, NULL, $now - interval '30 days', 'anna', 'утёк', $now - interval '80 days');
INSERT INTO promo_uses (use_id, code, user_id, nth, origin, used_at, credited)
OVERRIDING SYSTEM VALUE
SELECT row_number() OVER (ORDER BY n), 'HELLO50', user_id, 1, 'busy:' || n, created_at + interval '2 minutes', 5000
  FROM busy_users WHERE n % 23 = 4;
UPDATE promo_codes SET used = (SELECT count(*) FROM promo_uses) WHERE code = 'HELLO50';

INSERT INTO referrals (friend_id, inviter_id, invited_at, state, job_id, inviter_reward, friend_reward, rewarded_at)
SELECT user_id, user_id - 1, created_at, CASE WHEN job_id IS NULL THEN 'invited' ELSE 'rewarded' END, job_id,
       CASE WHEN job_id IS NOT NULL THEN 2000 END, CASE WHEN job_id IS NOT NULL THEN 1000 END, settled_at
  FROM busy_users
  LEFT JOIN (SELECT DISTINCT ON (user_id) user_id, job_id, settled_at FROM generation_jobs
              WHERE status = 'done' AND NOT gift ORDER BY user_id, job_id) AS first USING (user_id)
 WHERE pays AND n % 9 = 3 AND n > 1;
INSERT INTO gifts (gift_id, code, origin, giver_id, taker_id, amount, currency, state, created_at, expires_at, due_at, closed_at)
OVERRIDING SYSTEM VALUE
SELECT row_number() OVER (ORDER BY n), 'gift-' || n, 'busy:' || n, user_id, CASE WHEN is_taken THEN user_id - 1 END, 300, 'RUB',
       CASE WHEN is_taken THEN 'taken' ELSE 'open' END, at, at + interval '14 days', CASE WHEN NOT is_taken THEN at + interval '14 days' END,
       CASE WHEN is_taken THEN at + interval '1 minute' END
  FROM (SELECT *, created_at + interval '5 minutes' AS at, created_at < $now - interval '5 days' AS is_taken FROM busy_users
         WHERE pays AND n % 40 = 7 AND created_at < $now - interval '1 hour') AS made;

CREATE TEMPORARY TABLE busy_moves AS
SELECT row_number() OVER (ORDER BY at, reference) AS id, * FROM (
    SELECT 'job:' || job_id AS reference, 'charge' AS reason, 'income' AS account, user_id, -price AS amount, job_id, settled_at AS at,
           '{}'::jsonb AS facts, NULL AS refunded
      FROM generation_jobs WHERE status = 'done' AND NOT gift
    UNION ALL SELECT reference, reason, reason, user_id, credit, NULL, received_at,
                     jsonb_build_object('way', provider, 'paid', paid_amount, 'paid_currency', paid_currency), NULL FROM payments
    UNION ALL SELECT key, 'payment-refund', 'topup', user_id, -amount, NULL, created_at,
                     jsonb_build_object('way', provider, 'paid', back.paid_amount, 'paid_currency', paid_currency), payments.reference
                FROM payment_refunds AS back JOIN payments USING (payment_id)
    UNION ALL SELECT key || ':refused', 'topup', 'topup', user_id, amount, NULL, closed_at, '{}', NULL
                FROM payment_refunds JOIN payments USING (payment_id) WHERE state = 'refused'
    UNION ALL SELECT 'operator:' || job_id, 'refund', 'income', user_id, price, job_id, least(settled_at + interval '3 hours', $now), '{}',
                     'job:' || job_id
                FROM generation_jobs WHERE status = 'done' AND NOT gift AND job_id % 300 = 5
                 AND NOT EXISTS (SELECT FROM referrals WHERE referrals.job_id = generation_jobs.job_id)
    UNION ALL SELECT 'welcome:' || user_id, 'welcome', 'welcome', user_id,
                     CASE WHEN pays THEN 500 ELSE greatest(500, coalesce(spent, 0)) END, NULL, created_at, '{}', NULL
                FROM busy_users LEFT JOIN (SELECT n, sum(price) AS spent FROM busy_jobs GROUP BY n) AS theirs USING (n)
    UNION ALL SELECT 'promo:' || use_id, 'promo', 'promo', user_id, credited, NULL, used_at, '{"code": "HELLO50"}', NULL FROM promo_uses
    UNION ALL SELECT 'referral:' || friend_id || ':' || side, 'referral', 'referral', user_id, reward, NULL, rewarded_at, '{}', NULL
                FROM referrals, LATERAL (VALUES ('inviter', inviter_id, inviter_reward), ('friend', friend_id, friend_reward))
                                        AS sides (side, user_id, reward) WHERE state = 'rewarded'
    UNION ALL SELECT 'gift-out:' || gift_id, 'gift', 'gift', giver_id, -amount, NULL, created_at, '{"way": "out"}', NULL FROM gifts
    UNION ALL SELECT 'gift-in:' || gift_id, 'gift', 'gift', taker_id, amount, NULL, closed_at, '{"way": "in"}', NULL FROM gifts
               WHERE state = 'taken') AS made;
CREATE INDEX ON busy_moves (reference);
ANALYZE busy_moves;

CREATE TEMPORARY TABLE busy_books AS
SELECT move.*, named.id AS refunds,
       sha256(convert_to(format('%s user=%s amount=%s currency=RUB job=%s%s', move.reason, move.user_id, move.amount,
                                coalesce(move.job_id::text, '-'), ' of=' || named.id), 'UTF8')) AS digest
  FROM busy_moves AS move LEFT JOIN busy_moves AS named ON named.reference = move.refunded;
INSERT INTO ledger_transactions (transaction_id, reference, reason, digest, job_id, booked_at, facts, refunds, seal)
OVERRIDING SYSTEM VALUE
SELECT id, reference, reason, digest, job_id, at, facts, refunds,
       sha256(convert_to(concat_ws(E'\n', reference, encode(digest, 'hex'), concat_ws(' ', 1, 'wallet', user_id, 'RUB', amount),
                                   concat_ws(' ', 2, account, '-', 'RUB', -amount)), 'UTF8'))
  FROM busy_books ORDER BY id;
INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
SELECT id, line, CASE line WHEN 1 THEN 'wallet' ELSE account END, CASE line WHEN 1 THEN user_id END, 'RUB',
       CASE line WHEN 1 THEN amount ELSE -amount END
  FROM busy_books, generate_series(1, 2) AS line ORDER BY id, line;
UPDATE wallets SET posted = sums.posted
  FROM (SELECT user_id, sum(amount) AS posted FROM busy_moves GROUP BY user_id) AS sums WHERE sums.user_id = wallets.user_id;
UPDATE wallets SET held = sums.held
  FROM (SELECT user_id, sum(amount) AS held FROM holds LEFT JOIN hold_closings USING (reference)
         WHERE closed_as IS NULL GROUP BY user_id) AS sums
 WHERE sums.user_id = wallets.user_id;

-- What waits for an operator, and the rest.
WITH offers AS (
    INSERT INTO topups (topup_id, origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, state, created_at,
                        expires_at, closed_at)
    OVERRIDING SYSTEM VALUE
    SELECT 10000000 + n, 'offer:' || n, $bot, user_id, 'transfer', 50000, 'RUB', 50000, 'RUB',
           CASE WHEN nth <= 5 THEN 'open' ELSE 'closed' END, $now - nth * interval '47 minutes', $now + interval '1 day',
           CASE WHEN nth > 5 THEN $now - interval '1 hour' END
      FROM (SELECT *, row_number() OVER (ORDER BY n DESC) AS nth FROM busy_users WHERE n % 4 = 2) AS made WHERE nth <= 25
    RETURNING topup_id, user_id, credit, state, created_at)
INSERT INTO receipts (receipt_id, origin, topup_id, user_id, bot_id, amount, currency, file_kind, file_id, file_unique_id, note, state,
                      created_at, decided_at, decided_by, reason)
OVERRIDING SYSTEM VALUE
SELECT topup_id, 'receipt:' || topup_id, topup_id, user_id, $bot, credit, 'RUB', 'photo', 'receipt-file-' || topup_id,
       'receipt-' || topup_id, 'Сбер, ' || to_char(created_at, 'HH24:MI'), CASE state WHEN 'open' THEN 'waiting' ELSE 'declined' END,
       created_at, CASE WHEN state <> 'open' THEN created_at + interval '5 minutes' END, CASE WHEN state <> 'open' THEN 'anna' END,
       CASE WHEN state <> 'open' THEN 'not-arrived' END
  FROM offers ORDER BY topup_id;

INSERT INTO differences (kind, reference, expected, found, opened_at, seen_at, owner, resolved_at, resolution)
VALUES ('stars', 'payment:stars:charge-1', '250 XTR', 'not listed by Telegram', $now - interval '5 hours', $now - interval '1 hour',
        'operators', NULL, NULL),
       ('kie', 'balance:2', '11 203 credits', '10 950 credits', $now - interval '26 hours', $now - interval '1 hour', 'anna', NULL, NULL),
       ('yookassa', 'payment:yookassa:charge-7', '300 RUB', '0 RUB', $now - interval '12 days', $now - interval '12 days', 'anna',
        $now - interval '11 days', 'пришло на следующий день');
INSERT INTO incidents (kind, figures, opened_at, last_seen_at, quiet_since, closed_at)
SELECT kind, figures::jsonb, $now - at, $now - at + interval '9 minutes', $now - at + interval '9 minutes', $now - at + interval '12 minutes'
  FROM (VALUES ('kie-credits', '{"credits": 31}', interval '9 days'), ('undelivered', '{"count": 3, "job": 12, "minutes": 14}', '4 days'),
               ('orphans', '{"count": 7}', '2 days'), ('kie-paused', '{"code": 402, "count": 18}', '20 hours')) AS over (kind, figures, at);
INSERT INTO incidents (kind, figures, opened_at, last_seen_at)
VALUES ('stopped-jobs', '{"count": 2, "job": 1}', $now - interval '25 minutes', $now),
       ('parked-deliveries', '{"count": 2, "job": 2}', $now - interval '8 minutes', $now);

INSERT INTO instances (instance_id, host, pid, version, active, started_at, seen_at)
VALUES ('web-1', 'shop', 101, '1.9', true, $now - interval '5 days', $now + interval '1 hour'),
       ('web-2', 'shop', 102, '1.9', false, $now - interval '5 days', $now + interval '1 hour');
INSERT INTO kie_readings (read_at, balance, since_at, since_balance, consumed, allowed, verdict)
SELECT $now - h * interval '1 hour', 900 + h % 168 * 61, $now - (h + 1) * interval '1 hour', 961 + h % 168 * 61, 61, 20,
       CASE h % 168 WHEN 167 THEN 'topped up' ELSE 'explained' END FROM generate_series(720, 0, -1) AS h;
INSERT INTO audit_runs (at, night, seconds, invariants, violations, figures)
SELECT date_trunc('day', $now) - night * interval '1 day' + interval '2 hours', (date_trunc('day', $now) - night * interval '1 day')::date,
       3.2, 62, '[]', '{"users": 4000}' FROM generate_series(40, 1, -1) AS night;

INSERT INTO operator_journal (at, operator, action, job_id, user_id, reference, reason, done, outcome)
SELECT at, CASE WHEN e % 4 = 0 THEN 'boris' ELSE 'anna' END, action,
       CASE WHEN action IN ('retry', 'redeliver', 'cancel', 'refund') THEN 1 + e * 97 % $jobs END,
       CASE WHEN action IN ('credit', 'refund') THEN $first + 1 + e * 31 % $users END, CASE WHEN action = 'price' THEN 'model:z-image' END,
       (ARRAY['клиент попросил', 'застряло', 'ошибка Kie', 'акция'])[1 + e % 4], e % 9 <> 0,
       CASE WHEN e % 9 = 0 THEN 'Refused: nothing to do.' ELSE 'Done.' END
  FROM (SELECT e, $now - (400 - e) * interval '5 hours' AS at,
               (ARRAY['retry', 'redeliver', 'cancel', 'refund', 'credit', 'price', 'approve receipt'])[1 + e % 7] AS action
          FROM generate_series(1, 399) AS e) AS made ORDER BY at;

INSERT INTO inbox (bot_id, update_id, lane, body, received_at, attempts, handled_at, parked_at, error)
SELECT $bot, i, 'user:' || ($first + 1 + i % $users), '{"update_id": 1, "message": {"text": "кот"}}', at, 1,
       CASE WHEN i % 900 <> 0 THEN at END, CASE WHEN i % 900 = 0 THEN at END, CASE WHEN i % 900 = 0 THEN 'ValueError' END
  FROM (SELECT i, $now - interval '2 days' * (1 - i::float8 / $updates) AS at FROM generate_series(1, $updates) AS i) AS made;
INSERT INTO lanes (bot_id, lane, due_at)
SELECT $bot, 'user:' || user_id, $now - interval '3 hours' FROM busy_users WHERE created_at > $now - interval '9 days';
INSERT INTO notices (key, chat_id, text_key, created_at, due_at, left_at, outcome)
SELECT 'busy:' || p, user_id, 'payment-received', at, NULL, at, CASE p % 50 WHEN 0 THEN 'blocked' ELSE 'sent' END FROM busy_payments;
INSERT INTO model_settings (model, hidden, featured)
SELECT model, rank = 20, rank <= 2 FROM busy_models WHERE rank IN (1, 2, 20);
INSERT INTO model_prices (model, kind, amount, markup, percent, currency, from_at, until_at, operator, reason, set_at, confirmed)
SELECT model, CASE rank WHEN 3 THEN 'discount' ELSE 'markup' END, NULL, CASE rank WHEN 4 THEN 2.5 END, CASE rank WHEN 3 THEN 15 END,
       NULL, $now - interval '3 days', CASE rank WHEN 3 THEN $now + interval '4 days' END, 'anna', 'проба', $now - interval '3 days', false
  FROM busy_models WHERE rank IN (3, 4);
