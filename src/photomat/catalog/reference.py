"""References in an order: values that stand for a file a customer sent, or for an earlier result. Pure.

They are JSON objects, so no customer can type one: `{"file": 12}` is a file, `{"job": 55}` an earlier job whose task Kie
continues, `{"job": 55, "output": 0}` one of its outputs, such as a track. They are frozen with the order and replaced by URLs
and ids of Kie only when it is submitted (`jobs/inputs.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class FileRef:
    """A row of `input_files`."""

    file_id: int

    def as_json(self) -> dict[str, int]:
        return {"file": self.file_id}


@dataclass(frozen=True, slots=True)
class JobRef:
    """An earlier job, or one output of it."""

    job_id: int
    output: int | None = None

    def as_json(self) -> dict[str, int]:
        return {"job": self.job_id} if self.output is None else {"job": self.job_id, "output": self.output}


Ref: TypeAlias = FileRef | JobRef


def reference(value: object) -> Ref | None:
    """The reference a value is; None for any other value."""
    match value:
        case {"file": int(file_id), **others} if not others:
            return FileRef(file_id)
        case {"job": int(job_id), "output": int(output), **others} if not others:
            return JobRef(job_id, output)
        case {"job": int(job_id), **others} if not others:
            return JobRef(job_id)
        case _:
            return None


def references(value: Any) -> Iterator[Ref]:
    """Every reference inside a value, in order."""
    found = reference(value)
    if found is not None:
        yield found
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from references(each)


def files_in(value: Any) -> list[FileRef]:
    return [ref for ref in references(value) if isinstance(ref, FileRef)]


def resolved(value: Any, known: Mapping[Ref, str]) -> Any:
    """The value with every reference replaced by what it stands for; KeyError where that is not known."""
    found = reference(value)
    if found is not None:
        return known[found]
    if isinstance(value, Mapping):
        return {name: resolved(each, known) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [resolved(each, known) for each in value]
    return value
