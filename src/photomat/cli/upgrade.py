"""`photomat upgrade --check`: whether this version can be started on the shop's database, before it is."""

import asyncio
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from photomat.app.live_settings import LIVE
from photomat.app.settings import Settings, load
from photomat.backup.file import finished, require_whole
from photomat.backup.make import BackupOrder, make_backup
from photomat.backup.proof import BackupProof, prove, remove_scratch, scratch_server
from photomat.backup.upgrade import UpgradeFinding, UpgradeVerdict, examine_database, examine_names
from photomat.cli.database import reachable_database
from photomat.cli.session import AsJson, exists_database, operator_name, print_json
from photomat.db.pool import Connection, connect
from photomat.kernel import logs
from photomat.kernel.clock import epoch
from photomat.kernel.errors import Startup

SESSION: Final = "photomat upgrade"
NAME: Final = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=", re.MULTILINE)
RENAMED: Final[Mapping[str, str]] = {}
"""Settings that were called otherwise in an earlier version: old name, new name."""
OTHERS: Final = frozenset(
    {"aws_endpoint_url", "aws_region", "aws_access_key_id", "aws_secret_access_key", "sentry_dsn", "render"}
)
"""Names in .env that other programs read, or optional parts of this one."""
SIGNS: Final[Mapping[UpgradeVerdict, str]] = {
    UpgradeVerdict.OK: "✓",
    UpgradeVerdict.WARN: "!",
    UpgradeVerdict.FAIL: "✗",
}
HOW: Final = """\
An upgrade, step by step:
  1. photomat backup                  a proved copy of the shop, while it runs
  2. git pull && make setup           or: pip install --upgrade photomat
  3. photomat upgrade --check         with the new version, before it is started
  4. restart the bot                  migrations run at its start; instances may overlap
Read CHANGELOG.md first. Going back: docs/operations/backups.md."""


def upgrade(
    *,
    check: Annotated[bool, typer.Option("--check", help="Examine; exit 1 with reasons.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run/--no-dry-run", help="Try the migrations on a scratch copy of the shop.")
    ] = True,
    fresh: Annotated[bool, typer.Option("--fresh", help="Of a dump made now, not of the newest backup.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say how to upgrade; with --check, whether this version can be started on the database."""
    if not check:
        typer.echo(HOW)
        return
    logs.configure("text", sys.stderr)
    findings = _examine(dry_run=dry_run, fresh=fresh)
    if as_json:
        print_json([asdict(one) for one in findings])
    else:
        for one in findings:
            typer.echo(f"{SIGNS[one.verdict]} {one.name}: {one.sentence}")
    if any(one.verdict is UpgradeVerdict.FAIL for one in findings):
        raise typer.Exit(1)


def _examine(*, dry_run: bool, fresh: bool) -> list[UpgradeFinding]:
    try:
        settings = load()
    except Startup as error:
        return [UpgradeFinding(verdict=UpgradeVerdict.FAIL, name="settings", sentence=str(error))]
    file = Path(".env")
    named = NAME.findall(file.read_text(encoding="utf-8")) if file.is_file() else []
    found = examine_names(named, [*Settings.model_fields, *OTHERS], renamed=RENAMED)
    if not exists_database(settings):
        sentence = "There is no database yet: the first start makes it."
        return [*found, UpgradeFinding(verdict=UpgradeVerdict.OK, name="migrations", sentence=sentence)]
    with reachable_database(settings) as reached:
        dsn = settings.direct_database_url or reached
        found += asyncio.run(_read(dsn, settings))
        if dry_run:
            found.append(_try(dsn, settings, fresh=fresh))
    return found


async def _read(dsn: str, settings: Settings) -> list[UpgradeFinding]:
    place = settings.data_dir if settings.data_dir.exists() else Path()
    connection = await connect(dsn, name=SESSION)
    try:
        found = await examine_database(
            connection,
            today=_today(),
            is_embedded=settings.database_url is None,
            free_bytes=shutil.disk_usage(place).free,
        )
        return [*found, *await _live_settings(connection)]
    finally:
        await connection.close(timeout=5)


async def _live_settings(connection: Connection) -> list[UpgradeFinding]:
    """Values set on the settings page whose setting this version does not have."""
    if not await connection.fetchval("SELECT to_regclass('setting_values') IS NOT NULL"):
        return []
    rows = await connection.fetch("SELECT name FROM setting_values ORDER BY name")
    known = {name for names in LIVE.values() for name in names}
    gone = [row["name"] for row in rows if row["name"] not in known]
    return [
        UpgradeFinding(
            verdict=UpgradeVerdict.WARN, name="settings", sentence=f"{name}, set on the settings page, is ignored."
        )
        for name in gone
    ]


def _try(dsn: str, settings: Settings, *, fresh: bool) -> UpgradeFinding:
    """Restore a copy and migrate it; the newest backup serves unless a fresh dump is asked for."""
    files = [] if settings.backup_dir is None or fresh else list(finished(settings.backup_dir))
    try:
        if not files and not fresh:
            sentence = "Not tried on a copy: no backup in BACKUP_DIR; --fresh makes a dump now."
            return UpgradeFinding(verdict=UpgradeVerdict.WARN, name="dry run", sentence=sentence)
        if files:
            proof, what = _proved(files[0], settings), files[0].name
        else:
            proof, what = _of_fresh_dump(dsn, settings), "a fresh dump"
    except (Startup, OSError) as error:
        return UpgradeFinding(verdict=UpgradeVerdict.FAIL, name="dry run", sentence=str(error))
    if proof.problems:
        return UpgradeFinding(
            verdict=UpgradeVerdict.FAIL, name="dry run", sentence=f"On {what}: {'; '.join(proof.problems)}"
        )
    ran = f"{len(proof.migrated)} migrations ran" if proof.migrated else "no migration was needed"
    sentence = f"On {what}: {ran}, all {proof.invariants} invariants hold, {proof.seconds} s."
    return UpgradeFinding(verdict=UpgradeVerdict.OK, name="dry run", sentence=sentence)


def _proved(file: Path, settings: Settings) -> BackupProof:
    manifest = require_whole(file)
    with scratch_server(settings.data_dir) as scratch:
        return asyncio.run(prove(scratch, file, manifest))


def _of_fresh_dump(dsn: str, settings: Settings) -> BackupProof:
    remove_scratch(settings.data_dir)
    folder = settings.data_dir / "scratch" / "dump"
    try:
        order = BackupOrder(
            dsn=dsn,
            folder=folder,
            name=None,
            data_dir=settings.data_dir,
            made_by=operator_name(),
            verify=True,
            keep=None,
            is_kept=False,
        )
        proof = make_backup(order).proof
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if proof is None:
        raise Startup("The fresh dump was not proved.")
    return proof


def _today() -> date:
    return datetime.fromtimestamp(epoch(), UTC).date()
