"""What a job's price was made of, what Kie took for it, and what was left: for its customer, and for the operator.

Reads only. The quote was frozen when the job was bought; cost and margin are known where Kie said what it took.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from photomat.catalog.formula import plain
from photomat.catalog.pricing import Quote, quote_from_json
from photomat.db.pool import Pool
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnQuote:
    """The price of one's own job; `quote` is None where an older program sold it."""

    model: str
    price: Money
    quote: Quote | None
    corr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """What a model brought over some days. `unknown` counts the jobs whose cost Kie did not tell: they are in no sum of costs.

    `income` is what was charged and `cost` what Kie took, failed and given away ones too; `margin` is over jobs of known cost.
    """

    model: str
    currency: str
    jobs: int
    done: int
    unknown: int
    income: int
    cost: int
    margin: int


async def quote_of_own_job(pool: Pool, *, job_id: JobId, user_id: UserId) -> OwnQuote | None:
    """The price of a job and its reasons, if it is this user's."""
    row = await pool.fetchrow(
        "SELECT model, price, currency, quote, corr FROM generation_jobs WHERE job_id = $1 AND user_id = $2",
        job_id,
        user_id,
    )
    if row is None:
        return None
    price = Money(row["price"], row["currency"])
    return OwnQuote(model=row["model"], price=price, quote=quote_from_json(row["quote"]), corr=row["corr"])


async def margins(pool: Pool, *, since: timedelta) -> list[Margin]:
    """What each model brought, by the jobs settled lately; the largest income first."""
    rows = await pool.fetch(
        """
        SELECT model, currency, count(*) AS jobs, count(*) FILTER (WHERE status = 'done') AS done,
               count(*) FILTER (WHERE cost IS NULL) AS unknown,
               coalesce(sum(price) FILTER (WHERE status = 'done' AND NOT gift), 0)::bigint AS income,
               coalesce(sum(cost), 0)::bigint AS cost,
               coalesce(sum(CASE WHEN status = 'done' AND NOT gift THEN price ELSE 0 END - cost), 0)::bigint AS margin
          FROM generation_jobs
         WHERE settled_at > photomat_now() - $1::interval
         GROUP BY model, currency ORDER BY income DESC, model
        """,
        since,
    )
    return [Margin(**dict(row)) for row in rows]


def in_operators_words(row: Mapping[str, Any]) -> list[str]:
    """A job's money in sentences: how its price was made, what Kie took, what was left. `row` is the job's."""
    price = Money(row["price"], row["currency"])
    quote = quote_from_json(row["quote"])
    lines = [f"price {price}" if quote is None else f"price {price} = {_made_of(quote)}"]
    if row["cost"] is None:
        expected = "unknown" if quote is None else f"{quote.cost} expected by the catalogue"
        return [*lines, f"cost {expected}; Kie has not said what it took"]
    cost = Money(row["cost"], row["currency"])
    lines.append(f"cost {cost}: Kie took {plain(Decimal(row['credits_consumed']))} credits")
    if quote is not None and quote.cost != cost:
        lines.append(f"the catalogue expected {quote.cost}")
    if row["settled_at"] is not None:
        kept = row["price"] if row["status"] == "done" and not row["gift"] else 0
        lines.append(f"margin {Money(kept - cost.minor, price.currency)}")
    return lines


def _made_of(quote: Quote) -> str:
    """`0.8 credits × $0.005 × 80 × markup 2.0, up to a step of 1`."""
    if quote.paid_by is not None:
        return f"paid by promo code {quote.paid_by.code} instead of {quote.paid_by.price} = {_made_of(quote.without_voucher())}"
    match quote.rule:
        case "free":
            made = "free"
        case "fixed":
            made = "fixed by an operator"
        case _:
            of_rule = " (an operator's)" if quote.rule == "markup" else ""
            made = f"{plain(quote.credits)} credits × $0.005 × {plain(quote.usd_rate)} × markup {plain(quote.markup)}{of_rule}"
    if quote.percent is not None:
        made += f", less {plain(quote.percent)} %"
    if quote.raised:
        made += ", raised to cost"
    return made if quote.step == 1 else f"{made}, up to a step of {Money(quote.step, quote.price.currency)}"
