"""Whether an order can be bought as it is: its inputs against today's catalogue, its files and earlier results still there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from photomat.catalog.answers import Refused
from photomat.catalog.file_rules import FileFacts, check_files
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, unfit
from photomat.catalog.reference import FileRef, references
from photomat.db.pool import Transaction
from photomat.files.facts import file_facts, measured_inputs, missing_references
from photomat.kernel.ids import UserId


async def objections(tx: Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> tuple[Refused, ...]:
    """Every reason why this order cannot be bought now; empty when it can."""
    measured = await measured_inputs(tx, user_id, model, inputs)
    cannot_stay = await unfit_inputs(tx, user_id, model, inputs)
    return (*cannot_stay.values(), *check_order(model, inputs, measured))


async def unfit_inputs(tx: Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> dict[str, Refused]:
    """The inputs that have to be given again, and why: a file or result is gone, or a file no longer fits the catalogue."""
    facts = await file_facts(tx, user_id, _files_in(dict(inputs)))
    lost = await missing_references(tx, user_id, inputs)
    return unfit(model, inputs, gone=lost, facts=facts)


async def files_too_long(
    tx: Transaction, user_id: UserId, asked: Input, given: Sequence[Mapping[str, Any]], added: FileFacts
) -> Refused | None:
    """Whether the files of an input would be longer than it takes in total, with one added to those given."""
    if asked.files is None or asked.files.total_seconds is None:
        return None
    refs = _files_in(list(given))
    known = await file_facts(tx, user_id, refs)
    before = [known[ref] for ref in refs if ref in known]
    return check_files(replace(asked, min_items=1), [*before, added])


def _files_in(value: Any) -> list[FileRef]:
    return [ref for ref in references(value) if isinstance(ref, FileRef)]
