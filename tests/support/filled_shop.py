"""A shop with something for every list an operator can ask for, under numbers and names as long as real ones."""

from typing import Any

from photomat.audit import differences
from photomat.audit.proofs import keep_proof
from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import BotId, JobId
from photomat.operators.controls import pause
from photomat.payments.receipt import ReceiptFile
from photomat.payments.topup import open_topup
from photomat.payments.transfers import submit_receipt
from photomat.support.thread import MessageContent, TicketAuthor, write_by_customer
from support.callbacks import callback, take
from support.database import pool_of
from support.jobs import a_done_job, a_running_job, a_user
from support.money import rub
from support.payments import asks_refund, pays
from support.prices import set_price
from support.rewards import a_code, uses
from support.sessions import as_pool

USER = 5_000_001
FIRST_JOB = 12_345_678
TASK = "0123456789abcdef0123456789abcdef"
CHARGE = "stxAbCdEfGhIjKlMnOpQrStUvWxYz0123456789_charge"


async def fill(database: str) -> None:
    """Something of everything."""
    async with pool_of(database) as pool:
        await pool.execute(f"ALTER TABLE generation_jobs ALTER COLUMN job_id RESTART WITH {FIRST_JOB}")
        user = await a_user(pool, user_id=USER)
        await a_running_job(pool, user, task_id=TASK)
        await a_done_job(pool, user)
        await a_done_job(pool, user)
        await pool.execute(
            """
            UPDATE generation_jobs SET overdue_at = photomat_now(), model = 'elevenlabs/text-to-speech-multilingual-v2'
             WHERE external_task_id = $1
            """,
            TASK,
        )
        await take(pool, callback(None, f"{TASK}-nobody"))
        received = await pays(pool, user_id=user, external_id=CHARGE)
        await asks_refund(pool, received.payment_id, owing=True)
        await a_receipt(pool, user)
        await a_ticket(pool, user)
        async with transaction(pool) as tx:
            await a_code(as_pool(tx))
            await differences.report(tx, kind="stars", reference=f"stars:{CHARGE}", expected="10 ⭐", found="1 ⭐")
        await uses(pool, user, "SPRING")
        await set_price(pool, "fixed", "6400", confirmed=True)
        await pool.execute("INSERT INTO incidents (kind, figures) VALUES ('kie_credits', '{\"left\": 12}')")
        await pool.execute(
            """
            INSERT INTO content_refusals (user_id, chat_id, draft_id, source, rule_id, action, model, text_hash, text,
                                          is_strike)
            VALUES ($1, $1, 1, 'rules', 'minors-sexual', 'strike', 'z-image', 'hash', 'what was refused', true)
            """,
            USER,
        )
        await pool.execute(
            "INSERT INTO examples (subject, state, model) VALUES ('template:portrait', 'asked', 'z-image')"
        )
        await pool.execute(
            """
            WITH made AS (
                INSERT INTO broadcasts (text_ru, state, created_by, reach, recipients, started_at, ended_at, filled_at)
                VALUES ('Скидка сегодня', 'stopped', 'olga', 10000, 10000, photomat_now(), photomat_now(), photomat_now())
                RETURNING broadcast_id)
            INSERT INTO broadcast_sends (broadcast_id, user_id, due_at, left_at, outcome, error)
            SELECT broadcast_id, user_id, NULL, photomat_now(), 'unknown', 'no answer' FROM made, users
            """
        )
        await pause(pool, "model:z-image", operator="cli:anna@a-desk-of-ours", reason="black pictures since noon")
        await pool.execute(
            """
            INSERT INTO instances (instance_id, version, host, pid, active, seen_at)
            VALUES ('photomat-6f5d8c7b9-x2k4q-4711-ab12', '1.2.3', 'photomat-6f5d8c7b9-x2k4q', 4711, true,
                    photomat_now() + interval '1 hour')
            """
        )
        await keep_proof(pool)


async def a_ticket(pool: Pool, user: Any) -> None:
    customer = TicketAuthor(bot_id=BotId(1), user_id=user, job_id=JobId(FIRST_JOB))
    async with transaction(pool) as tx:
        await write_by_customer(tx, customer, MessageContent(text="where is it?"), origin="test:ticket", operators=[])


async def a_receipt(pool: Pool, user: Any) -> None:
    topup = await open_topup(
        pool, origin="test:1", bot_id=BotId(1), user_id=user, method="transfer", asked=rub(50_000), credit=rub(50_000)
    )
    file = ReceiptFile(kind="photo", file_id="file-1", unique_id="u1", sha256=None)
    async with transaction(pool) as tx:
        await submit_receipt(
            tx, origin="test:1", topup=topup, bot_id=BotId(1), file=file, note="", details="", operators=[]
        )
