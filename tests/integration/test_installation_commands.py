"""Commands that write refuse another bot's token and change nothing; commands that read need no keys."""

from collections.abc import Iterator
from pathlib import Path

from typer.core import TyperGroup
from typer.main import get_command

from photomat.cli.main import app
from support.busy_shop import a_busy_shop, everything_in
from support.command import photomat
from support.database import connection_of, pool_of
from support.updates import BOT_ID

WRITES = (
    "migrate",
    "audit --store",
    "console link",
    "jobs reconcile",
    "jobs retry 1",
    "jobs redeliver 1",
    "jobs cancel 1 --reason x",
    "restore submit 1 --reason x",
    "restore promoted --since 2026-11-16T20:00:00 --yes --reason x",
    "wallet credit 5000001 10 --reason x",
    "wallet debit 5000001 10 --reason x",
    "wallet refund 2 --reason x",
    "wallet correct welcome:5000001 --reason x",
    "wallet release hold:1 --reason x",
    "users ban 5000001 --reason x",
    "users unban 5000001 --reason x",
    "users limit 5000001 --running 1 --reason x",
    "users message 5000001 hello --reason x",
    "users forget 5000001 --reason x",
    "users forget-again",
    "users export 5000001 --out export.zip",
    "tickets answer 1 hello",
    "tickets close 1 --reason x",
    "fiscal compare",
    "fiscal retry 1 --reason x",
    "fiscal issue 1 --reason x",
    "fiscal settle 1 --reason x",
    "fiscal drop 1 --reason x",
    "content accept 1 --reason x",
    "content decline 1 --reason x",
    "content forgive 1 --reason x",
    "content switch adult --on --reason x",
    "receipts approve 1",
    "receipts decline 1 --reason x",
    "payments refund 1 --reason x",
    "payments reconcile",
    "differences own 1 olga",
    "differences resolve 1 --reason x",
    "catalog price z-image --free --reason x",
    "catalog hide z-image --reason x",
    "catalog unhide z-image --reason x",
    "catalog feature z-image --reason x",
    "catalog unfeature z-image --reason x",
    "catalog sell z-image --reason x",
    "catalog unsell z-image --reason x",
    "catalog rename z-image --en Z --reason x",
    "promo create SPRING --sum 10 --reason x",
    "promo stop SPRING --reason x",
    "settings set MARKUP 3 --reason x",
    "settings reset MARKUP --reason x",
    "broadcast create hello --reason x",
    "broadcast preview 1 --to 9001",
    "broadcast start 1 --reach 1 --reason x",
    "broadcast stop 1 --reason x",
    "broadcast resume 1 --reason x",
    "broadcast delete 1 --reason x",
    "pause bot --reason x",
    "resume bot --reason x",
    "instances drain one --reason x",
    "instances undrain one --reason x",
    "templates hide portrait --reason x",
    "templates unhide portrait --reason x",
    "examples make --yes",
    "examples forget template:portrait --reason x",
    "prune",
    "results move",
    "results sweep",
)
READS = (
    "backup list",
    "restore status",
    "audit",
    "incidents",
    "installation show",
    "jobs list",
    "jobs show 1",
    "wallet show 5000001",
    "wallet explain 1",
    "users list",
    "users show 5000001",
    "tickets list",
    "tickets show 1",
    "fiscal list",
    "fiscal show 1",
    "content list",
    "content rules",
    "content strikes",
    "content test hello",
    "receipts list",
    "receipts show 1",
    "payments list",
    "payments show 1",
    "differences list",
    "catalog list",
    "catalog show z-image",
    "catalog price z-image",
    "catalog margins",
    "promo list",
    "settings list",
    "broadcast list",
    "broadcast show 1",
    "broadcast export 1",
    "pauses",
    "instances list",
    "templates list",
    "templates show portrait",
    "examples list",
    "assistant usage",
    "prune --dry-run",
    "results show",
)
ELSEWHERE = {
    "run": "test_installation.py of tests/acceptance",
    "sandbox": "likewise",
    "installation adopt": "test_installation.py",
    "backup": "test_backup.py and test_restored.py",
    "restore": "likewise",
    "upgrade": "likewise; it changes nothing",
    "check": "test_check.py; it leaves nothing behind",
    "smoke": "a database of its own",
    "chaos": "likewise",
    "bench": "likewise",
    "failpoints": "no database",
    "completion": "likewise",
    "assistant evaluate": "likewise",
    "catalog check": "likewise",
    "catalog example": "likewise",
    "catalog diff": "likewise",
    "catalog canary": "likewise, it asks Kie",
    "templates add": "a file is needed; it writes as `templates hide` does",
    "promo show": "a code is needed; it reads as `promo list` does",
}


def test_every_command_is_known_to_read_or_to_write() -> None:
    names = set(_commands(get_command(app), ""))
    spoken = {" ".join(command.split()[: _words_of(command, names)]) for command in (*WRITES, *READS)}
    assert spoken | set(ELSEWHERE) == names


async def test_a_command_that_writes_refuses_another_bots_token(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        before = await everything_in(pool)
    keys = {"BOT_TOKEN": "7000000002:token", "KIE_API_KEY": "key", "DATABASE_URL": database}
    for command in WRITES:
        ended = photomat(*command.split(), folder=tmp_path, **keys)
        assert ended.returncode == 2, (command, ended.stdout, ended.stderr)
        assert f"This database belongs to bot {BOT_ID}, and this program is bot 7000000002" in ended.stderr, command
    async with connection_of(database) as connection:
        assert await everything_in(connection) == before


async def test_a_command_that_reads_needs_no_keys_and_changes_nothing(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        before = await everything_in(pool)
    for command in READS:
        ended = photomat(*command.split(), folder=tmp_path, DATABASE_URL=database)
        assert ended.returncode == 0, (command, ended.stdout, ended.stderr)
    async with connection_of(database) as connection:
        assert await everything_in(connection) == before


async def test_a_new_token_of_the_same_bot_writes_as_before(database: str, tmp_path: Path) -> None:
    keys = {"BOT_TOKEN": f"{BOT_ID}:a-new-token", "KIE_API_KEY": "key", "DATABASE_URL": database}
    ended = photomat("catalog", "hide", "z-image", "--reason", "x", folder=tmp_path, **keys)
    assert ended.returncode == 0, ended.stderr


def _words_of(command: str, names: set[str]) -> int:
    """How many words of a line name the command; the rest are its arguments."""
    words = command.split()
    return next(count for count in (2, 1) if " ".join(words[:count]) in names)


def _commands(command: object, path: str) -> Iterator[str]:
    if isinstance(command, TyperGroup):
        if command.invoke_without_command:
            yield path
        for name, inner in command.commands.items():
            yield from _commands(inner, path if inner.hidden else f"{path} {name}".strip())
    else:
        yield path
