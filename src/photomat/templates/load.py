"""Templates from their file, refused at start when anything is wrong, and those operators add, checked in the same way.

A refusal names the file, the template and the field.
"""

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Annotated, Any, Final

from pydantic import Field, PositiveInt, StringConstraints, ValidationError

from photomat.catalog.input import Role
from photomat.catalog.model import Catalog
from photomat.catalog.tables import Localized, Refusal, Table, require
from photomat.catalog.words import LANGUAGES, LocalizedText
from photomat.kernel.errors import Startup
from photomat.templates.template import (
    DEFAULT_MAX_LENGTH,
    Group,
    Slot,
    SlotKind,
    Template,
    file_input,
    names_in,
    objections,
)

FILE: Final = "templates.toml"
MAX_TITLE_LENGTH: Final = 40
MAX_SLOTS: Final = 4
MAX_EXAMPLES: Final = 4
MAX_ID_LENGTH: Final = 24
"""A button carries the id."""

Id = Annotated[str, StringConstraints(pattern=rf"^[a-z0-9][a-z0-9-]{{0,{MAX_ID_LENGTH - 1}}}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,19}$")]
Names = Annotated[tuple[str, ...], Field(strict=False, min_length=1)]


class SlotTable(Table):
    name: Name
    ask: Localized
    kind: SlotKind = "text"
    examples: dict[str, Names] = Field(default_factory=dict)
    max_length: PositiveInt = DEFAULT_MAX_LENGTH


class TemplateTable(Table):
    id: Id
    group: Group
    title: Localized
    models: Names
    slot: Annotated[tuple[SlotTable, ...], Field(strict=False, min_length=1, max_length=MAX_SLOTS)]
    prompt: Localized | None = None
    inputs: dict[Role, str | int] = Field(default_factory=dict)
    source: Id | None = None
    source_audio: Id | None = None


class TemplatesFile(Table):
    template: Annotated[tuple[TemplateTable, ...], Field(strict=False, min_length=1)]


def shipped_templates(catalog: Catalog) -> Mapping[str, Template]:
    """The templates of our file, by id, in its order."""
    file = resources.files("photomat.templates").joinpath("data", FILE)
    return {each.id: each for each in read_templates(file.read_text(encoding="utf-8"), catalog, name=FILE)}


def read_templates(text: str, catalog: Catalog, *, name: str) -> list[Template]:
    """The templates of a TOML file; raises Startup with file, template and field."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Startup(f"{name}: {error}") from None
    found = [read_template(each, catalog, name=name) for each in _tables(content, name=name)]
    known: set[str] = set()
    for each in found:
        if each.id in known:
            raise Startup(f"{name}: {each.id}: id: two templates have it")
        known.add(each.id)
    return found


def read_template(content: Mapping[str, Any], catalog: Catalog, *, name: str) -> Template:
    """One template from its table; raises Startup with the field that is wrong."""
    label = f"{name}: {content.get('id', 'a template without an id')}"
    try:
        table = TemplateTable.model_validate(content)
        template = _template(table)
        _check(template, catalog)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Startup(f"{label}: {_path(first['loc'])}: {first['msg']}") from None
    except Refusal as refusal:
        raise Startup(f"{label}: {_path(refusal.at)}: {refusal.reason}") from None
    return template


def _tables(content: Mapping[str, Any], *, name: str) -> Sequence[Mapping[str, Any]]:
    found = content.get("template")
    if not isinstance(found, list) or not found or content.keys() != {"template"}:
        raise Startup(f"{name}: it has tables [[template]], at least one, and nothing else")
    return found


def _template(table: TemplateTable) -> Template:
    slots = tuple(
        Slot(name=each.name, ask=each.ask, kind=each.kind, examples=each.examples, max_length=each.max_length)
        for each in table.slot
    )
    return Template(
        id=table.id,
        group=table.group,
        title=table.title,
        models=table.models,
        slots=slots,
        prompt=table.prompt,
        inputs=table.inputs,
        source=table.source,
        source_audio=table.source_audio,
    )


def _check(template: Template, catalog: Catalog) -> None:
    names = [each.name for each in template.slots]
    require(len(names) == len(set(names)), "two slots have the same name", "slot")
    for language in LANGUAGES:
        _check_title(template.title, language)
        _check_slots(template, language)
        _check_prompt(template, language)
    for each in template.models:
        _check_model(template, catalog, each)


def _check_title(title: LocalizedText, language: str) -> None:
    fits = len(title.of(language)) <= MAX_TITLE_LENGTH and "\n" not in title.of(language)
    require(fits, f"is one line of at most {MAX_TITLE_LENGTH} characters", "title", language)


def _check_slots(template: Template, language: str) -> None:
    for each in template.slots:
        given = each.examples_in(language)
        at = ("slot", each.name, "examples", language)
        if each.kind != "text":
            require(not each.examples, "a file has no examples", *at)
            continue
        require(1 <= len(given) <= MAX_EXAMPLES, f"has 1 to {MAX_EXAMPLES} texts", *at)
        require(all(0 < len(text) <= each.max_length for text in given), "each is within max_length", *at)


def _check_prompt(template: Template, language: str) -> None:
    texts = {each.name for each in template.slots if each.kind == "text"}
    try:
        mentioned = names_in(template.prompt.of(language)) if template.prompt else set()
    except ValueError as error:
        raise Refusal(str(error), "prompt", language) from None
    unknown, unused = mentioned - texts, texts - mentioned
    require(not unknown, f"mentions {', '.join(sorted(unknown))}, which is no text slot", "prompt", language)
    require(not unused, f"does not use the slot {', '.join(sorted(unused))}", "prompt", language)


def _check_model(template: Template, catalog: Catalog, model_id: str) -> None:
    model = catalog.models.get(model_id)
    if model is None or not model.prices:
        raise Refusal(f"{model_id} is not in the catalogue, or has no price", "models")
    for slot in template.slots:
        takes = slot.kind == "text" or file_input(model, slot) is not None
        require(takes, f"{model_id} takes no {slot.kind}", "slot", slot.name, "kind")
    for language in LANGUAGES:
        refused = objections(template, model, language=language)
        words = "; ".join(f"{each.key} {dict(each.facts)}" for each in refused)
        require(not refused, f"makes no valid order of {model_id}: {words}", "models")


def _path(at: Sequence[str | int]) -> str:
    return ".".join(str(each) for each in at) or "it"
