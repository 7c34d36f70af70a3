"""A shop is given to another bot: nothing a customer has paid for is lost, and there is always a way out."""

from pathlib import Path

import pytest

from photomat.db.installation import SANDBOX_BOT, owner_of
from photomat.db.migrate import migrate, read_migrations
from photomat.db.pool import Pool, transaction
from photomat.inbox.receive import receive
from photomat.kernel.ids import BotId, UserId
from photomat.operators.actions import ActionResult
from photomat.operators.installation import WAYS_OUT, adopt, open_of_others
from support.command import photomat
from support.database import connection_of, pool_of
from support.jobs import a_done_job, a_user, is_shown, money_of, row_of
from support.money import make_user, rub
from support.payments import asks_refund, offer, pays, people, stars
from support.rewards import a_code
from support.sessions import as_pool
from support.updates import BOT_ID, text_update

OURS, OTHER = BotId(BOT_ID), BotId(7_000_000_002)
BEFORE_THE_TABLE = 21
PAID = {"currency": "XTR", "total_amount": 250, "invoice_payload": "x", "telegram_payment_charge_id": "ch-1"}
TALKS = "INSERT INTO conversations (bot_id, chat_id, user_id, state, data) VALUES ($1, $2, $2, 'x', '{}')"


async def adopts(pool: Pool, bot_id: BotId = OTHER, *, abandon: bool = False) -> ActionResult:
    return await adopt(pool, bot_id=bot_id, currency="RUB", operator="olga", reason="moved", abandon=abandon)


async def test_whatever_is_counted_has_a_way_out(database: str) -> None:
    async with pool_of(database) as pool, transaction(pool) as tx:
        assert set(await open_of_others(tx, OURS)) == set(WAYS_OUT)


async def test_a_result_that_was_paid_for_is_shown_or_refunded_before_the_bot_changes(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=1000)
        seen, unseen = await a_done_job(pool, user), await a_done_job(pool, user)
        await is_shown(pool, seen)
        answer = await adopts(pool)
        assert not answer.done
        assert answer.sentence.startswith(f"Not yet: 1 results of bot {OURS} are open; their customers have paid:")
        answer = await adopts(pool, abandon=True)
        assert (answer.done, "Left behind: 1 results." in answer.sentence) == (True, True), answer
        assert await money_of(pool, user) == (1000 - (await row_of(pool, seen))["price"], 0)
        assert (await row_of(pool, unseen))["undeliverable_at"] is not None


async def test_a_result_that_is_shown_is_in_nobodys_way(database: str) -> None:
    async with pool_of(database) as pool:
        await is_shown(pool, await a_done_job(pool, await a_user(pool)))
        assert (await adopts(pool)).done


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE generation_jobs SET ring_due_at = photomat_now(), ring_kind = 'done'", "rings"),
        (
            """
            INSERT INTO result_sends (job_id, position, origin, chat_id, language, due_at)
            SELECT job_id, 0, 'update:1:1', chat_id, 'ru', photomat_now() FROM generation_jobs
            """,
            "resends",
        ),
    ],
)
async def test_what_the_bot_still_has_to_say_is_said_first(database: str, change: str, what: str) -> None:
    async with pool_of(database) as pool:
        await is_shown(pool, await a_done_job(pool, await a_user(pool)))
        await pool.execute(change)
        answer = await adopts(pool)
        assert (answer.done, f"1 {what} of bot {OURS} are open" in answer.sentence) == (False, True), answer
        assert (await adopts(pool, abandon=True)).done
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs WHERE ring_due_at IS NOT NULL") == 0


async def test_a_payment_that_waits_in_the_inbox_is_credited_before_the_bot_changes(database: str) -> None:
    paid = text_update(1)
    paid["message"]["successful_payment"] = PAID
    async with pool_of(database) as pool:
        await receive(pool, bot_id=OURS, updates=[paid, text_update(2)])
        assert "2 updates of bot" in (await adopts(pool)).sentence
        await pool.execute("UPDATE inbox SET parked_at = photomat_now(); UPDATE lanes SET pending = 0")
        answer = await adopts(pool)
        assert "1 updates of bot" in answer.sentence, "the payment counts, the message that was put aside does not"
        assert "`photomat payments reconcile`" in answer.sentence
        await people(pool)
        await pays(pool, external_id="ch-1")
        assert (await adopts(pool)).done


async def test_rows_a_sandbox_left_on_a_shop_do_not_stop_the_shop_for_ever(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=stars(250), credit=rub(20_000))
        await asks_refund(pool, (await pays(pool, topup_id=topup.topup_id)).payment_id)
        await receive(pool, bot_id=OURS, updates=[text_update(1)])
        await pool.execute("UPDATE inbox SET bot_id = $1", SANDBOX_BOT)
        await pool.execute("UPDATE lanes SET bot_id = $1", SANDBOX_BOT)
        await pool.execute("DELETE FROM installation")
        assert (await owner_of(database)).bots == (SANDBOX_BOT, OURS)
        answer = await adopts(pool, OURS)
        assert answer.done, answer


async def test_money_and_codes_that_may_be_play_money_are_named(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, 7, balance=100)
            await a_code(as_pool(tx), "SANDBOX")
        await pool.execute("DELETE FROM installation")
        for bot_id in (SANDBOX_BOT, OURS):
            await pool.execute(TALKS, bot_id, UserId(7))
        answer = await adopts(pool, OURS)
        assert answer.done
        assert "The users 7 used the sandbox too and may hold play money" in answer.sentence
        assert "1 promo codes are valid" in answer.sentence


@pytest.mark.parametrize("bots", [(SANDBOX_BOT, OURS), (OTHER,), ()])
async def test_an_older_database_is_adopted_although_it_lacks_the_table(
    empty_database: str, tmp_path: Path, bots: tuple[BotId, ...]
) -> None:
    await migrate(empty_database, read_migrations()[:BEFORE_THE_TABLE])
    async with connection_of(empty_database) as connection:
        await connection.execute("INSERT INTO users (user_id, first_name) VALUES (5, 'Anna')")
        for bot_id in bots:
            await connection.execute(TALKS, bot_id, 5)
    keys = {"BOT_TOKEN": f"{OURS}:t", "KIE_API_KEY": "k", "DATABASE_URL": empty_database}
    shown = photomat("installation", "show", folder=tmp_path, **keys)
    says_next_start = "the next start of that bot writes it down" in shown.stdout
    assert says_next_start == (bots == (OTHER,)), shown.stdout
    for command in ("run", "migrate"):
        refused = photomat(command, folder=tmp_path, PORT="0", **keys)
        assert (refused.returncode, "installation adopt" in refused.stderr) == (2, True), refused.stderr
    adopted = photomat("installation", "adopt", "--reason", "it is ours", folder=tmp_path, **keys)
    assert adopted.returncode == 0, adopted.stdout + adopted.stderr
    assert photomat("migrate", folder=tmp_path, **keys).returncode == 0
    assert (await owner_of(empty_database)).bots == (OURS,)


async def test_an_older_database_of_a_sandbox_is_not_even_migrated(empty_database: str, tmp_path: Path) -> None:
    await migrate(empty_database, read_migrations()[:BEFORE_THE_TABLE])
    async with connection_of(empty_database) as connection:
        await connection.execute(TALKS, SANDBOX_BOT, 5)
        keys = {"BOT_TOKEN": f"{OURS}:t", "KIE_API_KEY": "k", "DATABASE_URL": empty_database}
        ended = photomat("installation", "adopt", "--reason", "x", folder=tmp_path, **keys)
        assert (ended.returncode, "play money" in ended.stdout) == (1, True), ended.stdout
        assert await connection.fetchval("SELECT max(number) FROM schema_migrations") == BEFORE_THE_TABLE
