"""What outsiders rely on is as it was: names that are data, in logs, commands, settings, tables, buttons and files.

Each test compares facts about the program with a snapshot in `frozen/`; a difference is printed as a diff, with the command
that accepts it.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pytest
from aiogram.filters.callback_data import CallbackData
from aiogram.fsm.state import StatesGroup
from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor
from pydantic_core import PydanticUndefined

import photomat
from photomat.db.pool import transaction
from support import contract
from support.database import connection_of, pool_of
from support.frozen import as_line, compare, log_tags, routes, string_constants, templates
from support.source import SOURCE

T = TypeVar("T")
COMPOSED = re.compile(r"[a-z][a-z-]*:\S*|\{\}:[a-z].*")
NOT_COMPOSED = re.compile(r"https?:|postgresql:")
PREFIX_IN_SQL = re.compile(r"'([a-z][a-z-]*:[a-z:-]*)'")


def test_log_tags_and_their_fields() -> None:
    compare("log_tags", log_tags())


def test_commands_and_their_options() -> None:
    compare(
        "commands",
        (line for path, command in commands(contract.command_tree()) for line in command_lines(path, command)),
    )


def test_settings() -> None:
    schema = contract.Settings.model_json_schema()["properties"]
    compare(
        "settings",
        (
            f"{name.upper()} = {as_line(None if field.default is PydanticUndefined else field.default)}"
            f" {as_line({key: schema[name][key] for key in schema[name] if key not in {'default', 'description', 'title'}})}"
            for name, field in contract.Settings.model_fields.items()
        ),
    )


def test_http_routes() -> None:
    compare("routes", routes())


def test_metrics() -> None:
    load_everything()
    compare("metrics", contract.metrics())


def test_names_that_two_versions_share_in_a_database() -> None:
    compare("shared_names", (f"{what}: {name}" for what, names in contract.shared_names().items() for name in names))


def test_buttons_carry_what_they_carried() -> None:
    load_everything()
    ours = [each for each in subclasses(CallbackData) if each.__module__.startswith("photomat.")]
    layouts = (
        f"{each.__prefix__}{each.__separator__}{each.__separator__.join(map(field_layout, each.model_fields.values()))}"
        for each in ours
    )
    compare("callback_data", [*layouts, *(f"outside the chat {each}" for each in contract.buttons_outside_the_chat())])


def test_states_of_a_conversation() -> None:
    load_everything()
    groups = [each for each in subclasses(StatesGroup) if each.__module__.startswith("photomat.")]
    compare("states", (name for group in groups for name in group.__state_names__))


def test_texts_and_their_variables() -> None:
    compare("texts", text_lines())


def test_requests_of_every_model() -> None:
    compare("requests", (f"{name} {as_line(body)}" for name, body in contract.full_requests()))


def test_signatures_and_digests() -> None:
    compare("signatures", (f"{what}: {value}" for what, value in contract.signed_strings().items()))


def test_composed_strings() -> None:
    """References, origins, lock names, inputs of signatures: whatever is put together from a word and an id."""
    python = (text for text in templates() if COMPOSED.fullmatch(text) and not NOT_COMPOSED.match(text))
    sql = (found for text in string_constants() if "||" in text for found in PREFIX_IN_SQL.findall(text))
    hashed = (found for text in string_constants() for found in re.findall(r"hashtext\w*\([^)]*\)", text))
    compare("composed_strings", [*python, *(f"in SQL {each}" for each in sql), *(f"in SQL {each}" for each in hashed)])


async def test_migrations_are_those_that_were_applied(database: str) -> None:
    async with connection_of(database) as connection:
        rows = await connection.fetch("SELECT * FROM schema_migrations")
    compare("migrations", (f"{row['number']:04} {row['name']} {row['checksum']}" for row in rows))


@pytest.mark.breaks_invariants
async def test_the_ledger_signs_what_it_books_as_before(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await contract.book_every_kind(tx)
        booked = await pool.fetch("SELECT * FROM ledger_transactions")
        entries = await pool.fetch(
            """
            SELECT reference, string_agg(concat_ws(' ', account, user_id, amount), ', ' ORDER BY line) AS lines
              FROM entries JOIN ledger_transactions USING (transaction_id) GROUP BY reference
            """
        )
        holds = await pool.fetch("SELECT reference, digest FROM holds")
    compare(
        "ledger",
        [
            *(f"{row['reference']} ({row['reason']}) {row['digest'].hex()} {row['seal'].hex()}" for row in booked),
            *(f"{row['reference']} = {row['lines']}" for row in entries),
            *(f"hold {row['reference']} {row['digest'].hex()}" for row in holds),
        ],
    )


def load_everything() -> None:
    """Import every module of the program, wherever it is."""
    for module in pkgutil.walk_packages(photomat.__path__, "photomat."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def subclasses(base: type[T]) -> Iterator[type[T]]:
    """Every class that is made from another, at any distance."""
    for each in base.__subclasses__():
        yield each
        yield from subclasses(each)


def commands(command: Any, path: str = "photomat") -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{path} {name}")
    if not hasattr(command, "commands"):
        yield path, command


def command_lines(path: str, command: Any) -> Iterator[str]:
    """The command, and each of its arguments and options: names, type, bounds, default."""
    yield path
    for each in command.params:
        names = "/".join([*each.opts, *each.secondary_opts])
        kind = type_name(each.type_descriptor.annotation)
        bounds = f" {each.min}..{each.max}" if each.min is not None or each.max is not None else ""
        needed = " required" if each.required else f" = {each.default!r}"
        many = " many" if each.multiple or each.nargs != 1 else ""
        yield f"{path} {names}: {kind}{bounds}{many}{needed}"


def type_name(annotation: Any) -> str:
    """A type by what it accepts, not by the name of our class for it."""
    if get_origin(annotation) is Annotated:
        return type_name(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return "|".join(map(str, get_args(annotation)))
    if get_origin(annotation) in (Union, UnionType):
        return "|".join(map(type_name, get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "|".join(str(member.value) for member in annotation)
    return str(getattr(annotation, "__name__", annotation))


def field_layout(field: Any) -> str:
    """One part of callback_data: its type and default. The name of the field is not in the data."""
    default = "" if field.is_required() else f"={field.default}"
    return f"<{type_name(field.annotation)}{default}>"


def text_lines() -> Iterator[str]:
    """Every sentence of every language, with the variables it needs."""
    for file in sorted((SOURCE / "photomat").rglob("*.ftl")):
        for entry in FluentParser().parse(file.read_text(encoding="utf-8")).body:
            if isinstance(entry, ast.Message | ast.Term):
                found = Variables()
                found.visit(entry)
                names = " ".join(f"${name}" for name in sorted(found.names))
                yield f"{language_of(file)} {entry.id.name} {names}".rstrip()


def language_of(file: Path) -> str:
    """Languages are folders or files."""
    return next(part for part in (file.stem, file.parent.name) if part in {"ru", "en"})


class Variables(Visitor):
    """The variables of a sentence."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:  # noqa: N802  the visitor's own convention
        self.names.add(node.id.name)
