"""What the pages say is there is there: paths, links, settings, commands, log tags, states."""

import ast
import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from photomat.alerts.buttons import ACTIONS
from photomat.alerts.incident import IncidentKind
from photomat.catalog.roles import RULES
from photomat.cli.main import app
from photomat.jobs.job import TRANSITIONS
from photomat.texts.load import load_texts
from support.pages import anchors, file_labels, links, pages, prose, table
from support.source import ROOT, calls, modules

READMES = {"README.md": "Where is it?", "README.ru.md": "Где что лежит?"}
OPERATIONS = ROOT / "docs" / "operations"
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}


@pytest.mark.parametrize(("page", "heading"), READMES.items())
def test_every_path_of_the_where_is_it_table_exists(page: str, heading: str) -> None:
    rows = table(ROOT / page, heading)
    assert len(rows) == 12
    for question, answer in rows:
        paths = re.findall(r"\]\(([^)]+)\)", answer)
        assert paths, f"{question!r} names no path"
        assert [path for path in paths if not (ROOT / path).exists()] == []


def test_both_readmes_answer_with_the_same_paths() -> None:
    answers = [[row[1].replace("\\", "") for row in table(ROOT / page, heading)] for page, heading in READMES.items()]
    found = [[re.findall(r"\]\(([^)]+)\)", answer) for answer in each] for each in answers]
    assert found[0] == found[1]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if _is_broken(page, link)] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_that_names_a_file_leads_to_that_file(page: Path) -> None:
    assert [label for label, target in file_labels(page) if not target.endswith(f"/{label}") and target != label] == []


def test_every_page_in_docs_is_linked_from_another() -> None:
    linked = {_target(page, link) for page in pages() for link in links(page) if not _is_outside(link)}
    assert [page for page in (ROOT / "docs").rglob("*.md") if page.resolve() not in linked] == []


def test_settings_are_documented_as_they_are() -> None:
    written = runpy.run_path(str(ROOT / "scripts" / "settings_doc.py"))
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == written["markdown"](), "run `make docs`"
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == written["example"](), "run `make docs`"


def test_every_command_is_documented_and_no_other() -> None:
    documented = {row[0].strip("`") for row in table(OPERATIONS / "commands.md", "Commands")}
    assert documented == set(_commands(get_command(app), "photomat"))


def test_every_log_tag_is_documented_and_no_other() -> None:
    documented = [row[0].strip("`") for row in table(OPERATIONS / "logs.md", "Log tags")]
    assert documented == sorted(set(documented)), "the table is in order, each tag once"
    assert set(documented) == {tag for module in modules("photomat") for tag in _tags(module.tree)}


def test_every_incident_is_documented_and_no_other() -> None:
    documented = [row[0].strip("`") for row in table(OPERATIONS / "alerts.md", "Alerts")]
    assert sorted(documented) == sorted(IncidentKind)


def test_the_buttons_of_every_alert_are_documented() -> None:
    say = load_texts().speaker("en")
    documented = {row[0].strip("`"): row[4] for row in table(OPERATIONS / "alerts.md", "Alerts")}
    assert documented == {
        kind: ", ".join(say(f"alert-button-{action}").split(" ", 1)[1] for action in actions)
        for kind, actions in ACTIONS.items()
    }


def test_every_role_of_an_input_is_documented_and_no_other() -> None:
    rows = table(ROOT / "docs" / "catalogue.md", "Roles")
    assert sorted(role for row in rows for role in re.findall(r"`(\w+)`", row[0])) == sorted(RULES)


def test_the_printed_layers_are_those_of_the_import_contract() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    printed = re.search(r"^## Which way imports go$.*?^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert printed is not None
    assert printed.group(1).splitlines() == _layers()


def test_every_slice_is_in_the_architecture_page_and_no_other() -> None:
    rows = table(ROOT / "docs" / "architecture.md", "Slices")
    named = [name for row in rows for name in re.findall(r"\[(\w+)\]\(\.\./src/photomat/\1\)", row[0])]
    assert sorted(named) == sorted(name for layer in _layers() for name in layer.split(" | "))


def test_a_tag_is_written_out_where_it_is_logged() -> None:
    hidden = [
        f"{module.place}:{call.lineno}"
        for module in modules("photomat")
        for call in _log_calls(module.tree)
        if not (call.args and isinstance(call.args[0], ast.Constant))
    ]
    assert hidden == [], "a tag put together at run time cannot be looked up"


def test_the_picture_of_the_states_shows_the_moves_that_are_allowed() -> None:
    text = (ROOT / "docs" / "lifecycle.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^\s+(\w+) --> (\w+):", text, re.MULTILINE))
    assert drawn == {(before.value, after.value) for before, afters in TRANSITIONS.items() for after in afters}


def test_the_pages_speak_of_no_tag_that_does_not_exist() -> None:
    known = {tag for module in modules("photomat") for tag in _tags(module.tree)}
    blocks = re.findall(r"\] \[([A-Z_]+)\]", (ROOT / "docs" / "lifecycle.md").read_text(encoding="utf-8"))
    assert len(blocks) > 20
    assert set(blocks) <= known


def test_the_language_versions_of_the_readme_link_to_each_other() -> None:
    assert "README.ru.md" in links(ROOT / "README.md")
    assert "README.md" in links(ROOT / "README.ru.md")
    assert len(re.findall(r"^## ", prose(ROOT / "README.md"), re.MULTILINE)) == len(
        re.findall(r"^## ", prose(ROOT / "README.ru.md"), re.MULTILINE)
    )


def _layers() -> list[str]:
    """The layers of the import contract, as they are written in pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return next(list(contract["layers"]) for contract in contracts if contract["type"] == "layers")


def _is_outside(link: str) -> bool:
    return link.startswith(("http://", "https://", "mailto:"))


def _target(page: Path, link: str) -> Path:
    path = unquote(link.partition("#")[0])
    return (page.parent / path).resolve() if path else page.resolve()


def _is_broken(page: Path, link: str) -> bool:
    if _is_outside(link):
        return False
    target, anchor = _target(page, link), link.partition("#")[2]
    if not target.exists() or not target.is_relative_to(ROOT):
        return True
    return bool(anchor) and unquote(anchor) not in anchors(target)


def _commands(command: object, path: str) -> Iterator[str]:
    if isinstance(command, TyperGroup):
        if command.invoke_without_command:
            yield path
        for name, inner in command.commands.items():
            yield from _commands(inner, path if inner.hidden else f"{path} {name}")
    else:
        yield path


def _log_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for call in calls(tree):
        match call.func:
            case ast.Attribute(value=ast.Name(id="log"), attr=level) if level in LEVELS:
                yield call


def _tags(tree: ast.AST) -> Iterator[str]:
    for call in _log_calls(tree):
        if call.args and isinstance(call.args[0], ast.Constant):
            yield str(call.args[0].value)
