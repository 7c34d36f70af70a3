"""What the assistant left on a draft: the prompt before it was improved, or one question. Pure.

Notes are kept in the draft's row and prove themselves: an improvement counts while the prompt is still the improved one, and a
question only on the revision it was asked with. So any other change of the draft ends them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from photomat.orders.draft import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """The input that was improved, and what it was before; `in_english`: it was also translated for its model."""

    name: str
    before: str
    in_english: bool


def planned(*, call_id: int, revision: int, question: str | None) -> dict[str, Any]:
    return {"call": call_id, "revision": revision, "question": question}


def improved(*, call_id: int, revision: int, improvement: Improvement, after: str) -> dict[str, Any]:
    return {
        "call": call_id,
        "revision": revision,
        "input": improvement.name,
        "before": improvement.before,
        "after": after,
        "in_english": improvement.in_english,
    }


def question_on(draft: Draft) -> str | None:
    notes = _notes(draft)
    found = notes.get("question")
    return found if isinstance(found, str) and notes.get("revision") == draft.revision else None


def improvement_of(draft: Draft) -> Improvement | None:
    match _notes(draft):
        case {"input": str(name), "before": str(before), "after": str(after), "in_english": bool(in_english)}:
            same = draft.inputs.get(name) == after
            return Improvement(name=name, before=before, in_english=in_english) if same else None
        case _:
            return None


def is_left_by(draft: Draft, call_id: int) -> bool:
    """Whether the newest revision is what this call made."""
    notes = _notes(draft)
    return notes.get("call") == call_id and notes.get("revision") == draft.revision


def _notes(draft: Draft) -> Mapping[str, Any]:
    return draft.assistant or {}
