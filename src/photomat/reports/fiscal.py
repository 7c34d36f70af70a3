"""Fiscal receipts for operators: the list with its filters, and how many there are in each state that wants something."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool
from photomat.fiscal.receipt import COLUMNS, FiscalReceipt, receipt_of

STATES: Final = ("wanted", "sending", "unknown", "without", "blocked", "issued", "annulled", "unneeded")
OPEN_STATES: Final = ("wanted", "sending", "unknown", "without", "blocked")
ISSUERS: Final = ("my_tax", "yookassa", "hand")
KINDS: Final = ("income", "annulment")
COUNTED: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalFilter:
    state: str | None = None
    issuer: str | None = None
    kind: str | None = None
    user_id: int | None = None
    payment_id: int | None = None


async def list_fiscal(pool: Pool, only: FiscalFilter, *, limit: int, before: int | None = None) -> list[FiscalReceipt]:
    """Newest first."""
    rows = await pool.fetch(
        f"""
        SELECT {COLUMNS} FROM fiscal_receipts
         WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR issuer = $2) AND ($3::text IS NULL OR kind = $3)
           AND ($4::bigint IS NULL OR user_id = $4) AND ($5::bigint IS NULL OR payment_id = $5)
           AND ($6::bigint IS NULL OR fiscal_id < $6)
         ORDER BY fiscal_id DESC LIMIT $7
        """,  # noqa: S608  a constant list of columns
        only.state,
        only.issuer,
        only.kind,
        only.user_id,
        only.payment_id,
        before,
        limit,
    )
    return [receipt_of(row) for row in rows]


async def count_open_fiscal(pool: Pool) -> Mapping[str, int]:
    """How many are in each state that still wants something; ten thousand at most."""
    rows = await pool.fetch(
        """
        SELECT state, (SELECT count(*) FROM (SELECT FROM fiscal_receipts WHERE fiscal_receipts.state = open.state LIMIT $2)
                                         AS some) AS count
          FROM unnest($1::text[]) AS open (state)
        """,
        list(OPEN_STATES),
        COUNTED,
    )
    return {row["state"]: row["count"] for row in rows}
