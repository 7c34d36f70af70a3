"""Prices as operators set them, over the verbs they use."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.pricing import Override, OverrideKind
from photomat.db.pool import Pool
from photomat.operators.actions import ActionResult
from photomat.operators.catalog import PriceChange, change_price
from support.shop import RATES

Z_IMAGE = load_catalog().get("z-image")
ME = "cli:anna@desk"


async def set_price(
    pool: Pool,
    kind: OverrideKind,
    value: str = "0",
    *,
    until: datetime | None = None,
    model: Model = Z_IMAGE,
    **changes: Any,
) -> ActionResult:
    """One rule for a model, set by an operator."""
    override = Override(kind=kind, value=Decimal(value), until=until)
    return await change(pool, override, model=model, **changes)


async def clear_price(pool: Pool, **changes: Any) -> ActionResult:
    """Back to the settings."""
    return await change(pool, None, **changes)


async def change(pool: Pool, override: Override | None, *, model: Model = Z_IMAGE, **changes: Any) -> ActionResult:
    """Any change of a price."""
    wanted = PriceChange(model=model, override=override, operator=ME, reason="a sale", **changes)
    return await change_price(pool, wanted, rates=RATES)
