"""A shop with something due for every loop and every duty, so that whoever may claim finds something to claim."""

from typing import Final

from photomat.db.pool import Connection, Pool, transaction
from photomat.inbox.receive import receive
from photomat.kernel.ids import BotId, ChatId
from photomat.messages.notices import notify
from photomat.payments.receipt import ReceiptFile
from photomat.payments.transfers import submit_receipt
from photomat.rewards import gifts
from photomat.support.thread import MessageContent, TicketAuthor, write_by_customer
from support.database import shift_clock
from support.jobs import a_done_job, a_job, a_running_job, a_user
from support.money import rub
from support.payments import ANNA, asks_refund, offer, pays, people
from support.updates import BOT_ID, checkout_update, text_update

BOT = BotId(BOT_ID)
LONG_AGO_S: Final = 3600 * 24 * 40
UNTOUCHED: Final = frozenset({"budgets", "instances", "schema_migrations", "clock_shift"})
"""What belongs to a program rather than to the shop: how fast it calls, and that it is alive."""

DUE: Final = """
    UPDATE generation_jobs SET ring_due_at = photomat_now(), ring_kind = 'done' WHERE status = 'done';
    UPDATE job_outputs SET keep_at = photomat_now();
    INSERT INTO result_sends (job_id, position, origin, chat_id, language, due_at)
    SELECT job_id, 0, 'update:1:1', chat_id, 'ru', photomat_now() FROM generation_jobs WHERE status = 'done';
    INSERT INTO provider_invoices (provider, external_id) VALUES ('yookassa', 'bill-1');
    UPDATE gifts SET due_at = photomat_now();
    UPDATE receipts SET due_at = photomat_now();
    INSERT INTO watches (kind, due_at) VALUES ('stopped-jobs', photomat_now());
    INSERT INTO export_requests (user_id, chat_id, language, origin)
    SELECT user_id, user_id, 'ru', 'update:1:3' FROM users LIMIT 1;
    INSERT INTO forget_requests (user_id, asked_by) SELECT max(user_id), 'user' FROM users;
    INSERT INTO incidents (kind) VALUES ('no-active');
    INSERT INTO incident_notices (incident_id, admin_id, about) SELECT incident_id, 9001, 'open' FROM incidents;
    INSERT INTO assistant_calls (origin, kind, bot_id, user_id, chat_id, language)
    SELECT 'update:1:2', 'transcribe', bot_id, user_id, chat_id, 'ru' FROM generation_jobs WHERE status = 'done';
    INSERT INTO broadcasts (text_ru, state, created_by, started_at, filled_at, due_at, preview_to, preview_due_at)
    VALUES ('Hello', 'sending', 'olga', photomat_now(), photomat_now(), photomat_now(), 9001, photomat_now());
    INSERT INTO broadcast_sends (broadcast_id, user_id) SELECT broadcast_id, user_id FROM broadcasts, users;
    INSERT INTO orphan_callbacks (task_id, payload, received_at) VALUES ('nobody', '{}', photomat_now() - interval '2 hours');
"""
"""What the builders leave for later is due now."""

LEFT_BY_THE_DEAD: Final = """
    UPDATE generation_jobs SET leased_by = 'dead', leased_until = photomat_now() + interval '1 hour' WHERE job_id = $1
"""


async def a_busy_shop(pool: Pool) -> None:
    """Customers, jobs and money in every state that a loop or a duty waits for."""
    await people(pool, balance=50_000)
    user = await a_user(pool)
    await receive(pool, bot_id=BOT, updates=[text_update(1)])
    await pool.execute("UPDATE inbox SET handled_at = photomat_now(); UPDATE lanes SET pending = 0")
    await shift_clock(pool, LONG_AGO_S)
    await receive(pool, bot_id=BOT, updates=[text_update(2), checkout_update(3)])
    await a_running_job(pool, user, task_id="running")
    await a_done_job(pool, user)
    await _money(pool)
    await shift_clock(pool, 60)
    await a_job(pool, user)
    await pool.execute("UPDATE generation_jobs SET needs_files = true WHERE job_id = $1", await a_job(pool, user))
    await pool.execute(DUE)
    await pool.execute(LEFT_BY_THE_DEAD, await a_job(pool, user))


async def _money(pool: Pool) -> None:
    payment = await pays(pool)
    await asks_refund(pool, payment.payment_id)
    topup = await offer(pool, asked=rub(50_000), credit=rub(50_000), method="transfer")
    async with transaction(pool) as tx:
        await gifts.give(tx, giver_id=ANNA, amount=rub(1000), origin="gift:1")
        await notify(tx, key="notice:1", chat_id=ChatId(ANNA), text_key="payment-received", facts={})
        await submit_receipt(
            tx,
            origin="receipt:1",
            topup=topup,
            bot_id=BOT,
            file=ReceiptFile(kind="photo", file_id="file-1", unique_id="u1", sha256=None),
            note="",
            details="",
            operators=[ChatId(9001)],
        )
        customer = TicketAuthor(bot_id=BOT, user_id=ANNA)
        await write_by_customer(tx, customer, MessageContent(text="where is it?"), origin="ticket:1", operators=[])


async def everything_in(connection: Connection | Pool) -> dict[str, str]:
    """A digest of every table of the shop, to see which one was changed."""
    rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    tables = {row["tablename"] for row in rows} - UNTOUCHED
    return {
        table: await connection.fetchval(
            f"SELECT md5(coalesce(string_agg(one::text, '|' ORDER BY one::text), '')) FROM {table} AS one"  # noqa: S608  names of tables
        )
        for table in sorted(tables)
    }
