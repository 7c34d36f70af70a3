"""Every command that shows something: on an empty and on a filled database, for people and for machines.

The commands are taken from the program itself, so a new one fails here until it is named below, as one that reads or one
that acts. In a terminal of eighty columns and in a pipe alike, no id and no sum is broken.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from photomat.cli.main import app
from photomat.kernel.money import Money
from support.command import photomat, photomat_in_a_terminal
from support.filled_shop import CHARGE, FIRST_JOB, TASK, USER, fill

COLUMNS = 80
MODEL = "z-image"

LISTS: dict[str, tuple[str, ...]] = {
    "jobs list": ("job_id", "corr", "user_id", "model", "price"),
    "jobs list --undelivered": ("job_id", "user_id"),
    "jobs list --stuck": ("job_id", "user_id"),
    "jobs list --orphans": ("orphan_id", "task_id"),
    "payments list": ("payment_id", "external_id", "user_id", "credit"),
    "fiscal list": ("fiscal_id", "payment_id", "user_id", "state"),
    "receipts list": ("receipt_id", "user_id", "amount", "code"),
    "tickets list": ("ticket_id", "user_id", "job_id"),
    "content list": ("refusal_id", "user_id"),
    "content strikes": ("user_id", "strikes"),
    "promo list": ("code", "amount"),
    "differences list": ("difference_id", "reference"),
    "incidents": ("incident_id", "kind"),
    "pauses": ("name", "paused_by"),
    "instances list": ("instance_id", "version", "host"),
    "audit --history": (),
    "catalog margins": ("model", "income", "cost", "margin"),
    "examples list": ("subject",),
    "broadcast list": ("broadcast_id", "recipients"),
    "users list": ("user_id",),
}
"""Arrays for machines, one sentence where there is nothing; the facts of a row that people see as well."""

OTHER_READS: dict[str, tuple[str, ...]] = {
    "audit": (),
    "installation show": (),
    "prune --dry-run": (),
    "results show": (),
    "catalog list": (),
    "catalog show": (MODEL,),
    "catalog example": (MODEL,),
    "catalog price": (MODEL,),
    "catalog check": (),
    "assistant evaluate": (),
    "templates list": (),
    "templates show": ("portrait",),
    "jobs show": (str(FIRST_JOB),),
    "wallet show": (str(USER),),
    "wallet explain": (str(FIRST_JOB + 1),),
    "users show": (str(USER),),
    "payments show": ("1",),
    "fiscal show": ("1",),
    "receipts show": ("1",),
    "tickets show": ("1",),
    "content rules": (),
    "content test": ("кот",),
    "promo show": ("SPRING",),
    "assistant usage": (),
    "settings list": (),
    "broadcast show": ("1",),
    "broadcast export": ("1",),
}
"""These have something to show, or an argument that must be there."""

SEEN = {
    "jobs show": {str(FIRST_JOB), TASK, "0.64\N{NO-BREAK SPACE}₽"},
    "wallet show": {f"payment:stars:{CHARGE}", f"welcome:{USER}", f"job:{FIRST_JOB + 1}"},
    "payments show": {CHARGE},
    "promo show": {"SPRING", "0.30\N{NO-BREAK SPACE}₽"},
    "catalog price": {MODEL, "64\N{NO-BREAK SPACE}₽"},
    "audit --history": {"1.28\N{NO-BREAK SPACE}₽"},
}
"""What must be readable in the others."""

ELSEWHERE = {
    *("results move", "results sweep"),
    *("check", "smoke", "catalog diff", "catalog canary", "installation adopt"),
    *("jobs reconcile", "jobs retry", "jobs redeliver", "jobs cancel"),
    *("wallet credit", "wallet debit", "wallet refund", "wallet correct", "wallet release"),
    *("tickets answer", "tickets close"),
    *("content accept", "content decline", "content forgive", "content switch"),
    *("users ban", "users unban", "users limit", "users message", "users forget", "users forget-again"),
    *("receipts approve", "receipts decline", "payments refund", "payments reconcile", "promo create", "promo stop"),
    *("catalog hide", "catalog unhide", "catalog feature", "catalog unfeature"),
    *("catalog rename", "catalog sell", "catalog unsell"),
    *("broadcast create", "broadcast preview", "broadcast start", "broadcast stop"),
    *("broadcast resume", "broadcast delete"),
    *("templates hide", "templates unhide", "templates add", "examples make", "examples forget"),
    *("settings set", "settings reset"),
    *("fiscal compare", "fiscal drop", "fiscal issue", "fiscal retry", "fiscal settle"),
    *("backup list", "restore from", "restore promoted", "restore status", "upgrade"),
}
"""Commands that act or ask the outside, with tests of their own."""

SUMS = {"price", "amount", "credit", "income", "cost", "margin"}


def test_every_command_for_machines_is_known_here() -> None:
    reads = {name.partition(" --")[0] for name in (*LISTS, *OTHER_READS)}
    assert {name for name, command in leaves(typer.main.get_command(app)) if has_json(command)} == reads | ELSEWHERE


@pytest.mark.parametrize("name", LISTS)
def test_an_empty_list_is_one_sentence_and_an_empty_array(database: str, tmp_path: Path, name: str) -> None:
    shown = Shown.of(name, database, tmp_path)
    assert shown.facts == []
    for words in (shown.piped, shown.in_a_terminal):
        assert re.fullmatch(r"[A-Z][^\n]*[.;][^\n]*\n|[A-Z][^\n]*\.\n", words), words


@pytest.mark.breaks_invariants
async def test_ids_and_sums_are_whole_in_everything_that_is_shown(database: str, tmp_path: Path) -> None:
    await fill(database)
    for name, arguments in (LISTS | OTHER_READS).items():
        shown = Shown.of(name, database, tmp_path, *(() if name in LISTS else arguments))
        if name in LISTS:
            assert isinstance(shown.facts, list)
            assert shown.facts, name
        for words in (shown.piped, shown.in_a_terminal):
            assert words.strip(), name
            missing = [word for word in wanted(name, shown.facts) if not is_whole(word, words)]
            assert missing == [], f"{name}: {words}"
            assert "minor units" not in words
        wide = [line for line in shown.in_a_terminal.splitlines() if len(line) > COLUMNS and " " in line.strip()]
        assert name not in LISTS or wide == [], f"{name}: {shown.in_a_terminal}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a command prints: for machines, into a pipe, and in a terminal."""

    facts: Any
    piped: str
    in_a_terminal: str

    @classmethod
    def of(cls, name: str, database: str, folder: Path, *arguments: str) -> "Shown":
        """Run the command all three ways; it ends well."""
        command = (*name.split(), *arguments)
        ran = [
            photomat(*command, "--json", folder=folder, DATABASE_URL=database),
            photomat(*command, folder=folder, DATABASE_URL=database),
            photomat_in_a_terminal(*command, columns=COLUMNS, folder=folder, DATABASE_URL=database),
        ]
        for ended in ran:
            assert ended.returncode == 0, f"{name}: {ended.stdout}{ended.stderr}"
        return cls(facts=json.loads(ran[0].stdout), piped=ran[1].stdout, in_a_terminal=ran[2].stdout)


def leaves(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from leaves(inner, f"{path} {name}".strip())


def has_json(command: Any) -> bool:
    return any("--json" in parameter.opts for parameter in command.params)


def wanted(name: str, facts: Any) -> set[str]:
    """The ids and sums that a person must be able to copy from what is shown of these facts."""
    if name == "catalog list":
        return {row["id"] for row in facts}
    return {
        str(Money(row[key], row["currency"]) if key in SUMS else row[key])
        for key in LISTS.get(name, ())
        for row in facts
    } | SEEN.get(name, set())


def is_whole(word: str, words: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", words) is not None
