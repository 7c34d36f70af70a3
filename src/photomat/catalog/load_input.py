"""One input of a model, from its table. Refused: a limit that belongs to another type, an option nobody can read, no words."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.entry import Entry
from photomat.catalog.file_rules import MEGABYTE
from photomat.catalog.formula import as_number, plain
from photomat.catalog.input import (
    FILE_KINDS,
    INPUT_TYPES,
    PLACES,
    SENDS,
    Condition,
    FileLimits,
    Input,
    InputType,
    Place,
)
from photomat.catalog.words import Said, Words

COMMON: Final = frozenset({"name", "type", "required", "place", "title", "ask", "when", "given", "without", "above"})
OF_FILES: Final = frozenset({
    "kind", "formats", "max_mb", "min_seconds", "max_seconds", "min_side", "max_side",
})  # fmt: skip
OF_TYPE: Final[Mapping[InputType, frozenset[str]]] = {
    "text": frozenset({"default", "min_length", "max_length", "sends", "pattern", "like"}),
    "choice": frozenset({"default", "defaults", "options", "labels", "plain", "sends", "sums", "among"}),
    "number": frozenset({"default", "defaults", "min", "max", "step", "sends", "sums"}),
    "switch": frozenset({"default"}),
    "link": frozenset({"sends"}),
    "file": OF_FILES | {"sends"},
    "files": OF_FILES | {"min_items", "max_items", "total_seconds"},
    "list": frozenset({"default", "fields", "main", "min_items", "max_items", "total_length", "totals", "sends"}),
    "task": frozenset({"of"}),
    "track": frozenset({"of"}),
}
"""Which fields belong to which type, besides the common ones."""

DEFAULTS_FIELDS: Final = frozenset({"is", "when", "given", "without", "above"})
INPUT_FIELDS: Final = COMMON.union(*OF_TYPE.values())


def read_input(entry: Entry, words: Words, *, is_field: bool = False) -> Input:
    """Read one input; `is_field` when it is a field of a list's lines."""
    input_type = entry.one_of("type", INPUT_TYPES)
    for field in entry.fields.keys() - COMMON - OF_TYPE[input_type]:
        owners = " or ".join(f"a {each}" for each, fields in OF_TYPE.items() if field in fields)
        raise entry.refusal(field, f"belongs to {owners}")
    entry.require(isinstance(entry.fields.get("required"), bool), "required", "is true or false")
    options = _options(entry, words) if input_type == "choice" else ()
    name = entry.text("name")
    known = words.input(name)
    entry.require("title" in entry.fields or known is not None, "title", "is said neither here nor in words.toml")
    title = entry.said("title") if "title" in entry.fields or known is None else known.title
    ask = entry.said("ask") if "ask" in entry.fields else known.ask if known else None
    default = _default(entry, input_type, options)
    sends = entry.one_of("sends", SENDS) if "sends" in entry.fields else None
    found = Input(
        name=name,
        type=input_type,
        required=entry.fields["required"],
        options=options,
        default=default,
        defaults=_defaults(entry, options),
        sums=entry.some_text("sums"),
        among=entry.some_text("among"),
        pattern=_pattern(entry),
        like=entry.some_text("like"),
        totals=_totals(entry),
        min_length=entry.whole("min_length"),
        max_length=entry.whole("max_length"),
        least=entry.measure("min"),
        most=entry.measure("max"),
        step=entry.measure("step"),
        files=_files(entry) if input_type in {"file", "files"} else None,
        min_items=entry.whole("min_items"),
        max_items=entry.whole("max_items"),
        fields=_fields(entry, words),
        main=entry.some_text("main"),
        total_length=entry.whole("total_length"),
        default_items=_default_items(entry, input_type),
        of=entry.some_texts("of"),
        place=_place(entry, has_default=default is not None or "default" in entry.fields),
        sends=sends,
        condition=read_condition(entry),
        title=title,
        ask=ask,
        labels=_labels(entry, name, options, words),
    )
    entry.require(is_field or found.place != "ask" or ask is not None, "ask", "is said neither here nor in words.toml")
    _check_numbers(entry, found)
    return found


def read_condition(entry: Entry) -> Condition:
    """What else must be so: `when`, `given`, `without`, `above`; and `why` that does not go together."""
    when, above = entry.fields.get("when", {}), entry.fields.get("above", {})
    entry.require(isinstance(when, dict), "when", "names inputs and their values")
    entry.require(isinstance(above, dict), "above", "names inputs and how many, or what number, is still within")
    return Condition(
        when=tuple((name, values_of(value)) for name, value in when.items()),
        given=entry.some_texts("given"),
        without=entry.some_texts("without"),
        above=tuple((name, _bound(entry, "above", value)) for name, value in above.items()),
        why=entry.said("why") if "why" in entry.fields else None,
    )


def values_of(written: Any) -> tuple[str, ...]:
    """One value or a list of them, each in one spelling."""
    return tuple(plain(value) for value in (written if isinstance(written, list) else [written]))


def _options(entry: Entry, words: Words) -> tuple[str, ...]:
    """The options; a name instead of a list means all that words.toml has under it."""
    named = entry.fields.get("options")
    if not isinstance(named, str):
        return entry.texts("options")
    found = tuple(value for name, value in words.options if name == named)
    entry.require(bool(found), "options", f"words.toml has no [options.{named}]")
    return found


def _default(entry: Entry, input_type: InputType, options: tuple[str, ...]) -> str | None:
    if "default" not in entry.fields or input_type == "list":
        return None
    default = entry.value("default", "is a text, a number, true or false")
    entry.require(not options or default in options, "default", "is not among the options")
    entry.require(input_type != "switch" or default in {"true", "false"}, "default", "is true or false")
    return default


def _defaults(entry: Entry, options: tuple[str, ...]) -> tuple[tuple[Condition, str], ...]:
    """What holds instead of the default, and beside what."""
    found = []
    for each in entry.some_tables("defaults", DEFAULTS_FIELDS, named_by="is"):
        value = each.value("is", "is a text, a number, true or false") if "is" in each.fields else ""
        each.require(bool(value) and (not options or value in options), "is", "is not among the options")
        found.append((read_condition(each), value))
    return tuple(found)


def _pattern(entry: Entry) -> str | None:
    pattern = entry.some_text("pattern")
    like = entry.some_text("like")
    try:
        fits = pattern is None or re.fullmatch(pattern, like or "") is not None
    except re.error as error:
        raise entry.refusal("pattern", f"is no pattern: {error}") from None
    entry.require(fits, "like", "is an example that the pattern takes")
    return pattern


def _totals(entry: Entry) -> tuple[tuple[str, Decimal], ...]:
    totals = entry.fields.get("totals", {})
    names = {each.get("name") for each in entry.fields.get("fields", ()) if isinstance(each, dict)}
    entry.require(isinstance(totals, dict) and totals.keys() <= names, "totals", "names fields of its lines")
    return tuple((name, _bound(entry, "totals", value)) for name, value in totals.items())


def _bound(entry: Entry, field: str, value: Any) -> Decimal:
    entry.require(type(value) in {int, float}, field, "is a number for each")
    return Decimal(str(value))


def _default_items(entry: Entry, input_type: InputType) -> tuple[Mapping[str, str], ...]:
    lines = entry.fields.get("default", []) if input_type == "list" else []
    entry.require(
        isinstance(lines, list) and all(isinstance(line, dict) for line in lines), "default", "is a list of lines"
    )
    return tuple({name: plain(value) for name, value in line.items()} for line in lines)


def _place(entry: Entry, *, has_default: bool) -> Place:
    must_ask = entry.fields["required"] and not has_default
    place = entry.one_of("place", PLACES, otherwise="ask" if must_ask else "card")
    fine = place == "ask" or not must_ask
    entry.require(fine, "place", "of a required input without a default is ask")
    return place


def _files(entry: Entry) -> FileLimits:
    megabytes = entry.whole("max_mb")
    return FileLimits(
        kind=entry.one_of("kind", FILE_KINDS),
        formats=entry.some_texts("formats"),
        max_bytes=None if megabytes is None else megabytes * MEGABYTE,
        min_seconds=entry.measure("min_seconds"),
        max_seconds=entry.measure("max_seconds"),
        total_seconds=entry.measure("total_seconds"),
        min_side=entry.whole("min_side"),
        max_side=entry.whole("max_side"),
    )


def _fields(entry: Entry, words: Words) -> tuple[Input, ...]:
    fields = entry.some_tables("fields", INPUT_FIELDS, named_by="name")
    found = tuple(read_input(each, words, is_field=True) for each in fields)
    main = entry.fields.get("main")
    entry.require(main is None or main in {each.name for each in found}, "main", f"{main} is not a field of its lines")
    return found


def _labels(entry: Entry, name: str, options: tuple[str, ...], words: Words) -> dict[str, Said]:
    """What each option means: said here, in the shared words, or plain by itself."""
    if not options or entry.flag("plain"):
        return {}
    own = entry.table("labels", frozenset(options))
    labels: dict[str, Said] = {}
    for option in options:
        said = own.said(option) if own is not None and option in own.fields else words.option(name, option)
        if said is None:
            raise entry.refusal(
                "options", f"nobody says what {option!r} means: `labels`, words.toml, or `plain = true`"
            )
        labels[option] = said
    return labels


def _check_numbers(entry: Entry, found: Input) -> None:
    if found.type != "number":
        return
    entry.require(found.step is None or found.step > 0, "step", "is above zero")
    is_ordered = found.least is None or found.most is None or found.least <= found.most
    entry.require(is_ordered, "max", "is not below `min`")
    number = as_number(found.default) if found.default is not None else None
    entry.require(found.default is None or number is not None, "default", "is a number")
    low = Decimal("-Infinity") if found.least is None else found.least
    high = Decimal("Infinity") if found.most is None else found.most
    entry.require(number is None or low <= number <= high, "default", "is outside `min` and `max`")
