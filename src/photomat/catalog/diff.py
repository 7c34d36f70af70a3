"""How a model list of Kie differs from the catalogue, as lines to review. Pure.

The list is an array of objects: id, status, inputs (name, type, required, enum, limits, fields), price (credits, variants).
A line that was reviewed and left as it is goes into the model's `reviewed`, word for word, and is not reported again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import MEGABYTE
from photomat.catalog.formula import PriceRow, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Catalog, Model
from photomat.catalog.price_list import least_facts

GONE: Final = frozenset({"retired", "undocumented"})
NOT_LISTED: Final = "is no longer in the list"
JSON_TYPES: Final[Mapping[str, str]] = {"integer": "number", "object": "object"}
KieEntry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDifference:
    model: str
    change: str


def differences(catalog: Catalog, listed: Sequence[KieEntry]) -> list[ListDifference]:
    """Everything that is new, gone or changed in the list, model by model in its order."""
    found: list[ListDifference] = []
    for entry in listed:
        model = catalog.models.get(str(entry["id"]))
        lines = _changes(model, entry, catalog.omitted) if model else [_as_new(entry)]
        reviewed = model.reviewed if model else ()
        found += [ListDifference(model=str(entry["id"]), change=line) for line in lines if line not in reviewed]
    ids = {str(entry["id"]) for entry in listed}
    missing = [model for model in catalog.models.values() if model.id not in ids and model.status not in GONE]
    return found + [
        ListDifference(model=model.id, change=NOT_LISTED) for model in missing if NOT_LISTED not in model.reviewed
    ]


def _as_new(entry: KieEntry) -> str:
    needed = ", ".join(each["name"] for each in entry.get("inputs", ()) if each.get("required"))
    price = entry.get("price") or {}
    cost = f"{price['credits']} credits a {price.get('per', 'task')}" if price else "unknown price"
    return f"is new: {entry.get('category', '?')}, {cost}, needs {needed or 'nothing'}"


def _changes(model: Model, entry: KieEntry, omitted: Mapping[str, str]) -> Iterator[str]:
    if entry.get("status", model.status) != model.status:
        yield f"status: {model.status} → {entry['status']}"
    left_out = {*omitted, *model.omits, *model.sent}
    theirs = [each for each in entry.get("inputs", ()) if each["name"] not in left_out]
    yield from _inputs("input", model.inputs, theirs)
    yield from _prices(model, entry.get("price"))


def _inputs(word: str, ours: Sequence[Input], theirs: Sequence[KieEntry]) -> Iterator[str]:
    by_name = {each.name: each for each in ours}
    for each in theirs:
        known = by_name.get(each["name"])
        if known is None:
            need = "required" if each.get("required") else "optional"
            yield f"{word} {each['name']}: is new ({each.get('type', 'string')}, {need})"
        else:
            yield from (f"{word} {known.name}: {line}" for line in _input(known, each))
    names = {each["name"] for each in theirs}
    yield from (f"{word} {each.name}: is gone" for each in ours if each.name not in names)


def _input(ours: Input, theirs: KieEntry) -> Iterator[str]:
    json_type = JSON_TYPES.get(theirs.get("type", "string"), theirs.get("type", "string"))
    if json_type != _json_type(ours):
        yield f"type: {_json_type(ours)} → {json_type}"
    is_always_sent = ours.required or ours.default is not None
    if theirs.get("required") and not is_always_sent:
        yield "required: false → true"
    if ours.type == "choice" and theirs.get("enum"):
        yield from _options(ours.options, [plain(value) for value in theirs["enum"]])
    for word, (mine, other) in _limits(ours, theirs).items():
        if other is not None and mine != Decimal(str(other)):
            yield f"{word}: {'none' if mine is None else plain(mine)} → {plain(other)}"
    if ours.fields:
        yield from _inputs("field", ours.fields, theirs.get("fields", ()))


def _options(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    new = [value for value in theirs if value not in ours]
    gone = [value for value in ours if value not in theirs]
    if new:
        yield f"options: new {', '.join(new)}"
    if gone:
        yield f"options: gone {', '.join(gone)}"


def _limits(ours: Input, theirs: KieEntry) -> dict[str, tuple[Decimal | None, Any]]:
    """Each limit as we have it, and as the list has it; None where the list says nothing."""
    known: dict[str, tuple[Any, Any]] = {}
    match ours.type:
        case "text":
            known = {"max_length": (ours.max_length, theirs.get("max_length"))}
        case "number":
            known = {"min": (ours.least, theirs.get("min")), "max": (ours.most, theirs.get("max"))}
        case "file" | "files":
            size = ours.files.max_bytes if ours.files else None
            their_size = theirs.get("max_bytes")
            megabytes = None if their_size is None else their_size // MEGABYTE
            known = {
                "max_mb": (None if size is None else size // MEGABYTE, megabytes),
                "max_items": (ours.max_items if ours.type == "files" else 1, theirs.get("max_items")),
            }
        case "list":
            known = {"max_items": (ours.max_items, theirs.get("max_items"))}
        case _:
            pass
    return {word: (None if mine is None else Decimal(str(mine)), other) for word, (mine, other) in known.items()}


def _json_type(ours: Input) -> str:
    if ours.type in {"files", "list"} or ours.sends == "list":
        return "array"
    if ours.type == "switch":
        return "boolean"
    is_number = ours.sends == "number" or (ours.type == "number" and ours.sends != "text")
    return "number" if is_number else "string"


def _prices(model: Model, price: KieEntry | None) -> Iterator[str]:
    if not price:
        if model.prices:
            yield "price: is no longer known"
        return
    if not model.prices:
        yield f"price: none → {price['credits']} credits a {price.get('per', 'task')}"
        return
    cases = [({}, price["credits"]), *((each["if"], each["credits"]) for each in price.get("variants", ()))]
    for when, credits_ in cases:
        ours = _row(model, when)
        if ours is None or ours.credits != Decimal(str(credits_)):
            shown = ", ".join(f"{name} = {plain(value)}" for name, value in when.items()) or "by default"
            yield f"price {shown}: {'none' if ours is None else f'{ours.credits:f}'} → {plain(credits_)}"


def _row(model: Model, when: Mapping[str, Any]) -> PriceRow | None:
    filled = model.filled(when)
    size = model.step.count(filled, least_facts(model)) if model.step is not None else None
    return next((row for row in model.prices if row.fits(filled, size)), None)
