"""The shared words of the catalogue, `words*.toml`: `[input]`, `[option]`, `[options.<input>]`, `[example]`, `[omitted]`."""

from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from typing import Any, Final

from photomat.catalog.entry import Entry
from photomat.catalog.lines import Lines
from photomat.catalog.words import InputWords, Said, Words

WORDS: Final = "words"
FIELDS: Final = frozenset({"input", "option", "options", "example", "omitted"})
INPUT_FIELDS: Final = frozenset({"title", "ask"})


def is_words(file: Traversable) -> bool:
    """Whether a file of the catalogue holds the shared words and no models."""
    return file.name.startswith(WORDS)


def joined(parts: Iterable[Words]) -> Words:
    """The words of several files as one."""
    found = Words()
    for part in parts:
        found = Words(
            inputs={**found.inputs, **part.inputs},
            options={**found.options, **part.options},
            examples={**found.examples, **part.examples},
            omitted={**found.omitted, **part.omitted},
        )
    return found


def read_words(content: Mapping[str, Any], lines: Lines) -> Words:
    """Read the words of one file; a text that lacks a language is refused."""
    entry = Entry(lines=lines, fields=content, known=FIELDS)
    inputs: dict[str, InputWords] = {}
    for name, each in _tables(entry, "input", INPUT_FIELDS).items():
        inputs[name] = InputWords(title=each.said("title"), ask=each.said("ask") if "ask" in each.fields else None)
    options: dict[tuple[str, str], Said] = {}
    of_inputs = {"": entry.fields.get("option", {}), **entry.fields.get("options", {})}
    for name, labels in of_inputs.items():
        table = Entry(
            lines=lines, fields=labels, known=frozenset(labels), path=(name or "option",), hints=(name or "option",)
        )
        options |= {(name, value): table.said(value) for value in labels}
    omitted, examples = entry.fields.get("omitted", {}), entry.fields.get("example", {})
    return Words(inputs=inputs, options=options, examples=dict(examples), omitted=dict(omitted))


def _tables(entry: Entry, field: str, known: frozenset[str]) -> dict[str, Entry]:
    found = entry.fields.get(field, {})
    entry.require(isinstance(found, dict), field, f"has tables [{field}.<name>]")
    return {
        name: Entry(lines=entry.lines, fields=fields, known=known, path=(field, name), hints=(name,))
        for name, fields in found.items()
    }
