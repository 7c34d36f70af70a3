"""What operators have paused: the bot, the provider, single models. Every statement on `controls` is here.

A pause is a row. It ends when an operator resumes it, or at its `until`; an ended row means nothing and is replaced
by the next pause. Claims ask the same in their own SQL (`photomat_paused`, `photomat_paused_models`), and orders by the mark of
the assortment (`orders/assortment.py`), so a pause holds for every instance from its commit on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import row_as

BOT: Final = "bot"
KIE: Final = "provider:kie"
MODEL: Final = "model:"
RESTORE: Final = "restore"
"""The shop was restored from a backup: no refund and no notice leaves until an operator resumes (`operators/restores.py`)."""
MAX_NOTICE_LENGTH: Final = 120
"""A tap is answered with 200 characters at most, our own words included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """One pause in force; `notice` is what customers read about it beside our own words."""

    name: str
    paused_at: datetime
    paused_by: str
    reason: str
    notice: str | None
    until_at: datetime | None

    @property
    def model(self) -> str | None:
        return self.name.removeprefix(MODEL) if self.name.startswith(MODEL) else None

    def is_over(self, now: datetime) -> bool:
        return self.until_at is not None and self.until_at <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """Everything that is paused now, by name."""

    by_name: Mapping[str, Pause] = field(default_factory=dict)

    @property
    def bot(self) -> Pause | None:
        return self.by_name.get(BOT)

    @property
    def provider(self) -> Pause | None:
        return self.by_name.get(KIE)

    def of_model(self, model: str) -> Pause | None:
        return self.by_name.get(f"{MODEL}{model}")

    @property
    def models(self) -> frozenset[str]:
        return frozenset(pause.model for pause in self.by_name.values() if pause.model is not None)

    def at(self, now: datetime) -> "Pauses":
        """Those of them that have not ended by then."""
        return Pauses(by_name={name: each for name, each in self.by_name.items() if not each.is_over(now)})


async def read_pauses(pool: Pool) -> Pauses:
    rows = await pool.fetch(
        """
        SELECT name, paused_at, paused_by, reason, notice, until_at FROM controls
         WHERE until_at IS NULL OR until_at > photomat_now() ORDER BY name
        """
    )
    return Pauses(by_name={row["name"]: row_as(Pause, row) for row in rows})


async def read_pause(tx: Transaction, name: str) -> Pause | None:
    row = await tx.fetchrow(
        """
        SELECT name, paused_at, paused_by, reason, notice, until_at FROM controls
         WHERE name = $1 AND (until_at IS NULL OR until_at > photomat_now())
        """,
        name,
    )
    return None if row is None else row_as(Pause, row)


async def write_pause(
    tx: Transaction, name: str, *, operator: str, reason: str, notice: str | None, lasts: timedelta | None
) -> bool:
    """Pause, until it is resumed or for so long; False if it is paused already."""
    return bool(
        await tx.fetchval(
            """
            INSERT INTO controls AS control (name, paused_by, reason, notice, until_at)
            VALUES ($1, $2, $3, $4, photomat_now() + $5::interval)
                ON CONFLICT ON CONSTRAINT controls_pkey DO UPDATE
               SET paused_at = photomat_now(), paused_by = excluded.paused_by, reason = excluded.reason,
                   notice = excluded.notice, until_at = excluded.until_at
             WHERE control.until_at <= photomat_now()
            RETURNING true
            """,
            name,
            operator,
            reason,
            notice,
            lasts,
        )
    )


async def delete_pause(tx: Transaction, name: str) -> bool:
    """End a pause; False if it was not in force."""
    return bool(
        await tx.fetchval(
            """
            DELETE FROM controls WHERE name = $1 RETURNING until_at IS NULL OR until_at > photomat_now()
            """,
            name,
        )
    )
