"""`photomat backup` and `restore`: a copy of the shop that is known to work, and the way back from it."""

import asyncio
import os
import shutil
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from photomat.app.result_store import result_places
from photomat.app.settings import Settings, load
from photomat.backup.file import RESULTS_SUFFIX, SUFFIX, Manifest, finished, read_manifest, require_whole
from photomat.backup.history import forget_unfinished, list_backups
from photomat.backup.make import BackupOrder, FinishedBackup, make_backup
from photomat.backup.restore import load_backup, refuse_manifest, require_empty, require_promoted
from photomat.cli.database import reachable_database, refuse_ephemeral_disk
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, exists_database, operate, operator_name, print_json, print_outcome, query
from photomat.db.embedded import Embedded, is_owned
from photomat.db.installation import identity_of, name_of, require_ours
from photomat.db.pool import Pool, connect, connect_pool
from photomat.kernel import failpoint, logs
from photomat.kernel.errors import Startup
from photomat.kernel.ids import JobId
from photomat.kernel.private_files import tighten
from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.operators import restores
from photomat.operators.restores import Restore, RestoreState
from photomat.privacy.forget import PastForget, read_forgotten, repeat_forgets
from photomat.storage.errors import StoreUnavailable
from photomat.storage.places import NAME, NOT_COPIES, ResultPlaces
from photomat.storage.store import FileStore

SESSION: Final = "photomat backup"
RESTORE_SESSION: Final = "photomat restore"
BY_ITSELF: Final = "by itself"
NICE: Final = 10
MIB: Final = 1 << 20
Reason = Annotated[str, typer.Option(help="Why, for the journal.")]


class FileFirst(TyperGroup):
    """A group whose first word may be a file: `photomat restore FILE` is `photomat restore from FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the hidden command in front of anything that is not a command of the group."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["from", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(help="A backup of the database, proved by restoring it.", invoke_without_command=True)
restore_app = typer.Typer(
    help="Load a backup into an empty database: `photomat restore FILE`.", cls=FileFirst, no_args_is_help=True
)


@app.callback()
def backup(
    ctx: typer.Context,
    *,
    out: Annotated[Path | None, typer.Option(help="A file or a folder; without, BACKUP_DIR.")] = None,
    keep: Annotated[int | None, typer.Option(min=1, help="Delete all but so many of the folder's backups.")] = None,
    verify: Annotated[bool, typer.Option("--verify/--no-verify", help="Prove it in a scratch database.")] = True,
    with_results: Annotated[
        bool, typer.Option("--with-results", help="Our copies of results too, as a tar file beside it.")
    ] = False,
    by_itself: Annotated[bool, typer.Option("--by-itself", hidden=True)] = False,
    as_json: AsJson = False,
) -> None:
    """Back up the database, also while the bot runs; exit 1 if the backup could not be proved."""
    if ctx.invoked_subcommand is not None:
        return
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    failpoint.arm(settings.failpoint)
    os.nice(NICE)
    folder, name = _place(out, settings)
    with _database(settings) as dsn:
        made = make_backup(
            BackupOrder(
                dsn=dsn,
                folder=folder,
                name=name,
                data_dir=settings.data_dir,
                made_by=BY_ITSELF if by_itself else operator_name(),
                verify=verify,
                keep=keep or (settings.backup_keep or None if out is None else None),
                results=result_places(settings) if with_results else None,
                forgotten=settings.forgotten_file,
            )
        )
    if as_json:
        print_json(_made_as_json(made))
    else:
        _print_made(made, settings, with_results=with_results)
    if verify and not made.is_proved:
        raise typer.Exit(1)


@contextmanager
def _database(settings: Settings) -> Iterator[str]:
    """The database of the settings without a pooler, if it is this bot's."""
    if not exists_database(settings):
        raise Startup("There is nothing to back up: the bot has not been started here yet.")
    with reachable_database(settings) as reached:
        dsn = settings.direct_database_url or reached
        if settings.bot_id is not None:
            asyncio.run(require_ours(dsn, settings.bot_id))
        yield dsn


def _place(out: Path | None, settings: Settings) -> tuple[Path, str | None]:
    """The folder and, where the operator named a file, its name."""
    place = out or settings.backup_dir
    if place is None:
        raise Startup("Say where the backup goes: --out FOLDER, or set BACKUP_DIR. Best on another disk than DATA_DIR.")
    place = place.expanduser().absolute()
    if place.is_dir() or not place.suffix:
        return place, None
    return place.parent, place.name


@app.command("list")
def list_files(
    *,
    folder: Annotated[Path | None, typer.Option(help="Another folder than BACKUP_DIR.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: AsJson = False,
) -> None:
    """The backups in the folder, and what is known of those that were made."""
    settings = load()
    place = folder or settings.backup_dir
    files = [_file_as_json(path) for path in (list(finished(place))[:limit] if place else [])]
    made = query(lambda pool: list_backups(pool, limit=limit), name=SESSION)
    if as_json:
        print_json([{**one, "proved": _is_proved(one["file"], made)} for one in files])
        return
    _print_files(files, made, place)


@restore_app.command("from", hidden=True)
def restore(
    file: Annotated[Path, typer.Argument(help="A file of `photomat backup`.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    adopt: Annotated[bool, typer.Option("--adopt", help="It is the backup of another bot, on purpose.")] = False,
    as_json: AsJson = False,
) -> None:
    """Load a backup into the empty database of the settings; the shop is paused until you resume it."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    failpoint.arm(settings.failpoint)
    manifest = require_whole(file)
    refuse_manifest(manifest, bot_id=settings.bot_id, adopts=adopt)
    with _empty_database(settings) as dsn:
        asyncio.run(require_empty(dsn, manifest))
        if not yes:
            typer.echo(_about(manifest, file), err=True)
            typer.confirm("Restore it?", abort=True, err=True)
        asyncio.run(load_backup(dsn, file, manifest))
        results = _unpack_results(file, result_places(settings), below=settings.results_folder)
        done = asyncio.run(_finish(dsn, file, manifest, settings))
    if as_json:
        print_json({**_restore_as_json(done), "results": results})
    else:
        _print_restored(done, manifest, results)


@contextmanager
def _empty_database(settings: Settings) -> Iterator[str]:
    """The database to restore into: DATABASE_URL, or the embedded one, started or made."""
    if settings.database_url is not None and not settings.sandboxed:
        yield settings.direct_database_url or settings.database_url
        return
    if not settings.sandboxed:
        refuse_ephemeral_disk(settings)
    if is_owned(settings.data_dir):
        raise Startup(
            f"The bot is running in {settings.data_dir}: stop it first, a restore never touches a live database."
        )
    embedded = Embedded.start(settings.data_dir)
    try:
        yield embedded.dsn
    finally:
        embedded.stop()


async def _finish(dsn: str, file: Path, manifest: Manifest, settings: Settings) -> Restore:
    """Forget again, then end the restore: killed before its last commit, all of it is repeated."""
    connection = await connect(dsn, name=RESTORE_SESSION)
    try:
        await forget_unfinished(connection)
    finally:
        await connection.close(timeout=5)
    pool = await connect_pool(dsn, name=RESTORE_SESSION, size=2, patience_s=0, bot_id=settings.bot_id)
    try:
        again = await repeat_forgets(pool, _forgotten(file, settings))
        done = await restores.finish_restore(
            pool,
            operator=operator_name(),
            snapshot_at=manifest.snapshot_at,
            file=file.name,
            sha256=manifest.sha256,
        )
        return replace(done, changed={**done.changed, "forgotten": len(again)})
    finally:
        await pool.close()


def _forgotten(file: Path, settings: Settings) -> list[PastForget]:
    """Who was forgotten after the backup: the list of DATA_DIR, and its copy beside the backups."""
    lists = {settings.forgotten_file.absolute(), (file.parent / settings.forgotten_file.name).absolute()}
    return [one for each in sorted(lists) for one in read_forgotten(each)]


@restore_app.command("promoted")
def promoted(
    *,
    reason: Reason,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%dT%H:%M:%S"],
            help="UTC; what happened after it may be missing. Without, the last commit that the replica replayed.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """A replica that was behind has been promoted: pause its shop like a restored one, until you resume it."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    if settings.database_url is None or settings.sandboxed:
        raise Startup("Only a server of DATABASE_URL can be a promoted replica.")
    dsn = settings.direct_database_url or settings.database_url
    if settings.bot_id is not None:
        asyncio.run(require_ours(dsn, settings.bot_id))
    last = asyncio.run(require_promoted(dsn))
    at = since.replace(tzinfo=UTC) if since is not None else last
    if at is None:
        raise Startup("The server no longer knows what it replayed last: say when the primary was lost with --since.")
    if not yes:
        typer.echo(f"What happened after {at:%Y-%m-%d %H:%M:%S} UTC may be missing from this database.", err=True)
        typer.confirm("Pause the shop and make what is under way uncertain?", abort=True, err=True)
    done = asyncio.run(_pause_promoted(dsn, at, reason, settings))
    if as_json:
        print_json(_restore_as_json(done))
    else:
        typer.echo(f"✓ The shop as of {at:%Y-%m-%d %H:%M:%S} UTC. It is paused.")
        _print_changed(done)


async def _pause_promoted(dsn: str, at: datetime, reason: str, settings: Settings) -> Restore:
    pool = await connect_pool(dsn, name=RESTORE_SESSION, size=2, patience_s=0, bot_id=settings.bot_id)
    try:
        return await restores.pause_promoted(pool, operator=operator_name(), snapshot_at=at, reason=reason)
    finally:
        await pool.close()


@restore_app.command("status")
def status(*, as_json: AsJson = False) -> None:
    """What to look at before resuming a restored shop."""
    state = query(restores.read_state, name=RESTORE_SESSION)
    if as_json:
        print_json(None if state is None else _state_as_json(state))
    elif state is None:
        typer.echo("This database is not waiting after a restore.")
    else:
        _print_state(state)


@restore_app.command("submit")
def submit(job_id: int, *, reason: Reason) -> None:
    """Submit one uncertain job after all; look into Kie's own log first, or it is made and paid twice."""
    answer = operate(
        lambda pool: restores.submit_again(pool, JobId(job_id), operator=operator_name(), reason=reason),
        name=RESTORE_SESSION,
    )
    print_outcome(answer.sentence, done=answer.done)


def resume_restore(*, reason: str, force: bool) -> None:
    """`photomat resume restore`: print the checklist, then end the pause."""

    async def act(pool: Pool) -> tuple[RestoreState | None, Any]:
        state = await restores.read_state(pool)
        return state, await restores.resume_restored(pool, operator=operator_name(), reason=reason, force=force)

    state, answer = operate(act, name=RESTORE_SESSION)
    if state is not None:
        _print_state(state)
    print_outcome(answer.sentence, done=answer.done)


def _unpack_results(file: Path, places: ResultPlaces, *, below: Path) -> int:
    """Put the copies of results back, if their tar file lies beside the backup; return how many files."""
    archive = file.with_name(file.name.removesuffix(SUFFIX) + RESULTS_SUFFIX)
    if not archive.exists():
        return 0
    folder = places.current.folder or below
    try:
        with tarfile.open(archive) as opened:
            count = sum(_unpack_file(opened, member, folder) for member in opened if member.isfile())
        if places.is_bucket:
            unpacked = sorted(each for each in folder.rglob("*") if each.is_file())
            asyncio.run(_upload_all(places.current, folder, unpacked))
    except (tarfile.TarError, OSError, StoreUnavailable) as error:
        raise Startup(
            f"{archive} could not be unpacked into {folder} ({error}): make room, or move it away to restore without the"
            " copies of results; then run `photomat restore` again."
        ) from None
    tighten(folder)
    return count


def _unpack_file(opened: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> bool:
    """Write one file below the folder; whatever else a tar file may hold (links, other places) is left out.

    `extractall(filter="data")` would do, but Python 3.11.2, which Debian 12 has, does not know it.
    """
    top, *parts = PurePosixPath(member.name).parts
    content = opened.extractfile(member)
    if top != "results" or not parts or ".." in parts or parts[-1] in NOT_COPIES or content is None:
        return False
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with content, path.open("wb") as file:
        shutil.copyfileobj(content, file)
    return True


async def _upload_all(store: FileStore, folder: Path, unpacked: Sequence[Path]) -> None:
    """Bring unpacked copies into the bucket; the rows name it, or find them there."""
    for path in unpacked:
        name = path.relative_to(folder).as_posix()
        if NAME.fullmatch(name):
            with path.open("rb") as opened:
                mime = sniff(opened.read(HEAD_BYTES)).mime
            await store.put_file(name, path, mime=mime)
            path.unlink()


def _about(manifest: Manifest, file: Path) -> str:
    users, jobs = manifest.rows.get("users", 0), manifest.rows.get("generation_jobs", 0)
    whose = "nobody" if manifest.bot_id is None else name_of(manifest.bot_id)
    return (
        f"{file.name}: {whose}, {manifest.snapshot_at:%Y-%m-%d %H:%M} UTC, made by Photomat {manifest.version};"
        f" {users} users, {jobs} jobs. What happened after that moment is not in it."
    )


def _made_as_json(made: FinishedBackup) -> dict[str, Any]:
    proof = made.proof
    return {
        "file": str(made.path),
        "size_bytes": made.path.stat().st_size,
        "sha256": made.manifest.sha256,
        "snapshot_at": made.manifest.snapshot_at,
        "schema": made.manifest.schema,
        "identity": None if made.manifest.bot_id is None else identity_of(made.manifest.bot_id),
        "rows": sum(made.manifest.rows.values()),
        "proved": made.is_proved,
        "problems": [] if proof is None else list(proof.problems),
        "invariants": 0 if proof is None else proof.invariants,
        "proof_seconds": None if proof is None else proof.seconds,
        "results": None if made.results is None else str(made.results),
        "deleted": [str(path) for path in made.deleted],
    }


def _print_made(made: FinishedBackup, settings: Settings, *, with_results: bool) -> None:
    rows = sum(made.manifest.rows.values())
    typer.echo(f"✓ {made.path}: {made.path.stat().st_size / MIB:.1f} MB, {rows} rows.")
    if made.proof is None:
        typer.echo("  Not proved (--no-verify).")
    elif made.is_proved:
        typer.echo(
            f"✓ Proved in {made.proof.seconds} s: restored into a scratch database, every row there,"
            f" all {made.proof.invariants} invariants hold."
        )
    else:
        for problem in made.proof.problems:
            typer.echo(f"✗ Not proved: {problem}")
    for path in made.deleted:
        typer.echo(f"  Deleted: {path.name}")
    if made.results is not None:
        typer.echo(f"✓ Copies of results: {made.results}")
    elif not with_results and (settings.results_store or settings.results_folder.is_dir()):
        where = settings.results_store or settings.results_folder
        typer.echo(f"  Not in it: copies of results in {where} (--with-results), and your keys (.env).")
    else:
        typer.echo("  Not in it: your keys (.env). Keep them elsewhere, a restore needs them.")


def _file_as_json(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = {"file": str(path), "size_bytes": path.stat().st_size, "problem": None}
    try:
        manifest = read_manifest(path)
    except Startup as error:
        return {**facts, "problem": str(error), "snapshot_at": None, "version": None, "schema": None, "identity": None}
    identity = None if manifest.bot_id is None else identity_of(manifest.bot_id)
    about = {"snapshot_at": manifest.snapshot_at, "version": manifest.version, "schema": manifest.schema}
    return {**facts, **about, "identity": identity}


def _is_proved(file: str, made: list[Any]) -> bool:
    return any(one.file == file and one.proved_at is not None for one in made)


def _print_files(files: list[dict[str, Any]], made: list[Any], place: Path | None) -> None:
    table = Listing("file", "of (UTC)", "MB", "version", "proved")
    for one in files:
        at = "damaged" if one["snapshot_at"] is None else f"{one['snapshot_at']:%Y-%m-%d %H:%M}"
        proved = "✓" if _is_proved(one["file"], made) else "✗ not here"
        table.add_row(Path(one["file"]).name, at, f"{one['size_bytes'] / MIB:.1f}", one["version"] or "", proved)
    where = f"No backup in {place}." if place else "BACKUP_DIR is not set; --folder names another one."
    print_listing(table if files else where)
    failed = [one for one in made if one.error is not None][:1]
    for one in failed:
        typer.echo(f"The last one that failed, {one.started_at:%Y-%m-%d %H:%M} UTC: {one.error}")


def _print_restored(done: Restore, manifest: Manifest, results: int) -> None:
    typer.echo(f"✓ Restored: the shop as of {manifest.snapshot_at:%Y-%m-%d %H:%M} UTC. It is paused.")
    if results:
        typer.echo(f"  copies of results put back: {results}")
    _print_changed(done)


def _print_changed(done: Restore) -> None:
    for name, count in done.changed.items():
        if count:
            typer.echo(f"  {CHANGED[name]}: {count}")
    typer.echo("Now start the bot (`photomat run`): it reads payments again from their providers and sells nothing.")
    typer.echo("Then `photomat restore status`, and when it is in order `photomat resume restore --reason …`.")


CHANGED: Final[Mapping[str, str]] = {
    "sequences": "numbers that jump ahead, so that none is used twice",
    "uncertain": "jobs that may or may not be at Kie; never submitted by themselves",
    "at_kie": "jobs at Kie, polled as usual",
    "rings": "completion messages that are not sent",
    "resends": "results asked for again that are not sent",
    "notices": "messages to users that are not sent",
    "broadcast": "recipients of broadcasts that are unknown now",
    "updates": "updates of users that are not handled again",
    "fiscal": "fiscal receipts that are looked up before they are sent",
    "sessions": "console sessions ended",
    "forgotten": "users forgotten again",
}


def _restore_as_json(restore: Restore) -> dict[str, Any]:
    names = ("restore_id", "restored_at", "restored_by", "snapshot_at", "file", "payments_read_at")
    facts: dict[str, Any] = {name: getattr(restore, name) for name in names}
    return {**facts, "changed": dict(restore.changed), "unread": list(restore.unread)}


def _state_as_json(state: RestoreState) -> dict[str, Any]:
    return {
        **_restore_as_json(state.restore),
        "uncertain": [
            {
                "job_id": one.job_id,
                "user_id": one.user_id,
                "model": one.model,
                "price": one.price,
                "currency": one.currency,
                "status": one.status,
                "created_at": one.created_at,
            }
            for one in state.uncertain
        ],
        "payments_found": state.payments_found,
        "differences": state.differences,
        "wanted_refunds": state.wanted_refunds,
        "broken": list(state.broken),
        "may_resume": not state.problems,
    }


def _print_state(state: RestoreState) -> None:
    restore = state.restore
    typer.echo(
        f"Restored {_time(restore.restored_at)} by {restore.restored_by} from {restore.file}, of {_time(restore.snapshot_at)}."
    )
    if restore.payments_read_at is None:
        waits = (
            f"not answered yet: {', '.join(restore.unread)}" if restore.unread else "start the bot; it takes a minute"
        )
        typer.echo(f"✗ Payments are not read again yet ({waits}).")
    else:
        typer.echo(
            f"✓ Payments read again {_time(restore.payments_read_at)}; found since the backup: {state.payments_found}."
        )
    typer.echo(
        f"{'✗' if state.differences else '✓'} Open differences: {state.differences} (`photomat differences list`)."
    )
    if state.wanted_refunds:
        typer.echo(f"  Refunds that leave when you resume: {state.wanted_refunds}.")
    typer.echo(f"✗ Audit: {', '.join(state.broken)}." if state.broken else "✓ Audit: all invariants hold.")
    typer.echo(f"{'✗' if state.uncertain else '✓'} Jobs that may or may not be at Kie: {len(state.uncertain)}.")
    if state.uncertain:
        table = Listing("job", "user", "model", "price", "bought (UTC)")
        for one in state.uncertain:
            price = f"{one.price / 100:.2f} {one.currency}"
            table.add_row(str(one.job_id), str(one.user_id), one.model, price, f"{one.created_at:%m-%d %H:%M}")
        print_listing(table)
        typer.echo(
            "Each waits for its callback; past JOB_TIMEOUT_S its money goes back by itself. Decide one sooner:"
            " `photomat jobs cancel N --reason …` gives the money back, `photomat restore submit N --reason …` submits it."
        )


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
