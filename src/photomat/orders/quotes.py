"""What an order costs this user now, and why: an operator's rules and the user's vouchers are read with every quote."""

from collections.abc import Mapping
from typing import Any

from photomat.catalog.model import Model
from photomat.catalog.overrides import rules_of
from photomat.catalog.pricing import Quote, Rates, quote
from photomat.db.pool import Transaction
from photomat.files.facts import measured_inputs
from photomat.jobs.history import inputs_of_earlier_jobs
from photomat.kernel.ids import UserId
from photomat.rewards.vouchers import voucher_for


async def quote_for(
    tx: Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any], *, rates: Rates
) -> Quote:
    """The price with everything it is made of; nothing to pay where a voucher of the user covers it."""
    chosen_before = await inputs_of_earlier_jobs(tx, user_id, model, inputs)
    measured = await measured_inputs(tx, user_id, model, inputs)
    standing = await rules_of(tx, model.id, currency=rates.currency)
    found = quote(model, {**inputs, **chosen_before}, rates, standing, measured=measured)
    paid_by = await voucher_for(tx, user_id=user_id, quote=found) if found.price.minor else None
    return found if paid_by is None else found.with_voucher(paid_by)
