"""What an earlier job was ordered with: some prices depend on the task an order goes on from."""

from collections.abc import Mapping
from typing import Any

from photomat.catalog.formula import plain
from photomat.catalog.model import Model
from photomat.catalog.reference import JobRef, reference
from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import UserId


async def chosen_then(
    session: Pool | Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any]
) -> dict[str, str]:
    """What the jobs this order refers to were ordered with, as prices name it: `{"task_id:resolution": "480p"}`."""
    wanted = {name for row in model.prices for name, _ in row.when if ":" in name}
    tasks = {name: ref for name, value in inputs.items() if isinstance(ref := reference(value), JobRef)}
    if not wanted or not tasks:
        return {}
    rows = await session.fetch(
        """
        SELECT job_id, coalesce(request -> 'body', inputs) AS chosen
          FROM generation_jobs WHERE job_id = ANY($1::bigint[]) AND user_id = $2
        """,
        [ref.job_id for ref in tasks.values()],
        user_id,
    )
    chosen = {row["job_id"]: row["chosen"] for row in rows}
    found = {
        f"{name}:{key}": plain(value)
        for name, ref in tasks.items()
        for key, value in chosen.get(ref.job_id, {}).items()
        if isinstance(value, str | int | float | bool)
    }
    return {name: value for name, value in found.items() if name in wanted}
