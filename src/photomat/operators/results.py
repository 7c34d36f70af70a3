"""What an operator does to the copies of results: move them into another store, delete what no row names. Both journaled."""

from collections.abc import Callable
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.delivery.leftovers import MoveReport, SweepReport, move_copies, sweep_store
from photomat.operators.actions import ActionResult, journaled
from photomat.storage.places import ResultPlaces
from photomat.storage.store import FileStore
from photomat.texts.sentence import Sentence

MIB: Final = 1 << 20


async def move_results(
    pool: Pool,
    places: ResultPlaces,
    *,
    to: FileStore,
    operator: str,
    reason: str | None,
    progress: Callable[[MoveReport], None],
) -> MoveReport:
    """Move every copy into one store; what was moved when the run was killed is in the journal of the next."""
    report = await move_copies(pool, places, to=to, progress=progress)

    async def act(_tx: Transaction) -> ActionResult:
        says = Sentence(
            "results-moved",
            count=report.moved,
            megabytes=report.moved_bytes // MIB,
            store=str(to.address),
            left=report.missing + report.damaged + report.failed,
        )
        return ActionResult(done=report.is_complete, says=says)

    await journaled(pool, act, action="move results", operator=operator, reason=reason, reference="results")
    return report


async def sweep_results(
    pool: Pool, places: ResultPlaces, *, store: FileStore, operator: str, reason: str | None
) -> SweepReport:
    """Delete the files of a store that no row names."""
    report = await sweep_store(pool, places, store)

    async def act(_tx: Transaction) -> ActionResult:
        says = Sentence("results-swept", count=report.deleted, store=str(store.address))
        return ActionResult(done=True, says=says)

    await journaled(pool, act, action="sweep results", operator=operator, reason=reason, reference="results")
    return report
