"""Gifts between users: money that leaves its giver at once and waits under a random code for the first user who opens the link.

It is taken once, by another user, or goes back to the giver: on request, or after 14 days. One guarded UPDATE of the gift's row
decides which, so of two users who open it at once, or one who opens it while it goes back, exactly one gets it.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.messages.notices import notify
from photomat.wallet import ledger

MIN_MINOR: Final = 100
LIFE: Final = timedelta(days=14)
CODE_BYTES: Final = 9
MAX_OPEN: Final = 20
COLUMNS: Final = "gift_id, code, giver_id, taker_id, amount, currency, state"
log = get_logger()


class GiftState(StrEnum):
    """Where the money is: waiting, with its taker, or back with its giver."""

    OPEN = "open"
    TAKEN = "taken"
    BACK = "back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gift:
    """A gift; `just_taken` if the call that returned it took it."""

    gift_id: int
    code: str
    giver_id: UserId
    taker_id: UserId | None
    amount: Money
    state: GiftState
    just_taken: bool = False


async def give(tx: Transaction, *, giver_id: UserId, amount: Money, origin: str) -> Gift:
    """Create a gift, idempotent by `origin`; `NotEnough` if the giver has less."""
    if amount.minor < MIN_MINOR:
        raise Rejected("gift-too-small", least=Money(MIN_MINOR, amount.currency))
    made = await tx.fetchrow(
        f"""
        INSERT INTO gifts (code, origin, giver_id, amount, currency, expires_at, due_at)
        VALUES ($1, $2, $3, $4, $5, photomat_now() + $6::interval, photomat_now() + $6::interval)
            ON CONFLICT ON CONSTRAINT gifts_one_an_origin DO NOTHING
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        secrets.token_urlsafe(CODE_BYTES),
        origin,
        giver_id,
        amount.minor,
        amount.currency,
        LIFE,
    )
    if made is None:
        return _gift(await require_row(tx, f"SELECT {COLUMNS} FROM gifts WHERE origin = $1", origin))  # noqa: S608  likewise
    gift = _gift(made)
    await ledger.debit(
        tx, user_id=giver_id, amount=amount, reference=f"gift-out:{gift.gift_id}", reason="gift", facts={"way": "out"}
    )
    return gift


async def take(tx: Transaction, *, code: str, taker_id: UserId) -> Gift | None:
    """Take a gift if it is open, and return it in any case. None: there is no such gift."""
    row = await tx.fetchrow(
        f"""
        UPDATE gifts SET state = 'taken', taker_id = $2, closed_at = photomat_now(), due_at = NULL
         WHERE code = $1 AND state = 'open' AND giver_id <> $2 AND expires_at > photomat_now()
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        code,
        taker_id,
    )
    if row is None:
        row = await tx.fetchrow(f"SELECT {COLUMNS} FROM gifts WHERE code = $1", code)  # noqa: S608  likewise
        return None if row is None else _gift(row)
    gift = _gift(row)
    await _credit(tx, gift, taker_id, reference=f"gift-in:{gift.gift_id}", way="in")
    await notify(
        tx,
        key=f"gift:{gift.gift_id}:taken",
        chat_id=ChatId(gift.giver_id),
        text_key="notice-gift-taken",
        facts={"amount": gift.amount},
    )
    return replace(gift, just_taken=True)


async def return_gift(tx: Transaction, *, gift_id: int, giver_id: UserId) -> Gift | None:
    """Return an open gift to its giver, who asks for it, and return its row in any case. None: it is not theirs."""
    gift = await _close(tx, gift_id, asked_by=giver_id)
    if gift is not None:
        return gift
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM gifts WHERE gift_id = $1 AND giver_id = $2", gift_id, giver_id)  # noqa: S608  a constant list of columns
    return None if row is None else _gift(row)


async def open_gifts(tx: Transaction, *, giver_id: UserId) -> list[Gift]:
    """The gifts of a user that were not taken yet, newest first."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM gifts WHERE giver_id = $1 AND state = 'open' ORDER BY gift_id DESC LIMIT $2",  # noqa: S608  a constant list of columns
        giver_id,
        MAX_OPEN,
    )
    return [_gift(row) for row in rows]


async def return_old_gift(pool: Pool, gift_id: int) -> None:
    """Return an expired gift to its giver, with a notice."""
    async with transaction(pool) as tx:
        gift = await _close(tx, gift_id, asked_by=None)
        if gift is None:
            return
        await notify(
            tx,
            key=f"gift:{gift_id}:back",
            chat_id=ChatId(gift.giver_id),
            text_key="notice-gift-back",
            facts={"amount": gift.amount},
        )
    log.info("GIFT_RETURNED", gift_id=gift_id, user_id=gift.giver_id, amount=gift.amount.minor)


async def _close(tx: Transaction, gift_id: int, *, asked_by: UserId | None) -> Gift | None:
    """Return an open gift that its giver asks for, or, without `asked_by`, one that has expired."""
    row = await tx.fetchrow(
        f"""
        UPDATE gifts SET state = 'back', closed_at = photomat_now(), due_at = NULL
         WHERE gift_id = $1 AND state = 'open'
           AND (giver_id = $2::bigint OR $2 IS NULL AND expires_at <= photomat_now())
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        gift_id,
        asked_by,
    )
    if row is None:
        return None
    gift = _gift(row)
    await _credit(tx, gift, gift.giver_id, reference=f"gift-back:{gift_id}", way="back")
    return gift


async def _credit(tx: Transaction, gift: Gift, user_id: UserId, *, reference: str, way: str) -> None:
    await ledger.credit(tx, user_id=user_id, amount=gift.amount, reference=reference, reason="gift", facts={"way": way})


def _gift(row: Row) -> Gift:
    fields = dict(row)
    amount = Money(fields.pop("amount"), fields.pop("currency"))
    return Gift(amount=amount, state=GiftState(fields.pop("state")), **fields)
