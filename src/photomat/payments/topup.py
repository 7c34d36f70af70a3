"""A top-up: what we asked a user to pay, committed before it can be paid. It credits nothing; payments name it by its token.

Idempotent by origin: an update handled twice gives the same top-up. It can be paid while it is open; a second payment of one
that was paid is refused where that can be, and otherwise credited as another payment. The message that shows it is remembered
while it shows it, so that it can be ended when the money has come.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import BotId, ChatId, DraftId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.payments.options import PaymentMethod

LIFE: Final = timedelta(days=1)
COLUMNS: Final = (
    "topup_id, token::text AS token, origin, user_id, way AS method, asked_amount, asked_currency, credit, currency, draft_id,"
    " state, created_at, expires_at <= photomat_now() AS expired"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topup:
    """What is asked for (`asked_*`: Stars, or our own currency) and what all of it is credited as.

    `token` names it outside of this database, where an id could be that of another shop.
    """

    topup_id: int
    token: str
    origin: str
    user_id: UserId
    method: PaymentMethod
    asked_amount: int
    asked_currency: str
    credit: Money
    draft_id: DraftId | None
    state: str
    created_at: datetime
    expired: bool


async def open_topup(
    pool: Pool,
    *,
    origin: str,
    bot_id: BotId,
    user_id: UserId,
    method: PaymentMethod,
    asked: Money,
    credit: Money,
    draft_id: DraftId | None = None,
) -> Topup:
    """Create a top-up, idempotent by `origin`. `asked` is in the currency in which it is paid."""
    row = await require_row(
        pool,
        f"""
        INSERT INTO topups (origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, draft_id, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, photomat_now() + $10::interval)
            ON CONFLICT (origin) DO UPDATE SET origin = excluded.origin
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        origin,
        bot_id,
        user_id,
        method,
        asked.minor,
        asked.currency,
        credit.minor,
        credit.currency,
        draft_id,
        LIFE,
    )
    return _topup(row)


async def find_topup(tx: Transaction, topup_id: int) -> Topup | None:
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM topups WHERE topup_id = $1", topup_id)  # noqa: S608  a constant list
    return None if row is None else _topup(row)


async def find_by_token(tx: Transaction, token: str) -> Topup | None:
    try:
        named = UUID(token)
    except ValueError:
        return None
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM topups WHERE token = $1", named)  # noqa: S608  a constant list
    return None if row is None else _topup(row)


async def has_open_transfer(pool: Pool, user_id: UserId) -> bool:
    """Whether the user was shown bank details for a transfer that may still come."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM topups
             WHERE user_id = $1 AND way = 'transfer' AND state = 'open' AND expires_at > photomat_now()
             LIMIT 1
            """,
            user_id,
        )
    )


async def mark_paid(tx: Transaction, topup_id: int) -> None:
    await tx.execute(
        "UPDATE topups SET state = 'paid', closed_at = photomat_now() WHERE topup_id = $1 AND state <> 'paid'", topup_id
    )


async def note_message(
    tx: Transaction, *, user_id: UserId, chat_id: ChatId, message_id: MessageId, topup_id: int | None = None
) -> None:
    """Record that this message shows this top-up now, and no other; without one it shows another page."""
    await tx.execute(
        """
        UPDATE topups
           SET message_chat_id = CASE WHEN topup_id = $4 THEN $2::bigint END,
               message_id = CASE WHEN topup_id = $4 THEN $3::bigint END
         WHERE user_id = $1 AND state = 'open' AND (message_chat_id = $2 AND message_id = $3 OR topup_id = $4)
        """,
        user_id,
        chat_id,
        message_id,
        topup_id,
    )


async def message_of(tx: Transaction, topup_id: int) -> tuple[ChatId, MessageId] | None:
    """The message that shows a top-up, unless a card has taken its place."""
    row = await tx.fetchrow(
        """
        SELECT message_chat_id, message_id FROM topups
         WHERE topup_id = $1 AND message_id IS NOT NULL
           AND NOT EXISTS (SELECT FROM generation_jobs AS job
                            WHERE job.bot_id = topups.bot_id AND job.chat_id = message_chat_id AND card_message_id = message_id)
        """,
        topup_id,
    )
    return None if row is None else (ChatId(row["message_chat_id"]), MessageId(row["message_id"]))


async def close_topup(tx: Transaction, *, topup_id: int, user_id: UserId) -> bool:
    """Close an open top-up; a payment for it is still credited. False if it is not open or another user's."""
    return bool(
        await tx.fetchval(
            """
            UPDATE topups SET state = 'closed', closed_at = photomat_now()
             WHERE topup_id = $1 AND user_id = $2 AND state = 'open'
            RETURNING true
            """,
            topup_id,
            user_id,
        )
    )


def _topup(row: Row) -> Topup:
    fields = dict(row)
    return Topup(credit=Money(fields.pop("credit"), fields.pop("currency")), **fields)
