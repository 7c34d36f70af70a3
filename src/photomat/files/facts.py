"""What is known of the files an order refers to: what prices count, what limits apply to, what is missing."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import FileFacts, measured
from photomat.catalog.model import Model
from photomat.catalog.reference import FileRef, JobRef, Ref, files_in, references
from photomat.db.pool import Transaction
from photomat.files import store
from photomat.kernel.ids import UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Referred:
    """What is known of what an order refers to: the user's files, and the references that no longer lead anywhere."""

    files: Mapping[FileRef, FileFacts]
    gone: AbstractSet[Ref]


NOTHING_REFERRED: Final = Referred(files={}, gone=frozenset())


async def referred(tx: Transaction, user_id: UserId, inputs: Mapping[str, Any]) -> Referred:
    return Referred(
        files=await file_facts(tx, user_id, files_in(inputs)), gone=await missing_references(tx, user_id, inputs)
    )


def measured_inputs(model: Model, inputs: Mapping[str, Any], known: Mapping[FileRef, FileFacts]) -> dict[str, Decimal]:
    """What a price counts of an order's files, like `audio_url:seconds`; files of other users, unknown here, count nothing."""
    refs = {each.name: files_in(inputs.get(each.name)) for each in model.inputs}
    complete = {name: found for name, found in refs.items() if all(ref in known for ref in found)}
    return measured({name: [known[ref] for ref in found] for name, found in complete.items()})


async def file_facts(tx: Transaction, user_id: UserId, refs: Iterable[FileRef]) -> dict[FileRef, FileFacts]:
    """What these files are, as far as they are this user's."""
    wanted = {ref.file_id for ref in refs}
    if not wanted:
        return {}
    found = await store.own_files(tx, user_id=user_id, file_ids=wanted)
    return {file.ref: file.content.facts for file in found.values()}


async def missing_references(tx: Transaction, user_id: UserId, inputs: Any) -> set[Ref]:
    """References of an order that no longer lead anywhere: deleted files, expired results, unknown jobs."""
    refs = set(references(inputs))
    files = files_in(inputs)
    jobs = [ref for ref in refs if isinstance(ref, JobRef)]
    if files:
        refs -= await store.files_still_there(tx, files, user_id=user_id)
    if jobs:
        refs -= await store.jobs_still_there(tx, jobs, user_id=user_id)
    return refs
