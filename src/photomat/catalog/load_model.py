"""One model, from its table. `docs/catalogue.md` shows every form.

Refused: names of inputs that do not exist, values that are no options, a combination without a price, a price row that is never
reached, a count of an input that may be missing and has no `assume`, an example that cannot be ordered.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import MEGABYTE
from photomat.catalog.formula import (
    MEASURES,
    OF_FILES,
    ONE_GENERATION,
    Count,
    Extra,
    Measure,
    PriceRow,
    PriceUnit,
    as_number,
    plain,
)
from photomat.catalog.input import ALWAYS, FILE_KINDS, Condition, FileLimits, Input, Place
from photomat.catalog.model import AT_ONCE, CATEGORIES, STRENGTHS, TAGS, Model, Output, Pace, Together
from photomat.catalog.order import check_order, example_of
from photomat.catalog.price_list import unpriced
from photomat.catalog.roles import RULES, with_roles
from photomat.catalog.tables import (
    ConditionTable,
    DefaultTable,
    ExtraTable,
    InputTable,
    ModelTable,
    NeverTable,
    PriceTable,
    Refusal,
    UnitTable,
    inside,
    nested,
    require,
    same_fields,
)
from photomat.catalog.words import LocalizedText, Words, is_russian
from photomat.kie.protocol import FAMILIES, JOBS

OF_TYPES: Final[Mapping[Measure, frozenset[str]]] = {
    "value": frozenset({"choice", "number", "text"}),
    "length": frozenset({"text"}),
    "items": frozenset({"files", "file"}),
    "seconds": frozenset({"file", "files"}),
    "megapixels": frozenset({"file", "files"}),
    "side": frozenset({"file", "files"}),
}
"""What can be counted of which inputs."""
PACE_OF: Final[Mapping[Output, Pace]] = {"image": "steady", "video": "slow", "audio": "steady", "json": "quick"}
MISSING_WORDS: Final = "is said neither here nor in words.toml"


def read_model(table: ModelTable, words: Words) -> Model:
    inputs = with_roles(nested("input", table.input, lambda each: _input(each, words)))
    names = [each.name for each in inputs]
    require(len(names) == len(set(names)), "two inputs have the same name", "input")
    own: dict[str, Any] = {
        "title": table.title.ru,
        "titles": table.title,
        "kind": "text" if table.output == "json" else table.output,
        "inputs": inputs,
        "prices": _rows(table, inputs),
        "unit": _unit_at("unit", table.unit, inputs) if table.unit else ONE_GENERATION,
        "step": _unit_at("step", table.step, inputs) if table.step else None,
        "extras": nested("extra", table.extra, lambda each: _extra(each, inputs)),
        "protocol": table.protocol or JOBS,
        "also": tuple(category for category in CATEGORIES if category in table.also),
        "tags": tuple(tag for tag in TAGS if tag in table.tags),
        "good_at": tuple(each for each in STRENGTHS if each in table.good_at),
        "pace": table.pace or PACE_OF[table.output],
        "never": tuple(_condition(each) for each in table.never),
        "together": tuple(Together(**same_fields(each, Together)) for each in table.together),
        "example_prompt": _example_prompt(table.example, inputs, words),
    }
    model = Model(**same_fields(table, Model) | own)
    _check_sale(model)
    _check_names(model)
    _check_roles(model)
    _check_price(model)
    _check_example(model)
    return model


def _input(table: InputTable, words: Words, *, is_field: bool = False) -> Input:
    known = words.input(table.name)
    title = table.title or (known.title if known else None)
    ask = table.ask or (known.ask if known else None)
    require(title is not None, MISSING_WORDS, "title")
    options = _options(table, words)
    own: dict[str, Any] = {
        "options": options,
        "default": _default(table, options),
        "default_items": _default_items(table),
        "defaults": nested("defaults", table.defaults, lambda each: _default_beside(each, options)),
        "pattern": _pattern(table),
        "totals": _totals(table),
        "files": _files(table),
        "fields": nested("fields", table.fields_, lambda each: _input(each, words, is_field=True)),
        "place": _place(table),
        "condition": _condition(table),
        "title": title,
        "ask": ask,
        "labels": _labels(table, options, words),
    }
    found = Input(**same_fields(table, Input) | own)
    require(is_field or found.place != "ask" or ask is not None, MISSING_WORDS, "ask")
    is_main_known = found.main is None or found.main in {each.name for each in found.fields}
    require(is_main_known, f"{found.main} is not a field of its lines", "main")
    _check_number(found)
    return found


def _condition(table: ConditionTable) -> Condition:
    found = Condition(
        when=tuple((name, _values(value)) for name, value in table.when.items()),
        given=table.given,
        without=table.without,
        above=tuple(table.above.items()),
        why=table.why if isinstance(table, NeverTable) else None,
    )
    return ALWAYS if found == ALWAYS else found


def _values(written: Any) -> tuple[str, ...]:
    return tuple(plain(value) for value in (written if isinstance(written, list) else [written]))


def _options(table: InputTable, words: Words) -> tuple[str, ...]:
    """The options; a name instead of a list means all of that name in words.toml."""
    named = table.options
    if table.type != "choice" or isinstance(named, tuple):
        return named if isinstance(named, tuple) else ()
    require(named is not None, "is a list of texts that is not empty", "options")
    found = tuple(value for name, value in words.options if name == named)
    require(found, f"words.toml has no [options.{named}]", "options")
    return found


def _default(table: InputTable, options: Sequence[str]) -> str | None:
    default = table.default
    if default is None or table.type == "list":
        return None
    is_value = isinstance(default, str | int | float) and default != ""
    require(is_value, "is a text, a number, true or false", "default")
    require(not options or plain(default) in options, "is not among the options", "default")
    require(table.type != "switch" or plain(default) in {"true", "false"}, "is true or false", "default")
    return plain(default)


def _default_items(table: InputTable) -> tuple[Mapping[str, str], ...]:
    lines = table.default if table.type == "list" and table.default is not None else []
    fine = isinstance(lines, list) and all(isinstance(line, dict) for line in lines)
    require(fine, "is a list of lines", "default")
    return tuple({name: plain(value) for name, value in line.items()} for line in lines)


def _default_beside(table: DefaultTable, options: Sequence[str]) -> tuple[Condition, str]:
    require(not options or table.value in options, "is not among the options", "is")
    return _condition(table), table.value


def _pattern(table: InputTable) -> str | None:
    try:
        fits = table.pattern is None or re.fullmatch(table.pattern, table.like or "") is not None
    except re.error as error:
        raise Refusal(f"is no pattern: {error}", "pattern") from None
    require(fits, "is an example that the pattern takes", "like")
    return table.pattern


def _totals(table: InputTable) -> tuple[tuple[str, Decimal], ...]:
    require(table.totals.keys() <= {each.name for each in table.fields_}, "names fields of its lines", "totals")
    return tuple(table.totals.items())


def _place(table: InputTable) -> Place:
    must_ask = table.required and table.default is None
    place = table.place or ("ask" if must_ask else "card")
    require(place == "ask" or not must_ask, "of a required input without a default is ask", "place")
    return place


def _files(table: InputTable) -> FileLimits | None:
    if table.type not in {"file", "files"}:
        return None
    if table.kind is None:
        raise Refusal(f"is one of {', '.join(FILE_KINDS)}", "kind")
    max_bytes = None if table.max_mb is None else table.max_mb * MEGABYTE
    return FileLimits(**same_fields(table, FileLimits) | {"max_bytes": max_bytes})


def _labels(table: InputTable, options: Sequence[str], words: Words) -> dict[str, LocalizedText]:
    """The label of each option: its own, from the shared words, or none where values are plain names."""
    for option in table.labels:
        require(option in options, "is not a field here", "labels", option)
    labels: dict[str, LocalizedText] = {}
    for option in options if not table.plain else ():
        label = table.labels.get(option) or words.option(table.name, option)
        if label is None:
            raise Refusal(f"nothing says what {option!r} means: `labels`, words.toml, or `plain = true`", "options")
        labels[option] = label
    return labels


def _check_number(asked: Input) -> None:
    if asked.type != "number":
        return
    require(asked.step is None or asked.step > 0, "is above zero", "step")
    low = Decimal("-Infinity") if asked.least is None else asked.least
    high = Decimal("Infinity") if asked.most is None else asked.most
    require(low <= high, "is not below `min`", "max")
    number = as_number(asked.default) if asked.default is not None else None
    require(asked.default is None or number is not None, "is a number", "default")
    require(number is None or low <= number <= high, "is outside `min` and `max`", "default")


def _example_prompt(example: Mapping[str, Any], inputs: Sequence[Input], words: Words) -> LocalizedText | None:
    """The first text of the example, in both languages."""
    text = next((example[each.name] for each in inputs if each.type == "text" and each.name in example), None)
    if text is None or not is_russian(text):
        return None if text is None else LocalizedText(ru=text, en=text)
    require(text in words.examples, "words.toml does not say in its [example] what this is in English", "example")
    return LocalizedText(ru=text, en=words.examples[text])


def _rows(table: ModelTable, inputs: Sequence[Input]) -> tuple[PriceRow, ...]:
    """The rates, tried in order; a row after one that fits all it fits is never reached."""
    found = nested("price", table.price, lambda each: _rate(each, inputs, is_free=table.free))
    early = any(row.fits_all for row in found[:-1])
    require(not early, "a row without `when` fits any inputs, so those after it are never reached", "price")
    for position, row in enumerate(found):
        shadow = any(_covers(other, row) for other in found[:position])
        require(not shadow, f"row {position + 1} is never reached: an earlier one fits all it fits", "price")
    return found


def _unit_at(field: str, table: UnitTable, inputs: Sequence[Input]) -> PriceUnit:
    with inside(field):
        return _unit(table, inputs, is_extra=False)


def _extra(table: ExtraTable, inputs: Sequence[Input]) -> Extra:
    return Extra(row=_row(table, inputs), unit=_unit(table, inputs, is_extra=True))


def _rate(table: PriceTable, inputs: Sequence[Input], *, is_free: bool) -> PriceRow:
    fine = table.credits.is_finite() and (table.credits >= 0 if is_free else table.credits > 0)
    require(fine, "is 0 or more" if is_free else "is above zero", "credits")
    return replace(_row(table, inputs), up_to=table.up_to)


def _covers(row: PriceRow, later: PriceRow) -> bool:
    sizes = row.up_to is None or (later.up_to is not None and later.up_to <= row.up_to)
    return sizes and set(row.when) <= set(later.when) and set(row.given) <= set(later.given)


def _row(table: PriceTable | ExtraTable, inputs: Sequence[Input]) -> PriceRow:
    by_name = {each.name: each for each in inputs}
    for name, value in table.when.items():
        require(_is_value(by_name, name, value), f"{name} = {value!r} is not an option of this model", "when")
    for name in table.given:
        require(name in by_name, f"{name} is not an input of this model", "given")
        is_optional = not by_name[name].required and by_name[name].default is None
        require(is_optional, f"{name} is always given", "given")
    when = tuple((name, plain(value)) for name, value in table.when.items())
    return PriceRow(credits=table.credits, when=when, given=table.given)


def _is_value(by_name: Mapping[str, Input], name: str, value: Any) -> bool:
    """Whether an input can have a value; `task_id:resolution` is an input of the earlier task that is picked."""
    owner, _, chosen_then = name.partition(":")
    asked = by_name.get(owner)
    if asked is None or chosen_then:
        return asked is not None and asked.type == "task"
    match asked.type:
        case "choice":
            return not isinstance(value, bool) and plain(value) in asked.options
        case "switch":
            return isinstance(value, bool)
        case "number":
            return not isinstance(value, bool) and as_number(value) is not None
        case _:
            return False


def _unit(table: UnitTable, inputs: Sequence[Input], *, is_extra: bool) -> PriceUnit:
    own: dict[str, Any] = {
        "counts": tuple(_count("count", written, inputs) for written in table.count),
        "times": tuple(_count("times", written, inputs) for written in table.times),
        "worth": tuple(table.worth.items()),
    }
    unit = PriceUnit(**same_fields(table, PriceUnit) | own)
    by_name = {each.name: each for each in inputs}
    for count in (*unit.counts, *unit.times):
        _check_count(unit, count, by_name[count.input], is_extra=is_extra)
    require(unit.counts or not (unit.worth or unit.times), "says what is counted", "count")
    return unit


def _count(field: str, written: str, inputs: Sequence[Input]) -> Count:
    path, _, word = written.partition(":")
    name, _, part = path.partition(".")
    measure = next((each for each in MEASURES if each == (word or "value")), None)
    asked = next((each for each in inputs if each.name == name), None)
    if measure is None:
        raise Refusal(f"{written}: what is counted is one of {', '.join(MEASURES)}", field)
    if asked is None:
        raise Refusal(f"{name} is not an input of this model", field)
    counted = next((each for each in asked.fields if each.name == part), None) if part else asked
    if counted is None:
        raise Refusal(f"{written}: {name} has no field {part}", field)
    require(counted.type in OF_TYPES[measure], f"{written}: a {counted.type} has no {measure}", field)
    return Count(input=name, measure=measure, field=part or None, most=_most(asked, measure))


def _most(asked: Input, measure: Measure) -> Decimal | None:
    """The most a file can be, by its own limits."""
    files = asked.files
    if files is None or measure not in OF_FILES:
        return None
    if measure == "seconds":
        each = files.max_seconds
        return files.total_seconds or (None if each is None else each * asked.items_limit)
    side = None if files.max_side is None else Decimal(files.max_side)
    return side if side is None or measure == "side" else side**2 / 1_000_000


def _check_count(unit: PriceUnit, count: Count, asked: Input, *, is_extra: bool) -> None:
    """A count must be a number for every order that can be made."""
    worth = dict(unit.worth)
    for option in asked.options:
        fine = option in worth or unit.assume is not None or (as_number(option) or 0) > 0
        require(fine, f"{asked.name} = {option!r} is no number: say what it counts in `worth`, or `assume`", "count")
    for option in worth:
        fine = option in asked.options or len((*unit.counts, *unit.times)) > 1
        require(fine, f"{option!r} is not an option of {asked.name}", "worth")
    is_bound = unit.assume is not None or count.most is not None
    if count.measure in OF_FILES or (asked.type == "text" and count.measure == "value"):
        require(is_bound, f"{count.fact} may not be known: say the most it can be", "assume")
    is_sure = asked.required or asked.default is not None or count.field is not None or count.measure in OF_FILES
    is_beside = is_extra or (unit.largest and len(unit.counts) > 1)
    require(is_sure or is_beside or is_bound, f"{asked.name} may be left out: say the most it can be", "assume")


def _check_sale(model: Model) -> None:
    is_spoken = model.protocol in FAMILIES or (model.protocol == AT_ONCE and model.off is not None)
    require(is_spoken, f"is one of {', '.join(FAMILIES)}", "protocol")
    require(model.prices or model.off, "a model without a price is `off`, and says why", "price")
    is_current = model.status in {"current", "legacy-endpoint"}
    require(is_current or model.off, f"a model that is {model.status} is `off`, and says why", "off")


def _check_names(model: Model) -> None:
    by_name = {each.name: each for each in model.inputs}
    for position, each in enumerate(model.inputs):
        at = ("input", position)
        _check_condition(each.condition, by_name, *at, "when" if each.condition.when else "without")
        for condition, _ in each.defaults:
            _check_condition(condition, by_name, *at, "defaults")
        _check_fields_named(each, model.inputs, *at)
    for never in model.never:
        _check_condition(never, by_name, "never")
    for name in (name for names in model.one_of for name in names):
        require(name in by_name, f"{name} is not an input of this model", "one_of")
    for name in model.example:
        require(name in by_name, f"{name} is not an input of this model", "example")
    for position, rule in enumerate(model.together):
        for name in rule.of:
            require(name in by_name, f"{name} is not an input of this model", "together", position, "of")


def _check_condition(condition: Condition, by_name: Mapping[str, Input], *at: str | int) -> None:
    for name in sorted(condition.names):
        require(name in by_name, f"{name} is not an input of this model", *at)
    for name, values in condition.when:
        asked = by_name[name]
        possible = {"choice": asked.options, "switch": ("true", "false")}.get(asked.type, values)
        for value in values:
            require(value in possible, f"{name} = {value!r} is not an option of this model", *at)


def _check_fields_named(asked: Input, inputs: Sequence[Input], *at: str | int) -> None:
    """`sums` and `among` name a field of a list of this model."""
    known = {f"{each.name}.{field.name}" for each in inputs for field in each.fields}
    for word, named in (("sums", asked.sums), *(("among", field.among) for field in asked.fields)):
        require(named is None or named in known, f"{named} is not a field of a list of this model", *at, word)


def _check_roles(model: Model) -> None:
    for position, each in enumerate(model.inputs):
        if each.role is not None:
            at = ("input", position, "role")
            require(RULES[each.role].fits(each), f"{each.role} is not what this type or these options can be", *at)
            require(model.input_for(each.role) is each, f"{each.role} is another input already", *at)


def _check_price(model: Model) -> None:
    lacking = unpriced(model) if model.prices else None
    shown = ", ".join(f"{name} = {value!r}" for name, value in (lacking or {}).items())
    require(lacking is None, f"no row fits {shown or 'these inputs'}", "price")


def _check_example(model: Model) -> None:
    """A model that Kie still accepts has an example that can be ordered as it is."""
    refused = check_order(model, example_of(model)) if model.can_be_ordered else ()
    shown = "; ".join(f"{each.key} {dict(each.facts)}" for each in refused)
    require(not refused, f"cannot be ordered: {shown}", "example")
