"""Using a promo code: once per update, never more often than the code and its user may, in the caller's transaction.

The code's row is locked before anything is counted, so of two users who want the last use one gets it; CHECKs and keys stand
behind. Guessing is slow: after five codes that do not exist nothing is looked up for the rest of ten minutes.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.rewards.promo_code import PromoCode, Standing, Why, judge, normal
from photomat.wallet import ledger

WRONG_TRIES: Final = 5
TRIES_WINDOW: Final = timedelta(minutes=10)
COLUMNS: Final = (
    "code, kind, currency, amount, percent, generations, most_uses, per_user, only_new, expires_at, used,"
    " stopped_at IS NOT NULL OR coalesce(expires_at <= photomat_now(), false) AS is_over"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """The code is theirs: a sum is credited, a percent or free generations wait to be used."""

    code: PromoCode


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRefused:
    """A definite no; `wait` is how long guessing stays closed."""

    why: Why
    wait: timedelta | None = None


async def use_code(tx: Transaction, *, user_id: UserId, written: str, origin: str) -> Used | CodeRefused:
    """Use a code for a user with a wallet; the same origin again gives the same answer and nothing more."""
    code = normal(written)
    used_before = await _used_by(tx, origin)
    if used_before is not None:
        return Used(code=used_before)
    wait = await _must_wait(tx, user_id, origin)
    if wait is not None:
        return CodeRefused(why=Why.SLOWLY, wait=wait)
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM promo_codes WHERE code = $1 FOR UPDATE", code)  # noqa: S608  a constant list of columns
    if row is None:
        await _note_wrong_try(tx, user_id, origin)
        return CodeRefused(why=Why.UNKNOWN)
    found = code_of(row)
    standing = await _standing(tx, row, user_id)
    why = judge(found, standing)
    if why is not None:
        return CodeRefused(why=why)
    await _give(tx, found, user_id, nth=standing.used_by_them + 1, origin=origin)
    return Used(code=found)


def code_of(row: Row) -> PromoCode:
    """A row of promo_codes as a value."""
    return PromoCode(
        code=row["code"],
        kind=row["kind"],
        currency=row["currency"],
        amount=row["amount"],
        percent=row["percent"],
        generations=row["generations"],
        most_uses=row["most_uses"],
        per_user=row["per_user"],
        only_new=row["only_new"],
        expires_at=row["expires_at"],
    )


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


async def _standing(tx: Transaction, row: Row, user_id: UserId) -> Standing:
    """New is who has neither ordered nor paid anything yet."""
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
    return Standing(used=row["used"], used_by_them=theirs["used"], is_over=row["is_over"], is_new_user=theirs["is_new"])


async def _must_wait(tx: Transaction, user_id: UserId, origin: str) -> timedelta | None:
    """How long this user's guessing is closed; a try of this very update is no other one."""
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
