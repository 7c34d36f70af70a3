"""Which bot owns the database, the sandbox's included: one row in the table `installation`.

A program of another bot refuses to start before it migrates or claims anything. Every claim tests the row too (SQL function
`photomat_our_bot`), so a program that started before the database was given to another bot claims nothing. Without the row the
owner is read from the other tables; only an empty database takes the bot of the program that starts. The bot's id is the number
before the colon of its token, so a new token of the same bot keeps its database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Connection, Pool, Transaction, connect
from photomat.db.restoring import require_no_restore
from photomat.kernel.errors import Startup, Transient
from photomat.kernel.ids import BotId
from photomat.kernel.logs import get_logger

OWNER: Final = "SELECT bot_id FROM installation"
SANDBOX_BOT: Final = BotId(424242)
"""The bot of the simulated Telegram; no real bot has such a low id."""

CUSTOMER_TABLES: Final = (
    "generation_jobs",
    "drafts",
    "conversations",
    "inbox",
    "lanes",
    "topups",
    "receipts",
    "assistant_calls",
    "tickets",
)
"""Tables that name the bot a customer talked to."""

READING_TABLES: Final = ("stars_readings", "stars_listed")
"""Tables that name a bot without any customer; they count only if the others are empty."""

SESSION: Final = "photomat installation"
ADOPT: Final = "`photomat installation adopt --reason …`"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The bot of the `installation` row, or else every bot that other rows name."""

    bots: tuple[BotId, ...]
    stamped: bool = False
    has_customers: bool = False
    currency: str | None = None

    @property
    def is_unowned(self) -> bool:
        """Whether the database is empty, and so becomes that of the program that starts."""
        return not self.bots and not self.has_customers

    @property
    def is_sandbox(self) -> bool:
        return self.bots == (SANDBOX_BOT,)

    @property
    def name(self) -> str:
        return " and ".join(map(name_of, self.bots)) or (
            "customers of an unknown bot" if self.has_customers else "nobody"
        )


def identity_of(bot_id: int) -> str:
    return "sandbox" if bot_id == SANDBOX_BOT else str(bot_id)


def name_of(bot_id: int) -> str:
    return "the sandbox" if bot_id == SANDBOX_BOT else f"bot {bot_id}"


def refusal(owner: Owner, bot_id: BotId) -> str | None:
    """Why a program of this bot must not use the database, and what to do; None if it may."""
    if owner.bots == (bot_id,) or owner.is_unowned:
        return None
    us = name_of(bot_id)
    if bot_id == SANDBOX_BOT:
        return f"This database belongs to {owner.name}, and this program is {us}, which has a database of its own."
    if owner.is_sandbox:
        return (
            f"This database belongs to the sandbox and holds play money, and this program is {us}:"
            " give it a database of its own (DATABASE_URL, or another DATA_DIR)."
        )
    if len(owner.bots) == 1:
        return (
            f"This database belongs to {owner.name}, and this program is {us}: correct BOT_TOKEN or DATABASE_URL,"
            f" or give the shop to {us} with {ADOPT}."
        )
    found = f"rows of {owner.name}" if owner.bots else owner.name
    return f"This database holds {found}, and this program is {us}: if the shop is {us}'s, say so with {ADOPT}."


async def read_owner(connection: Connection) -> Owner:
    """The owner, read from a schema of any version."""
    tables = await _existing(connection, ("installation", "users", *CUSTOMER_TABLES, *READING_TABLES))
    if "installation" in tables:
        row = await connection.fetchrow("SELECT bot_id, currency FROM installation")
        if row is not None:
            return Owner(bots=(BotId(row["bot_id"]),), stamped=True, currency=row["currency"])
    bots: tuple[BotId, ...] = ()
    for names in (CUSTOMER_TABLES, READING_TABLES):
        bots = bots or await _bots_in(connection, [name for name in names if name in tables])
    has_customers = "users" in tables and bool(await connection.fetchval("SELECT EXISTS (SELECT FROM users)"))
    return Owner(bots=bots, has_customers=has_customers)


async def owner_of(dsn: str) -> Owner:
    connection = await connect(dsn, name=SESSION, patience_s=10)
    try:
        await require_no_restore(connection)
        return await read_owner(connection)
    finally:
        await connection.close(timeout=5)


async def require_ours(dsn: str, bot_id: BotId) -> None:
    """Raise `Startup` if the database belongs to another bot."""
    problem = refusal(await owner_of(dsn), bot_id)
    if problem is not None:
        raise Startup(problem)


async def stamp(dsn: str, *, bot_id: BotId, currency: str) -> None:
    """Write the owner unless it is known; raise `Startup` if it is another bot, or its money is in another currency.

    Of two programs that start at once on an empty database one writes the row and the other finds it.
    """
    connection = await connect(dsn, name=SESSION, patience_s=10)
    try:
        async with connection.transaction():
            problem = refusal(await read_owner(connection), bot_id)
            if problem is None:
                await insert_stamp(connection, bot_id=bot_id, currency=currency)
                problem = refusal(await read_owner(connection), bot_id)
            if problem is not None:
                raise Startup(problem)
            await _require_currency(connection, currency)
            await _warn_of_other_currencies(connection)
    finally:
        await connection.close(timeout=5)


async def insert_stamp(tx: Transaction, *, bot_id: BotId, currency: str) -> None:
    """Write the row if there is none; the currency is that of existing wallets, else `currency`."""
    await tx.execute(
        """
        INSERT INTO installation (bot_id, currency)
        SELECT $1::bigint, coalesce((SELECT currency FROM wallets GROUP BY currency ORDER BY count(*) DESC LIMIT 1), $2)
            ON CONFLICT ON CONSTRAINT installation_pkey DO NOTHING
        """,
        bot_id,
        currency,
    )


async def give_to(tx: Transaction, *, bot_id: BotId, currency: str) -> None:
    """Make this bot the owner, whichever was before."""
    await insert_stamp(tx, bot_id=bot_id, currency=currency)
    await tx.execute("UPDATE installation SET bot_id = $1, stamped_at = photomat_now()", bot_id)


async def is_ours(pool: Pool) -> bool:
    return bool(await pool.fetchval("SELECT true FROM installation WHERE bot_id = $1", pool.bot_id))


async def require_still_ours(tx: Transaction, bot_id: int | None) -> None:
    """Refuse to store anything from outside in a database that belongs to another bot by now."""
    if not await tx.fetchval("SELECT true FROM installation WHERE bot_id = $1", bot_id):
        raise Transient("this database belongs to another bot")


async def _require_currency(tx: Transaction, currency: str) -> None:
    """Refuse to change the currency while there are wallets or prices in another one."""
    kept: str = await tx.fetchval("SELECT currency FROM installation")
    if kept == currency:
        return
    changed = await tx.fetchval(
        """
        UPDATE installation SET currency = $1
         WHERE NOT EXISTS (SELECT FROM wallets WHERE currency <> $1)
           AND NOT EXISTS (SELECT FROM promo_codes WHERE currency <> $1)
           AND NOT EXISTS (SELECT FROM model_prices WHERE currency <> $1 AND cleared_at IS NULL)
        RETURNING true
        """,
        currency,
    )
    if not changed:
        raise Startup(
            f"CURRENCY is {currency}, but the wallets and prices of this database are in {kept}: set CURRENCY={kept},"
            " or start a new shop on an empty database."
        )


async def wallets_in_other_currencies(tx: Connection) -> int:
    """How many wallets are in another currency than the database: an earlier version let CURRENCY change."""
    count: int = await tx.fetchval(
        "SELECT count(*) FROM wallets JOIN installation ON wallets.currency <> installation.currency"
    )
    return count


async def _warn_of_other_currencies(tx: Transaction) -> None:
    """Warn instead of refusing to start: the other customers can be served."""
    count = await wallets_in_other_currencies(tx)
    if count:
        log.warning("WALLETS_IN_OTHER_CURRENCIES", count=count)


async def _existing(connection: Connection, names: Sequence[str]) -> set[str]:
    rows = await connection.fetch(
        "SELECT name FROM unnest($1::text[]) AS wanted (name) WHERE to_regclass(name) IS NOT NULL", list(names)
    )
    return {row["name"] for row in rows}


async def _bots_in(connection: Connection, tables: Sequence[str]) -> tuple[BotId, ...]:
    if not tables:
        return ()
    every = " UNION ".join(f"SELECT bot_id FROM {table}" for table in tables)  # noqa: S608  constants of this module
    rows = await connection.fetch(f"SELECT bot_id FROM ({every}) AS named ORDER BY bot_id")  # noqa: S608  likewise
    return tuple(BotId(row["bot_id"]) for row in rows)
