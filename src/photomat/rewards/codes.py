"""Making, stopping and listing promo codes. A code is never edited: what it promised to one it promises to all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.rewards.promo import COLUMNS, code_of
from photomat.rewards.promo_code import PromoCode

KEPT: Final = f"{COLUMNS}, operator, reason, created_at, stopped_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCode:
    """A code as it stands: how often it was used, whether it still may be, and who made it why."""

    promo: PromoCode
    used: int
    is_over: bool
    operator: str
    reason: str
    created_at: datetime
    stopped_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of a code. `credited` and `taken_back` are money, `generations` how many free ones it has paid for."""

    use_id: int
    user_id: UserId
    used_at: datetime
    credited: int | None
    taken_back: int
    payment_id: int | None
    generations: int


async def add_code(tx: Transaction, promo: PromoCode, *, operator: str, reason: str) -> bool:
    """Make a code; False when there is one of this name."""
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
    """Let nobody use it any more; False when there is no such code, or it was stopped before."""
    return bool(
        await tx.fetchval(
            """
            UPDATE promo_codes SET stopped_at = photomat_now() WHERE code = $1 AND stopped_at IS NULL RETURNING true
            """,
            code,
        )
    )


async def list_codes(pool: Pool, *, limit: int) -> list[KeptCode]:
    """The newest codes."""
    rows = await pool.fetch(f"SELECT {KEPT} FROM promo_codes ORDER BY created_at DESC, code LIMIT $1", limit)  # noqa: S608  a constant list of columns
    return [_kept(row) for row in rows]


async def show_code(pool: Pool, code: str, *, limit: int) -> tuple[KeptCode, Sequence[Use]] | None:
    """One code with who used it, the last first."""
    row = await pool.fetchrow(f"SELECT {KEPT} FROM promo_codes WHERE code = $1", code)  # noqa: S608  a constant list of columns
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
    return _kept(row), [Use(**dict(use)) for use in uses]


def _kept(row: Row) -> KeptCode:
    return KeptCode(
        promo=code_of(row),
        used=row["used"],
        is_over=row["is_over"] or (row["most_uses"] is not None and row["used"] >= row["most_uses"]),
        operator=row["operator"],
        reason=row["reason"],
        created_at=row["created_at"],
        stopped_at=row["stopped_at"],
    )
