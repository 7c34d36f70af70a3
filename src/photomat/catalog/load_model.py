"""One model, from its table: names that exist, a price for every combination, an example that can be ordered."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from photomat.catalog.entry import Entry
from photomat.catalog.input import Condition, Input
from photomat.catalog.load_input import INPUT_FIELDS, read_condition, read_input
from photomat.catalog.load_price import EXTRA_FIELDS, PRICE_FIELDS, read_extra, read_rows, read_unit
from photomat.catalog.model import (
    AT_ONCE,
    CATEGORIES,
    OUTPUTS,
    PACES,
    STATUSES,
    TAGS,
    Category,
    Kind,
    Model,
    Output,
    Pace,
    Together,
)
from photomat.catalog.order import check_order, example_of
from photomat.catalog.price_list import unpriced
from photomat.catalog.words import Said, Words, is_russian
from photomat.kie.families import FAMILIES, JOBS

MODEL_FIELDS: Final = frozenset({
    "id", "title", "purpose", "category", "also", "output", "protocol", "callback", "status", "off", "instead", "doubt",
    "aliases", "tags", "pace", "free", "sent", "omits", "input", "one_of", "never", "together", "price", "step", "unit",
    "extra", "example", "reviewed",
})  # fmt: skip
NEVER_FIELDS: Final = frozenset({"when", "given", "without", "above", "why"})
TOGETHER_FIELDS: Final = frozenset({"of", "max_items", "max_seconds"})
PACE_OF: Final[Mapping[Output, Pace]] = {"image": "steady", "video": "slow", "audio": "steady", "json": "quick"}


def read_model(entry: Entry, words: Words) -> Model:
    """Read one model and see that it can be sold."""
    model_id, titles = entry.text("id"), entry.said("title")
    asked = entry.tables("input", INPUT_FIELDS, named_by="name")
    inputs = tuple(read_input(each, words) for each in asked)
    names = [each.name for each in inputs]
    entry.require(len(names) == len(set(names)), "input", "two inputs bear the same name")
    output, free, off = entry.one_of("output", OUTPUTS), entry.flag("free"), entry.some_text("off")
    kind: Kind = "text" if output == "json" else output
    rows = entry.some_tables("price", PRICE_FIELDS, named_by="credits")
    extras = entry.some_tables("extra", EXTRA_FIELDS, named_by="credits")
    model = Model(
        id=model_id,
        title=titles.ru,
        kind=kind,
        inputs=inputs,
        prices=read_rows(entry, rows, inputs, free=free),
        unit=read_unit(entry, inputs),
        extras=tuple(read_extra(each, inputs) for each in extras),
        step=read_unit(entry, inputs, "step") if "step" in entry.fields else None,
        free=free,
        protocol=_protocol(entry, off),
        titles=titles,
        purpose=entry.said("purpose"),
        output=output,
        category=entry.one_of("category", CATEGORIES),
        also=_also(entry),
        tags=tuple(tag for tag in TAGS if tag in _known(entry, "tags", TAGS)),
        status=entry.one_of("status", STATUSES, otherwise="current"),
        pace=entry.one_of("pace", PACES, otherwise=PACE_OF[output]),
        off=off,
        instead=entry.some_text("instead"),
        doubt=entry.some_text("doubt"),
        aliases=entry.some_texts("aliases"),
        needs_callback=entry.flag("callback"),
        sent=_table(entry, "sent"),
        omits=_table(entry, "omits"),
        one_of=_one_of(entry, names),
        never=tuple(read_condition(each) for each in entry.some_tables("never", NEVER_FIELDS, named_by="when")),
        together=tuple(
            _together(each, names) for each in entry.some_tables("together", TOGETHER_FIELDS, named_by="of")
        ),
        example=_table(entry, "example"),
        example_prompt=_example_prompt(entry, inputs, words),
        reviewed=entry.some_texts("reviewed"),
    )
    _check_sale(entry, model)
    _check_conditions(entry, asked, model)
    _check_price(entry, model)
    _check_example(entry, model)
    return model


def _protocol(entry: Entry, off: str | None) -> str:
    protocol = entry.some_text("protocol") or JOBS
    fine = protocol in FAMILIES or (protocol == AT_ONCE and off is not None)
    entry.require(fine, "protocol", f"is one of {', '.join(FAMILIES)}")
    return protocol


def _also(entry: Entry) -> tuple[Category, ...]:
    return tuple(category for category in CATEGORIES if category in _known(entry, "also", CATEGORIES))


def _known(entry: Entry, field: str, words: tuple[str, ...]) -> tuple[str, ...]:
    found = entry.some_texts(field)
    for word in found:
        entry.require(word in words, field, f"{word} is not one of {', '.join(words)}")
    return found


def _table(entry: Entry, field: str) -> Mapping[str, Any]:
    found = entry.fields.get(field, {})
    entry.require(isinstance(found, dict), field, f"is one table: {field} = {{ … }}")
    return dict(found)


def _one_of(entry: Entry, names: list[str]) -> tuple[tuple[str, ...], ...]:
    sets = entry.fields.get("one_of", [])
    fine = isinstance(sets, list) and all(isinstance(each, list) and each for each in sets)
    entry.require(fine, "one_of", "is a list of lists of inputs")
    for name in (name for each in sets for name in each):
        entry.require(name in names, "one_of", f"{name} is not an input of this model")
    return tuple(tuple(each) for each in sets)


def _together(entry: Entry, names: list[str]) -> Together:
    of = entry.texts("of")
    for name in of:
        entry.require(name in names, "of", f"{name} is not an input of this model")
    return Together(of=of, max_items=entry.whole("max_items"), max_seconds=entry.measure("max_seconds"))


def _check_sale(entry: Entry, model: Model) -> None:
    entry.require(
        bool(model.prices) or model.off is not None, "price", "a model without a price is `off`, and says why"
    )
    fine = model.status in {"current", "legacy-endpoint"} or model.off is not None
    entry.require(fine, "off", f"a model that is {model.status} is `off`, and says why")


def _check_conditions(entry: Entry, asked: Sequence[Entry], model: Model) -> None:
    """An input, a rule or an example speaks of inputs that exist, and of values they can have."""
    by_name = {each.name: each for each in model.inputs}
    for owner, each in zip(asked, model.inputs, strict=True):
        _check_condition(owner, "when" if each.condition.when else "without", each.condition, by_name)
        for condition, _ in each.defaults:
            _check_condition(owner, "defaults", condition, by_name)
        _check_fields_spoken_of(owner, each, model.inputs)
    for never in model.never:
        _check_condition(entry, "never", never, by_name)
    for name in model.example:
        entry.require(name in by_name, "example", f"{name} is not an input of this model")


def _check_condition(entry: Entry, field: str, condition: Condition, by_name: Mapping[str, Input]) -> None:
    for name in condition.names:
        entry.require(name in by_name, field, f"{name} is not an input of this model")
    for name, values in condition.when:
        for value in values:
            fine = _can_be(by_name[name], value)
            entry.require(fine, field, f"{name} = {value!r} is not an option of this model")


def _check_fields_spoken_of(entry: Entry, asked: Input, inputs: Sequence[Input]) -> None:
    """`sums` and `among` name a field of a list of this model."""
    known = {f"{each.name}.{field.name}" for each in inputs for field in each.fields}
    for word, named in (("sums", asked.sums), *(("among", field.among) for field in asked.fields)):
        entry.require(named is None or named in known, word, f"{named} is not a field of a list of this model")


def _can_be(asked: Input, value: str) -> bool:
    return value in {"choice": asked.options, "switch": ("true", "false")}.get(asked.type, (value,))


def _check_price(entry: Entry, model: Model) -> None:
    lacking = unpriced(model) if model.prices else None
    shown = ", ".join(f"{name} = {value!r}" for name, value in (lacking or {}).items())
    entry.require(lacking is None, "price", f"no row fits {shown or 'these inputs'}")


def _example_prompt(entry: Entry, inputs: Sequence[Input], words: Words) -> Said | None:
    """What the example describes, in both languages: its first text."""
    example = _table(entry, "example")
    said = next((example[each.name] for each in inputs if each.type == "text" and each.name in example), None)
    if said is None or not is_russian(said):
        return None if said is None else Said(ru=said, en=said)
    entry.require(said in words.examples, "example", "words.toml does not say in its [example] what this is in English")
    return Said(ru=said, en=words.examples[said])


def _check_example(entry: Entry, model: Model) -> None:
    """Whatever Kie still takes has an example that can be ordered as it is."""
    if not model.can_be_ordered:
        return
    refused = check_order(model, example_of(model))
    shown = "; ".join(f"{each.key} {dict(each.facts)}" for each in refused)
    entry.require(not refused, "example", f"cannot be ordered: {shown}")
