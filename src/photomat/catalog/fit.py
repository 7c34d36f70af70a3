"""Whether what an order refers to is still there and still fits: files, and things made before. Pure."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from photomat.catalog.answers import FileFacts, Refused, check_files
from photomat.catalog.input import FileLimits, Input
from photomat.catalog.model import Model
from photomat.catalog.order import open_to_customers
from photomat.catalog.reference import FileRef, Ref, references


def unfit(
    model: Model, inputs: Mapping[str, Any], *, gone: Collection[Ref], facts: Mapping[FileRef, FileFacts]
) -> dict[str, Refused]:
    """Which inputs cannot stay as they are, and why: `gone` is no longer there, nor is a file of which nothing is known."""
    found: dict[str, Refused] = {}
    for each in open_to_customers(model, inputs):
        refs = list(references(inputs.get(each.name)))
        if any(ref in gone or (isinstance(ref, FileRef) and ref not in facts) for ref in refs):
            found[each.name] = Refused(key="form-gone", facts={"input": each.name})
            continue
        checked = (check_files(asked, [facts[ref] for ref in files]) for asked, files in _files(each, inputs))
        wrong = next((refused for refused in checked if refused), None)
        found |= {each.name: wrong} if wrong else {}
    return found


def limits_of_files(model: Model, inputs: Mapping[str, Any]) -> dict[FileRef, list[FileLimits]]:
    """What the model takes where each file of an order is given; a file may be given in several places."""
    found: dict[FileRef, list[FileLimits]] = {}
    for each in model.inputs:
        for asked, refs in _files(each, inputs):
            for ref in refs:
                found.setdefault(ref, []).extend([asked.files] if asked.files else [])
    return found


def _files(asked: Input, inputs: Mapping[str, Any]) -> Iterator[tuple[Input, list[FileRef]]]:
    """The files of an input, or of every line of a list, each with what they are asked for as."""
    value = inputs.get(asked.name)
    lines = value if asked.type == "list" and isinstance(value, list) else [inputs]
    for line in (line for line in lines if isinstance(line, Mapping)):
        for each in asked.fields or (asked,):
            files = [ref for ref in references(line.get(each.name)) if isinstance(ref, FileRef)]
            if each.takes_files and files:
                yield each, files
