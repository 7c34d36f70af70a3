"""Promo codes: what they give, using them, and creating, stopping and listing them.

A code is used once per update, within its own limit and its user's, in the caller's transaction. Its row is locked before uses
are counted, so of two users who want the last use one gets it; CHECKs and keys are behind. Guessing is slow: after five codes
that do not exist nothing is looked up for the rest of ten minutes. A code is never edited: all its users get the same.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.wallet import ledger

WRITTEN: Final = re.compile(r"[A-Z0-9А-ЯЁ_-]{3,32}")
CodeKind: TypeAlias = Literal["sum", "percent", "free"]
"""A sum at once; a percent of the next top-up; a number of free generations."""
WRONG_TRIES: Final = 5
TRIES_WINDOW: Final = timedelta(minutes=10)
COLUMNS: Final = (
    "code, kind, currency, amount, percent, generations, most_uses, per_user, only_new, expires_at, used,"
    " stopped_at IS NOT NULL OR coalesce(expires_at <= photomat_now(), false) AS is_over"
)
STORED_COLUMNS: Final = f"{COLUMNS}, operator, reason, created_at, stopped_at"


class PromoRefusal(StrEnum):
    """Why a code is refused; the customer's text is `promo-refused-…`."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED_UP = "used_up"
    YOURS = "yours"
    ONLY_NEW = "only_new"
    SLOWLY = "slowly"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoCode:
    """What a code gives. `amount` is the sum, the maximum of a percent, or the largest price of a free generation."""

    code: str
    kind: CodeKind
    currency: str
    amount: int | None = None
    percent: int | None = None
    generations: int | None = None
    most_uses: int | None = None
    per_user: int = 1
    only_new: bool = False
    expires_at: datetime | None = None

    @property
    def money(self) -> Money | None:
        return None if self.amount is None else Money(self.amount, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeUsage:
    """How often a code was used, in all and by one user, and whether it applies to them."""

    used: int
    used_by_them: int
    is_over: bool
    is_new_user: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAccepted:
    """A sum was credited; a percent or free generations wait to be used."""

    code: PromoCode


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRefused:
    """`wait` is how long no code is looked up for this user."""

    why: PromoRefusal
    wait: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCode:
    """A code with its uses, whether it can still be used, and who created it why."""

    promo: PromoCode
    used: int
    is_over: bool
    operator: str
    reason: str
    created_at: datetime
    stopped_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeUse:
    """A use of a code. `credited` and `taken_back` are money, `generations` the free ones it paid for."""

    use_id: int
    user_id: UserId
    used_at: datetime
    credited: int | None
    taken_back: int
    payment_id: int | None
    generations: int


def normalize_code(written: str) -> str:
    """A code as it is stored: trimmed, in capitals; empty if it cannot be a code."""
    code = written.strip().upper()
    return code if WRITTEN.fullmatch(code) else ""


def refusal_for(code: PromoCode, usage: CodeUsage) -> PromoRefusal | None:
    """The first reason to refuse a code, if any."""
    if usage.used_by_them >= code.per_user:
        return PromoRefusal.YOURS
    if usage.is_over:
        return PromoRefusal.EXPIRED
    if code.most_uses is not None and usage.used >= code.most_uses:
        return PromoRefusal.USED_UP
    if code.only_new and not usage.is_new_user:
        return PromoRefusal.ONLY_NEW
    return None


async def use_code(tx: Transaction, *, user_id: UserId, written: str, origin: str) -> CodeAccepted | CodeRefused:
    """Use a code for a user with a wallet; idempotent by `origin`."""
    code = normalize_code(written)
    used_before = await _used_by(tx, origin)
    if used_before is not None:
        return CodeAccepted(code=used_before)
    wait = await _must_wait(tx, user_id, origin)
    if wait is not None:
        return CodeRefused(why=PromoRefusal.SLOWLY, wait=wait)
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM promo_codes WHERE code = $1 FOR UPDATE", code)  # noqa: S608  a constant list of columns
    if row is None:
        await _note_wrong_try(tx, user_id, origin)
        return CodeRefused(why=PromoRefusal.UNKNOWN)
    found = code_of(row)
    usage = await _usage(tx, row, user_id)
    why = refusal_for(found, usage)
    if why is not None:
        return CodeRefused(why=why)
    await _give(tx, found, user_id, nth=usage.used_by_them + 1, origin=origin)
    return CodeAccepted(code=found)


def code_of(row: Row) -> PromoCode:
    return PromoCode(**{field.name: row[field.name] for field in fields(PromoCode)})


async def _give(tx: Transaction, code: PromoCode, user_id: UserId, *, nth: int, origin: str) -> None:
    credited = code.amount if code.kind == "sum" else None
    await tx.execute("UPDATE promo_codes SET used = used + 1 WHERE code = $1", code.code)
    use_id = await tx.fetchval(
        """
        INSERT INTO promo_uses (code, user_id, nth, origin, credited) VALUES ($1, $2, $3, $4, $5) RETURNING use_id
        """,
        code.code,
        user_id,
        nth,
        origin,
        credited,
    )
    if credited is not None:
        await ledger.credit(
            tx,
            user_id=user_id,
            amount=Money(credited, code.currency),
            reference=f"promo:{use_id}",
            reason="promo",
            facts={"code": code.code},
        )


async def _used_by(tx: Transaction, origin: str) -> PromoCode | None:
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM promo_codes WHERE code = (SELECT code FROM promo_uses WHERE origin = $1)",  # noqa: S608  a constant list of columns
        origin,
    )
    return None if row is None else code_of(row)


async def _usage(tx: Transaction, row: Row, user_id: UserId) -> CodeUsage:
    """A new user has neither ordered nor paid anything yet."""
    theirs = await require_row(
        tx,
        """
        SELECT (SELECT count(*) FROM promo_uses WHERE code = $1 AND user_id = $2) AS used,
               NOT EXISTS (SELECT FROM generation_jobs WHERE user_id = $2)
               AND NOT EXISTS (SELECT FROM payments WHERE user_id = $2) AS is_new
        """,
        row["code"],
        user_id,
    )
    return CodeUsage(
        used=row["used"], used_by_them=theirs["used"], is_over=row["is_over"], is_new_user=theirs["is_new"]
    )


async def _must_wait(tx: Transaction, user_id: UserId, origin: str) -> timedelta | None:
    """How long no code is looked up for this user; a try of this very update does not count."""
    oldest: datetime | timedelta | None = await tx.fetchval(
        """
        SELECT $3::interval - (photomat_now() - min(tried_at))
          FROM (SELECT tried_at FROM promo_tries
                 WHERE user_id = $1 AND origin <> $4 AND tried_at > photomat_now() - $3::interval
                 ORDER BY tried_at DESC LIMIT $2) AS lately
        HAVING count(*) >= $2
        """,
        user_id,
        WRONG_TRIES,
        TRIES_WINDOW,
        origin,
    )
    return oldest if isinstance(oldest, timedelta) else None


async def _note_wrong_try(tx: Transaction, user_id: UserId, origin: str) -> None:
    await tx.execute(
        "DELETE FROM promo_tries WHERE user_id = $1 AND tried_at < photomat_now() - $2::interval", user_id, TRIES_WINDOW
    )
    await tx.execute(
        "INSERT INTO promo_tries (origin, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", origin, user_id
    )


async def add_code(tx: Transaction, promo: PromoCode, *, operator: str, reason: str) -> bool:
    """Create a code; False if it exists."""
    return bool(
        await tx.fetchval(
            """
            INSERT INTO promo_codes (code, kind, amount, currency, percent, generations, most_uses, per_user, only_new,
                                     expires_at, operator, reason)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                ON CONFLICT ON CONSTRAINT promo_codes_pkey DO NOTHING
            RETURNING true
            """,
            promo.code,
            promo.kind,
            promo.amount,
            promo.currency,
            promo.percent,
            promo.generations,
            promo.most_uses,
            promo.per_user,
            promo.only_new,
            promo.expires_at,
            operator,
            reason,
        )
    )


async def stop_code(tx: Transaction, code: str) -> bool:
    """Stop a code; False if there is no such code, or it was stopped before."""
    return bool(
        await tx.fetchval(
            """
            UPDATE promo_codes SET stopped_at = photomat_now() WHERE code = $1 AND stopped_at IS NULL RETURNING true
            """,
            code,
        )
    )


async def list_codes(pool: Pool, *, limit: int) -> list[StoredCode]:
    rows = await pool.fetch(f"SELECT {STORED_COLUMNS} FROM promo_codes ORDER BY created_at DESC, code LIMIT $1", limit)  # noqa: S608  a constant list of columns
    return [_stored_code(row) for row in rows]


async def show_code(pool: Pool, code: str, *, limit: int) -> tuple[StoredCode, Sequence[CodeUse]] | None:
    """A code with its uses, newest first."""
    row = await pool.fetchrow(f"SELECT {STORED_COLUMNS} FROM promo_codes WHERE code = $1", code)  # noqa: S608  a constant list of columns
    if row is None:
        return None
    uses = await pool.fetch(
        """
        SELECT use_id, user_id, used_at, credited, taken_back, payment_id,
               (SELECT count(*) FROM pass_uses WHERE pass_uses.use_id = promo_uses.use_id) AS generations
          FROM promo_uses WHERE code = $1 ORDER BY use_id DESC LIMIT $2
        """,
        code,
        limit,
    )
    return _stored_code(row), [CodeUse(**dict(use)) for use in uses]


def _stored_code(row: Row) -> StoredCode:
    return StoredCode(
        promo=code_of(row),
        used=row["used"],
        is_over=row["is_over"] or (row["most_uses"] is not None and row["used"] >= row["most_uses"]),
        operator=row["operator"],
        reason=row["reason"],
        created_at=row["created_at"],
        stopped_at=row["stopped_at"],
    )


async def give_generation(
    tx: Transaction, *, user_id: UserId, code: str, most: Money, operator: str, reason: str, origin: str
) -> bool:
    """Give one user a free generation of up to this price, by a code of their own; False if it was given before."""
    promo = PromoCode(
        code=code, kind="free", currency=most.currency, amount=most.minor, generations=1, most_uses=1, per_user=1
    )
    if not await add_code(tx, promo, operator=operator, reason=reason):
        return False
    await _give(tx, promo, user_id, nth=1, origin=origin)
    return True
