"""What operators set for a model without a deploy: every statement on `model_prices` and `model_settings`.

A change takes effect everywhere at once (`orders/assortment.py`); most models have no row. A fixed price in another currency
does not apply: it would be another price.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from photomat.catalog.pricing import NO_RULES, Override, OverrideKind, PriceRules
from photomat.catalog.storefront import AS_IN_ITS_FILE, ModelSetting
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row

KINDS: Final[tuple[OverrideKind, ...]] = ("fixed", "markup", "free", "discount")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOverride:
    """One rule as the table has it; only a fixed price has a currency. `catalog price --json` prints every field."""

    price_id: int
    model: str
    override: Override
    currency: str | None
    from_at: datetime
    operator: str
    reason: str
    set_at: datetime
    cleared_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRule:
    """A rule that is not over yet; it may not have begun."""

    model: str
    override: Override
    from_at: datetime

    def holds_at(self, now: datetime) -> bool:
        return self.from_at <= now and (self.override.until is None or self.override.until > now)


async def standing_rules(tx: Transaction, *, currency: str) -> dict[str, PriceRules]:
    """The rules in force now, by model; most models have none."""
    return standing_at(await timed_rules(tx, currency=currency), await tx.fetchval("SELECT photomat_now()"))


async def timed_rules(tx: Transaction, *, currency: str) -> tuple[TimedRule, ...]:
    """The rules in force now or later, the newest first, without those that a newer one replaces for good."""
    rows = await tx.fetch(
        """
        SELECT model, kind, value, from_at, until_at, confirmed FROM (
            SELECT *, coalesce(amount, markup, percent, 0) AS value,
                   max(price_id) FILTER (WHERE from_at <= photomat_now() AND until_at IS NULL)
                       OVER (PARTITION BY model, kind = 'discount') AS lasting
              FROM model_prices
             WHERE cleared_at IS NULL AND (until_at IS NULL OR until_at > photomat_now())
               AND (currency IS NULL OR currency = $1)) AS known
         WHERE lasting IS NULL OR price_id >= lasting
         ORDER BY price_id DESC
        """,
        currency,
    )
    return tuple(TimedRule(model=row["model"], override=_override(row), from_at=row["from_at"]) for row in rows)


def standing_at(rules: Iterable[TimedRule], now: datetime) -> dict[str, PriceRules]:
    """Which of these rules, the newest first, are in force at this time, by model."""
    found: dict[str, PriceRules] = {}
    for each in rules:
        known = found.get(each.model, NO_RULES)
        if not each.holds_at(now):
            continue
        if each.override.kind == "discount":
            found[each.model] = replace(known, discount=known.discount or each.override)
        else:
            found[each.model] = replace(known, rule=known.rule or each.override)
    return found


async def rules_of(tx: Transaction, model: str, *, currency: str) -> PriceRules:
    return (await standing_rules(tx, currency=currency)).get(model, NO_RULES)


async def lock_prices(tx: Transaction) -> None:
    """Let one change of prices happen at a time, so that each is measured against the price it really changes."""
    await tx.execute("LOCK TABLE model_prices IN SHARE ROW EXCLUSIVE MODE")


async def add_rule(
    tx: Transaction,
    model: str,
    override: Override,
    *,
    currency: str,
    from_at: datetime | None,
    operator: str,
    reason: str,
) -> int:
    """Set a rule; it applies from its start to its end, or until it is cleared or replaced by a newer one."""
    kind, value = override.kind, override.value
    price_id: int = await tx.fetchval(
        """
        INSERT INTO model_prices (model, kind, amount, currency, markup, percent, from_at, until_at, operator, reason,
                                  confirmed)
        VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, photomat_now()), $8, $9, $10, $11)
        RETURNING price_id
        """,
        model,
        kind,
        int(value) if kind == "fixed" else None,
        currency if kind == "fixed" else None,
        value if kind == "markup" else None,
        value if kind == "discount" else None,
        from_at,
        override.until,
        operator,
        reason,
        override.confirmed,
    )
    return price_id


async def clear_rules(tx: Transaction, model: str) -> int:
    """End every rule of a model, also those that have not begun; return how many."""
    cleared = await tx.fetch(
        """
        UPDATE model_prices SET cleared_at = photomat_now()
         WHERE model = $1 AND cleared_at IS NULL AND (until_at IS NULL OR until_at > photomat_now())
        RETURNING price_id
        """,
        model,
    )
    return len(cleared)


async def stored_rules(pool: Pool, model: str, *, limit: int = 20) -> list[StoredOverride]:
    """The newest rules of a model, ended ones too."""
    rows = await pool.fetch(
        """
        SELECT price_id, model, kind, coalesce(amount, markup, percent, 0) AS value, currency, from_at, until_at, operator,
               reason, confirmed, set_at, cleared_at
          FROM model_prices WHERE model = $1 ORDER BY price_id DESC LIMIT $2
        """,
        model,
        limit,
    )
    return [_stored(row) for row in rows]


def _stored(row: Row) -> StoredOverride:
    return StoredOverride(
        price_id=row["price_id"],
        model=row["model"],
        override=_override(row),
        currency=row["currency"],
        from_at=row["from_at"],
        operator=row["operator"],
        reason=row["reason"],
        set_at=row["set_at"],
        cleared_at=row["cleared_at"],
    )


def _override(row: Row) -> Override:
    return Override(
        kind=next(kind for kind in KINDS if kind == row["kind"]),
        value=Decimal(row["value"]),
        until=row["until_at"],
        confirmed=row["confirmed"],
    )


async def settings_of_models(pool: Pool) -> dict[str, ModelSetting]:
    rows = await pool.fetch("SELECT model, hidden, featured, sold, title_ru, title_en FROM model_settings")
    return {row["model"]: _setting(row) for row in rows}


async def setting_of(pool: Pool, model: str) -> ModelSetting:
    return (await settings_of_models(pool)).get(model, AS_IN_ITS_FILE)


async def lock_setting(tx: Transaction, model: str) -> ModelSetting:
    """The setting of a model, locked until this transaction ends: changes of one model happen one after the other."""
    await tx.execute("INSERT INTO model_settings (model) VALUES ($1) ON CONFLICT (model) DO NOTHING", model)
    row = await require_row(
        tx, "SELECT hidden, featured, sold, title_ru, title_en FROM model_settings WHERE model = $1 FOR UPDATE", model
    )
    return _setting(row)


async def keep_setting(tx: Transaction, model: str, setting: ModelSetting) -> None:
    await tx.execute(
        """
        UPDATE model_settings
           SET hidden = $2, featured = $3, sold = $4, title_ru = $5, title_en = $6, changed_at = photomat_now()
         WHERE model = $1
        """,
        model,
        setting.hidden,
        setting.featured,
        setting.sold,
        setting.title_ru,
        setting.title_en,
    )


def _setting(row: Row) -> ModelSetting:
    return ModelSetting(
        hidden=row["hidden"],
        featured=row["featured"],
        sold=row["sold"],
        title_ru=row["title_ru"],
        title_en=row["title_en"],
    )
