"""A database with a long history, filled by a few statements: consistent in every row, so that the audit stays green.

`fill(connection, jobs=n)` writes n jobs over 300 days with everything that belongs to them: drafts, holds, charges, outputs,
ten events each, callbacks, about five lines in the ledger each, payments, updates, notices, …; then it ANALYZEs. A handful of
them is still on its way and due; the newest results can be unseen ones, because their users blocked the bot. From
`MANY` jobs on, indexes are created again afterwards, which is several times faster.

    python -m photomat_chaos.lab.long_history postgresql://… --jobs 1000000
"""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from typing import Final

from photomat.db.pool import Connection, OneSession, connect
from photomat.jobs.partitions import LEAST_JOBS, TABLES
from photomat.kernel.clock import monotonic

LIVE: Final = 40
"""So many of the newest jobs are not settled: they wait for submit, or run at Kie."""
MANY: Final = 50_000
BOT_ID: Final = 7000000001
INDEXES: Final = """
    SELECT of_table.relname AS name, made.relname AS index, pg_get_indexdef(indexrelid) AS definition
      FROM pg_index JOIN pg_class AS made ON made.oid = indexrelid JOIN pg_class AS of_table ON of_table.oid = indrelid
     WHERE of_table.relnamespace = quote_ident(current_schema())::regnamespace AND NOT made.relispartition
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
     ORDER BY 1, 2
"""
"""Those that are no constraint's; an index of a partition goes with that of its table."""

JOBS: Final = """
INSERT INTO users (user_id, first_name, created_at)
SELECT 5000000 + u, 'User ' || u, now() - interval '301 days' FROM generate_series(1, greatest($jobs / 8, 1)) AS u;

INSERT INTO drafts (bot_id, user_id, chat_id, origin, model, inputs, price, currency, created_at, expires_at, bought_at)
SELECT 7000000001, user_id, user_id, 'fill:' || i, 'z-image', '{"prompt": "a cat in a long, long story",
       "aspect_ratio": "1:1"}',
       64, 'RUB', at, at + interval '1 day', CASE WHEN i <= $jobs THEN at END
  FROM (SELECT i, 5000001 + (i * 7919::bigint) % greatest($jobs / 8, 1) AS user_id,
               now() - interval '300 days' * (1 - (CASE WHEN i > $jobs THEN 4 * (i - $jobs) ELSE i END)::float8 / $jobs)
               - interval '1 minute' AS at
          FROM generate_series(1, $jobs + $jobs / 4) AS i) AS made;

INSERT INTO generation_jobs (
    corr, idempotency_key, draft_id, bot_id, user_id, chat_id, card_message_id, model, kind, inputs, language,
       price, currency,
    status, external_task_id, result_urls, created_at, intent_at, submitted_at, settled_at, due_at, attempts,
    card_wanted, card_shown, deliver_at, delivered_at, ring_kind, rung_at, credits_consumed, cost, quote,
       fence, delivery_fence)
SELECT lpad(to_hex(draft_id % 4294967296), 8, '0'), 'draft:' || draft_id, draft_id, 7000000001, user_id,
       chat_id, draft_id, model,
       'image', inputs, 'ru', price, currency, status,
       CASE WHEN status <> 'pending' THEN 'task-' || draft_id END,
       CASE WHEN status = 'done' THEN ARRAY['https://files.example/' || draft_id || '.png'] END,
       created_at, CASE WHEN status <> 'pending' THEN created_at END, CASE WHEN status <> 'pending' THEN created_at END,
       CASE WHEN settled THEN created_at + interval '20 seconds' END,
       CASE WHEN NOT settled THEN now() - interval '1 second' END, 3,
       3, CASE WHEN settled THEN 3 ELSE 2 END, created_at + interval '20 seconds',
       CASE WHEN status = 'done' THEN created_at + interval '21 seconds' END,
       CASE WHEN settled THEN 'done' END, CASE WHEN settled THEN created_at + interval '22 seconds' END,
       CASE WHEN status = 'done' THEN 0.8 END, CASE WHEN status = 'done' THEN 32 END,
       '{"price": 64, "currency": "RUB", "usd_rate": "80"}', 3, 3
  FROM (SELECT *, status IN ('done', 'failed', 'canceled') AS settled
          FROM (SELECT drafts.*, CASE WHEN draft_id > $jobs - $live
                                      THEN CASE draft_id % 2 WHEN 0 THEN 'pending' ELSE 'running' END
                                      WHEN draft_id % 50 = 0 THEN 'failed' WHEN draft_id % 51 = 0 THEN 'canceled'
                                      ELSE 'done' END AS status
                  FROM drafts WHERE draft_id <= $jobs) AS bought) AS made
 ORDER BY draft_id;

INSERT INTO job_outputs (job_id, position, url, media, mime, size_bytes, width, height, kept_as, kept_at,
       keep_at, file_id)
SELECT job_id, 0, result_urls[1], CASE WHEN job_id % 4 = 0 THEN 'video' ELSE 'photo' END,
       CASE WHEN job_id % 4 = 0 THEN 'video/mp4' ELSE 'image/png' END, 100000, 1024, 1024, job_id || '/0.png',
       settled_at + interval '3 seconds',
       NULL, CASE WHEN job_id % 20 <> 0 THEN 'AgACAgIAAxkBAAI' || job_id END
  FROM generation_jobs WHERE status = 'done';

INSERT INTO job_events (job_id, at, tag, instance, detail)
SELECT job_id, created_at + e * interval '2 seconds', (ARRAY['created', 'intent', 'submitted', 'woken',
       'settled', 'locked', 'shown', 'rung', 'locked', 'released'])[e], 'fill', '{"via": "callback", "state": "success"}'
  FROM generation_jobs, generate_series(1, 10) AS e;

INSERT INTO callbacks (job_id, task_id, digest, body, received_at)
SELECT job_id, external_task_id, sha256(external_task_id::bytea), convert_to(repeat('{"taskId": "…",
       "state": "success"} ', 20), 'UTF8'),
       settled_at
  FROM generation_jobs WHERE status = 'done';

INSERT INTO orphan_callbacks (task_id, payload, received_at, processed_at, shouted_at)
SELECT 'orphan-' || i, '{"data": {"state": "success"}}', now() - interval '300 days' * (1 - i::float8 / $jobs),
       CASE WHEN i / 100 % 10 <> 0 THEN now() - interval '299 days' * (1 - i::float8 / $jobs) END, now() - interval '1 day'
  FROM generate_series(1, $jobs, 100) AS i;
"""

MONEY: Final = """
INSERT INTO wallets (user_id, currency) SELECT user_id, 'RUB' FROM users;

INSERT INTO holds (reference, user_id, currency, amount, job_id, digest, held_at)
SELECT 'job:' || job_id, user_id, currency, price, job_id,
       sha256(convert_to(format('hold user=%s amount=%s currency=%s job=%s', user_id, price, currency, job_id),
       'UTF8')), created_at
  FROM generation_jobs;

INSERT INTO hold_closings (reference, closed_as, closed_at)
SELECT 'job:' || job_id, CASE status WHEN 'done' THEN 'charge' ELSE 'release' END, settled_at
  FROM generation_jobs WHERE settled_at IS NOT NULL;

INSERT INTO topups (origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, state,
       created_at, expires_at, closed_at)
SELECT 'fill:' || user_id || ':' || n, 7000000001, user_id, CASE n WHEN 0 THEN 'subscription' ELSE 'stars' END,
       100, 'XTR', 20000, 'RUB', 'paid', at,
       at + interval '1 day', at
  FROM (SELECT user_id, n, now() - interval '300 days' + interval '74 days' *
               (n + (user_id - 5000000)::float8 / greatest($jobs / 8, 1)) AS at
          FROM users, generate_series(0, 3) AS n) AS made
 ORDER BY at;

INSERT INTO payments (provider, external_id, user_id, topup_id, paid_amount, paid_currency, credit, currency,
       reason, reference, via,
                      paid_at, received_at)
SELECT 'stars', 'charge-' || topup_id, user_id, topup_id, 100, 'XTR', 20000, 'RUB',
       CASE way WHEN 'stars' THEN 'topup' ELSE way END,
       'payment:stars:charge-' || topup_id,
       'update', created_at, created_at
  FROM topups ORDER BY topup_id;

INSERT INTO stars_readings (bot_id, read_to, started_at, ended_at)
VALUES (7000000001, (SELECT count(*) FROM topups), now() - interval '301 days', now());
INSERT INTO stars_listed (bot_id, charge_id, side, user_id, stars, moved_at)
SELECT 7000000001, external_id, 'in', user_id, 100, paid_at FROM payments;

INSERT INTO subscriptions (charge_id, first_known, user_id, topup_id, stars, allowance, currency, state, expires_at,
       created_at, changed_at)
SELECT external_id, true, user_id, topup_id, 100, 20000, 'RUB', 'ended', paid_at + interval '30 days', paid_at,
       paid_at + interval '31 days'
  FROM payments WHERE reason = 'subscription';

INSERT INTO promo_codes (code, kind, amount, currency, used, operator, reason, created_at)
SELECT 'CODE' || user_id, 'sum', 30, 'RUB', 1, 'anna', 'a long history',
       now() - interval '300 days' * (1 - (user_id - 5000000)::float8 / greatest($jobs / 8, 1)) - interval '1 hour'
  FROM users;
INSERT INTO promo_uses (code, user_id, nth, origin, used_at, credited)
SELECT 'CODE' || user_id, user_id, 1, 'fill:' || user_id,
       now() - interval '300 days' * (1 - (user_id - 5000000)::float8 / greatest($jobs / 8, 1)), 30
  FROM users ORDER BY user_id;

INSERT INTO referrals (friend_id, inviter_id, invited_at, state, job_id, inviter_reward, friend_reward, rewarded_at)
SELECT user_id, CASE user_id WHEN 5000001 THEN 5000002 ELSE 5000001 + (user_id - 5000001) / 2 END, created_at, 'rewarded',
       job_id, 20, 10, settled_at
  FROM users
  JOIN (SELECT user_id, max(job_id) AS job_id, max(settled_at) AS settled_at FROM generation_jobs WHERE status = 'done'
         GROUP BY user_id) AS last USING (user_id);
INSERT INTO referral_shares (payment_id, friend_id, percent, share, due_at)
SELECT payment_id, friend_id, 10, 2000, NULL FROM payments JOIN referrals ON friend_id = user_id WHERE reason = 'topup';

INSERT INTO gifts (code, origin, giver_id, taker_id, amount, currency, state, created_at, expires_at, due_at, closed_at)
SELECT 'gift-' || user_id, 'fill:' || user_id, user_id, CASE WHEN taken THEN user_id + 1 END, 40, 'RUB',
       CASE WHEN taken THEN 'taken' ELSE 'open' END, at, at + interval '14 days',
       CASE WHEN NOT taken THEN at + interval '14 days' END, CASE WHEN taken THEN at + interval '1 hour' END
  FROM (SELECT user_id, user_id <= 5000000 + $jobs / 8 - 20 AS taken,
               now() - interval '300 days' * (1 - (user_id - 5000000)::float8 / greatest($jobs / 8, 1)) AS at
          FROM users) AS made
 ORDER BY user_id;

CREATE TEMPORARY TABLE moves AS
SELECT 'job:' || job_id AS reference, 'charge' AS reason, user_id, -price AS amount, job_id, settled_at AS at,
       '{}'::jsonb AS facts
  FROM generation_jobs WHERE status = 'done'
UNION ALL
SELECT reference, reason, user_id, credit, NULL, received_at, '{"paid": 100, "paid_currency": "XTR"}' FROM payments
UNION ALL SELECT 'promo:' || use_id, 'promo', user_id, credited, NULL, used_at, '{}' FROM promo_uses
UNION ALL SELECT 'referral:' || friend_id || ':inviter', 'referral', inviter_id, 20, NULL, rewarded_at, '{}' FROM referrals
UNION ALL SELECT 'referral:' || friend_id || ':friend', 'referral', friend_id, 10, NULL, rewarded_at, '{}' FROM referrals
UNION ALL SELECT 'referral:payment:' || payment_id, 'referral', inviter_id, share, NULL, received_at, '{}'
            FROM referral_shares JOIN referrals USING (friend_id) JOIN payments USING (payment_id)
UNION ALL SELECT 'gift-out:' || gift_id, 'gift', giver_id, -amount, NULL, created_at, '{}' FROM gifts
UNION ALL SELECT 'gift-in:' || gift_id, 'gift', taker_id, amount, NULL, closed_at, '{}' FROM gifts WHERE state = 'taken';

INSERT INTO ledger_transactions (reference, reason, digest, job_id, booked_at, facts)
SELECT reference, reason, sha256(convert_to(format('%s user=%s amount=%s currency=RUB job=%s', reason, user_id, amount,
       coalesce(job_id::text, '-')), 'UTF8')), job_id, at, facts
  FROM moves ORDER BY at, reference;

INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
SELECT transaction_id, line, CASE WHEN line = 1 THEN 'wallet' WHEN reason = 'charge' THEN 'income' ELSE reason END,
       CASE line WHEN 1 THEN user_id END, 'RUB', CASE line WHEN 1 THEN amount ELSE -amount END
  FROM (SELECT transaction_id, moves.reason, user_id, amount FROM ledger_transactions JOIN moves USING (reference)) AS booked,
       generate_series(1, 2) AS line;
DROP TABLE moves;

UPDATE ledger_transactions AS booked
   SET seal = sha256(convert_to(concat_ws(E'\\n', booked.reference, encode(digest, 'hex'),
                  (SELECT string_agg(concat_ws(' ', line, account, coalesce(user_id::text, '-'), currency,
       amount), E'\\n' ORDER BY line)
                     FROM entries WHERE entries.transaction_id = booked.transaction_id)), 'UTF8'));

UPDATE wallets SET posted = sums.posted
  FROM (SELECT user_id, sum(amount) AS posted FROM entries WHERE account = 'wallet' GROUP BY user_id) AS sums
 WHERE sums.user_id = wallets.user_id;
UPDATE wallets SET held = sums.held
  FROM (SELECT user_id, sum(amount) AS held FROM holds LEFT JOIN hold_closings USING (reference)
         WHERE closed_as IS NULL GROUP BY user_id) AS sums
 WHERE sums.user_id = wallets.user_id;
"""

THE_REST: Final = """
INSERT INTO inbox (bot_id, update_id, lane, body, received_at, attempts, handled_at, parked_at, error)
SELECT 7000000001, i, 'user:' || (5000001 + i % greatest($jobs / 8, 1)),
       '{"update_id": 1, "message": {"text": "a cat in a long, long story"}}', at, 1,
       CASE WHEN i % 1000 <> 0 THEN at END, CASE WHEN i % 1000 = 0 THEN at END,
       CASE WHEN i % 1000 = 0 THEN 'ValueError' END
  FROM (SELECT i, now() - interval '300 days' * (1 - i::float8 / ($jobs / 2)) AS at FROM generate_series(1,
       $jobs / 2) AS i) AS made;

INSERT INTO lanes (bot_id, lane, due_at) SELECT 7000000001, 'user:' || user_id, now() - interval '3 days' FROM users;
INSERT INTO conversations (bot_id, chat_id, user_id, state, updated_at)
SELECT 7000000001, user_id, user_id, NULL, now() - interval '30 days' FROM users;

INSERT INTO notices (key, chat_id, text_key, created_at, due_at, left_at, outcome)
SELECT 'fill:' || i, 5000001 + i % greatest($jobs / 8, 1), 'paid', at, NULL, at,
       CASE i % 100 WHEN 0 THEN 'blocked' ELSE 'sent' END
  FROM (SELECT i, now() - interval '300 days' * (1 - i::float8 / ($jobs / 5)) AS at FROM generate_series(1,
       $jobs / 5) AS i) AS made;

INSERT INTO result_sends (job_id, position, origin, chat_id, language, asked_at, due_at, left_at, outcome)
SELECT job_id, 0, 'fill:' || job_id, chat_id, 'ru', settled_at, NULL, settled_at, 'sent' FROM generation_jobs
 WHERE status = 'done' AND job_id % 10 = 0 ORDER BY job_id;

INSERT INTO input_files (user_id, origin, source, telegram_id, kind, format, mime, size_bytes, sha256, taken_at)
SELECT user_id, 'fill:' || draft_id, 'telegram', 'file-' || draft_id, 'image', 'png', 'image/png', 1000, 'abc',
       created_at
  FROM drafts WHERE draft_id % 10 = 0 ORDER BY draft_id;

DO $fill$ BEGIN IF to_regclass('assistant_calls') IS NOT NULL THEN
INSERT INTO assistant_calls (origin, kind, state, bot_id, user_id, chat_id, language, answer, wanted_at, due_at, asked_at,
       ended_at, credits)
SELECT 'fill:' || draft_id, 'transcribe', 'answered', 7000000001, user_id, user_id, 'ru', 'кот', created_at, NULL, created_at,
       created_at, 0.1
  FROM drafts WHERE draft_id % 5 = 0 ORDER BY draft_id;
END IF; END $fill$;

INSERT INTO operator_journal (at, operator, action, job_id, done, outcome)
SELECT created_at, 'anna', 'retry', job_id, true, 'looked at once' FROM generation_jobs WHERE job_id % 100 = 0;
"""

TRANSFERS: Final = """
WITH offers AS (
    INSERT INTO topups (origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, state,
       created_at, expires_at, closed_at)
    SELECT 'transfer:' || user_id, 7000000001, user_id, 'transfer', 20000, 'RUB', 20000, 'RUB', 'closed',
           now() - interval '100 days', now() - interval '99 days', now() - interval '99 days' FROM users
    RETURNING topup_id, user_id, credit, currency, created_at)
INSERT INTO receipts (origin, topup_id, user_id, bot_id, amount, currency, file_kind, file_id, file_unique_id,
       state, created_at,
                      decided_at, decided_by, reason)
SELECT 'fill:' || topup_id, topup_id, user_id, 7000000001, credit, currency, 'photo', 'file-' || topup_id,
       'unique-' || topup_id,
       'declined', created_at, created_at, 'anna', 'not-arrived'
  FROM offers;

INSERT INTO provider_invoices (provider, external_id, topup_id, created_at, look_at, state)
SELECT 'yookassa', 'bill-' || topup_id, NULL, created_at, NULL, 'canceled' FROM topups;
"""

TICKETS: Final = """
INSERT INTO tickets (bot_id, user_id, job_id, topic, state, opened_at, waiting_since, customer_at, closed_at, closed_by)
SELECT 7000000001, user_id, job_id, 'other', CASE WHEN job_id % 200 = 0 THEN 'open' ELSE 'closed' END, created_at,
       CASE WHEN job_id % 200 = 0 THEN created_at END, created_at,
       CASE WHEN job_id % 200 <> 0 THEN created_at END, CASE WHEN job_id % 200 <> 0 THEN 'anna' END
  FROM generation_jobs WHERE job_id % 2 = 0;
INSERT INTO ticket_messages (ticket_id, side, author, text, origin, created_at)
SELECT ticket_id, 'customer', 'telegram:1', 'where is it?', 'fill:' || ticket_id, opened_at FROM tickets;
"""


BROADCASTS: Final = """
INSERT INTO broadcasts (text_ru, state, created_by, started_at, filled_at, ended_at, counts)
SELECT 'Hello', 'done', 'olga', at, at, at, '{"sent": 1}'
  FROM (SELECT now() - i * interval '6 days' AS at FROM generate_series(50, 1, -1) AS i) AS made;
INSERT INTO broadcasts (text_ru, state, created_by, started_at, filled_at)
VALUES ('Hello', 'sending', 'olga', now(), now());
INSERT INTO broadcast_sends (broadcast_id, user_id, due_at, left_at, outcome)
SELECT broadcast_id, user_id, CASE WHEN waits THEN now() - interval '1 minute' END,
       CASE WHEN NOT waits THEN now() - interval '1 minute' END,
       CASE WHEN NOT waits THEN CASE WHEN user_id % 50 = 0 THEN 'unknown' ELSE 'sent' END END
  FROM (SELECT broadcast_id, user_id, state = 'sending' AND user_id % 100 = 0 AS waits
          FROM broadcasts, users WHERE broadcast_id % 10 = 1) AS made;
"""

FISCAL: Final = """
INSERT INTO fiscal_receipts (payment_id, kind, provider, payment_external_id, user_id, amount, currency, operation_at,
       reference, issuer, state, external_id, due_at, sent_at, sends, created_at, closed_at)
SELECT payment_id, 'income', provider, external_id, user_id,
       CASE WHEN paid_currency = currency THEN paid_amount ELSE credit END, currency, paid_at,
       'PM-' || lpad(payment_id::text, 10, '0'), 'my_tax', 'issued', 'doc-' || payment_id, NULL, paid_at, 1,
       received_at, received_at
  FROM payments WHERE currency = 'RUB' ORDER BY payment_id;
INSERT INTO fiscal_documents (issuer, external_id, reference, amount, operation_at, first_seen_at, seen_at)
SELECT issuer, external_id, reference, amount, operation_at, closed_at, closed_at FROM fiscal_receipts;
"""

REFUSALS: Final = """
INSERT INTO content_refusals (user_id, chat_id, draft_id, source, rule_id, action, model, text_hash, text, is_strike,
                              created_at, appealed_at, decided_at, decided_by, is_accepted)
SELECT user_id, user_id, job_id, 'rules', 'minors-nude', CASE WHEN job_id % 50 = 0 THEN 'warn' ELSE 'refuse' END, 'z-image',
       sha256(job_id::text::bytea), 'no', job_id % 40 = 0, created_at, CASE WHEN job_id % 100 = 0 THEN created_at END,
       CASE WHEN job_id % 200 = 0 THEN created_at END, CASE WHEN job_id % 200 = 0 THEN 'anna' END,
       CASE WHEN job_id % 200 = 0 THEN true END
  FROM generation_jobs WHERE job_id % 2 = 0;
INSERT INTO content_verdicts (draft_id, revision, user_id, order_hash, is_allowed, is_strike, created_at)
SELECT job_id, 0, user_id, sha256(job_id::text::bytea), true, false, created_at FROM generation_jobs WHERE job_id % 2 = 1;
"""

UNDELIVERABLE: Final = """
UPDATE generation_jobs
   SET card_wanted = card_wanted + 1, delivered_at = NULL, undeliverable_at = settled_at + interval '30 seconds'
 WHERE job_id = ANY (ARRAY(SELECT job_id FROM generation_jobs WHERE status = 'done' ORDER BY job_id DESC LIMIT $1))
"""

NEWER: Final = {
    "broadcasts": BROADCASTS,
    "tickets": TICKETS,
    "fiscal_receipts": FISCAL,
    "content_refusals": REFUSALS,
}
"""What older schemas have no table for."""


async def fill(
    connection: Connection, *, jobs: int, live: int = LIVE, undeliverable: int = 0, bot_id: int = BOT_ID
) -> None:
    """Write a history of so many jobs into a database that has none, and let the planner know of it."""
    known = [part for table, part in NEWER.items() if await connection.fetchval("SELECT to_regclass($1)", table)]
    await connection.execute("SET session_replication_role = replica; SET statement_timeout = 0")
    if await connection.fetchval("SELECT to_regclass('job_events_default') IS NOT NULL"):
        for table, reached in product(TABLES, range(0, jobs, _width(jobs))):
            await table.make_ahead(OneSession(connection, bot_id), newest_job=reached, width=_width(jobs))
    async with _indexes_later(connection, jobs >= MANY):
        for part in (JOBS, MONEY, THE_REST, TRANSFERS, *known):
            sql = part.replace("$jobs", str(jobs)).replace("$live", str(live)).replace(str(BOT_ID), str(bot_id))
            await connection.execute(sql, timeout=6 * 3600)
        await connection.execute(UNDELIVERABLE, undeliverable, timeout=3600)
    await connection.execute("VACUUM ANALYZE", timeout=3600)
    await connection.execute("RESET session_replication_role; RESET statement_timeout")


def _width(jobs: int) -> int:
    """Of a range that has a month of these jobs."""
    return LEAST_JOBS * max(1, jobs // 10 // LEAST_JOBS)


@asynccontextmanager
async def _indexes_later(connection: Connection, wanted: bool) -> AsyncIterator[None]:  # noqa: FBT001  the only argument
    indexes = await connection.fetch(INDEXES) if wanted else []
    for each in indexes:
        await connection.execute(f"DROP INDEX {each['index']}")
    yield
    for each in indexes:
        await connection.execute(each["definition"].replace(" ON ONLY ", " ON "), timeout=3600)


async def _main(dsn: str, *, jobs: int, live: int, undeliverable: int, bot_id: int) -> None:
    connection = await connect(dsn, name="photomat history")
    try:
        if await connection.fetchval("SELECT EXISTS (SELECT FROM generation_jobs)"):
            raise SystemExit("This database has jobs already: a history is written into an empty one only.")
        began = monotonic()
        await fill(connection, jobs=jobs, live=live, undeliverable=undeliverable, bot_id=bot_id)
        size = await connection.fetchval("SELECT pg_size_pretty(pg_database_size(current_database()))")
    finally:
        await connection.close(timeout=5)
    print(f"{jobs} jobs in {monotonic() - began:.0f} s; the database has {size}.")  # noqa: T201  a command


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fill an empty, migrated database with a long history.")
    parser.add_argument("dsn")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--live", type=int, default=0, help="so many of the newest jobs are on their way")
    parser.add_argument("--undeliverable", type=int, default=0, help="so many of the newest results cannot be shown")
    parser.add_argument("--bot", type=int, default=BOT_ID, help="the number of the bot that owns the database")
    chosen = parser.parse_args()
    asyncio.run(
        _main(chosen.dsn, jobs=chosen.jobs, live=chosen.live, undeliverable=chosen.undeliverable, bot_id=chosen.bot)
    )
