"""New users get their row, wallet and welcome credit once, whoever registers them and however many come together."""

import asyncio

from photomat.db.pool import Pool
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.rewards.welcome import Newcomers, ensure_users
from photomat.users.user import Registration
from support.database import connection_of, pool_of
from support.patience import until_found
from support.sessions import waiting_for

WELCOME = Money(50, "RUB")


def named(user_id: int, name: str = "Anna") -> Registration:
    return Registration(UserId(user_id), name, None, "ru")


async def test_those_who_come_together_share_a_commit_and_each_gets_the_welcome_once(database: str) -> None:
    async with pool_of(database) as pool:
        newcomers = Newcomers(pool, welcome=WELCOME)
        before = await _commits(pool)
        made = await asyncio.gather(*(newcomers.register(named(user_id)) for user_id in range(1, 11)))
        assert all(each.is_new for each in made)
        assert [each.user.user_id for each in made] == list(range(1, 11)), "each caller gets its own user"
        assert await _commits(pool) - before <= 2
        assert await _books(pool) == {f"welcome:{user_id}": 50 for user_id in range(1, 11)}


async def test_two_instances_that_meet_a_user_at_once_welcome_them_once(database: str) -> None:
    async with pool_of(database) as pool:
        instances = [Newcomers(pool, welcome=WELCOME) for _ in range(4)]
        made = await asyncio.gather(*(each.register(named(5, f"Anna {n}")) for n, each in enumerate(instances)))
        assert sum(each.is_new for each in made) == 1
        assert await _books(pool) == {"welcome:5": 50}


async def test_a_user_who_comes_back_among_new_ones_keeps_money_and_language_and_gets_the_new_name(
    database: str,
) -> None:
    async with pool_of(database) as pool:
        newcomers = Newcomers(pool, welcome=WELCOME)
        await newcomers.register(named(5))
        again, new = await asyncio.gather(
            newcomers.register(Registration(UserId(5), "Ann", "ann", "en")), newcomers.register(named(6))
        )
        assert (again.is_new, again.user.first_name, again.user.language) == (False, "Ann", "ru")
        assert new.is_new
        assert await _books(pool) == {"welcome:5": 50, "welcome:6": 50}


async def test_users_are_registered_in_the_order_of_their_ids(database: str) -> None:
    """As other instances register them: then no two of them wait for each other."""
    async with pool_of(database) as pool, connection_of(database) as other:
        newcomers = Newcomers(pool, welcome=WELCOME)
        async with other.transaction():
            await other.execute("INSERT INTO users (user_id) VALUES (5)")
            made = asyncio.gather(newcomers.register(named(6)), newcomers.register(named(5)))
            await until_found(lambda: waiting_for(other))
            await other.execute("SET LOCAL lock_timeout = '100ms'")
            await other.execute("INSERT INTO users (user_id) VALUES (6)")
            await other.execute("DELETE FROM users")
        assert [each.is_new for each in await made] == [True, True]


async def test_without_a_welcome_credit_a_new_user_has_an_empty_wallet(database: str) -> None:
    async with pool_of(database) as pool:
        async with pool.acquire() as session:
            await ensure_users(session, [named(5), named(6)], welcome=Money(0, "RUB"))
        rows = await pool.fetch("SELECT user_id, currency, posted FROM wallets ORDER BY user_id")
        assert [tuple(row) for row in rows] == [(5, "RUB", 0), (6, "RUB", 0)]
        assert await _books(pool) == {}


async def _books(pool: Pool) -> dict[str, int]:
    """What each transaction put into the wallet of its user; the wallets have the same sums."""
    rows = await pool.fetch(
        """
        SELECT reference, entries.amount, posted FROM ledger_transactions JOIN entries USING (transaction_id)
          JOIN wallets USING (user_id)
        """
    )
    assert all(row["amount"] == row["posted"] for row in rows)
    return {row["reference"]: row["amount"] for row in rows}


async def _commits(pool: Pool) -> int:
    """How many transactions have written; asking is one of them."""
    return int(await pool.fetchval("SELECT pg_current_xact_id()::text::bigint"))
