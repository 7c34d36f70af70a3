"""The assortment: what is sold now, by which price rules, and what is paused. Kept in memory, and never older than it looks.

Operators change it in three tables, and each change replaces the mark in `assortment_version` in its own transaction. An update
reads the mark in the statement it begins with, the purchase in the statement that locks its draft. What was read before counts
as long as the mark is the same, else it is read again. Rules and pauses that begin or end by themselves are decided by the
time that was read with the mark.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from photomat.catalog.model import Catalog
from photomat.catalog.overrides import TimedRule, settings_of_models, standing_at, timed_rules
from photomat.catalog.pricing import NO_RULES, PriceRules, Rates
from photomat.catalog.storefront import ModelSetting, Offer, Storefront, storefront_of
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, require_row
from photomat.work.controls import Pauses, read_pauses

FIND_MARK: Final = "SELECT version AS assortment_version, photomat_now() AS read_at FROM assortment_version"
ALWAYS: Final = datetime.min.replace(tzinfo=UTC)
NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssortmentMark:
    """Which assortment holds, and the time at which that was so."""

    version: UUID
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SaleOptions:
    """What the assortment depends on besides what operators set in the database."""

    catalog: Catalog
    accepts_callbacks: bool
    rates: Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAssortment:
    """Everything operators have set, also what has not begun or will end."""

    version: UUID
    settings: Mapping[str, ModelSetting]
    rules: tuple[TimedRule, ...]
    pauses: Pauses


@dataclass(frozen=True, slots=True, kw_only=True)
class Assortment:
    """What holds from `since` until `until`, when a rule or a pause begins or ends, unless operators change it.

    `offers` are those of everything shown, once they were asked for.
    """

    version: UUID
    since: datetime
    until: datetime
    settings: Mapping[str, ModelSetting]
    rules: Mapping[str, PriceRules]
    pauses: Pauses
    storefront: Storefront
    offers: list[Offer] = field(default_factory=list, compare=False)

    def holds(self, mark: AssortmentMark) -> bool:
        return self.version == mark.version and self.since <= mark.at < self.until

    def rules_of(self, model_id: str) -> PriceRules:
        return self.rules.get(model_id, NO_RULES)


class LatestAssortment:
    """The assortment this process has read last."""

    def __init__(self) -> None:
        self._options: SaleOptions | None = None
        self._stored: StoredAssortment | None = None
        self._found: Assortment | None = None

    async def get(self, pool: Pool, mark: AssortmentMark, options: SaleOptions) -> Assortment:
        """The assortment at this mark, or a newer one; read from the database only where the mark is unknown."""
        if self._found is not None and self._found.holds(mark) and self._options == options:
            return self._found
        if self._stored is None or self._stored.version != mark.version or self._options != options:
            self._stored = await _read(pool, options.rates.currency)
        self._options = options
        self._found = assortment_at(self._stored, mark.at, options)
        return self._found


async def read_mark(session: Pool | Transaction) -> AssortmentMark:
    return mark_of(await require_row(session, FIND_MARK))


def mark_of(row: Row) -> AssortmentMark:
    """The mark in a row of `FIND_MARK`."""
    return AssortmentMark(version=row["assortment_version"], at=row["read_at"])


async def _read(pool: Pool, currency: str) -> StoredAssortment:
    """Read the mark first: what is read after it is at least as new."""
    mark = await read_mark(pool)
    async with transaction(pool) as tx:
        rules = await timed_rules(tx, currency=currency)
    return StoredAssortment(
        version=mark.version, settings=await settings_of_models(pool), rules=rules, pauses=await read_pauses(pool)
    )


def assortment_at(stored: StoredAssortment, now: datetime, options: SaleOptions) -> Assortment:
    begin_or_end = [
        *(each.from_at for each in stored.rules),
        *(each.override.until for each in stored.rules if each.override.until is not None),
        *(each.until_at for each in stored.pauses.by_name.values() if each.until_at is not None),
    ]
    pauses = stored.pauses.at(now)
    return Assortment(
        version=stored.version,
        since=max((each for each in begin_or_end if each <= now), default=ALWAYS),
        until=min((each for each in begin_or_end if each > now), default=NEVER),
        settings=stored.settings,
        rules=standing_at(stored.rules, now),
        pauses=pauses,
        storefront=storefront_of(
            options.catalog, stored.settings, accepts_callbacks=options.accepts_callbacks, paused=pauses.models
        ),
    )
