"""What a script sees of the commands is as it was: exit codes, the keys and types of `--json`, the acts in the journal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.database import connection_of
from support.filled_shop import FIRST_JOB, USER, fill
from support.frozen import compare, shape
from support.many_commands import run_all

RUNNING, DONE = str(FIRST_JOB), str(FIRST_JOB + 1)
READS = (
    "jobs list",
    "jobs list --undelivered",
    "jobs list --stuck",
    "jobs list --orphans",
    f"jobs show {DONE}",
    f"wallet show {USER}",
    f"wallet explain {DONE}",
    "payments list",
    "payments show 1",
    "receipts list",
    "receipts show 1",
    "promo list",
    "settings list",
    "promo show SPRING",
    "differences list",
    "incidents",
    "installation show",
    "audit",
    "audit --history",
    "prune --dry-run",
    "catalog list",
    "catalog show z-image",
    "catalog example z-image",
    "catalog price z-image",
    "catalog margins",
    "catalog check",
)
ACTS = (
    f"jobs retry {RUNNING}",
    f"jobs redeliver {DONE}",
    f"jobs cancel {RUNNING} --reason test",
    "jobs reconcile",
    f"wallet credit {USER} 5 --reference one --reason test",
    f"wallet debit {USER} 1 --reference two --reason test",
    f"wallet refund {DONE} --amount 0.10 --reference three --reason test",
    "wallet correct operator:one --reason test",
    f"wallet release job:{RUNNING} --reason test",
    "receipts approve 1 --operator test",
    "receipts decline 1 --operator test --reason test",
    "payments refund 1 --operator test --reason test",
    "payments reconcile",
    "promo create SUMMER --sum 5 --reason test",
    "promo stop SUMMER --reason test",
    "settings set MARKUP 3 --reason test",
    "settings reset MARKUP --reason test",
    "catalog hide z-image --reason test",
    "catalog unhide z-image --reason test",
    "catalog feature z-image --reason test",
    "catalog unfeature z-image --reason test",
    "catalog rename z-image --ru имя --reason test",
    "catalog sell z-image --reason test",
    "catalog unsell z-image --reason test",
    "catalog price z-image --set 7 --reason test",
    "installation adopt --reason test",
    "check --only migrations",
)
IN_WORDS = (
    "migrate",
    "failpoints",
    "differences own 1 test",
    "differences resolve 1 --reason test",
    "run --no-such-option",
    "failpoints --no-such-option",
    "no-such-command",
    "jobs show",
    "jobs show 1",
    "wallet show 1",
    "wallet explain 1",
    "payments show 99",
    "receipts show 99",
    "promo show NONE",
    "catalog show none",
)
DATA_KEYS = frozenset({"doubts", "off"})
"""Below these the keys are ids of models."""


@pytest.mark.breaks_invariants
async def test_exit_codes_json_and_journal(database: str, tmp_path: Path) -> None:
    await fill(database)
    lines = [*(f"{line} --json" for line in (*READS, *ACTS)), *IN_WORDS]
    ended = run_all(lines, folder=tmp_path, DATABASE_URL=database)
    async with connection_of(database) as connection:
        acts = await connection.fetch("SELECT DISTINCT action FROM operator_journal")
    failpoints = next(each["said"] for each in ended if each["line"] == "failpoints")
    compare("failpoints", failpoints.splitlines())
    compare("journal", (str(row["action"]) for row in acts))
    compare("commands_run", (fact for each in ended for fact in facts_of(**each)))


def facts_of(line: str, code: int, said: str) -> Iterator[str]:
    """How a command ended, and the shape of what it said for machines."""
    yield f"{line} -> {code}"
    if line.endswith("--json") and said:
        yield from (f"{line} {each}" for each in shape(json.loads(said), open_keys=DATA_KEYS))
